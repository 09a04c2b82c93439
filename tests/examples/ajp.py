"""Tests the example of a server behind Apache with the configuration that comes with it.

Usage: ajp.py NAME PROGRAM
"""

import http.client
import signal
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

from apache import Apache, free_port, skip_without  # noqa: E402


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body)
    response = connection.getresponse()
    try:
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def check(port):
    status, headers, body = ask(port, "GET", "/?a=b")
    assert (status, headers["Content-Type"]) == (200, "text/plain; charset=utf-8"), headers
    assert body == f"http://127.0.0.1:{port}/?a=b from 127.0.0.1, user unknown\n".encode(), body
    assert headers["Content-Length"] == str(len(body)), headers
    for size in (0, 1, 20000, 10 << 20):
        sent = bytes(i * i % 251 for i in range(1000)) * (size // 1000) or b"x" * size
        status, headers, body = ask(port, "POST", "/echo", sent)
        assert (status, headers["Content-Type"]) == (200, "application/octet-stream"), headers
        assert body == sent, f"{size} bytes: not what was sent"
    assert ask(port, "GET", "/echo")[0] == 405
    assert ask(port, "GET", "/nowhere")[::2] == (404, b"Not Found\n")


def main():
    skip_without("apache2")
    program = sys.argv[2]
    for wrong in ("x", "65536"):
        done = subprocess.run([program, wrong], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert done.stderr == f"ajp: '{wrong}' is no port (0 to 65535)\n", done.stderr
    server = subprocess.Popen([program, "0"], stderr=subprocess.PIPE, text=True)
    try:
        line = server.stderr.readline()
        assert line.startswith("listening on ajp://127.0.0.1:"), line
        backend, port = line.rsplit(":", 1)[1].strip(), free_port()
        config = (ROOT / "examples/ajp.conf").read_text()
        # As it is shipped, but at ports that are free.
        assert config.count("127.0.0.1:8081") == 2 and config.count("127.0.0.1:8009") == 1
        config = config.replace("127.0.0.1:8081", f"127.0.0.1:{port}")
        config = config.replace("127.0.0.1:8009", f"127.0.0.1:{backend}")
        with Apache(config, [port]):
            check(port)
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0
        assert server.stderr.read() == ""
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
