"""A real Apache for tests: started on free ports with a configuration of its own, and stopped again."""

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODULES = Path("/usr/lib/apache2/modules")
START_S = 20


def skip_without(*packages):
    """Ends the test as skipped if Apache, or a module in a package of its own, is not installed."""
    needed = {"apache2": MODULES / "mod_proxy_ajp.so", "libapache2-mod-jk": MODULES / "mod_jk.so"}
    missing = [name for name in packages if not needed[name].exists() or not binary()]
    if missing:
        print("SKIP-APT: " + " ".join(missing))
        sys.exit(77)


def binary():
    return shutil.which("apache2", path=os.environ.get("PATH", "") + ":/usr/sbin")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def accepts(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def await_port(port, process=None):
    end = time.monotonic() + START_S
    while not accepts(port):
        assert process is None or process.poll() is None, f"ended with {process.returncode}"
        assert time.monotonic() < end, f"nobody listens at port {port}"
        time.sleep(0.02)


class Apache:
    """`config` is what follows behind the modules; `ports` are those that it listens at."""

    def __init__(self, config, ports, modules=()):
        self.folder = Path(tempfile.mkdtemp(prefix="hoop-apache-"))
        self.folder.chmod(0o755)  # its children run as somebody else
        self.ports = ports
        self.process = None
        lines = [
            f"ServerRoot {self.folder}",
            "ServerName localhost",
            f"PidFile {self.folder}/pid",
            f"ErrorLog {self.folder}/error.log",
            "LogLevel warn",
            "Mutex pthread",
        ]
        for name in ("mpm_event", "authz_core", *modules):
            lines.append(f"LoadModule {name}_module {MODULES}/mod_{name}.so")
        if os.geteuid() == 0:
            pwd.getpwnam("www-data")
            lines += ["User www-data", "Group www-data"]
        self.file = self.folder / "httpd.conf"
        self.file.write_text("\n".join(lines) + "\n" + config.replace("@DIR@", str(self.folder)))

    def start(self):
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(
                [binary(), "-f", self.file, "-DFOREGROUND"], stdout=output, stderr=output
            )
        for port in self.ports:
            await_port(port, self.process)

    def stop(self):
        """At once, with what it was at."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def log(self):
        return "".join(
            path.read_text(errors="replace")
            for name in ("error.log", "output", "jk.log")
            if (path := self.folder / name).exists()
        )

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            print(self.log(), file=sys.stderr)
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind, *_):
        self.stop()
        if kind and issubclass(kind, Exception):
            print(self.log()[-4000:], file=sys.stderr)
        shutil.rmtree(self.folder, ignore_errors=True)
