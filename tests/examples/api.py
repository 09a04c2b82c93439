"""Tests the example of a JSON API as its users have it: a program, a page of another origin, and one that asks too often.

Usage: api.py NAME PROGRAM
"""

import json
import sys

sys.dont_write_bytecode = True

from examples import PROBLEM, Server, check_server, same  # noqa: E402

ANN = "Authorization: Bearer ann-0123456789abcdef"
BOB = "Authorization: Bearer bob-0123456789abcdef"
ORIGIN = "Origin: http://localhost:3000"


def ask(server, method, path, *lines, body=None):
    """Status, headers, and the JSON of the body (None if there is none)."""
    data = b"" if body is None else json.dumps(body).encode()
    if body is not None:
        lines = [*lines, "Content-Type: application/json", f"Content-Length: {len(data)}"]
    response = server.ask(f"{method} {path}", *lines, body=data)
    value = json.loads(response.body) if response.body else None
    return response.status, response.headers, value


def life(server):
    same(ask(server, "GET", "/notes", ANN)[::2], (200, []), "no notes")
    status, headers, note = ask(server, "POST", "/notes", ANN, body={"text": 'a "ä"'})
    same((status, note), (201, {"id": 1, "text": 'a "ä"'}), "the first")
    same(headers["location"], "/notes/1", "Location")
    same(headers["content-type"], "application/json", "content type")
    same(ask(server, "GET", "/notes/1", ANN)[::2], (200, note), "where Location leads")
    same(ask(server, "GET", "/notes", ANN)[2], [note], "all")
    same(ask(server, "GET", "/notes", BOB)[2], [], "all of another")
    same(ask(server, "DELETE", "/notes/1", BOB)[0], 404, "another's")
    same(ask(server, "DELETE", "/notes/1", ANN)[0], 204, "DELETE")
    same(ask(server, "GET", "/notes/1", ANN)[0], 404, "what is gone")


def mistakes(server):
    status, headers, _ = ask(server, "GET", "/notes")
    same((status, headers["www-authenticate"]), (401, 'Bearer realm="api"'), "without a token")
    same(ask(server, "GET", "/notes", ANN + "x")[0], 401, "a wrong token")
    for body in ({}, {"text": 1}, {"text": ""}, {"text": "x" * 256}, []):
        status, headers, told = ask(server, "POST", "/notes", ANN, body=body)
        same((status, headers["content-type"]), (400, PROBLEM), body)
        assert told["errors"], told


def from_a_page(server):
    preflight = (
        ORIGIN,
        "Access-Control-Request-Method: DELETE",
        "Access-Control-Request-Headers: authorization",
    )
    status, headers, _ = ask(server, "OPTIONS", "/notes/1", *preflight)
    same(status, 200, "preflight")
    same(headers["access-control-allow-origin"], "http://localhost:3000", "origin")
    status, headers, _ = ask(server, "GET", "/notes", ORIGIN)
    same((status, headers["access-control-allow-origin"]), (401, "http://localhost:3000"), "401")
    headers = ask(server, "GET", "/notes", ANN, "Origin: https://evil.example")[1]
    assert "access-control-allow-origin" not in headers, headers


def too_often(server):
    with server.client() as client:
        for _ in range(200):
            response = client.ask("GET /notes", ANN, ORIGIN)
            if response.status != 200:
                break
    same(response.status, 429, "status of one too many")
    assert int(response.headers["retry-after"]) >= 1, response.headers
    same(response.headers["access-control-allow-origin"], "http://localhost:3000", "on 429, too")


def main():
    check_server(sys.argv[-1])
    server = Server(sys.argv[-1])
    life(server)
    mistakes(server)
    from_a_page(server)
    too_often(server)
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
