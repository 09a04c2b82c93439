"""Tests the example of a REST service as its users have it: by HTTP, and by curl if it is there.

Usage: rest.py NAME PROGRAM
"""

import json
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from examples import PROBLEM, Server, same  # noqa: E402


def ask(server, method, path, body=None, content_type="application/json"):
    """Status, headers, and the JSON of the body (None if there is none)."""
    data = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path}"]
    if body is not None:
        lines += [f"Content-Type: {content_type}", f"Content-Length: {len(data)}"]
    response = server.ask(*lines, body=data)
    value = json.loads(response.body) if response.body else None
    return response.status, response.headers, value


def problem(answer, status):
    same(answer[0], status, "status")
    same(answer[1]["content-type"], PROBLEM, "content type")
    same(answer[2]["status"], status, "the problem's status")
    return answer[2]


def life(server):
    same(ask(server, "GET", "/todos")[::2], (200, []), "no to-dos")
    status, headers, todo = ask(server, "POST", "/todos", {"title": "a"})
    same((status, todo), (201, {"id": 1, "title": "a", "done": False}), "the first")
    same(headers["location"], "/todos/1", "Location")
    same(headers["content-type"], "application/json", "content type")
    ask(server, "POST", "/todos", {"title": "b", "done": True})
    same(ask(server, "GET", headers["location"])[2], todo, "where Location leads")
    same([t["id"] for t in ask(server, "GET", "/todos")[2]], [1, 2], "all")
    same([t["id"] for t in ask(server, "GET", "/todos?done=true")[2]], [2], "those done")
    same([t["id"] for t in ask(server, "GET", "/todos?done=false&limit=5")[2]], [1], "the others")
    same([t["id"] for t in ask(server, "GET", "/todos?limit=1")[2]], [1], "the first one")
    changed = ask(server, "PATCH", "/todos/1", {"done": True})
    same(changed[::2], (200, {"id": 1, "title": "a", "done": True}), "PATCH")
    replaced = ask(server, "PUT", "/todos/1", {"title": "ä"})
    same(replaced[::2], (200, {"id": 1, "title": "ä", "done": False}), "PUT")
    status, headers, value = ask(server, "DELETE", "/todos/1")
    same((status, value), (204, None), "DELETE")
    assert "content-length" not in headers, headers
    problem(ask(server, "GET", "/todos/1"), 404)
    same(ask(server, "HEAD", "/todos")[0], 200, "HEAD")


def mistakes(server):
    told = problem(ask(server, "GET", "/todos?limit=zz"), 400)
    same(
        told["errors"],
        [{"in": "query", "parameter": "limit", "value": "zz", "expected": "an integer"}],
        "what is wrong with the limit",
    )
    problem(ask(server, "GET", "/todos/x"), 404)
    problem(ask(server, "GET", "/nothing"), 404)
    problem(ask(server, "POST", "/todos", {"done": True}), 400)
    problem(ask(server, "POST", "/todos", {"title": ""}), 400)
    problem(ask(server, "PUT", "/todos/99", {"title": "x"}), 404)
    answer = ask(server, "DELETE", "/todos")
    problem(answer, 405)
    same(answer[1]["allow"], "GET, HEAD, POST, OPTIONS", "Allow")


def by_curl(server):
    if not shutil.which("curl"):
        return
    url = f"http://127.0.0.1:{server.port}/todos"
    common = ["curl", "-sS", "-o", "-", "-w", " %{http_code}"]
    made = subprocess.run(
        [*common, "-d", '{"title":"by curl"}', url], capture_output=True, text=True, check=True
    )
    same(made.stdout, '{"id":3,"title":"by curl","done":false} 201', "curl -d")
    gone = subprocess.run(
        [*common, "-X", "DELETE", f"{url}/3"], capture_output=True, text=True, check=True
    )
    same(gone.stdout, " 204", "curl -X DELETE")


def main():
    server = Server(sys.argv[-1])
    life(server)
    mistakes(server)
    by_curl(server)
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
