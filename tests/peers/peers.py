"""What the tests with real front ends and clients share: programs in the foreground on free ports,
with configurations in a folder of their own, and what every front end must let through."""

import concurrent.futures
import hashlib
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

LOCAL = "127.0.0.1"
START_S = 30  # until a program listens
SBIN = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
SKIP = 77


def same(found, expected, what):
    assert found == expected, f"{what}: {found!r:.300}, not {expected!r:.300}"


def need(program, package):
    """The path of a program; ends the test as skipped if it is not installed."""
    path = shutil.which(program, path=SBIN)
    if not path:
        print(f"SKIP-APT: {package}")
        sys.exit(SKIP)
    return path


def free_port():
    with socket.socket() as s:
        s.bind((LOCAL, 0))
        return s.getsockname()[1]


def accepts(port):
    with socket.socket() as s:
        return s.connect_ex((LOCAL, port)) == 0


class Program:
    """A process of a group of its own; all it says goes to a file in its folder."""

    running = []

    def __init__(self, command, folder, env=None):
        self.folder = folder
        self.output = folder / "output"
        with open(self.output, "ab") as output:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=output, cwd=folder, env=env, start_new_session=True
            )
        Program.running.append(self)

    def said(self):
        texts = [
            path.read_text(errors="replace")
            for path in sorted(self.folder.glob("*"))
            if path.name in ("output", "error.log", "cache.log")
        ]
        return "".join(texts)[-6000:]

    def await_port(self, port):
        end = time.monotonic() + START_S
        while not accepts(port):
            if self.process.poll() is not None or time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def stop(self):
        if self not in Program.running:
            return
        Program.running.remove(self)
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            try:
                self.process.wait(10)
                break
            except subprocess.TimeoutExpired:
                pass
        self.process.wait()


