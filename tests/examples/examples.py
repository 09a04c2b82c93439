"""Tests an example as its users have it: starts the program on a free port, asks it, stops it.

Usage: examples.py NAME PROGRAM
"""

import http.client
import json
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

DEADLINE_S = 100  # for all of it; nothing here waits for a time, only for what must come
TRIES = 5  # for an order that a busy machine may spoil
PLAIN = "text/plain; charset=utf-8"
PROBLEM = "application/problem+json"
REASONS = {**http.client.responses, 413: "Content Too Large"}  # RFC 9110's words
DATE = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"


def same(found, expected, what):
    assert found == expected, f"{what}: {found!r}, not {expected!r}"


class Response(NamedTuple):
    """What a server sent."""

    line: str
    headers: dict  # names in lower case; none comes twice
    body: bytes

    @property
    def status(self):
        return int(self.line.split()[1])


class Client:
    """A connection, and responses read of it byte by byte as they stand."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def send(self, *lines, body=b""):
        """Sends a head, whose first line may lack the version, and a body."""
        first, *more = lines
        if " HTTP/" not in first:
            first += " HTTP/1.1"
        if first.endswith("/1.1") and not any(line.startswith("Host:") for line in more):
            more.insert(0, "Host: localhost")
        head = "".join(line + "\r\n" for line in [first, *more]) + "\r\n"
        self.socket.sendall(head.encode() + body)

    def receive(self, method="GET"):
        line = self.file.readline().decode()
        assert line.endswith("\r\n"), f"a status line, not {line!r}"
        headers = {}
        while (field := self.file.readline().decode()) != "\r\n":
            match = re.fullmatch(r"([!-9;-~]+): (.*)\r\n", field)
            assert match, f"a header line, not {field!r}"
            assert match[1].lower() not in headers, f"{match[1]} twice"
            headers[match[1].lower()] = match[2]
        assert re.fullmatch(DATE, headers.get("date", "")), headers
        status = int(line.split()[1])
        size = int(headers.get("content-length", 0))
        if method == "HEAD" or status in (204, 304):
            size = 0
        body = self.file.read(size)
        same(len(body), size, "the body's length")
        return Response(line.rstrip("\r\n"), headers, body)

    def ask(self, *lines, body=b""):
        self.send(*lines, body=body)
        return self.receive(lines[0].split()[0])

    def expect_end(self):
        same(self.file.read(1), b"", "behind the last response")

    def has_more(self):
        return bool(select.select([self.socket], [], [], 0)[0])


class Program:
    """An example that runs."""

    running = []

    def __init__(self, path, *arguments):
        self.path = path
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([path, *arguments], stdout=pipe, stderr=pipe, text=True)
        Program.running.append(self.process)

    def end(self):
        """Its exit code, and what it said on stderr that was not read before."""
        told, errors = self.process.communicate()
        Program.running.remove(self.process)
        same(told, "", "stdout")
        return self.process.returncode, errors


class Server(Program):
    """A server on a port of its own."""

    def __init__(self, path, port="0", *arguments):
        super().__init__(path, port, *arguments)
        line = self.process.stderr.readline()
        match = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line)
        assert match, f"'listening on URL', not {line!r}"
        self.port = int(match[1])

    def client(self):
        return Client(self.port)

    def ask(self, *lines, body=b""):
        with self.client() as client:
            return client.ask(*lines, body=body)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.expect_end()

    def expect_end(self):
        code, errors = self.end()
        same((code, errors), (0, ""), "exit code and further lines on stderr")


def expect(response, status, content_type, body, **headers):
    """The whole of a response, but for its date. Header names with '_' in place of '-'."""
    reason = REASONS[status]
    same(response.line, f"HTTP/1.1 {status} {reason}", "status line")
    expected = {"content-type": content_type, "content-length": str(len(body))}
    expected.update((name.replace("_", "-"), value) for name, value in headers.items())
    found = {name: value for name, value in response.headers.items() if name != "date"}
    same(found, expected, "headers")
    same(response.body, body, "body")


def expect_not_found(response):
    expect(response, 404, PLAIN, b"Not Found\n")


def expect_problem(response, status, detail, **headers):
    expect(response, status, PROBLEM, response.body, **headers)
    title = REASONS[status]
    found = json.loads(response.body)
    same(found, {"title": title, "status": status, "detail": detail}, "problem")


# --- what all servers do --------------------------------------------------------------------------


def check_arguments(path, *wrong_ones):
    name = Path(path).name
    for wrong in wrong_ones:
        code, errors = Program(path, wrong).end()
        same(errors, f"{name}: '{wrong}' is no port (0 to 65535)\n", f"stderr for '{wrong}'")
        same(code, 2, f"exit code for '{wrong}'")


def check_default_port(path):
    """Nobody knows whether the port is free here; it is named in both cases."""
    program = Program(path)
    line = program.process.stderr.readline()
    assert "127.0.0.1:8080" in line, line
    if line.startswith("listening"):
        program.process.send_signal(signal.SIGTERM)
        same(program.end()[0], 0, "exit code")
    else:
        assert "address already in use" in line, line
        same(program.end()[0], 1, "exit code")


def check_taken_port(path):
    name = Path(path).name
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, errors = Program(path, str(port)).end()
    who = "embed" if name == "embed" else "error"
    same(errors, f"{who}: 127.0.0.1:{port}: address already in use\n", "stderr")
    same(code, 1, "exit code")


def check_signals(path):
    """An idle connection is closed at once, whether it has been used or not."""
    for number in (signal.SIGINT, signal.SIGTERM):
        server = Server(path)
        with server.client() as used, server.client() as unused:
            used.ask("GET /")
            server.stop(number)
            used.expect_end()
            unused.expect_end()


def check_server(path):
    check_arguments(path, "x")
    check_taken_port(path)
    check_signals(path)


def before(server, slow, fast):
    """Tries until `fast` is answered while `slow`, sent before it, is not: (head, ..., body) each.
    Returns the two responses."""
    for _ in range(TRIES):
        with server.client() as one, server.client() as other:
            one.send(*slow[:-1], body=slow[-1])
            other.send(*fast[:-1], body=fast[-1])
            quick = other.receive()
            early = not one.has_more()
            late = one.receive()
        if early:
            return late, quick
    raise AssertionError(f"{slow[0]} was answered before {fast[0]}")


def check_drain(path, slow, body):
    """What runs when the end is asked for is answered. A busy machine may have been too late."""
    for _ in range(TRIES):
        server = Server(path)
        with server.client() as client:
            expect(client.ask("GET /now"), 200, PLAIN, b"now\n")
            client.send(*slow[:-1], body=slow[-1])
            expect(server.ask("GET /now"), 200, PLAIN, b"now\n")  # by now the other one has come
            server.process.send_signal(signal.SIGTERM)
            answer = client.receive()
            client.expect_end()
        server.expect_end()
        if "connection" in answer.headers:
            expect(answer, 200, PLAIN, body, connection="close")
            return
    raise AssertionError(f"{slow[0]} was not answered with Connection: close")


# --- the examples ---------------------------------------------------------------------------------


def test_hello(path):
    server = Server(path)
    for request in ("GET /", "GET /any/path?x=1", "DELETE /", "PURGE /%7E"):
        expect(server.ask(request), 200, PLAIN, b"Hello, World!")
    with server.client() as client:
        answer = client.ask("HEAD /")
        expect(answer._replace(body=b"Hello, World!"), 200, PLAIN, b"Hello, World!")
        same(answer.body, b"", "the body for HEAD")
        posted = client.ask("POST /", "Content-Length: 3", body=b"abc")
        expect(posted, 200, PLAIN, b"Hello, World!")
        chunked = client.ask("POST /", "Transfer-Encoding: chunked", body=b"3\r\nabc\r\n0\r\n\r\n")
        expect(chunked, 200, PLAIN, b"Hello, World!")
        # Three at once, the last of which ends the connection.
        lines = "GET / HTTP/1.1\r\nHost: x\r\n"
        client.socket.sendall(f"{lines}\r\n{lines}\r\n{lines}Connection: close\r\n\r\n".encode())
        expect(client.receive(), 200, PLAIN, b"Hello, World!")
        expect(client.receive(), 200, PLAIN, b"Hello, World!")
        expect(client.receive(), 200, PLAIN, b"Hello, World!", connection="close")
        client.expect_end()
    with server.client() as client:
        for byte in b"GET / HTTP/1.1\r\nHost: x\r\n\r\n":
            client.socket.sendall(bytes([byte]))
        expect(client.receive(), 200, PLAIN, b"Hello, World!")
    check_old_http(server)
    check_http_client(server)
    with server.client() as client:
        client.socket.sendall(b"GET / HTTP/1.1\r\n\r\n")  # without Host
        same(client.receive().status, 400, "status")
        client.expect_end()
    server.stop()
    check_server(path)
    # All examples share the reading of the argument.
    check_arguments(path, "-1", "+1", "65536", "99999999999999999999", "80 ", " 80", "8x", "")
    check_default_port(path)


def check_old_http(server):
    with server.client() as client:
        answer = client.ask("GET / HTTP/1.0")
        same((answer.status, answer.body), (200, b"Hello, World!"), "answer to HTTP/1.0")
        client.expect_end()
    with server.client() as client:
        for _ in range(2):
            answer = client.ask("GET / HTTP/1.0", "Connection: keep-alive")
            expect(answer, 200, PLAIN, b"Hello, World!", connection="keep-alive")
        client.ask("GET / HTTP/1.0")
        client.expect_end()


def check_http_client(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    for path in ("/one", "/two"):
        connection.request("GET", path)
        response = connection.getresponse()
        same((response.status, response.read()), (200, b"Hello, World!"), path)
    connection.close()


def test_json(path):
    server = Server(path)
    with server.client() as client:
        expect(client.ask("GET /plaintext"), 200, PLAIN, b"Hello, World!")
        message = client.ask("GET /json")
        expect(message, 200, "application/json", b'{"message":"Hello, World!"}')
        head = client.ask("HEAD /json")
        expect(head._replace(body=message.body), 200, "application/json", message.body)
        same(head.body, b"", "the body for HEAD")
        squares = (b'[{"n":1,"half":0.5,"square":1},{"n":2,"half":1.0,"square":4},'
                   b'{"n":3,"half":1.5,"square":9}]')
        expect(client.ask("GET /squares"), 200, "application/json", squares)
        numbers = client.ask("POST /sum", "Content-Length: 10", body=b"[1, -2, 4]")
        expect(numbers, 200, "application/json", b'{"sum":3}')
        order = b'{"customer":{"name":"Ada"},"items":[{"count":2},{},{"count":null}]}'
        taken = client.ask("POST /orders", f"Content-Length: {len(order)}", body=order)
        expect(taken, 200, "application/json", b'{"for":"Ada","items":4}')
        order = b'{"customer":{},"items":[{"count":"two"},{"count":101}]}'
        refused = client.ask("POST /orders", f"Content-Length: {len(order)}", body=order)
        expect(refused, 400, PROBLEM, refused.body)
        errors = [(error["pointer"], error["expected"]) for error in json.loads(refused.body)["errors"]]
        same(errors, [("/customer/name", "a string"), ("/items/0/count", "an integer"),
                      ("/items/1/count", "1 to 100")], "errors")
        expect_not_found(client.ask("GET /"))
        expect_not_found(client.ask("GET /json/"))
        wrong = client.ask("POST /json", "Content-Length: 0")
        same((wrong.status, wrong.headers["allow"]), (405, "GET, HEAD, OPTIONS"), "405")
        options = client.ask("OPTIONS /sum")
        same((options.status, options.headers["allow"]), (204, "POST, OPTIONS"), "OPTIONS")
        for body in (b"", b"{]", b"[1"):
            refused = client.ask("POST /sum", f"Content-Length: {len(body)}", body=body)
            same(refused.status, 400, f"status for {body!r}")
            same(refused.headers["content-type"], PROBLEM, f"type for {body!r}")
    huge = server.ask("POST /sum", "Content-Length: 1048577")
    expect_problem(huge, 413, "the body is over the limit of 1048576 bytes", connection="close")
    server.stop()
    check_server(path)


def test_echo(path):
    server = Server(path)
    with server.client() as client:
        told = client.ask("PUT /a%20b?x=1", "Content-Length: 3", body=b"abc")
        expect(told, 200, "application/json", b'{"method":"PUT","target":"/a%20b?x=1","length":3}')
        given = client.ask("POST /body", "Content-Length: 2", body=b"\x00\xff")
        expect(given, 200, "application/octet-stream", b"\x00\xff")
        lines = client.ask("GET /headers", "X-One: 1", "x-one: 2").body
        same(lines.split(b"\n")[1:3], [b"x-one: 1", b"x-one: 2"], "the header lines")
    server.stop()
    check_server(path)


def test_pipe(path):
    server = Server(path)
    large = bytes(range(256)) * 4096
    with server.client() as client:
        back = client.ask("POST /", "Content-Length: 3", "Content-Type: text/css", body=b"abc")
        expect(back, 200, "text/css", b"abc")
        expect(client.ask("POST /", "Content-Length: 0"), 200, "application/octet-stream", b"")
        # What was sent comes back before the rest is sent.
        client.send("POST /", "Transfer-Encoding: chunked", body=b"5\r\nhello\r\n")
        same(client.receive().headers.get("transfer-encoding"), "chunked", "the echo's head")
        same(client.file.read(10), b"5\r\nhello\r\n", "the echo's first part")
        client.socket.sendall(b"0\r\nX-Sum: 1\r\n\r\n")
        same(client.file.read(15), b"0\r\nx-sum: 1\r\n\r\n", "the echo's end")
        back = client.ask("POST /", f"Content-Length: {65536}", body=large[:65536])
        same(back.body, large[:65536], "the echo")
    with server.client() as client:
        client.send("GET /count HTTP/1.0")
        client.receive()
        for number in range(1, 100000):
            same(client.file.readline(), b"%d\n" % number, "the count")
    server.stop()
    check_server(path)


def test_async(path):
    server = Server(path)
    late, quick = before(server, ("GET /later", b""), ("GET /now", b""))
    expect(late, 200, PLAIN, b"later\n")
    expect(quick, 200, PLAIN, b"now\n")
    with server.client() as client:
        # On one connection responses come in the order of the requests.
        client.send("GET /later")
        client.send("GET /now")
        expect(client.receive(), 200, PLAIN, b"later\n")
        expect(client.receive(), 200, PLAIN, b"now\n")
        head = client.ask("HEAD /later")
        same((head.status, head.headers["content-length"]), (200, "6"), "HEAD /later")
    with server.client() as client:
        client.send("GET /later")  # and leaves
    expect_not_found(server.ask("GET /"))
    server.stop()
    check_drain(path, ("GET /later", b""), b"later\n")
    check_server(path)


def test_blocking(path):
    server = Server(path)
    words = ("POST /words", "Content-Length: 7", b"one two")
    late, quick = before(server, words, ("GET /now", b""))
    expect(late, 200, PLAIN, b"2 words\n")
    expect(quick, 200, PLAIN, b"now\n")
    clients = [server.client() for _ in range(12)]
    for number, client in enumerate(clients):
        client.send("POST /words", f"Content-Length: {2 * number}", body=b"a " * number)
    for number, client in enumerate(clients):
        with client:
            expect(client.receive(), 200, PLAIN, f"{number} words\n".encode())
    wrong = server.ask("GET /words")
    same((wrong.status, wrong.headers["allow"]), (405, "POST, OPTIONS"), "405")
    server.stop()
    check_drain(path, words, b"2 words\n")
    check_server(path)


def test_middleware(path):
    server = Server(path)
    with server.client() as client:
        for name in ("now", "later"):
            answer = client.ask(f"GET /{name}", "X-Key: sesame")
            expect(answer, 200, PLAIN, f"{name}\n".encode(), x_served_by="hoop")
        for lines in (["GET /now"], ["GET /later", "X-Key: sesam"], ["GET /", "X-Key: "]):
            detail = "the header X-Key is missing or wrong"
            expect_problem(client.ask(*lines), 403, detail, x_served_by="hoop")
        expect_not_found(client.ask("GET /", "X-Key: sesame"))
    server.stop()
    check_server(path)


def test_threads(path):
    server = Server(path)
    seen = {}
    for _ in range(40):
        with server.client() as client:
            for _ in range(2):
                answer = client.ask("GET /")
                match = re.fullmatch(rb"request (\d+) of loop (0x[0-9a-f]+)\n", answer.body)
                assert match, answer
                expect(answer, 200, PLAIN, answer.body)
                seen.setdefault(match[2], []).append(int(match[1]))
    assert 1 <= len(seen) <= 4, seen
    for loop, numbers in seen.items():
        same(numbers, list(range(1, len(numbers) + 1)), f"requests of loop {loop}")
    server.stop()
    check_server(path)


def test_embed(path):
    server = Server(path)
    with server.client() as client:
        ticks = 0
        while ticks < 3:  # the host's timer goes on beside the server
            answer = client.ask("GET /")
            match = re.fullmatch(rb"(\d+) ticks\n", answer.body)
            assert match and int(match[1]) >= ticks, answer
            expect(answer, 200, PLAIN, answer.body)
            ticks = int(match[1])
    server.stop()
    check_server(path)


def test_files(path):
    """A folder of its own, with a link out of it."""
    with tempfile.TemporaryDirectory() as top:
        Path(top, "secret").write_text("secret")
        folder = Path(top, "folder")
        Path(folder, "sub").mkdir(parents=True)
        Path(folder, "a b.txt").write_text("hello\n")
        Path(folder, "sub", "index.html").write_text("<p>index")
        Path(folder, "link").symlink_to("../secret")
        Path(folder, "large").write_bytes(bytes(range(256)) * 40000)
        server = Server(path, "0", str(folder))
        answer = server.ask("GET /a%20b.txt")
        same((answer.status, answer.body), (200, b"hello\n"), "a file")
        same(answer.headers["content-type"], "text/plain; charset=utf-8", "its type")
        again = server.ask("GET /a%20b.txt", f"If-None-Match: {answer.headers['etag']}")
        same((again.status, again.body), (304, b""), "the file again")
        same(server.ask("GET /large").body, bytes(range(256)) * 40000, "a large file")
        part = server.ask("GET /large", "Range: bytes=-2")
        same((part.status, part.body), (206, b"\xfe\xff"), "a part of it")
        listing = server.ask("GET /")
        assert b'<a href="./a%20b.txt">a b.txt</a>' in listing.body, listing
        assert b'<a href="./sub/">sub/</a>' in listing.body, listing
        moved = server.ask("GET /sub")
        same((moved.status, moved.headers["location"]), (301, "/sub/"), "a folder")
        same(server.ask("GET /sub/").body, b"<p>index", "its index")
        for name in ("/link", "/nothing", "/../secret", "/%2e%2e/secret", "/..%2fsecret"):
            expect_not_found(server.ask(f"GET {name}"))
        server.stop()
        code, errors = Program(path, "0", str(Path(top, "nowhere"))).end()
        assert code == 1 and f"'{top}/nowhere'" in errors, errors
    check_server(path)


def test_unit_test(path):
    program = Program(path)
    lines = program.process.stdout.read().splitlines()
    same(program.end(), (0, ""), "exit code and stderr")
    assert lines and all(line.startswith("ok: ") for line in lines), lines


def test_upload(path):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(path, "0", folder)
        body = bytes(range(256)) * 8192  # two megabytes
        answer = server.ask("PUT /new", f"Content-Length: {len(body)}", body=body)
        expect(answer, 201, PLAIN, b"new: 2097152 bytes\n")
        same(Path(folder, "new").read_bytes(), body, "the file")
        same(server.ask("GET /new").body, body, "the file again")
        expect(server.ask("PUT /new", "Content-Length: 1", body=b"x"), 201, PLAIN, b"new: 1 bytes\n")
        same(Path(folder, "new").read_bytes(), b"x", "the file replaced")
        for name in ("/..%2fnew", "/.hidden"):
            answer = server.ask(f"PUT {name}", "Content-Length: 1", body=b"x")
            same(answer.status, 404, name)
        same([found.name for found in Path(folder).iterdir()], ["new"], "the folder")
        server.process.send_signal(signal.SIGTERM)
        code, told = server.end()
        same(code, 0, "exit code")
        assert "new: 50 %\n" in told or "new: 100 %\n" in told, told
    check_server(path)


def on_alarm(*_):
    raise TimeoutError(f"not done after {DEADLINE_S} s")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    name, path = sys.argv[1], str(Path(sys.argv[2]).resolve())
    test = globals().get(f"test_{name}")
    if not test:
        sys.exit(f"no test for the example '{name}': add test_{name}() to {Path(__file__).name}")
    signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(DEADLINE_S)
    try:
        test(path)
    finally:
        signal.alarm(0)
        for process in Program.running:
            process.kill()
            print(f"stderr of {process.args}:", process.communicate()[1], file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
