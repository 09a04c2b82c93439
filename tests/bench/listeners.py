"""Memory of listeners: what a server holds for each page that waits for events.

Usage: listeners.py build/release/examples/sse [COUNT]
"""

import re
import resource
import selectors
import signal
import socket
import subprocess
import sys
import time

REQUEST = b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"
SPARE = 200  # descriptors for everything else
EVENT = b"event: tick"


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1]) * 1024


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def read_all(selector, wanted):
    """Reads until each socket has got `wanted` events; those that come on the way count, too."""
    waiting = {key.fileobj: 0 for key in selector.get_map().values()}
    while waiting:
        for key, _ in selector.select():
            got = key.fileobj.recv(65536).count(EVENT)
            if key.fileobj in waiting:
                waiting[key.fileobj] += got
                if waiting[key.fileobj] >= wanted:
                    del waiting[key.fileobj]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) == 3 else 10000
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(count, hard - SPARE)
    server = subprocess.Popen([sys.argv[1], "0"], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)$", server.stderr.readline().strip())[1])
    selector = selectors.DefaultSelector()
    time.sleep(0.5)
    before = resident(server.pid)
    for _ in range(count):
        listener = socket.create_connection(("127.0.0.1", port))
        listener.sendall(REQUEST)
        selector.register(listener, selectors.EVENT_READ)
    read_all(selector, 2)
    held = (resident(server.pid) - before) / count
    cpu = cpu_seconds(server.pid)
    read_all(selector, 3)
    cpu = (cpu_seconds(server.pid) - cpu) / 3 / count
    print(f"{count} listeners: {held:.0f} bytes each, {cpu * 1e6:.1f} us of CPU for each event and listener")
    server.send_signal(signal.SIGKILL)
    server.communicate()


if __name__ == "__main__":
    main()
