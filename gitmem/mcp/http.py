"""The server over streamable HTTP, for this machine only: loopback address, checked hosts and origins, a token.

Any user of the machine can connect to a port of the loopback address, and any web page that is open in a browser can
try to: hence the token, and the check of hosts and origins (MCP, "Security Best Practices": local servers).
"""

from __future__ import annotations

import hmac
import os
import shutil
import socket
import stat
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse

from gitmem.errors import GitmemError
from gitmem.mcp.disconnects import ignore_disconnects
from gitmem.mcp.server import make_server
from gitmem.mcp.service import Service
from gitmem.store.state.registration import LOCK, settle_state
from gitmem.system import make_folder, open_private
from gitmem.system.file_lock import lock as wait_for
from gitmem.system.file_lock import open_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import MCPServer
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
PATH = "/mcp"
TOKEN_FILE = "mcp-token"  # noqa: S105 - a file's name
TOKEN_BYTES = 24
# A request contains at most one memory's text, 64 KiB.
BODY_LIMIT = 512 * 1024
SESSIONS = 64
GUARD = TransportSecuritySettings(
    enable_dns_rebinding_protection=True,
    allowed_hosts=[f"{HOST}:*", "localhost:*"],
    allowed_origins=[f"http://{HOST}:*", "http://localhost:*"],
)


def serve(
    start: str, *, port: int, read_only: bool, token: str | None, report: Callable[[str, str], None], board: str = ""
) -> None:
    """Serve clients of this machine until a signal ends it.

    Args:
        start: A folder of the repository.
        port: The port; 0 for a free one.
        read_only: Whether to leave out the tools that write.
        token: The token that clients must send; empty for the repository's own, None for no token.
        report: Called with the address and the token as soon as clients can connect.
        board: The run whose board is served; empty for none.

    Raises:
        NoRepositoryError: There is no repository.
        GitmemError: The port is in use.
    """
    service = Service(start)
    try:
        common = service.need()
        needed = None if token is None else token or load_token(Path(common, "gitmem"))
        app = require_token(make_app(make_server(service, read_only=read_only, board=board)), needed)
        with _bind(port) as bound:
            server = uvicorn.Server(uvicorn.Config(app, **_QUIET))
            ignore_disconnects()
            report(f"http://{HOST}:{bound.getsockname()[1]}{PATH}", needed or "")
            server.run(sockets=[bound])
    finally:
        service.close()


_QUIET: dict[str, Any] = {"log_level": "error", "access_log": False, "timeout_graceful_shutdown": 2, "lifespan": "on"}


def make_app(server: MCPServer[Any]) -> Starlette:
    """Return the application that serves a server."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=GUARD,
        max_request_body_size=BODY_LIMIT,
        max_sessions=SESSIONS,
    )


def require_token(app: ASGIApp, token: str | None) -> ASGIApp:
    """Return an application that accepts only requests with the token; the same application without a token."""
    if token is None:
        return app
    expected = f"Bearer {token}".encode()

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        shown = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(shown, expected):
            await app(scope, receive, send)
            return
        message = "send the header Authorization: Bearer TOKEN; gitmem mcp --http prints the token as it starts"
        refusal = JSONResponse({"error": message}, status_code=401, headers={"WWW-Authenticate": "Bearer"})
        await refusal(scope, receive, send)

    return guard


def load_token(state: Path) -> str:
    """Return this person's token for this clone; create one if there is no valid one.

    It is stable, so that a configured client continues to work; delete the file for a new one. A token that others can
    read or have created, or that came with a copied clone, is invalid.

    Raises:
        GitmemError: The token file cannot be written.
    """
    if not settle_state(str(state)).is_usable:
        return os.urandom(TOKEN_BYTES).hex()
    path = state / TOKEN_FILE
    try:
        make_folder(state)
        lock = open_lock(state / LOCK)
        try:
            wait_for(lock)
            return _read_token(path) or _make_token(path)
        finally:
            os.close(lock)
    except OSError as err:
        message = f"cannot write {path}: {err.strerror}"
        raise GitmemError(message, hint="set a token: GITMEM_MCP_TOKEN=... gitmem mcp --http") from err


def _read_token(path: Path) -> str:
    """Return a token that only this person can have read or written; else an empty string."""
    try:
        # Opening a FIFO must not block the server.
        with os.fdopen(open_private(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            info, text = os.fstat(file.fileno()), file.read(1000).decode("ascii", "replace").strip()
    except OSError:
        return ""  # missing, or a link
    is_private = stat.S_ISREG(info.st_mode) and not info.st_mode & 0o077
    is_own = not hasattr(os, "geteuid") or (is_private and info.st_uid == os.geteuid())
    return text if is_own and len(text) >= TOKEN_BYTES and text.isalnum() else ""


def _make_token(path: Path) -> str:
    """Replace the token file with a new token, and return the token that the file has then."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    new = path.with_name(f"{TOKEN_FILE}.{os.urandom(8).hex()}")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{os.urandom(TOKEN_BYTES).hex()}\n")
    new.replace(path)
    return _read_token(path)


def _bind(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or a kept connection waits 40 ms for each answer
    try:
        listener.bind((HOST, port))
        listener.listen(128)  # once the address is reported, clients can connect
    except OSError as err:
        listener.close()
        message = f"cannot use port {port} of {HOST}: {err.strerror}"
        raise GitmemError(message, hint="use a free port: gitmem mcp --http 0") from err
    return listener
