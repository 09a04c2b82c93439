"""A client that is slow and simple: many keep-alive connections, asked in turn."""

import socket

ACCEPT = (
    "text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.7"
)
HEADERS = {"Host": "127.0.0.1:8080", "Accept": ACCEPT, "Connection": "keep-alive"}
MARK = b"Hello, World!"  # once in each answer
PATIENCE = 30  # seconds
GROUP = 64  # connections that are asked before the first is read


def request(path):
    """TechEmpower's request."""
    lines = [f"GET {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in HEADERS.items()]
    return "\r\n".join(lines + ["", ""]).encode()


def varying(path, connection, number):
    """The same with a User-Agent of the connection's own, and a cookie that is another each time."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {HEADERS['Host']}",
        f"User-Agent: bench/{connection:08}",
        f"Accept: {ACCEPT}",
        f"Cookie: session={number:08}",
        "Connection: keep-alive",
    ]
    return "\r\n".join(lines + ["", ""]).encode()


class Client:
    """So many connections to a port, open while the `with` block runs."""

    def __init__(self, port, count):
        self.port = port
        self.count = count
        self.connections = []
        self.sent = 0

    def __enter__(self):
        try:
            for _ in range(self.count):
                connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections.append(connection)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception):
        for connection in self.connections:
            connection.close()
        self.connections = []

    def _requests(self, path, depth, vary, index):
        if not vary:
            return request(path) * depth
        self.sent += depth
        return b"".join(varying(path, index, self.sent + i) for i in range(depth))

    def ask(self, path, depth=1, rounds=1, vary=False):
        """Sends `depth` requests at once on each connection and reads the answers, so many times.
        Returns the number of requests."""
        for _ in range(rounds):
            for begin in range(0, len(self.connections), GROUP):
                group = self.connections[begin : begin + GROUP]
                for index, connection in enumerate(group, begin):
                    connection.sendall(self._requests(path, depth, vary, index))
                for connection in group:
                    self._read(connection, depth)
        return rounds * depth * len(self.connections)

    @staticmethod
    def _read(connection, answers):
        received = b""
        while received.count(MARK) < answers:
            piece = connection.recv(65536)
            if not piece:
                raise RuntimeError(f"closed behind {received[-200:]!r}")
            received += piece
