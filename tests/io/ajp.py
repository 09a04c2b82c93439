"""Tests AJP behind real Apache: mod_proxy_ajp and mod_jk in front of our server.

Usage: ajp.py SERVER [NAME HTTP_PROGRAM AJP_PROGRAM]...

SERVER is ajp_server.c; the programs are an example as it is, and the same one speaking AJP. With
AJP_RECORD=FILE what passes between Apache and SERVER is written down instead, for ajp_dialogues.txt.
"""

import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from apache import Apache, free_port, skip_without  # noqa: E402

SECRET = "s3cr3t"
LOCAL = "127.0.0.1"


def same(found, expected, what):
    assert found == expected, f"{what}: {found!r:.300}, not {expected!r:.300}"


class Program:
    """A server that tells where it listens; at the port again where it was, once it was restarted."""

    def __init__(self, path, port="0", *more):
        self.command = [path, str(port), *more]
        self.port = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        match = re.fullmatch(r"listening on (?:ajp|http)://127\.0\.0\.1:(\d+)\n", line)
        unix = re.fullmatch(r"listening on unix:/\S+\n", line)
        assert match or unix, f"'listening on URL', not {line!r}"
        if match:
            self.port = int(match[1])
            self.command[1] = str(self.port)
        # What it logs must not fill the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(20)
        if how == signal.SIGTERM:
            same(code, 0, "exit code of the server")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.kill() if kind else self.stop()
            self.process.wait()


def ask(port, method, path, body=None, headers=(), chunked=False, timeout=60):
    connection = http.client.HTTPConnection(LOCAL, port, timeout=timeout)
    try:
        pieces = iter([body[i : i + 5000] for i in range(0, len(body), 5000)]) if chunked else body
        connection.request(method, path, pieces, dict(headers), encode_chunked=chunked)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


# --- Apache's side -----------------------------------------------------------------------------


def proxy_config(port, target, options=""):
    """mod_proxy_ajp in front of `target` ("host:port" or "unix:...")."""
    return f"""
Listen {LOCAL}:{port}
<VirtualHost {LOCAL}:{port}>
    ProxyPreserveHost On
    SetEnv ap_trust_cgilike_cl 1
    SetEnv AJP_tenant acme
    ProxyPass / {target} secret={SECRET} retry=0 {options}
    <Location /show/private>
        AuthType Basic
        AuthName x
        AuthUserFile @DIR@/users
        Require valid-user
    </Location>
</VirtualHost>
"""


def jk_config(port, target, options=""):
    host, number = target.split(":")
    return f"""
JkWorkerProperty worker.list=w
JkWorkerProperty worker.w.type=ajp13
JkWorkerProperty worker.w.host={host}
JkWorkerProperty worker.w.port={number}
JkWorkerProperty worker.w.secret={SECRET}
JkWorkerProperty worker.w.ping_mode=A
JkWorkerProperty worker.w.recovery_options=3
{options}
JkShmFile @DIR@/jk.shm
JkLogFile @DIR@/jk.log
JkLogLevel warn
Listen {LOCAL}:{port}
<VirtualHost {LOCAL}:{port}>
    JkMount /* w
    JkEnvVar tenant acme
</VirtualHost>
"""


MODULES = (
    "authn_core", "authn_file", "auth_basic", "authz_user", "env", "proxy", "proxy_ajp", "jk",
    "socache_shmcb", "ssl", "reqtimeout",
)


def front(proxy_port, jk_port, backend, proxy_options="", jk_options="", extra=""):
    config = "SSLSessionCache none\nRequestReadTimeout header=0 body=0\n" if extra else ""
    config += proxy_config(proxy_port, f"ajp://{LOCAL}:{backend}/", proxy_options)
    config += jk_config(jk_port, f"{LOCAL}:{backend}", jk_options)
    return Apache(config + extra, [proxy_port, jk_port], MODULES)


# --- what is tried -----------------------------------------------------------------------------


def shown(port, path, **more):
    status, _, body = ask(port, path=path, **{"method": "GET", **more})
    same(status, 200, path)
    return body.decode()


