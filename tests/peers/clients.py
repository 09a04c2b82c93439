"""Tests real clients directly on hoop: curl, ab, wrk, h2load, and a pipelining one.

Usage: clients.py SERVER ECHO
"""

import json
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from peers import (  # noqa: E402
    LOCAL, Server, check_bodies, check_conditional, check_echo, check_expect, check_methods,
    check_parallel, check_pipelined, curl, digest, need, pattern, run, same, SIZES,
)


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    same(done.returncode, 0, f"exit code of {command}: {done.stderr}{done.stdout}")
    return done.stdout


def check_curl(port):
    url = f"http://{LOCAL}:{port}"
    same(curl(f"{url}/"), (200, b"hello GET\n"), "GET")
    same(curl("--http1.0", f"{url}/"), (200, b"hello GET\n"), "GET by HTTP/1.0")
    same(curl("--http1.0", f"{url}/stream?100000"), (200, bytes(100000)), "a stream by HTTP/1.0")
    data = pattern(2_000_000)
    got = curl("--data-binary", "@-", f"{url}/body", stdin=data)
    same((got[0], digest(got[1])), (200, digest(data)), "POST")
    status, head = curl("-I", f"{url}/bytes?5000000")
    same(status, 200, "HEAD")
    assert re.search(rb"(?im)^content-length: 5000000\r$", head), head
    twice = ["-w", " %{num_connects}\\n", f"{url}/", f"{url}/length"]
    done = output_of(need("curl", "curl"), "-sS", *twice)
    same(done, "hello GET\n 1\n0 0\n", "two requests on one connection")


def check_ab(port):
    url = f"http://{LOCAL}:{port}/"
    said = output_of(need("ab", "apache2-utils"), "-k", "-n", "20000", "-c", "64", "-q", url)
    same(int(re.search(r"Failed requests:\s+(\d+)", said)[1]), 0, "failed requests of ab")
    same(int(re.search(r"Complete requests:\s+(\d+)", said)[1]), 20000, "requests of ab")
    same(int(re.search(r"Keep-Alive requests:\s+(\d+)", said)[1]), 20000, "kept alive")
    assert "Non-2xx" not in said, said
    print("ab:", re.search(r"Requests per second:\s+([\d.]+)", said)[1], "a second")


def check_wrk(port):
    said = output_of(need("wrk", "wrk"), "-t1", "-c64", "-d2", f"http://{LOCAL}:{port}/")
    assert "Socket errors" not in said and "Non-2xx" not in said, said
    print("wrk:", re.search(r"Requests/sec:\s+([\d.]+)", said)[1], "a second")


def check_h2load(port):
    url = f"http://{LOCAL}:{port}/bytes?1000"
    for depth in ("1", "16"):
        said = output_of(
            need("h2load", "nghttp2-client"), "--h1", "-n20000", "-c50", f"-m{depth}", url
        )
        assert "20000 succeeded, 0 failed, 0 errored, 0 timeout" in said, said
        assert "20000 2xx, 0 3xx, 0 4xx, 0 5xx" in said, said


def test(path, echo_path):
    server, echo = Server(path), Server(echo_path)
    check_curl(server.port)
    check_methods(server.port)
    check_bodies(server.port, SIZES)
    check_conditional(server.port)
    check_expect(server.port)
    check_parallel(server.port)
    check_pipelined(server.port, rounds=200)
    check_echo(echo, echo.port)
    for one in (server, echo):
        check_ab(one.port)
        check_wrk(one.port)
    check_h2load(server.port)
    same(server.stats()["errors"], 0, "requests that we could not read")
    server.stop()
    echo.stop()


if __name__ == "__main__":
    run(test)
