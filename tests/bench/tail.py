"""Latency at half load: an open-loop client beside each server, in turns."""

import json
import os
import statistics
import subprocess
from typing import NamedTuple

import load
from servers import Running

CONNECTIONS = 64
SHARE = 0.5  # of what a server's CPU could answer
# Many short runs: a machine that is held up for some milliseconds spoils a run of any length.
SECONDS = 1
TIMES = 4  # as many runs as of other scenarios


class Tail(NamedTuple):
    """One run: microseconds from the moment a request was due to the end of its answer."""

    p50: float
    p99: float
    p999: float
    most: float


def rate_for(server):
    """Requests a second that take SHARE of this server's CPU."""
    runs = [load.measure(server, load.SCENARIOS["plain"], 1).micros for _ in range(3)]
    return int(SHARE * 1e6 / statistics.median(runs))


def measure(client, server, rate, seconds):
    """One run of the client at `client` against a server."""
    own, others = load.cpus()
    with Running(server, cpu=own) as running:
        command = [client, running.port, server.text, CONNECTIONS, rate, seconds]
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            timeout=seconds + 60,
            preexec_fn=lambda: os.sched_setaffinity(0, {others}),
        )
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    told = json.loads(done.stdout)
    return Tail(*(told[name] for name in Tail._fields))
