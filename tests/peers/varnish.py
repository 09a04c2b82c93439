"""Tests Varnish as a cache in front of hoop. Usage: varnish.py SERVER ECHO"""

import sys

sys.dont_write_bytecode = True

from peers import (  # noqa: E402
    Folder, Server, ask, check_echo, check_front, check_methods, check_peer, need, run, same,
    start_front,
)

# What may be cached is cached, all else is passed on.
CONFIG = """
vcl 4.1;
backend hoop { .host = "127.0.0.1"; .port = "@SERVER@"; }
backend echo { .host = "127.0.0.1"; .port = "@ECHO@"; }
backend told { .host = "127.0.0.1"; .port = "@TOLD@"; .proxy_header = @VERSION@; }
sub vcl_recv {
    if (local.socket == "echo") { set req.backend_hint = echo; return (pass); }
    if (local.socket == "told") { set req.backend_hint = told; return (pass); }
    set req.backend_hint = hoop;
    if (req.url != "/cached" && req.url != "/etag") { return (pass); }
}
sub vcl_backend_fetch {
    if (bereq.url == "/cached") { set bereq.url = "/bytes?5000"; }
}
sub vcl_backend_response {
    if (bereq.url == "/bytes?5000") { set beresp.ttl = 60s; }
    if (bereq.url == "/etag") { set beresp.ttl = 1s; set beresp.keep = 60s; set beresp.grace = 0s; }
}
"""


def test(path, echo_path):
    program = need("varnishd", "varnish")
    need("gcc", "gcc")  # it compiles its configuration
    for version in ("1", "2"):
        test_with(program, path, echo_path, version)


def test_with(program, path, echo_path, version):
    server, echo, told = Server(path), Server(echo_path), Server(path, "proxy", "127.0.0.0/8")
    with Folder("varnish") as folder:
        command = []

        def config(port, port2, port3):
            text = CONFIG.replace("@SERVER@", str(server.port)).replace("@ECHO@", str(echo.port))
            text = text.replace("@TOLD@", str(told.port)).replace("@VERSION@", version)
            (folder / "default.vcl").write_text(text)
            command[:] = [
                program, "-F", "-f", folder / "default.vcl", "-n", folder / "state",
                "-a", f"hoop=127.0.0.1:{port}", "-a", f"echo=127.0.0.1:{port2}",
                "-a", f"told=127.0.0.1:{port3}",
                "-s", "malloc,64m", "-j", "none", "-p", "thread_pool_min=10", "-p", "thread_pools=1",
            ]  # fmt: skip

        front, port, port2, port3 = start_front(folder, config, command, ports=3)
        told.stats_port = port3
        check_peer(port3)
        check_methods(port3)
        before = told.stats()
        for _ in range(10):
            same(ask(port3, "GET", "/").status, 200, "status")
        after = told.stats()
        print("connections for 10 requests:", after["accepted"] - before["accepted"] - 1)
        told.stop()
        if version == "1":
            check_front(server, port)
        before = server.stats()["requests"]
        for _ in range(5):
            same(len(ask(port, "GET", "/cached").body), 5000, "a cached body")
        same(server.stats()["requests"] - before, 2, "requests for five of what is cached")
        check_echo(echo, port2)
        front.stop()
        server.stop()
        echo.stop()


if __name__ == "__main__":
    run(test)
