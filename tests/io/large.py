"""A file of a gibibyte up and down again through the example `upload`: the bytes are right, and the memory flat.

Usage: large.py PROGRAM [MIB]
"""

import hashlib
import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

MIB = 1 << 20
MORE_RSS = 8 * MIB  # the windows, the buffers, and what malloc keeps


def rss(pid):
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024


def environment():
    """AddressSanitizer keeps what was freed, which is not the memory that is measured here."""
    options = os.environ.get("ASAN_OPTIONS", "")
    return {**os.environ, "ASAN_OPTIONS": f"{options}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}


def blocks(count):
    """Mebibytes that differ, without one of them being kept."""
    base = bytes(range(256)) * (MIB // 256)
    for number in range(count):
        yield number.to_bytes(8, "big") + base[8:]


def head_of(file):
    lines = []
    while (line := file.readline()) not in (b"\r\n", b""):
        lines.append(line)
    return b"".join(lines)


def put(port, count, watch):
    digest = hashlib.sha256()
    with socket.create_connection(("127.0.0.1", port)) as client:
        head = f"PUT /large HTTP/1.1\r\nHost: a\r\nContent-Length: {count * MIB}\r\n\r\n"
        client.sendall(head.encode())
        for block in blocks(count):
            digest.update(block)
            client.sendall(block)
            watch()
        head = head_of(client.makefile("rb"))
    assert head.startswith(b"HTTP/1.1 201 "), head
    return digest.hexdigest()


def get(port, count, watch):
    digest, size = hashlib.sha256(), 0
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        file = client.makefile("rb", MIB)
        head = head_of(file)
        assert head.startswith(b"HTTP/1.1 200 "), head
        while data := file.read(MIB):
            digest.update(data)
            size += len(data)
            watch()
    assert size == count * MIB, size
    return digest.hexdigest()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) == 3 else 1024
    # Not in /tmp, which may be memory: beside this build.
    with tempfile.TemporaryDirectory(dir=Path(sys.argv[1]).resolve().parent) as folder:
        command = [sys.argv[1], "0", folder]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
        try:
            port = int(server.stderr.readline().rsplit(":", 1)[1])
            subprocess.Popen(["cat"], stdin=server.stderr, stdout=subprocess.DEVNULL)
            put(port, 4, lambda: None)
            before, most = rss(server.pid), 0

            def watch():
                nonlocal most
                most = max(most, rss(server.pid))

            sent = put(port, count, watch)
            got = get(port, count, watch)
            with open(Path(folder, "large"), "rb") as file:
                stored = hashlib.file_digest(file, "sha256").hexdigest()
        finally:
            server.terminate()
            server.wait()
    assert sent == stored == got, (sent, stored, got)
    print(f"{count} MiB each way, sha256 {sent}; resident {before / MIB:.1f} to {most / MIB:.1f} MiB")
    assert most - before <= MORE_RSS, (before, most)
    return 0


if __name__ == "__main__":
    sys.exit(main())