def requests(port, name):
    """The request is as if it had come over HTTP."""
    text = shown(port, "/show?a=b%20c", headers={"Host": "example.org:81", "X-Y": "z"})
    lines = text.splitlines()
    same(lines[0], "GET HTTP/1.1 /show?a=b%20c", f"{name}: request line")
    same(lines[1].split(" user=")[0], f"http example.org:81 from {LOCAL}", f"{name}: ends")
    assert "tenant=acme" in lines[1], lines[1]
    assert "host: example.org:81" in lines and "x-y: z" in [s.lower() for s in lines], lines
    assert shown(port, "/show?").startswith("GET HTTP/1.1 /show?\n")
    assert shown(port, "/show", method="PATCH", body=b"x").startswith("PATCH HTTP/1.1 /show\n")
    same(ask(port, "GET", "/sh%6fw")[0], 200, f"{name}: escaped")
    status, headers, body = ask(port, "HEAD", "/letters/5")
    same((status, headers["Content-Length"], body), (200, "5", b""), f"{name}: HEAD")
    status, headers, body = ask(port, "GET", "/not-modified")
    same((status, headers["ETag"], body), (304, '"a"', b""), f"{name}: 304")
    same(ask(port, "GET", "/nothing")[::2], (204, b""), f"{name}: 204")
    same(ask(port, "GET", "/fail")[::2], (500, b"Internal Server Error\n"), f"{name}: 500")
    same(ask(port, "GET", "/wait")[::2], (200, b"later\n"), f"{name}: deferred")


def sizes(port, name):
    for size in (0, 1, 100, 8183, 8184, 8185, 8186, 8187, 16384, 65536, 100000, 10 << 20):
        body = os.urandom(size)
        for chunked in (False, True):
            if size == 0 and chunked:
                continue
            status, _, back = ask(port, "POST", "/echo", body, chunked=chunked)
            same(status, 200, f"{name}: {size} bytes")
            assert back == body, f"{name}: {size} bytes, chunked {chunked}: not what was sent"
    for size in (1, 8184, 8185, 100000, 5000000):
        status, headers, body = ask(port, "GET", f"/letters/{size}")
        same((status, len(body)), (200, size), f"{name}: letters")
        same(headers["Content-Length"], str(size), f"{name}: Content-Length")


def early_answers(port, name):
    """Nobody reads these bodies; the connections to us go on."""
    for size in (1, 100, 20000, 200000):
        for chunked in (False, True):
            status, _, _ = ask(port, "POST", "/nowhere", b"x" * size, chunked=chunked)
            same(status, 404, f"{name}: {size} unread bytes")
            same(ask(port, "POST", "/echo", b"abc")[2], b"abc", f"{name}: behind them")
    status, _, _ = ask(port, "POST", "/echo", b"x" * (11 << 20 | 1))
    same(status, 413, f"{name}: too large")
    same(ask(port, "POST", "/echo", b"abc")[2], b"abc", f"{name}: behind it")


def slow_clients(port, name):
    """Bodies byte by byte, and clients that leave in the middle of one."""
    with socket.create_connection((LOCAL, port)) as s:
        s.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 20\r\n\r\n")
        for i in range(20):
            time.sleep(0.01)
            s.sendall(b"%d" % (i % 10))
        answer = b"".join(iter(lambda: s.recv(65536), b""))
    assert answer.endswith(b"01234567890123456789"), answer
    with socket.create_connection((LOCAL, port)) as s:  # reads slowly
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        s.sendall(b"GET /letters/400000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        size = 0
        while piece := s.recv(50000):
            size += len(piece)
            time.sleep(0.001)
    assert size > 400000, size
    for sent in (0, 1, 5000, 30000):
        with socket.create_connection((LOCAL, port)) as s:
            s.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n" + b"x" * sent)
            time.sleep(0.05)
    same(ask(port, "POST", "/echo", b"abc")[2], b"abc", f"{name}: behind those that left")


class Load:
    """Clients that ask again and again; what came out is counted by status, 0 for no answer."""

    def __init__(self, port, clients=8, size=5000):
        self.port, self.size = port, size
        self.counts, self.wrong = {}, []
        self.over = False
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self):
        body = os.urandom(self.size)
        while not self.over:
            try:
                status, _, back = ask(self.port, "POST", "/echo", body, timeout=20)
                bad = status == 200 and back != body
            except (OSError, http.client.HTTPException):
                status, bad = 0, False
                time.sleep(0.01)
            with self.lock:
                self.counts[status] = self.counts.get(status, 0) + 1
                if bad:
                    self.wrong.append(back)

    def await_more(self, status, count=30):
        """Until so many more were answered so."""
        end = time.monotonic() + 40
        target = self.counts.get(status, 0) + count
        while self.counts.get(status, 0) < target:
            assert time.monotonic() < end, f"too few {status}: {self.counts}"
            time.sleep(0.02)

    def end(self):
        self.over = True
        for thread in self.threads:
            thread.join()
        assert not self.wrong, "a body that is another one's"
        return self.counts


