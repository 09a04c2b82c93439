"""Tests the example of a site: by HTTP, and as a browser has it: signs in, sends a file, signs out.

Usage: site.py NAME PROGRAM [FOLDER FOR SCREENSHOTS]
"""

import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import browser as chromium  # noqa: E402
from examples import Server, check_server, same  # noqa: E402

FORM = "Content-Type: application/x-www-form-urlencoded"


def post(server, path, body, *lines):
    return server.ask(f"POST {path}", FORM, f"Content-Length: {len(body)}", *lines, body=body.encode())


def by_hand(server):
    home = server.ask("GET /")
    same(home.status, 200, "the first page")
    same(home.headers["content-type"], "text/html; charset=utf-8", "content type")
    assert "default-src 'self'" in home.headers["content-security-policy"], home.headers
    assert "HttpOnly" in home.headers["set-cookie"], home.headers
    cookie = "Cookie: " + home.headers["set-cookie"].split(";")[0]
    token = re.search(rb'name="__anti-forgery-token" value="([^"]+)"', home.body)[1].decode()
    named = "name=ann&password="
    same(post(server, "/login", named + "secret", cookie).status, 403, "without a token")
    mine = f"__anti-forgery-token={token}&{named}"
    same(post(server, "/login", mine + "secret").status, 403, "another's token")
    foreign = "Sec-Fetch-Site: cross-site"
    same(post(server, "/login", mine + "secret", cookie, foreign).status, 403, "another site")
    same(post(server, "/login", mine + "wrong", cookie).status, 303, "a wrong password")
    note = server.ask("GET /", cookie).body
    assert b"This is not the password." in note, note
    assert b'id="note"' not in server.ask("GET /", cookie).body, "a note comes once"
    welcome = post(server, "/login", mine + "secret", cookie)
    same((welcome.status, welcome.headers["location"]), (303, "http://localhost/"), "login")
    fresh = "Cookie: " + welcome.headers["set-cookie"].split(";")[0]
    assert fresh != cookie, "the id is another one"
    assert b"You are <b>ann</b>" in server.ask("GET /", fresh).body
    assert b"You are" not in server.ask("GET /", cookie).body, "the id before is worth nothing"


def by_browser(server, shots):
    with chromium.Browser() as browser, tempfile.NamedTemporaryFile(suffix=" <b>.txt") as file:
        file.write(b"x" * 3000000)
        file.flush()
        name = file.name.rsplit("/", 1)[1]
        shoot = browser.screenshot if shots else lambda path: None
        browser.open(f"http://localhost:{server.port}/")
        browser.type("input[name=name]", "ann")
        browser.type("input[name=password]", "wrong")
        browser.click("main button")
        same(browser.text("#note"), "This is not the password.", "note")
        shoot(f"{shots}/login.png")
        browser.type("input[name=name]", "ann")
        browser.type("input[name=password]", "secret")
        browser.click("main button")
        same(browser.text("b"), "ann", "who is signed in")
        same(browser.text("#note"), "Welcome.", "note")
        # The bar stands at the end when the page that has it is left.
        browser.run(
            "addEventListener('pagehide', () => sessionStorage.setItem('bar',"
            " document.querySelector('progress').value))"
        )
        browser.type("input[type=file]", file.name)
        browser.click("#upload button")
        browser.find_text("li", f"{name}, 3000000 bytes")
        same(browser.text("#note"), f"{name} has come.", "note")
        same(browser.run("return sessionStorage.getItem('bar')"), "1", "the bar")
        shoot(f"{shots}/home.png")
        browser.click("form[action='/logout'] button")
        browser.find("input[name=password]")


def main():
    program, shots = sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
    check_server(program)
    server = Server(program)
    by_hand(server)
    if chromium.is_there():
        by_browser(server, shots)
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
