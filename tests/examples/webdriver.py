"""Drives a headless Chromium by WebDriver, with nothing but Python's library (W3C WebDriver; package chromium-driver)."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the standard's name for a reference
WAIT_MS = 30000  # for an element that is to come
OPTIONS = [
    "--headless=new",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--window-size=800,600",
]


def is_there():
    return bool(shutil.which("chromedriver") and shutil.which("chromium"))


class Browser:
    """A browser with a fresh profile; gone at the end of its `with`."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.driver.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                break
        self.base = f"http://127.0.0.1:{match[1]}/session"
        arguments = [*OPTIONS, f"--user-data-dir={self.profile.name}"]
        wanted = {
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
            "timeouts": {"implicit": WAIT_MS},
        }
        made = self.call("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/" + made["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()

    def call(self, method, path, data=None):
        body = None if method != "POST" else json.dumps(data or {}).encode()
        request = urllib.request.Request(self.base + path, body, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=WAIT_MS / 1000 * 2) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path} {data}: {error.read().decode()}") from error

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def url(self):
        return self.call("GET", "/url")

    def find(self, selector):
        """The path of the first element that a CSS selector names; waits for it."""
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return "/element/" + found[ELEMENT]

    def find_text(self, tag, text):
        """Waits for an element whose text is this."""
        path = f"//{tag}[normalize-space()={json.dumps(text)}]"
        self.call("POST", "/element", {"using": "xpath", "value": path})

    def text(self, selector):
        return self.call("GET", self.find(selector) + "/text")

    def type(self, selector, text):
        self.call("POST", self.find(selector) + "/value", {"text": text})

    def click(self, selector):
        self.call("POST", self.find(selector) + "/click")

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))