def many_connections(port, name):
    load = Load(port, clients=40)
    load.await_more(200, 600)
    same(set(load.end()), {200}, f"{name}: statuses under load")


def restarts(apache, backend, port, name):
    load = Load(port)
    load.await_more(200)
    backend.stop()  # in good order
    backend.start()
    load.await_more(200)
    backend.stop(signal.SIGKILL)
    backend.start()
    load.await_more(200)
    os.kill(apache.process.pid, signal.SIGUSR1)  # graceful
    load.await_more(200)
    apache.stop()
    apache.start()
    load.await_more(200)
    counts = load.end()
    assert set(counts) <= {0, 200, 500, 502, 503}, f"{name}: {counts}"
    same(ask(port, "POST", "/echo", b"abc")[2], b"abc", f"{name}: behind restarts")


def users(apache, port):
    """Who has given Apache his password is known to the handler; nobody can claim to be somebody."""
    subprocess.run(
        ["htpasswd", "-bc", apache.folder / "users", "alice", "pw"], check=True, capture_output=True
    )
    same(ask(port, "GET", "/show/private")[0], 401, "without a password")
    credentials = {"Authorization": "Basic YWxpY2U6cHc="}
    same(ask(port, "GET", "/show/private", headers=credentials)[0], 404, "with it")


def tls(folder, backend):
    """A certificate of the client's, by both modules."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert,
         "-days", "2", "-subj", "/CN=localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    cert.chmod(0o644)
    proxy_port, jk_port = free_port(), free_port()
    secure = f"""
    SSLEngine on
    SSLCertificateFile {cert}
    SSLCertificateKeyFile {key}
    SSLVerifyClient optional_no_ca
    SSLOptions +StdEnvVars +ExportCertData
