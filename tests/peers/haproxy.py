"""Tests haproxy as a reverse proxy in front of hoop, plainly and with the PROXY protocol.

Usage: haproxy.py SERVER ECHO
"""

import socket
import sys

sys.dont_write_bytecode = True

from peers import LOCAL, Folder, Server, check_echo, check_front, need, run, same, start_front  # noqa: E402

CONFIG = """
global
    maxconn 512
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
    http-reuse @REUSE@
frontend one
    bind 127.0.0.1:@PORT@
    default_backend hoop
frontend two
    bind 127.0.0.1:@PORT2@
    default_backend echo
backend hoop
    server a 127.0.0.1:@SERVER@ @SEND@
backend echo
    server b 127.0.0.1:@ECHO@
"""


def check_peer(port):
    """The server knows the client by the address and port that it has at the front end."""
    for source in ("127.0.0.1", "127.0.0.9"):
        with socket.create_connection((LOCAL, port), 60, (source, 0)) as s:
            s.sendall(b"GET /peer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            body = s.makefile("rb").read().rpartition(b"\r\n\r\n")[2]
            same(body.decode(), "%s %d" % s.getsockname(), "who the client is")


def test_with(program, path, echo_path, send):
    server = Server(path, *(["proxy", ""] if send else []))
    echo = Server(echo_path)
    # A connection that was made for one client may serve another only where nobody is told of him.
    reuse = "never" if send else "safe"
    with Folder("haproxy") as folder:

        def config(port, port2):
            text = CONFIG.replace("@SEND@", send).replace("@REUSE@", reuse)
            text = text.replace("@SERVER@", str(server.port)).replace("@ECHO@", str(echo.port))
            text = text.replace("@PORT@", str(port)).replace("@PORT2@", str(port2))
            (folder / "haproxy.cfg").write_text(text)

        command = [program, "-db", "-f", folder / "haproxy.cfg"]
        front, port, port2 = start_front(folder, config, command, ports=2)
        if send:
            server.stats_port = port
            check_peer(port)
        check_front(server, port)
        check_echo(echo, port2)
        front.stop()
        server.stop()
        echo.stop()


def test(path, echo_path, *sends):
    program = need("haproxy", "haproxy")
    for send in sends or ("", "send-proxy", "send-proxy-v2"):
        test_with(program, path, echo_path, send)


if __name__ == "__main__":
    run(test)
