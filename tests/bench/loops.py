"""One loop and two: what a request costs, and how the kernel shares out the connections."""

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import load
from client import Client
from servers import Running

CONNECTIONS = 1000


class Loops(NamedTuple):
    """What was measured of a server with so many loops."""

    runs: list  # of load.Result
    shares: list  # of the connections, a loop each, 0 to 1


def with_loops(server, count):
    """nginx has them from its configuration."""
    more = ("--threads", str(count)) if server.name == "hoop" else ()
    return replace(server, loops=count, command=(*server.command, *more))


def watched(pid):
    """{epoll descriptor: how many descriptors it watches} of a process."""
    found = {}
    for info in Path(f"/proc/{pid}/fdinfo").iterdir():
        lines = re.findall(r"^tfd:", info.read_text(), re.M)
        if lines:
            found[info.name] = len(lines)
    return found


def shares(server):
    """How many of CONNECTIONS each loop gets, as a share, the greatest first."""
    with Running(server) as running:
        time.sleep(0.2)  # until each loop polls what it opened
        before = watched(running.process.pid)
        with Client(running.port, CONNECTIONS) as client:
            client.ask(server.text)
            time.sleep(0.2)
            after = watched(running.process.pid)
    counts = [after[epoll] - before.get(epoll, 0) for epoll in after]
    return sorted((count / CONNECTIONS for count in counts if count > 0), reverse=True)


def measure(server, seconds):
    """One run under load; nothing is bound to a CPU, as two loops and wrk share two."""
    return load.measure(server, load.SCENARIOS["plain"], seconds, pinned=False)
