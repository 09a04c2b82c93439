#!/usr/bin/env python3
"""Compares what a request costs by AJP and by HTTP: the same server, handler, bytes and client.

USAGE: ajp.py [--build FOLDER] [--seconds S] [--repeats N] [--write]

Each repeat goes over all cases, so that whatever else the machine does meets them alike; the server is
pinned to the first core, the client to the second. `--write` puts the table into docs/benchmarks.md.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = (2, 8192, 16384)
CONNECTIONS = 16
PAGE = ROOT / "docs/benchmarks.md"


def cpu_ns(pid):
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def measure(programs, server, ports, protocol, length, seconds):
    """CPU microseconds of the server per request, and requests per second."""
    options = ["--http"] if protocol == "http" else []
    command = ["taskset", "-c", "1", programs / "ajpload", *options, str(ports[protocol])]
    before = cpu_ns(server.pid)
    command += [f"/{length}", str(CONNECTIONS), str(seconds), str(length)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return (cpu_ns(server.pid) - before) / 1000 / told["requests"], told["per_second"]


def run(programs, seconds, repeats):
    command = ["taskset", "-c", "0", programs / "ajp_server", "0", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        lines = [server.stderr.readline() for _ in range(2)]
        ports = {re.search(r"(\w+)://", s)[1]: int(s.rsplit(":", 1)[1]) for s in lines}
        cases = [(length, protocol) for length in LENGTHS for protocol in ("http", "ajp")]
        found = {case: [] for case in cases}
        for repeat in range(repeats):
            turn = cases[repeat % 2 :: 2] + cases[(repeat + 1) % 2 :: 2]
            for length, protocol in turn:
                found[length, protocol].append(
                    measure(programs, server, ports, protocol, length, seconds)
                )
        return found
    finally:
        server.terminate()
        server.wait()


def table(found):
    lines = ["| bytes | HTTP, CPU us | AJP, CPU us | AJP / HTTP | HTTP, requests/s | AJP, requests/s |"]
    lines.append("|---|---|---|---|---|---|")
    for length in LENGTHS:
        micros, rates = {}, {}
        for protocol in ("http", "ajp"):
            micros[protocol] = statistics.median(m for m, _ in found[length, protocol])
            rates[protocol] = max(rate for _, rate in found[length, protocol])
        lines.append(
            f"| {length:,} | {micros['http']:.2f} | {micros['ajp']:.2f} "
            f"| {micros['ajp'] / micros['http']:.2f} | {rates['http']:,.0f} | {rates['ajp']:,.0f} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(add_help=True, usage=__doc__.split("USAGE: ")[1].split("\n")[0])
    parser.add_argument("--build", default=ROOT / "build/release", type=Path)
    parser.add_argument("--seconds", default=2, type=float)
    parser.add_argument("--repeats", default=9, type=int)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = table(run(options.build / "tests/bench", options.seconds, options.repeats))
    print(text)
    if options.write:
        page = PAGE.read_text()
        new = re.sub(r"<!-- ajp -->.*<!-- end ajp -->", f"<!-- ajp -->\n{text}\n<!-- end ajp -->", page,
                     flags=re.S)  # fmt: skip
        PAGE.write_text(new)


if __name__ == "__main__":
    sys.exit(main())
