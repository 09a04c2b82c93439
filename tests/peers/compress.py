"""Tests compression with other implementations of the codings: curl, gzip, brotli, zstd and Python's zlib.

Usage: compress.py SERVER
"""

import gzip
import http.client
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True

from peers import LOCAL, Server, ask, curl, digest, need, pattern, pieces, run, same  # noqa: E402

SIZES = (1024, 5000, 65536, 65537, 1_000_000, 3_000_000)


def tool(*command):
    def work(data):
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout

    return work


def tools():
    """How others pack and unpack each coding."""
    brotli, zstd = need("brotli", "brotli"), need("zstd", "zstd")
    return {
        "gzip": (tool("gzip", "-c"), tool("gzip", "-dc")),
        "deflate": (zlib.compress, zlib.decompress),
        "br": (tool(brotli, "-c"), tool(brotli, "-dc")),
        "zstd": (tool(zstd, "-qc"), tool(zstd, "-qdc")),
    }


def check_responses(port, codings):
    for size in SIZES:
        want = digest(pattern(size))
        for path in ("/bytes", "/stream"):
            for coding, (_, unpack) in codings.items():
                got = ask(port, "GET", f"{path}?{size}", headers={"Accept-Encoding": coding})
                what = f"{path} {size} {coding}"
                same((got.status, got.headers.get("content-encoding")), (200, coding), what)
                same(got.headers["vary"], "Accept-Encoding", what)
                same(digest(unpack(got.body)), want, what)
                assert len(got.body) < size, what
            got = ask(port, "GET", f"{path}?{size}")
            same(digest(got.body), want, f"{path} {size} as it is")
        got = curl("--compressed", f"http://{LOCAL}:{port}/bytes?{size}")
        same((got[0], digest(got[1])), (200, want), f"curl --compressed {size}")
        got = curl("--compressed", "--http1.0", f"http://{LOCAL}:{port}/stream?{size}")
        same((got[0], digest(got[1])), (200, want), f"curl --compressed {size} by HTTP/1.0")
        got = ask(port, "HEAD", f"/bytes?{size}", headers={"Accept-Encoding": "br"})
        same(got.headers["content-encoding"], "br", "HEAD")
        same(got.body, b"", "HEAD")


def check_flushes(port):
    """Each line is here in front of the next one's being written."""
    reader = http.client.HTTPConnection(LOCAL, port, timeout=60)
    reader.request("GET", "/lines", headers={"Accept-Encoding": "gzip"})
    answer = reader.getresponse()
    same(answer.getheader("content-encoding"), "gzip", "coding of the lines")
    unpacker, said = zlib.decompressobj(31), b""
    for i in range(1, 20):
        while not said.endswith(b"line %d\n" % (i - 1)):
            piece = answer.read1(1000)
            assert piece, said
            said += unpacker.decompress(piece)
        same(ask(port, "POST", f"/next?{i}").status, 204, "next")
    ask(port, "POST", "/next?0")
    said += unpacker.decompress(answer.read())
    same(said, b"".join(b"line %d\n" % i for i in range(20)), "lines")
    assert unpacker.eof
    reader.close()


def check_requests(port, codings):
    for size in (0, 1, 5000, 1_000_000, 8_000_000):
        data = pattern(size)
        for coding, (pack, _) in codings.items():
            packed = pack(data)
            for body in packed, pieces(packed):
                got = ask(port, "POST", "/echo", body, {"Content-Encoding": coding})
                same((got.status, digest(got.body)), (200, digest(data)), f"{coding} {size}")
    packed = codings["br"][0](gzip.compress(pattern(5000)))
    got = ask(port, "POST", "/echo", packed, {"Content-Encoding": "gzip, br"})
    same((got.status, got.body), (200, pattern(5000)), "two codings")


def check_refused(port, codings):
    bomb = gzip.compress(bytes(100_000_000))
    same(ask(port, "POST", "/echo", bomb, {"Content-Encoding": "gzip"}).status, 413, "a bomb")
    for coding, (pack, _) in codings.items():
        packed = pack(pattern(3000))
        for broken in packed[:-1], packed + b"x", b"x" + packed:
            got = ask(port, "POST", "/echo", broken, {"Content-Encoding": coding})
            same(got.status, 400, f"{coding}, broken")
    got = ask(port, "POST", "/echo", b"x", {"Content-Encoding": "lzma"})
    same((got.status, got.headers["accept-encoding"]), (415, "gzip, deflate, br, zstd"), "lzma")


def test(path):
    server = Server(path)
    codings = tools()
    check_responses(server.port, codings)
    check_flushes(server.port)
    check_requests(server.port, codings)
    check_refused(server.port, codings)
    server.stop()


if __name__ == "__main__":
    run(test)
