"""A tiny HTTP server that answers 200 to whatever it is asked: in the model's place, or on a forbidden port.

It is no gateway: it records one line of each request, and its failures are the runner's.
"""

from __future__ import annotations

import socketserver
import threading
from pathlib import Path
from typing import Self

LOOKS_SECS = 0.005  # between looks whether to end; several servers are waited for


class Serving:
    """While the `with` block lasts."""

    def __init__(self, server: socketserver.BaseServer) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(LOOKS_SECS,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Answering(Serving):
    """On a Unix socket (text: an abstract one) or on a free local port, while the `with` block lasts."""

    def __init__(self, where: Path | str | None = None) -> None:
        asked: list[str] = []

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                if line := self.rfile.readline():
                    asked.append(line.decode("utf-8", "backslashreplace").strip())
                    while self.rfile.readline().strip():
                        pass
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

        self.asked = asked
        self.port = 0
        server: socketserver.TCPServer
        if where is None:
            server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
            self.port = int(server.server_address[1])
        else:
            server = socketserver.ThreadingUnixStreamServer(str(where), Handler)
            if isinstance(where, Path):
                where.chmod(0o666)  # the folder around it decides who gets this far
        super().__init__(server)


class Noting(Serving):
    """On a free local port for datagrams: makes a file when one comes, while the `with` block lasts."""

    def __init__(self, file: Path) -> None:
        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                file.touch()

        server = socketserver.UDPServer(("127.0.0.1", 0), Handler)
        self.port = int(server.server_address[1])
        super().__init__(server)
