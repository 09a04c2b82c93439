"""The servers that are measured: how each is started, and the processes that belong to it."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
START_SECONDS = 20
STOP_SECONDS = 10


@dataclass(frozen=True)
class Server:
    """A server, or a bound."""

    name: str
    what: str
    command: tuple  # with PORT and FOLDER to be filled in
    text: str = "/plaintext"  # empty, here and below: it has no such answer of its own making
    json: str = "/json"
    loops: int = 1
    repeats: str = ""  # the name of the server that it shows once more, or in another way

    @property
    def is_there(self):
        """Whether its program was built, or is installed."""
        return Path(self.command[0]).exists()


def all_servers(build):
    """All servers by name; a program may be missing."""
    programs = Path(build) / "tests/bench"
    peers = programs / "peers"
    bound = (str(peers / "libuv_llhttp"), "PORT")
    nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin") or "/missing"
    hoop = (str(programs / "server"), "PORT")
    servers = [
        Server("hoop", "this library; the text is a frozen response", hoop),
        Server("hoop_text", "the same; the text is made per request", hoop, "/plaintext2", "",
               "hoop"),
        Server("hoop_writer", "the same; the JSON by hoop_json_object()", hoop, "",
               "/json-writer", "hoop"),
        Server("floor_libuv", "bound: libuv, nothing parsed", (str(peers / "floor_libuv"), "PORT"),
               json=""),
        Server("libuv_llhttp", "bound: libuv and llhttp, nothing checked", bound),
        Server("libuv_llhttp_2", "the same once more: the spread", bound, repeats="libuv_llhttp"),
        Server("nginx", "nginx, constant answers", (nginx, "-p", "FOLDER", "-c",
                                                    "FOLDER/nginx.conf")),
        Server("h2o", "h2o's library on its own loop", (str(peers / "h2o"), "PORT")),
        Server("microhttpd", "GNU libmicrohttpd, epoll", (str(peers / "microhttpd"), "PORT")),
        Server("evhttp", "libevent's evhttp", (str(peers / "evhttp"), "PORT")),
    ]
    return {server.name: server for server in servers}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def tree(pid):
    """The process and all its descendants."""
    return [pid] + [below for child in children(pid) for below in tree(child)]


class Running:
    """A server that runs while the `with` block does. `prefix` is a tool that runs it (strace,
    valgrind): then it has a single process."""

    def __init__(self, server, cpu=None, prefix=(), env=None):
        self.server = server
        self.cpu = cpu
        self.prefix = tuple(prefix)
        self.env = {**os.environ, **(env or {})}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hoop-bench.")
        self.port = free_port()
        self._write_nginx_conf()
        words = {"PORT": str(self.port)}
        command = [
            words.get(word, word.replace("FOLDER", self.folder.name))
            for word in self.server.command
        ]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*self.prefix, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            env=self.env,
            start_new_session=True,
            preexec_fn=self._pin if self.cpu is not None else None,
        )
        try:
            self._wait_until_it_listens()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception):
        # strace does not hand a signal on, so what it runs gets it.
        below = children(self.process.pid) if self.prefix[:1] == ("strace",) else []
        for pid in below or [self.process.pid]:
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.errors.close()
        self.folder.cleanup()

    @property
    def pids(self):
        return tree(self.process.pid)

    def cpu_seconds(self):
        """What all threads of all its processes have run, to the nanosecond."""
        total = 0
        for pid in self.pids:
            for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                total += int(task.read_text().split()[0])
        return total / 1e9

    def memory(self):
        """Resident bytes of all its processes."""
        total = 0
        for pid in self.pids:
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1]) * 1024
        return total

    def _pin(self):
        os.sched_setaffinity(0, {self.cpu})

    def _write_nginx_conf(self):
        if self.server.name != "nginx":
            return
        text = (HERE / "peers/nginx.conf.in").read_text()
        master = "off" if self.prefix else "on"
        words = {"PORT": self.port, "MASTER": master, "FOLDER": self.folder.name,
                 "WORKERS": self.server.loops}
        for name, value in words.items():
            text = text.replace(f"@{name}@", str(value))
        Path(self.folder.name, "nginx.conf").write_text(text)

    def _wait_until_it_listens(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip()
        raise RuntimeError(f"{self.server.name} does not listen: {said}")
