"""A gibibyte on each way through a server: the bytes are right at both ends, and the server's memory stays flat.

Into a file and out of it again by the example `upload`, with its length told and in chunks; back through the example
`pipe` to a client with a small buffer, which takes slower than it gives; and through a server that decompresses what it
is sent and compresses what it sends back.

Usage: large.py UPLOAD PIPE LARGE_SERVER [MIB]
"""

import hashlib
import http.client
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import zlib
from pathlib import Path

MIB = 1 << 20
MORE_RSS = 8 * MIB  # the windows, the buffers, and what malloc keeps
GZIP = 31  # zlib's word for a window of gzip's format


def rss(pid):
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024


def environment():
    """AddressSanitizer keeps what was freed, which is not the memory that is measured here."""
    options = os.environ.get("ASAN_OPTIONS", "")
    return {**os.environ, "ASAN_OPTIONS": f"{options}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}


def blocks(count):
    """Mebibytes that differ, without one of them being kept; half as large when they are compressed."""
    base = random.Random(1).randbytes(MIB // 2).hex().encode()
    for number in range(count):
        yield b"%016x" % number + base[16:]


class Server:
    """A program that serves, and what it needs."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
        self.port = int(self.process.stderr.readline().rsplit(":", 1)[1])
        self.drain = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)
        self.most = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.drain.wait()

    def connect(self, receive=0):
        client = socket.socket()
        if receive:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        client.connect(("127.0.0.1", self.port))
        return client

    def begin(self):
        """What was needed up to now is not counted: something small has gone the same way before."""
        self.before = self.most = rss(self.process.pid)

    def watch(self):
        self.most = max(self.most, rss(self.process.pid))

    def check(self, count, what, *digests):
        assert len(set(digests)) == 1, (what, digests)
        print(f"{what}: {count} MiB, sha256 {digests[0]}, resident {self.before / MIB:.1f} to {self.most / MIB:.1f} MiB")
        assert self.most - self.before <= MORE_RSS, what


def send(server, client, start, count, chunked, pack=None):
    """Sends a request, and gives the sha256 of its body as it was before `pack`."""
    digest = hashlib.sha256()
    lines = [f"{start} HTTP/1.1", "Host: a", "Connection: close"]
    lines.append("Transfer-Encoding: chunked" if chunked else f"Content-Length: {count * MIB}")
    if pack:
        lines += ["Content-Encoding: gzip", "Accept-Encoding: gzip"]
    client.sendall("\r\n".join([*lines, "", ""]).encode())
    for block in blocks(count):
        digest.update(block)
        if pack:
            block = pack.compress(block)
        if not chunked:
            client.sendall(block)
        elif block:
            client.sendall(b"%x\r\n%b\r\n" % (len(block), block))
        server.watch()
    if chunked:
        last = pack.flush() if pack else b""
        client.sendall((b"%x\r\n%b\r\n" % (len(last), last) if last else b"") + b"0\r\n\r\n")
    return digest.hexdigest()


def receive(server, client, status, unpack=None):
    """Reads a response, and gives the sha256 of its body behind `unpack`."""
    digest = hashlib.sha256()
    response = http.client.HTTPResponse(client)
    response.begin()
    assert response.status == status, (response.status, response.read())
    assert response.headers["Content-Encoding"] == ("gzip" if unpack else None), response.headers
    while data := response.read(MIB // 4):
        digest.update(unpack.decompress(data) if unpack else data)
        server.watch()
    assert not unpack or unpack.eof, "the compressed body is cut off"
    return digest.hexdigest()


def file_up_and_down(program, folder, count):
    with Server(program, "0", folder) as server:
        for mib in (2, count):
            server.begin()
            for chunked in (False, True):
                with server.connect() as client:
                    sent = send(server, client, "PUT /large", mib, chunked)
                    receive(server, client, 201)
                with open(Path(folder, "large"), "rb") as file:
                    stored = hashlib.file_digest(file, "sha256").hexdigest()
                assert sent == stored, (chunked, sent, stored)
            with server.connect(65536) as client:
                client.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                got = receive(server, client, 200)
        server.check(count, "files", sent, stored, got)


def echo(program, what, count, coded):
    """What is sent by one thread comes back to another one."""
    with Server(program, "0") as server:
        for mib in (2, count):
            server.begin()
            sent = []

            def run(client, mib=mib, sent=sent):
                pack = zlib.compressobj(1, wbits=GZIP) if coded else None
                sent.append(send(server, client, "POST /", mib, True, pack))

            with server.connect(65536) as client:
                thread = threading.Thread(target=run, args=(client,))
                thread.start()
                got = receive(server, client, 200, zlib.decompressobj(GZIP) if coded else None)
                thread.join()
        server.check(count, what, *sent, got)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    upload, pipe, coded = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) == 5 else 1024
    # Not in /tmp, which may be memory: beside this build.
    with tempfile.TemporaryDirectory(dir=Path(upload).resolve().parent) as folder:
        file_up_and_down(upload, folder, count)
    echo(pipe, "pipe", count, coded=False)
    echo(coded, "compressed", count, coded=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
