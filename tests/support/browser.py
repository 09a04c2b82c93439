"""A headless Chromium, driven by ChromeDriver's own protocol (W3C WebDriver), without further packages.

    with Browser() as browser:
        browser.open("http://127.0.0.1:8080/")
        browser.wait_for("return document.title === 'Hello'")
"""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

PATIENCE_S = 60  # for what must come; nothing waits for a time
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the name that the protocol gives to references


def is_there():
    """False also under a sanitizer: what a browser does to a program, other clients have done before."""
    if os.environ.get("HOOP_SANITIZER"):
        return False
    return bool(shutil.which("chromedriver") and shutil.which("chromium"))


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hoop-browser-", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "HOME": self.folder.name},
        )
        try:
            self.port = self._port()
            self.session = self._new_session()
            self._do("POST", "/timeouts", {"implicit": PATIENCE_S * 1000})
        except BaseException:
            self._end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", f"/session/{self.session}")
        finally:
            self._end()

    def _end(self):
        self.driver.terminate()
        self.driver.communicate()
        self.folder.cleanup()

    def _port(self):
        for line in self.driver.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                return int(match[1])
        raise AssertionError("chromedriver did not start")

    def _new_session(self):
        arguments = [
            "--headless=new",
            "--no-sandbox",  # as root it has none
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--window-size=1000,800",
            f"--user-data-dir={self.folder.name}/profile",
        ]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}}
        wanted["goog:loggingPrefs"] = {"browser": "ALL"}
        return self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def _call(self, method, path, value=None):
        body = None if method != "POST" else json.dumps(value or {}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def _do(self, method, path, value=None):
        return self._call(method, f"/session/{self.session}{path}", value)

    def open(self, url):
        self._do("POST", "/url", {"url": url})

    def url(self):
        return self._do("GET", "/url")

    def run(self, script, *arguments):
        """What a script, the body of a function, returns."""
        return self._do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script, *arguments):
        """The script's first result that is true."""
        end = time.monotonic() + PATIENCE_S
        while not (result := self.run(script, *arguments)):
            assert time.monotonic() < end, f"in vain: {script}"
            time.sleep(0.02)
        return result

    def find_text(self, tag, text):
        """Waits for an element whose text is this."""
        path = f"//{tag}[normalize-space()={json.dumps(text)}]"
        self._do("POST", "/element", {"using": "xpath", "value": path})

    def find(self, selector):
        """The first element that a CSS selector names; waits for it."""
        return self._do("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def text(self, selector):
        return self._do("GET", f"/element/{self.find(selector)}/text")

    def type(self, selector, text):
        """Types into a field; of a file field it is the file's path."""
        self._do("POST", f"/element/{self.find(selector)}/value", {"text": str(text)})

    def click(self, selector):
        self._do("POST", f"/element/{self.find(selector)}/click")

    def cookies(self):
        return self._do("GET", "/cookie")

    def log(self):
        """What the browser's console has to say that is an error."""
        lines = self._do("POST", "/se/log", {"type": "browser"})
        return [line["message"] for line in lines if line["level"] == "SEVERE"]

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self._do("GET", "/screenshot")))
