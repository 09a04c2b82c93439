"""CPU time per request under load: the server on one CPU, wrk on another."""

import json
import os
import re
import resource
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from client import HEADERS, Client
from servers import HERE, Running

CONNECTIONS = 64
WARM_UP = 50  # requests of each connection before anything counts


class Scenario(NamedTuple):
    """A way to load a server."""

    title: str
    depth: int = 1
    json: bool = False
    vary: bool = False


SCENARIOS = {
    "plain": Scenario("/plaintext, 64 connections, no pipelining"),
    "pipe": Scenario("/plaintext, 64 connections, 16 requests at a time", depth=16),
    "json": Scenario("/json, 64 connections, no pipelining", json=True),
    "vary": Scenario("/plaintext with varying headers, no pipelining", vary=True),
    "vary-pipe": Scenario("/plaintext with varying headers, 16 at a time", depth=16, vary=True),
}


class Result(NamedTuple):
    """One run of one server."""

    micros: float  # CPU time per request
    rate: float  # requests a second
    busy: float  # share of its CPU that the server used, 0 to 1
    foreign: float  # share of the two CPUs that somebody else used, 0 to 1
    errors: int


def cpus():
    """The server's CPU and the load generator's."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[1 % len(allowed)]


def busy_seconds(numbers):
    """What these CPUs have done since the machine began."""
    total = 0
    for number, text in re.findall(r"^cpu(\d+) (.*)$", Path("/proc/stat").read_text(), re.M):
        if int(number) in numbers:
            ticks = [int(word) for word in text.split()][:8]  # guests are in user's already
            total += sum(ticks) - ticks[3] - ticks[4]
    return total / os.sysconf("SC_CLK_TCK")


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def path_of(server, scenario):
    return server.json if scenario.json else server.text


def wrk(url, scenario, seconds, cpu):
    """Runs wrk and returns what load.lua tells."""
    headers = [word for item in HEADERS.items() for word in ("-H", ": ".join(item))]
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "5s", *headers]
    command += ["-s", str(HERE / "load.lua"), url, "--", str(scenario.depth)]
    done = subprocess.run(
        command + ["vary" if scenario.vary else "same"],
        capture_output=True,
        text=True,
        timeout=seconds + 60,
        preexec_fn=None if cpu is None else lambda: os.sched_setaffinity(0, {cpu}),
    )
    told = re.search(r"^RESULT (.*)$", done.stdout, re.M)
    if not told:
        raise RuntimeError(f"wrk says: {done.stdout}{done.stderr}")
    return json.loads(told[1])


def measure(server, scenario, seconds, idle=0, pinned=True):
    """One run, beside so many idle connections; None if the server has no such answer."""
    path = path_of(server, scenario)
    if not path:
        return None
    own, others = cpus()
    with Running(server, cpu=own if pinned else None) as running, Client(running.port, idle) as rest:
        rest.ask(path)
        with Client(running.port, CONNECTIONS) as client:
            client.ask(path, scenario.depth, max(1, WARM_UP // scenario.depth))
        began, used, wrk_used = time.monotonic(), running.cpu_seconds(), children_seconds()
        busy = busy_seconds({own, others})
        url = f"http://127.0.0.1:{running.port}{path}"
        told = wrk(url, scenario, seconds, others if pinned else None)
        used, wrk_used = running.cpu_seconds() - used, children_seconds() - wrk_used
        elapsed = time.monotonic() - began
        busy = busy_seconds({own, others}) - busy
    if not told["requests"]:
        raise RuntimeError(f"{server.name} answered nothing")
    return Result(
        micros=used / told["requests"] * 1e6,
        rate=told["requests"] / told["seconds"],
        busy=used / elapsed,
        foreign=max(0, busy - used - wrk_used) / elapsed / len({own, others}),
        errors=told["errors"],
    )
