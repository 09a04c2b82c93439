"""Tests the example that serves files: by HTTP, and by Chromium, which loads a page of a hundred resources twice.

Usage: files.py NAME PROGRAM
"""

import gzip
import struct
import sys
import tempfile
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import browser  # noqa: E402
from examples import Server, same, test_files  # noqa: E402
from relay import Relay  # noqa: E402

IMAGES, STYLES, SCRIPTS = 50, 25, 25
LARGE = 3  # of each kind one is large: so many hundreds of kilobytes


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, padding):
    """One line of black points; what pads is a chunk that nobody looks at."""
    head = struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0)
    lines = zlib.compress(b"\0" + b"\0" * width)
    parts = chunk(b"IHDR", head) + chunk(b"paDd", b"x" * padding) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def make(folder):
    """The page; that all has come is seen by its looks: widths of images, widths of boxes, a sum of the scripts'."""
    lines = ["<!doctype html><link rel=icon href=data:,><script>sum = 0</script>"]
    for n in range(STYLES):
        padding = f"/*{'x' * LARGE * 100000 * (n == 0)}*/"
        Path(folder, f"s{n}.css").write_text(f"{padding}#b{n} {{ width: {n + 1}px }}")
        lines.append(f"<link rel=stylesheet href=s{n}.css><div id=b{n}></div>")
    for n in range(IMAGES):
        Path(folder, f"i {n}.png").write_bytes(png(n + 1, LARGE * 100000 * (n == 0)))
        lines.append(f"<img src='i%20{n}.png'>")
    for n in range(SCRIPTS):
        text = f"sum += {n + 1} // {'x' * LARGE * 100000 * (n == 0)}"
        Path(folder, f"c{n}.js").write_text(text)
        lines.append(f"<script src=c{n}.js></script>")
    # The sibling says that it is one.
    Path(folder, "c1.js.gz").write_bytes(gzip.compress(b"sum += 2; sibling = true"))
    Path(folder, "index.html").write_text("\n".join(lines))
    names = [f"s{n}.css" for n in range(STYLES)] + [f"c{n}.js" for n in range(SCRIPTS)]
    return sorted(["/", *("/" + name for name in names), *(f"/i%20{n}.png" for n in range(IMAGES))])


def load(chromium, relay):
    chromium.open(f"http://127.0.0.1:{relay.port}/")
    chromium.wait_for("return document.readyState === 'complete'")
    widths = chromium.run("return [...document.images].map(i => i.naturalWidth)")
    same(widths, list(range(1, IMAGES + 1)), "the images")
    boxes = chromium.run("return [...document.querySelectorAll('div')].map(d => d.offsetWidth)")
    same(boxes, list(range(1, STYLES + 1)), "the boxes")
    same(chromium.run("return [sum, window.sibling]"), [SCRIPTS * (SCRIPTS + 1) // 2, True], "the scripts")
    same(chromium.log(), [], "errors in the console")


def by_browser(path):
    with tempfile.TemporaryDirectory() as folder:
        paths = make(folder)
        same(len(paths), 101, "the page and its resources")
        server = Server(path, "0", folder)
        relay = Relay(server.port)
        with browser.Browser() as chromium:
            load(chromium, relay)
            first = relay.exchanges()
            same(sorted(path for path, _, _, _ in first), paths, "what was asked for, each once")
            same({status for _, _, status, _ in first}, {200}, "status")
            coded = [path for path, _, _, answer in first if "Content-Encoding: gzip" in answer]
            same(coded, ["/c1.js"], "who has a sibling")
            relay.forget()
            load(chromium, relay)
            second = relay.exchanges()
            assert set(path for path, _, _, _ in second) <= set(paths), second
            same({status for _, _, status, _ in second}, {304}, "status of the second time")
        server.stop()


def main():
    path = sys.argv[2]
    test_files(path)
    if browser.is_there():
        by_browser(path)


if __name__ == "__main__":
    main()
