"""Stands between a client and a server, notes what either of them sends, and cuts connections when told."""

import re
import socket
import threading


class Relay:
    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pairs = []
        self.told = []  # for each connection: what the client has sent, and what the server
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            told = (bytearray(), bytearray())
            self.told.append(told)
            self.pairs.append((client, server))
            for ends in ((client, server, told[0]), (server, client, told[1])):
                threading.Thread(target=self._copy, args=ends, daemon=True).start()

    def _copy(self, source, target, told):
        try:
            while data := source.recv(65536):
                told.extend(data)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        for pair in self.pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs = []

    def asked(self, pattern):
        """All that a pattern finds in what clients have sent."""
        return [found for client, _ in self.told for found in re.findall(pattern, client.decode("latin-1"))]

    def exchanges(self):
        """(target, request's head, status, answer's head) of each request, in the order of its connection."""
        pairs = []
        for client, server in self.told:
            heads = re.findall(r"(?s)(GET (\S+) HTTP/1\.1\r\n.*?\r\n\r\n)", client.decode("latin-1"))
            answers = re.findall(r"(?s)(HTTP/1\.1 (\d+) .*?\r\n\r\n)", server.decode("latin-1"))
            pairs += [(path, head, int(status), answer)
                      for (head, path), (answer, status) in zip(heads, answers, strict=True)]
        return pairs

    def forget(self):
        """Begins to note anew; for when nothing is under way."""
        for client, server in self.told:
            client.clear()
            server.clear()