"""
    config = proxy_config(proxy_port, f"ajp://{LOCAL}:{backend.port}/")
    config += jk_config(jk_port, f"{LOCAL}:{backend.port}")
    config = config.replace("</VirtualHost>", secure + "</VirtualHost>")
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.load_cert_chain(cert, key)
    with Apache("SSLSessionCache none\n" + config, [proxy_port, jk_port], MODULES):
        for port in (proxy_port, jk_port):
            connection = http.client.HTTPSConnection(LOCAL, port, context=context, timeout=20)
            connection.request("GET", "/show", headers={"Host": "secure.example"})
            line = connection.getresponse().read().decode().splitlines()[1]
            connection.close()
            assert line.startswith("https secure.example:443 from"), line
            assert int(re.search(r"cert=(\d+)", line)[1]) > 500, line
            assert port == jk_port or "tls=TLSv1.3" in line, line


def large_packets(server):
    """Both ends agree on more than the usual size."""
    with Program(server, "0", "65536") as backend:
        proxy_port, jk_port = free_port(), free_port()
        with front(
            proxy_port, jk_port, backend.port, "iobuffersize=65536",
            "JkWorkerProperty worker.w.max_packet_size=65536",
        ):  # fmt: skip
            for port, name in ((proxy_port, "proxy, 64 KiB"), (jk_port, "jk, 64 KiB")):
                cookie = "a" * 6000
                for size in (1, 65527, 65528, 65529, 300000):
                    body = os.urandom(size)
                    same(ask(port, "POST", "/echo", body)[2], body, name)
                    same(len(ask(port, "GET", f"/letters/{size}")[2]), size, name)
                assert cookie in shown(port, "/show", headers={"Cookie": cookie}), name


def unix_socket(server, folder):
    path = folder / "socket"
    with Program(server, str(path)):
        port = free_port()
        config = proxy_config(port, f"unix:{path}|ajp://localhost/")
        with Apache(config, [port], MODULES):
            same(ask(port, "POST", "/echo", b"abc")[2], b"abc", "Unix socket")


def wrong_secret(server):
    with Program(server) as backend:
        port = free_port()
        config = proxy_config(port, f"ajp://{LOCAL}:{backend.port}/").replace(SECRET, "other")
        with Apache(config, [port], MODULES):
            for _ in range(3):
                same(ask(port, "GET", "/show")[::2], (403, b"Forbidden\n"), "wrong secret")


# --- the examples ------------------------------------------------------------------------------

EXAMPLES = {
    "api": [("GET", "/notes")],
    "blocking": [("GET", "/now"), ("POST", "/words", b"a b c")],
    "echo": [("GET", "/a?b"), ("POST", "/body", b"x" * 20000), ("PUT", "/a", b"12")],
    "files": [("GET", "/"), ("GET", "/nothing")],
    "hello": [("GET", "/"), ("HEAD", "/")],
    "pipe": [("POST", "/", b"x" * 20000), ("POST", "/", b"")],
    "json": [("GET", "/plaintext"), ("GET", "/json"), ("POST", "/sum", b"[1, 2, 3]"),
             ("POST", "/sum", b"[1,")],
    "async": [("GET", "/now"), ("GET", "/later")],
    "middleware": [("GET", "/now"), ("GET", "/later")],
    "rest": [("GET", "/todos"), ("POST", "/todos", b'{"title": "a"}'), ("GET", "/todos/1"),
             ("PATCH", "/todos/1", b'{"done": true}'), ("DELETE", "/todos/1"), ("GET", "/todos/1")],
    "site": [("GET", "/"), ("GET", "/site.js")],
    "sse": [("GET", "/"), ("POST", "/say", b"text=")],
    "threads": [("GET", "/")],
    "upload": [("GET", "/nothing")],
    "embed": [("GET", "/")],
}  # fmt: skip
VOLATILE = ("api", "site", "threads", "embed", "async", "middleware")  # bodies that tell a time or an address
SAME_HEADERS = ("Content-Type", "Location", "Allow", "Content-Length", "X-Hoop")


def examples(programs):
    """Each answers behind Apache as it answers by itself."""
    for name, http_program, ajp_program in programs:
        with Program(http_program) as direct, Program(ajp_program) as backend:
            port = free_port()
            config = proxy_config(port, f"ajp://{LOCAL}:{backend.port}/")
            config = config.replace("SetEnv AJP_tenant acme", "")
            with Apache(config, [port], MODULES):
                for method, path, *body in EXAMPLES[name] + [("GET", "/nowhere"), ("POST", "/", b"x")]:
                    ours = []
                    for where in (direct.port, port):
                        headers = {"Content-Type": "application/json"} if body else {}
                        status, fields, text = ask(where, method, path, *body, headers=headers)
                        told = [fields[f] for f in SAME_HEADERS if f != "Content-Length" or text]
                        ours.append([status, *told, None if name in VOLATILE else text])
                    if name in VOLATILE:
                        ours = [o[:2] for o in ours]
                    same(ours[1], ours[0], f"{name}: {method} {path}")


# --- recording ---------------------------------------------------------------------------------


class Recorder:
    """Stands between Apache and a server, and notes what passes."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server((LOCAL, 0))
        self.port = self.listener.getsockname()[1]
        self.turns = []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection((LOCAL, self.target))
            for mark, a, b in ((">", near, far), ("<", far, near)):
                threading.Thread(target=self.copy, args=(mark, a, b), daemon=True).start()

    def copy(self, mark, a, b):
        while data := a.recv(65536):
            if self.turns and self.turns[-1][0] == mark:
                self.turns[-1][1] += data
            else:
                self.turns.append([mark, bytearray(data)])
            b.sendall(data)
        b.close()


