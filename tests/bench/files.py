#!/usr/bin/env python3
"""Compares what a file costs: hoop's example, nginx and h2o serve the same folder to the same client.

USAGE: files.py [--build FOLDER] [--seconds S] [--repeats N] [--write]

Each repeat goes over all sizes and servers in another order, so that whatever else the machine does meets
them alike; the server is pinned to one core, wrk to the other. nginx has sendfile, tcp_nopush and its cache
of open files on. `--write` puts the table into docs/benchmarks.md.
"""

import argparse
import hashlib
import re
import shutil
import statistics
import sys
import tempfile
import urllib.request
from pathlib import Path

from load import SCENARIOS, cpus, wrk
from servers import Running, Server

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/benchmarks.md"
SIZES = {"1 KiB": 1 << 10, "64 KiB": 64 << 10, "10 MiB": 10 << 20}

NGINX = """
worker_processes 1;
daemon off;
pid {run}/nginx.pid;
error_log {run}/nginx.log;
events {{ worker_connections 2000; multi_accept on; }}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    sendfile on;
    tcp_nopush on;
    tcp_nodelay on;
    open_file_cache max=1000 inactive=60s;
    open_file_cache_valid 1s;
    keepalive_requests 1000000000;
    client_body_temp_path {run}/body;
    proxy_temp_path {run}/proxy;
    fastcgi_temp_path {run}/fastcgi;
    uwsgi_temp_path {run}/uwsgi;
    scgi_temp_path {run}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root {folder};
    }}
}}
"""

H2O = """
num-threads: 1
listen:
  host: 127.0.0.1
  port: {port}
hosts:
  default:
    paths:
      /:
        file.dir: {folder}
"""


class Peer(Running):
    """A server that reads the folder; its configuration names the port."""

    def __init__(self, name, command, config, folder, cpu):
        super().__init__(Server(name, "", command), cpu)
        self.config, self.files = config, folder

    def _write_nginx_conf(self):
        text = self.config.format(port=self.port, folder=self.files, run=self.folder.name)
        Path(self.folder.name, "config").write_text(text)


def path_of(program):
    return shutil.which(program, path="/usr/sbin:/usr/bin:/usr/local/bin") or "/missing"


def peers(build, folder):
    """What is there, by name."""
    own, _ = cpus()
    known = {
        "hoop": ((str(build / "examples/files"), "PORT", folder), ""),
        "nginx": ((path_of("nginx"), "-p", "FOLDER", "-c", "FOLDER/config"), NGINX),
        "h2o": ((path_of("h2o"), "-c", "FOLDER/config"), H2O),
    }
    return {
        name: lambda name=name, command=command, config=config: Peer(
            name, command, config, folder, own
        )
        for name, (command, config) in known.items()
        if Path(command[0]).exists()
    }


def measure(start, name, size, seconds):
    """CPU microseconds of the server per file, and files a second."""
    _, other = cpus()
    with start() as running:
        url = f"http://127.0.0.1:{running.port}/{name}"
        found = urllib.request.urlopen(url).read()
        want = hashlib.sha256(content(size)).digest()
        assert hashlib.sha256(found).digest() == want, f"{running.server.name}: other bytes"
        before = running.cpu_seconds()
        told = wrk(url, SCENARIOS["plain"], seconds, other)
        used = running.cpu_seconds() - before
    assert not told["errors"], (running.server.name, name, told)
    # By bytes: large files are under way on all connections when the time is up.
    files = told["bytes"] / size
    return used / files * 1e6, files / told["seconds"]


def content(size):
    return bytes(i * 7 % 251 for i in range(251)) * (size // 251) + bytes(size % 251)


def run(build, seconds, repeats):
    with tempfile.TemporaryDirectory(prefix="hoop-files.") as folder:
        Path(folder).chmod(0o755)  # nginx' workers are nobody
        for name, size in SIZES.items():
            Path(folder, name.replace(" ", "") + ".bin").write_bytes(content(size))
        servers = peers(build, folder)
        found = {(name, size): [] for size in SIZES for name in servers}
        for repeat in range(repeats):
            order = list(found)
            order = order[repeat % len(order) :] + order[: repeat % len(order)]
            for name, size in order:
                found[name, size].append(
                    measure(servers[name], size.replace(" ", "") + ".bin", SIZES[size], seconds)
                )
        return found


def table(found):
    names = list(dict.fromkeys(name for name, _ in found))
    lines = ["| file | " + " | ".join(f"{name}, CPU us" for name in names) + " | "]
    lines[0] += " | ".join(f"{name}, files/s" for name in names) + " |"
    lines.append("|---" * (1 + 2 * len(names)) + "|")
    for size in SIZES:
        micros = []
        for name in names:
            runs = sorted(m for m, _ in found[name, size])
            micros.append(f"{statistics.median(runs):,.2f} ({runs[0]:,.2f} to {runs[-1]:,.2f})")
        rates = [f"{max(rate for _, rate in found[name, size]):,.0f}" for name in names]
        lines.append(f"| {size} | " + " | ".join(micros + rates) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("USAGE: ")[1].split("\n")[0])
    parser.add_argument("--build", default=ROOT / "build/release", type=Path)
    parser.add_argument("--seconds", default=2, type=int)
    parser.add_argument("--repeats", default=9, type=int)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = table(run(options.build.resolve(), options.seconds, options.repeats))
    print(text)
    if options.write:
        page = PAGE.read_text()
        new = re.sub(r"<!-- files -->.*<!-- end files -->",
                     f"<!-- files -->\n{text}\n<!-- end files -->", page, flags=re.S)  # fmt: skip
        PAGE.write_text(new)


if __name__ == "__main__":
    sys.exit(main())
