"""System calls per request, counted by strace: the difference of a long and a short run."""

import tempfile
from pathlib import Path

from client import Client
from servers import Running

CONNECTIONS = 64
ROUNDS = (5, 25)


def parse(text):
    """The calls by name, of `strace -c`."""
    calls = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 5 and words[3].isdigit() and words[-1] != "total":
            calls[words[-1]] = int(words[3])
    return calls


def count(server, depth, rounds):
    with tempfile.NamedTemporaryFile(prefix="hoop-strace.") as output:
        with Running(server, prefix=("strace", "-f", "-c", "-o", output.name)) as running:
            with Client(running.port, CONNECTIONS) as client:
                requests = client.ask(server.text, depth, rounds)
        return parse(Path(output.name).read_text()), requests


def measure(server, depth):
    """Calls per request by name."""
    (few, few_requests), (many, many_requests) = (count(server, depth, n) for n in ROUNDS)
    requests = many_requests - few_requests
    return {name: (many[name] - few.get(name, 0)) / requests for name in many}
