"""Tests the example of server-sent events: by HTTP, and in Chromium, whose connection breaks and comes again.

Usage: sse.py NAME PROGRAM
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import browser  # noqa: E402
from examples import PROBLEM, Server, check_arguments, check_signals, same  # noqa: E402
from relay import Relay  # noqa: E402

FORM = "Content-Type: application/x-www-form-urlencoded"


def say(server, text):
    body = b"text=" + text.encode()
    return server.ask("POST /say", FORM, f"Content-Length: {len(body)}", body=body)


class Listener:
    """A client that reads events."""

    def __init__(self, server, last_id=None):
        self.client = server.client()
        self.client.send("GET /events", *([f"Last-Event-ID: {last_id}"] if last_id else []))
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.client.file.read(1)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n"), head
        for line in [b"Content-Type: text/event-stream", b"Cache-Control: no-cache",
                     b"X-Accel-Buffering: no", b"Transfer-Encoding: chunked"]:
            assert line + b"\r\n" in head, (line, head)
        self.text = ""

    def chunk(self):
        size = int(self.client.file.readline(), 16)
        data = self.client.file.read(size + 2)[:-2]
        self.text += data.decode()
        return size

    def event(self, kind):
        """The next event of a kind, as a dictionary."""
        while True:
            while "\n\n" not in self.text:
                assert self.chunk(), "the end"
            block, self.text = self.text.split("\n\n", 1)
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if fields.get("event") == kind:
                return fields

    def expect_end(self):
        while self.chunk():
            pass


def check_http(server):
    first = Listener(server)
    same(first.text, "", "nothing but the head")
    tick = first.event("tick")
    assert re.fullmatch(r"\d\d:\d\d:\d\d", tick["data"]), tick
    same(say(server, "hello+world").status, 204, "said")
    said = first.event("chat")
    same(said["data"], "hello world", "the chat's event")
    assert int(said["id"]) > int(tick["id"])
    same(say(server, "two%0Alines").status, 204, "two lines")
    while "\n\n" not in first.text or "two" not in first.text:
        first.chunk()
    assert "event: chat\nid: " in first.text and "data: two\ndata: lines\n\n" in first.text
    again = Listener(server, last_id=tick["id"])
    same(again.event("chat"), said, "what was missed")
    for body in ["", "x" * 801]:
        refused = say(server, body)
        same((refused.status, refused.headers["content-type"]), (400, PROBLEM), "refused")
    return first


def check_browser(server):
    relay = Relay(server.port)
    lines = "return [...document.querySelectorAll('#chat li')].map(li => li.textContent).join('|')"
    with browser.Browser() as chromium:
        chromium.open(f"http://127.0.0.1:{relay.port}/")
        first = chromium.wait_for("return clock.textContent !== '...' && clock.textContent")
        chromium.wait_for("return clock.textContent !== arguments[0]", first)
        chromium.type("[name=text]", "<b>from a page</b>")
        chromium.click("button")
        chromium.wait_for("return document.querySelectorAll('#chat li').length === 1")
        same(chromium.run(lines), "<b>from a page</b>", "the chat")
        relay.cut()
        same(say(server, "while+you+were+away").status, 204, "said meanwhile")
        chromium.wait_for("return document.querySelectorAll('#chat li').length === 2")
        same(chromium.run(lines), "<b>from a page</b>|while you were away", "nothing missed or twice")
        ids = relay.asked(r"(?i)\r\nLast-Event-ID: (\d+)\r\n")
        assert ids, "the page came again without Last-Event-ID"
        same([line for line in chromium.log() if "favicon" not in line and "ERR_" not in line], [],
             "errors in the console")


def main():
    path = sys.argv[2]
    check_arguments(path, "x", "65536")
    check_signals(path)
    server = Server(path)
    listener = check_http(server)
    if browser.is_there():
        check_browser(server)
    server.process.terminate()
    listener.expect_end()
    server.expect_end()


if __name__ == "__main__":
    main()
