"""Serve the report to browsers on this machine: the current page, with the command's own ranking in its search.

Only requests for the address with the token are answered, only on loopback, and only with this exact Host header:
another web page can neither guess the token nor forge the header (DNS rebinding). Requests never write anything.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from gitmem.errors import GitmemError, UsageError

HOST = "127.0.0.1"
# The most characters read of a query.
LONGEST = 1_000
# Digits of the number of a block that are read.
DIGITS = 9
_NAMES = ("", "state", "texts", "find")
MISSING = "There is nothing here. Open the address that gitmem report printed.\n"
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class PageOperations(Protocol):
    """The operations of a server; called from one thread at a time."""

    def state(self) -> str:
        """Return a text that changes when the page would."""

    def page(self, state: str) -> str:
        """Return the page of this state as HTML."""

    def texts(self, state: str, block: int) -> list[str]:
        """Return the texts of a block of memories (``payload``) of the page of this state.

        Raises:
            NotFoundError: It is of another state by now.
        """

    def find(self, words: str) -> list[str]:
        """Return the keys of the matching memories, best first."""


class ReportServer(ThreadingHTTPServer):
    """One page on a loopback port.

    Attributes:
        url: Its address, with the token.
    """

    daemon_threads = True

    def __init__(self, source: PageOperations, port: int = 0) -> None:
        """Listen on a port, or on any free one.

        Raises:
            UsageError: The port is in use, or not permitted.
        """
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as err:
            raise UsageError(
                f"cannot listen on port {port}: {err}", hint="choose another: --port 0 takes a free one"
            ) from err
        self._source = source
        self._one_at_a_time = threading.Lock()
        self._token = secrets.token_urlsafe(24)
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}
        self.url = f"http://{HOST}:{self.server_port}/{self._token}/"

    def answer(self, path: str) -> tuple[int, str, str]:
        """Return status, type and text of the response for a path."""
        try:
            split = urlsplit(path)
        except ValueError:
            return 404, "text/plain", MISSING
        token, _, name = split.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self._token.encode()) or name not in _NAMES:
            return 404, "text/plain", MISSING
        try:
            with self._one_at_a_time:
                parameters = parse_qs(split.query)
                if name == "find":
                    words = parameters.get("words", [""])[0][:LONGEST]
                    return 200, "application/json", json.dumps(self._source.find(words))
                if name == "texts":
                    block = parameters.get("block", ["0"])[0]
                    number = int(block) if block.isascii() and block.isdigit() and len(block) < DIGITS else 0
                    return (
                        200,
                        "application/json",
                        json.dumps(self._source.texts(parameters.get("state", [""])[0], number)),
                    )
                state = self._source.state()
                return (200, "text/plain", state) if name else (200, "text/html", self._source.page(state))
        except GitmemError as err:
            return 503, "text/plain", f"{err.message}\n"


class _Handler(BaseHTTPRequestHandler):
    server: ReportServer
    server_version, sys_version = "gitmem", ""
    timeout = 10

    def do_GET(self) -> None:
        """Answer one request."""
        if self.headers.get("Host", "") in self.server.hosts:
            status, kind, text = self.server.answer(self.path)
        else:
            status, kind, text = 403, "text/plain", "This host is not the one that is served.\n"
        body = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        for name, value in {
            **HEADERS,
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the address has the token."""
