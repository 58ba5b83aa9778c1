"""A server that keeps what is PUT below ``/ac/``, as any remote cache does (bazel.build, HTTP caching protocol)."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class VerdictServer(ThreadingHTTPServer):
    """The entries by name, and the requests so far."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.entries: dict[str, bytes] = {}
        self.requests: list[str] = []

    @property
    def site(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: VerdictServer

    def do_GET(self) -> None:
        self._answer(self.server.entries.get(self.path))

    def do_PUT(self) -> None:
        self.server.entries[self.path] = self.rfile.read(int(self.headers["content-length"]))
        self._answer(b"")

    def _answer(self, body: bytes | None) -> None:
        self.server.requests.append(self.command)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextlib.contextmanager
def verdict_server() -> Iterator[VerdictServer]:
    """A server that runs."""
    with VerdictServer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
