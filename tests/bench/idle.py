"""Memory of idle keep-alive connections: what the server holds for each, and what it gives back."""

import resource
import time
from typing import NamedTuple

from client import Client
from servers import Running

CONNECTIONS = 10000
SPARE = 200  # descriptors for everything else
SETTLE = 2  # seconds


class Idle(NamedTuple):
    """Bytes of resident memory."""

    connections: int
    connected: float  # per connection, before it asks anything
    asked: float  # per connection, after one request each
    kept: int  # in all, two seconds after the last was closed


def connections_allowed():
    """How many this process and the server, which inherits it, may open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard == resource.RLIM_INFINITY:
        return CONNECTIONS
    return min(CONNECTIONS, hard - SPARE)


def measure(server):
    count = connections_allowed()
    with Running(server) as running:
        with Client(running.port, 1) as client:
            client.ask(server.text)
        time.sleep(0.5)
        before = running.memory()
        with Client(running.port, count) as client:
            time.sleep(1)
            connected = running.memory()
            client.ask(server.text)
            time.sleep(1)
            asked = running.memory()
        time.sleep(SETTLE)
        after = running.memory()
    return Idle(count, (connected - before) / count, (asked - before) / count, after - before)