class Server:
    """One of our own programs, which tells where it listens."""

    def __init__(self, path, *arguments):
        self.process = subprocess.Popen(
            [path, "0", *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        Program.running.append(self)
        line = self.process.stderr.readline()
        match = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line)
        assert match, f"'listening on URL', not {line!r}"
        self.port = self.stats_port = int(match[1])
        self.lines = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        self.lines.extend(self.process.stderr)

    def said(self):
        return "".join(self.lines[-50:])

    def stats(self):
        return json.loads(ask(self.stats_port, "GET", "/stats").body)

    def memory(self):
        """Resident bytes."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()

    def stop(self):
        """In good order: nothing was said, and it ends with 0."""
        if self not in Program.running:
            return
        Program.running.remove(self)
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.reader.join(10)
        same((code, self.said()), (0, ""), "exit code and lines of the server")


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()


def ask(port, method, path, body=None, headers=None, host=LOCAL):
    connection = http.client.HTTPConnection(host, port, timeout=120)
    try:
        return ask_on(connection, method, path, body, headers)
    finally:
        connection.close()


def ask_on(connection, method, path, body=None, headers=None):
    chunked = body is not None and not isinstance(body, bytes)
    connection.request(method, path, body, headers or {}, encode_chunked=chunked)
    return Answer(connection.getresponse())


def pattern(size):
    return b"".join(b"%08d" % i for i in range((size + 7) // 8))[:size]


def pieces(data, count=7):
    step = max(1, len(data) // count)
    return (data[i : i + step] for i in range(0, len(data), step))


def digest(data):
    return len(data), hashlib.sha256(data).hexdigest()


# --- what every front end must let through -------------------------------------------------------


def check_methods(port):
    connection = http.client.HTTPConnection(LOCAL, port, timeout=60)
    for _ in range(3):
        got = ask_on(connection, "GET", "/")
        same((got.status, got.body), (200, b"hello GET\n"), "GET")
        head = ask_on(connection, "HEAD", "/bytes?1000000")
        same((head.status, head.body), (200, b""), "HEAD")
        if "content-length" in head.headers:
            same(head.headers["content-length"], "1000000", "length for HEAD")
        got = ask_on(connection, "POST", "/length", b"")
        same((got.status, got.body), (200, b"0"), "POST of nothing")
        got = ask_on(connection, "GET", "/nowhere")
        same((got.status, got.body), (404, b"Not Found\n"), "404")
        got = ask_on(connection, "PUT", "/length", b"abc")
        same((got.status, got.body), (200, b"3"), "PUT")
        got = ask_on(connection, "DELETE", "/")
        same((got.status, got.body), (200, b"hello DELETE\n"), "DELETE")
    connection.close()


def check_bodies(port, sizes):
    for size in sizes:
        data = pattern(size)
        for how, body in (("length", data), ("chunks", pieces(data))):
            got = ask(port, "POST", "/body", body)
            same((got.status, digest(got.body)), (200, digest(data)), f"POST {size} by {how}")
        got = ask(port, "GET", f"/bytes?{size}")
        same((got.status, digest(got.body)), (200, digest(data)), f"GET {size}")
        got = ask(port, "GET", f"/stream?{size}")
        same((got.status, digest(got.body)), (200, digest(bytes(size))), f"stream {size}")


def check_conditional(port):
    got = ask(port, "GET", "/etag")
    same((got.status, got.body), (200, b"version 1\n"), "without condition")
    got = ask(port, "GET", "/etag", headers={"If-None-Match": got.headers["etag"]})
    same((got.status, got.body), (304, b""), "with its ETag")
    got = ask(port, "GET", "/etag", headers={"If-None-Match": '"v0"'})
    same((got.status, got.body), (200, b"version 1\n"), "with another ETag")


def curl(*arguments, stdin=None):
    """What curl says of the answer (status, body), and what it read."""
    command = [need("curl", "curl"), "-sS", "--max-time", "120", "-w", "\n%{http_code}", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    same((done.returncode, done.stderr), (0, b""), f"{command}")
    body, _, status = done.stdout.rpartition(b"\n")
    return int(status), body


def check_expect(port):
    data = pattern(2_000_000)
    more = ["--expect100-timeout", "60", "-H", "Expect: 100-continue", "--data-binary", "@-"]
    got = curl(*more, f"http://{LOCAL}:{port}/body", stdin=data)
    same((got[0], digest(got[1])), (200, digest(data)), "POST that expects 100")
    more += ["-H", "Transfer-Encoding: chunked"]
    got = curl(*more, f"http://{LOCAL}:{port}/length", stdin=data)
    same(got, (200, b"2000000"), "chunked POST that expects 100")


def check_parallel(port, clients=16, rounds=25):
    def client(number):
        connection = http.client.HTTPConnection(LOCAL, port, timeout=60)
        for i in range(rounds):
            size = (number * 7919 + i * 104729) % 70000
            data = pattern(size)
            got = ask_on(connection, "POST", "/body", data if i % 2 else pieces(data))
            same((got.status, digest(got.body)), (200, digest(data)), f"client {number}")
            got = ask_on(connection, "GET", "/bytes?%d" % size)
            same((got.status, digest(got.body)), (200, digest(data)), f"client {number}")
        connection.close()

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(client, n) for n in range(clients)]:
            done.result()


def receive_all(stream, count):
    """So many answers in order, by their bodies."""
    bodies = []
    for _ in range(count):
        line = stream.readline()
        assert line.startswith(b"HTTP/1.1 200 "), line
        size, chunked = 0, False
        while (field := stream.readline()) not in (b"\r\n", b""):
            name, _, value = field.decode().partition(":")
            if name.lower() == "content-length":
                size = int(value)
            chunked |= name.lower() == "transfer-encoding"
        body = stream.read(size)
        while chunked:
            size = int(stream.readline(), 16)
            body += stream.read(size)
            stream.readline()
            chunked = size > 0
        bodies.append(body)
    return bodies


def check_pipelined(port, depth=16, rounds=20):
    with socket.create_connection((LOCAL, port), timeout=60) as s, s.makefile("rb") as stream:
        for i in range(rounds):
            sizes = [(i * 31 + n * 17) % 3000 for n in range(depth)]
            s.sendall(
                b"".join(
                    b"GET /bytes?%d HTTP/1.1\r\nHost: a\r\n\r\n" % size
                    if size % 2
                    else b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s"
                    % (size, pattern(size))
                    for size in sizes
                )
            )
            same(receive_all(stream, depth), [pattern(size) for size in sizes], "in order")


def check_reuse(server, port, count=200):
    """A client on one connection of the front end's makes few of ours."""
    before = server.stats()
    connection = http.client.HTTPConnection(LOCAL, port, timeout=60)
    for _ in range(count):
        same(ask_on(connection, "GET", "/").status, 200, "status")
    connection.close()
    after = server.stats()
    made = after["accepted"] - before["accepted"]
    same(after["requests"] - before["requests"], count + 1, "requests that came through")
    assert made <= 10, f"{made} connections for {count} requests"
    return made


def check_peer(port):
    """The server knows the client by the address and port that it has at the front end."""
    for source in ("127.0.0.1", "127.0.0.9"):
        with socket.create_connection((LOCAL, port), 60, (source, 0)) as s:
            s.sendall(b"GET /peer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            body = s.makefile("rb").read().rpartition(b"\r\n\r\n")[2]
            same(body.decode(), "%s %d" % s.getsockname(), "who the client is")


SIZES = (1, 100, 65536, 1_000_000, 10 * 1024 * 1024)


def check_front(server, port, pipelines=True):
    check_methods(port)
    check_bodies(port, SIZES)
    check_conditional(port)
    check_expect(port)
    check_parallel(port)
    if pipelines:
        check_pipelined(port)
    print(f"connections for 200 requests: {check_reuse(server, port)}")
    same(server.stats()["errors"], 0, "requests that we could not read")


def check_echo(echo, port):
    """The example behind the same front end."""
    got = ask(port, "GET", "/a?b=%20")
    told = {"method": "GET", "target": "/a?b=%20", "length": 0}
    same((got.status, json.loads(got.body)), (200, told), "echo")
    for size in (1, 1024 * 1024):
        data = pattern(size)
        for body in (data, pieces(data)):
            same(digest(ask(port, "POST", "/body", body).body), digest(data), "echo of a body")
    lines = ask(port, "GET", "/headers", headers={"X-One": "1"}).body
    assert b"\nx-one: 1\n" in lines.lower(), lines


# --- running -------------------------------------------------------------------------------------


class Folder:
    """A folder that a program which drops its rights can write to."""

    def __init__(self, name):
        self.path = Path(tempfile.mkdtemp(prefix=f"hoop-{name}-"))
        self.path.chmod(0o777)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def start_front(folder, config, command, ports=1):
    """Starts a front end: `config(ports)` writes what it needs, `command` runs it. Tries again when
    somebody else took a port in between."""
    for _ in range(5):
        chosen = [free_port() for _ in range(ports)]
        config(*chosen)
        program = Program(command, folder)
        if all(program.await_port(port) for port in chosen):
            return program, *chosen
        said = program.said()
        program.stop()
        if "in use" not in said:
            break
    raise AssertionError(f"{command} does not start:\n{said}")


def on_alarm(*_):
    raise TimeoutError("not done in time")


def run(test, seconds=300):
    """Runs `test(*arguments)` within an overall time, and leaves nothing behind."""
    signal.signal(signal.SIGALRM, on_alarm)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.alarm(seconds)
    started = time.monotonic()
    try:
        test(*sys.argv[1:])
        for program in reversed(list(Program.running)):
            program.stop()
    finally:
        signal.alarm(0)
        for program in list(Program.running):
            print(f"{program.process.args}:\n{program.said()}", file=sys.stderr)
            try:
                os.killpg(program.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            program.process.wait()
    print(f"{time.monotonic() - started:.1f} s")
