"""Tests haproxy as a reverse proxy in front of hoop, plainly and with the PROXY protocol.

Usage: haproxy.py SERVER ECHO
"""

import sys

sys.dont_write_bytecode = True

from peers import (  # noqa: E402
    Folder, Server, check_echo, check_front, check_peer, need, run, start_front,
)

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


def test_with(program, path, echo_path, send):
    server = Server(path, *(["proxy", ""] if send else []))
    echo = Server(echo_path)
    # A connection that tells of one client must not serve another. HAProxy sees to that by itself, too,
    # but then makes one for each request.
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
            server.stats_port = port  # nobody else is answered
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
