"""Tests what comes in large numbers: a million requests and a body of a GiB each way, for which the
server's memory stays flat, and many thousand connects in all states of dying.

Usage: volume.py SERVER
"""

import contextlib
import http.client
import re
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True

from peers import LOCAL, Server, need, run, same  # noqa: E402

MIB = 1024 * 1024
GIB = 1024 * MIB
GROWTH = 4 * MIB  # of resident memory that an allocator's whim may cost
CONNECTS = 20000
AT_ONCE = 500


def flat(server, before, what):
    after = server.memory()
    print(f"{what}: {before // 1024} KiB before, {after // 1024} KiB behind")
    if server.sanitized:
        return  # its allocator keeps what was freed for a while
    assert after - before <= GROWTH, f"{what}: {before} and {after} bytes"


def settle(server):
    """Waits until nobody is connected but who asks."""
    end = time.monotonic() + 60
    while server.stats()["connections"] > 1:
        assert time.monotonic() < end, server.stats()
        time.sleep(0.02)


def load(server, count):
    url = f"http://{LOCAL}:{server.port}/"
    h2load = need("h2load", "nghttp2-client")
    command = [h2load, "--h1", f"-n{count}", "-c50", "-m8", url]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{count} succeeded, 0 failed, 0 errored, 0 timeout" in done.stdout, done.stdout
    print(re.search(r"finished in .*", done.stdout)[0])


def check_requests(server):
    load(server, 50000)
    settle(server)
    before = server.memory()
    load(server, 1_000_000)
    settle(server)
    flat(server, before, "a million requests")


def check_down(server, size):
    connection = http.client.HTTPConnection(LOCAL, server.port, timeout=60)
    connection.request("GET", f"/stream?{size}")
    response = connection.getresponse()
    got, buffer = 0, memoryview(bytearray(MIB))
    while n := response.readinto(buffer):
        got += n
    same(got, size, "bytes of a streamed body")
    connection.close()


def check_up(server, size):
    """The answer comes at once, and the connection is good for another request behind the body."""
    block = bytes(MIB)
    with socket.create_connection((LOCAL, server.port), 60) as s, s.makefile("rb") as stream:
        s.sendall(b"POST /drop HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size)
        for _ in range(size // MIB):
            s.sendall(block)
        s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        said = stream.read()
        same(said.count(b"HTTP/1.1 200 OK\r\n"), 2, f"answers in {said!r}")
        assert said.endswith(b"hello GET\n"), said


def check_bodies(server):
    def all_of(size):
        check_down(server, size)
        check_up(server, size)
        settle(server)

    all_of(16 * MIB)
    before = server.memory()
    all_of(GIB)
    flat(server, before, "a GiB each way")


def connect(server):
    s = socket.socket()
    s.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        s.connect((LOCAL, server.port))
    return s


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def half_close(s):
    with contextlib.suppress(OSError):
        s.shutdown(socket.SHUT_WR)


def burst(server, kind):
    """Many that come at once and leave before or while they are served, each kind in its way."""
    sockets = [connect(server) for _ in range(AT_ONCE)]
    for number, s in enumerate(sockets):
        with contextlib.suppress(OSError):
            if kind == "part":
                s.send(b"GET / HTTP/1.1\r\nHos")
            if kind == "whole":
                s.send(b"GET /bytes?100000 HTTP/1.1\r\nHost: a\r\n\r\n")
        if kind == "half":
            half_close(s)
        if kind != "open" and number % 2:
            reset(s)
    for s in sockets:
        s.close()


def check_connects(server):
    kinds = ("reset", "half", "part", "whole", "open")
    burst(server, "whole")
    settle(server)
    before = server.memory()
    for i in range(CONNECTS // AT_ONCE):
        burst(server, kinds[i % len(kinds)])
    settle(server)
    flat(server, before, f"{CONNECTS} connects")


def test(path):
    server = Server(path)
    program = Path(path).read_bytes()
    server.sanitized = b"__asan_init" in program or b"__tsan_init" in program
    check_connects(server)
    check_bodies(server)
    check_requests(server)
    server.stop()


if __name__ == "__main__":
    run(test, seconds=800)
