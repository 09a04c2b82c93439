#!/usr/bin/env python3
"""Compares what a compressed response costs: hoop, nginx and h2o, the same bytes, coding and level.

USAGE: compress.py [--build FOLDER] [--seconds S] [--repeats N] [--write]

Each repeat goes over all cases in another order; the server is pinned to the first core, wrk to the second. What
is told is the CPU time of the server's processes per response. `--write` puts the table into docs/benchmarks.md.
"""

import argparse
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True

from load import cpus  # noqa: E402
from servers import Running, Server  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/benchmarks.md"
FILES = {"data.json": "10 KB of JSON", "page.html": "1 MB of HTML"}
LEVELS = (1, 4, 6)
CONNECTIONS = 8
# What hoop does by itself, if a client takes all codings.
CODINGS = (("br", 4), ("zstd", 3))

NGINX = """
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 1000; multi_accept on; }}
http {{
    access_log off; keepalive_requests 1000000000; tcp_nodelay on; sendfile on;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    types {{ text/html html; application/json json; }}
    gzip on; gzip_comp_level {level}; gzip_min_length 1000; gzip_types application/json;
    open_file_cache max=10;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""

H2O = """
num-threads: 1
listen: {{ host: 127.0.0.1, port: {port} }}
max-connections: 1000
compress-minimum-size: 1000
compress: {{ gzip: {level} }}
hosts:
  default:
    paths:
      "/": {{ file.dir: {folder} }}
"""


def make_files(folder):
    """Repeatable, and about as well to be compressed as what services send."""
    chance = random.Random(5)
    words = "".join((ROOT / f"docs/{name}.md").read_text() for name in ("decisions", "benchmarks"))
    words = re.findall(r"[\w,.()']+", words)
    rows = []
    while len(json.dumps(rows)) < 10000:
        rows.append({
            "id": chance.randrange(10**6),
            "name": " ".join(chance.sample(words, 3)),
            "email": f"u{chance.randrange(9999)}@example.org",
            "tags": chance.sample(words, 3),
            "score": round(chance.random() * 100, 3),
        })
    lines, size = [], 0
    while size < 1 << 20:
        at = chance.randrange(len(words) - 12)
        lines.append(
            f'<tr class="row"><td class="n">{len(lines)}</td><td><a href="/items/'
            f'{chance.randrange(10**6)}">{" ".join(chance.sample(words, 4))}</a></td>'
            f'<td>{" ".join(words[at:at + 12])}</td></tr>\n'
        )
        size += len(lines[-1])
    Path(folder, "data.json").write_text(json.dumps(rows))
    Path(folder, "page.html").write_text("".join(lines))


class Compressing(Running):
    """A server that sends compressed files of its folder."""

    def __init__(self, server, level, cpu):
        super().__init__(server, cpu=cpu)
        self.level = level

    def _write_nginx_conf(self):
        make_files(self.folder.name)
        Path(self.folder.name).chmod(0o755)  # started by root, nginx and h2o read as nobody
        words = {"folder": self.folder.name, "port": self.port, "level": self.level}
        Path(self.folder.name, "nginx.conf").write_text(NGINX.format(**words))
        Path(self.folder.name, "h2o.conf").write_text(H2O.format(**words))


def commands(build):
    path = "/usr/sbin:/usr/bin:/usr/local/bin"
    nginx = shutil.which("nginx", path=path) or "/missing"
    h2o = shutil.which("h2o", path=path) or "/missing"
    return {
        "hoop": (str(build / "tests/bench/compress_server"), "PORT", "FOLDER"),
        "nginx": (nginx, "-p", "FOLDER", "-c", "FOLDER/nginx.conf"),
        "h2o": (h2o, "-c", "FOLDER/h2o.conf"),
    }


def cases(build):
    """(name, coding, level, Server) of what is there."""
    found = []
    for name, command in commands(build).items():
        if not Path(command[0]).exists():
            print(f"{name}: not there, left out")
            continue
        wanted = [("gzip", level) for level in LEVELS] + (list(CODINGS) if name == "hoop" else [])
        for coding, level in wanted:
            more = (coding, str(level)) if name == "hoop" else ()
            found.append((name, coding, level, Server(name, "", command + more)))
    return found


def size_of(url, coding):
    ask = urllib.request.Request(url, headers={"Accept-Encoding": coding})
    with urllib.request.urlopen(ask, timeout=20) as answer:
        if answer.headers["Content-Encoding"] != coding:
            raise RuntimeError(f"{url} is not {coding}")
        return len(answer.read())


def measure(server, coding, level, file, seconds):
    """CPU microseconds per response, and its bytes."""
    own, others = cpus()
    with Compressing(server, level, own) as running:
        url = f"http://127.0.0.1:{running.port}/{file}"
        size = size_of(url, coding)
        before = running.cpu_seconds()
        said = subprocess.run(
            ["taskset", "-c", str(others), "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s",
             "-H", f"Accept-Encoding: {coding}", url],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        used = running.cpu_seconds() - before
        if "Non-2xx" in said or "Socket errors" in said:
            raise RuntimeError(f"{server.name}: {said}")
        count = int(re.search(r"(\d+) requests in", said)[1])
    # On a machine that others use nothing may have come in time.
    return (used / count * 1e6, size) if count else measure(server, coding, level, file, 2 * seconds)


def run(build, seconds, repeats):
    there = cases(build)
    found = {}
    for repeat in range(repeats):
        order = [(case, file) for file in FILES for case in there]
        random.Random(repeat).shuffle(order)
        for (name, coding, level, server), file in order:
            told = measure(server, coding, level, file, seconds)
            found.setdefault((file, coding, level, name), []).append(told)
    return found


def table(found):
    lines = ["| body | coding | hoop, CPU us | nginx | h2o | bytes: hoop | nginx | h2o |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for file, title in FILES.items():
        for coding, level in [("gzip", level) for level in LEVELS] + list(CODINGS):
            micros, sizes = [], []
            for name in ("hoop", "nginx", "h2o"):
                runs = found.get((file, coding, level, name))
                if runs:
                    all_micros = sorted(micro for micro, _ in runs)
                    middle = statistics.median(all_micros)
                    micros.append(f"{middle:,.1f} ({all_micros[0]:,.1f} to {all_micros[-1]:,.1f})")
                    sizes.append(f"{runs[0][1]:,}")
                else:
                    micros.append("-")
                    sizes.append("-")
            lines.append(f"| {title} | {coding} {level} | " + " | ".join(micros + sizes) + " |")
    return "\n".join(lines)


def main():
    usage = __doc__.split("USAGE: ")[1].split("\n")[0]
    parser = argparse.ArgumentParser(add_help=True, usage=usage)
    parser.add_argument("--build", default=ROOT / "build/release", type=Path)
    parser.add_argument("--seconds", default=2, type=int)
    parser.add_argument("--repeats", default=5, type=int)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = table(run(options.build, options.seconds, options.repeats))
    print(text)
    if options.write:
        page = PAGE.read_text()
        PAGE.write_text(re.sub(
            r"<!-- compress -->.*<!-- end compress -->",
            f"<!-- compress -->\n{text}\n<!-- end compress -->", page, flags=re.S,
        ))  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