DIALOGUES = {
    "get": [("GET", "/show?a=b%20c")],
    "head": [("HEAD", "/letters/5")],
    "no content": [("GET", "/nothing")],
    "not modified": [("GET", "/not-modified")],
    "post": [("POST", "/echo", b"hi", False)],
    "post nothing": [("POST", "/echo", b"", False)],
    "post 20000": [("POST", "/echo", b"x" * 20000, False)],
    "chunked": [("POST", "/echo", b"abc", True)],
    "chunked 20000": [("POST", "/echo", b"y" * 20000, True)],
    "patch": [("PATCH", "/show", b"x", False)],
    "two packets": [("GET", "/letters/8185")],
    "early answer, then reuse": [("POST", "/nowhere", b"x" * 20000, False), ("GET", "/nothing")],
    "early chunked, then reuse": [("POST", "/nowhere", b"x" * 20000, True), ("GET", "/nothing")],
}


def compressed(data):
    """In hex, with `(xx*n)` for n times the same byte."""
    runs = re.split(rb"((.)\2{15,})", data, flags=re.S)
    text = ""
    for i in range(0, len(runs), 3):
        text += runs[i].hex()
        if i + 1 < len(runs):
            text += f"({runs[i + 2].hex()}*{len(runs[i + 1])})"
    return text


def record(server, file):
    """Writes `= module: name`, then `> hex` from Apache and `< hex` from us, in turns."""
    with open(file, "w", encoding="ascii") as out, Program(server) as backend:
        out.write("# What Apache 2.4.71 and mod_jk 1.2.48 said to tests/io/ajp_server.c, and its answers.\n")
        out.write("# Made by AJP_RECORD=FILE tests/io/ajp.py SERVER; dates are replaced.\n")
        for module in ("mod_proxy_ajp", "mod_jk"):
            for name, asked in DIALOGUES.items():
                recorder = Recorder(backend.port)
                port = free_port()
                make = proxy_config if module == "mod_proxy_ajp" else jk_config
                target = f"{LOCAL}:{recorder.port}"
                config = make(port, f"ajp://{target}/" if make is proxy_config else target)
                config = "StartServers 1\nServerLimit 1\nThreadsPerChild 4\nMaxRequestWorkers 4\n" + config
                with Apache(config, [port], MODULES):
                    for method, path, *more in asked:
                        body, chunked = more or (None, False)
                        ask(port, method, path, body, {"Host": "example.org"}, chunked)
                    time.sleep(0.1)
                    turns = [[mark, bytes(data)] for mark, data in recorder.turns]
                out.write(f"\n= {module}: {name}\n")
                for mark, data in turns:
                    data = re.sub(rb"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT",
                                  b"Sun, 06 Nov 1994 08:49:37 GMT", data)  # fmt: skip
                    out.write(f"{mark} {compressed(data)}\n")


def main():
    skip_without("apache2", "libapache2-mod-jk")
    server, rest = sys.argv[1], sys.argv[2:]
    if file := os.environ.get("AJP_RECORD"):
        record(server, file)
        return
    folder = Path(tempfile.mkdtemp(prefix="hoop-ajp-"))
    folder.chmod(0o755)
    with Program(server) as backend:
        proxy_port, jk_port = free_port(), free_port()
        with front(proxy_port, jk_port, backend.port, extra="\n") as apache:
            for port, name in ((proxy_port, "mod_proxy_ajp"), (jk_port, "mod_jk")):
                for test in (requests, sizes, early_answers, slow_clients, many_connections):
                    test(port, name)
                    print(f"ok {name}: {test.__name__}", flush=True)
                restarts(apache, backend, port, name)
                print(f"ok {name}: restarts", flush=True)
            users(apache, proxy_port)
        tls(folder, backend)
        print("ok users, tls", flush=True)
    large_packets(server)
    unix_socket(server, folder)
    wrong_secret(server)
    print("ok packets, socket, secret", flush=True)
    examples([rest[i : i + 3] for i in range(0, len(rest), 3)])
    print("ok examples", flush=True)
    subprocess.run(["rm", "-rf", folder], check=True)


if __name__ == "__main__":
    main()
