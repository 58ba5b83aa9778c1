"""The server over streamable HTTP, for this machine only: the loopback address, guarded hosts and origins, a token.

Any user of the machine can connect to a port of the loopback address, and any web page that is open in a browser can
try to: hence the token, and the guard against other hosts and origins (MCP, "Security Best Practices": local servers).
"""

from __future__ import annotations

import hmac
import os
import socket
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse

from gitmem.errors import GitmemError
from gitmem.mcp.server import make_server
from gitmem.mcp.service import Service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import MCPServer
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
PATH = "/mcp"
TOKEN_FILE = "mcp-token"  # noqa: S105 - a file's name
# A request holds one text of a memory, at most 64 KiB.
BODY_LIMIT = 512 * 1024
SESSIONS = 64
GUARD = TransportSecuritySettings(
    enable_dns_rebinding_protection=True,
    allowed_hosts=[f"{HOST}:*", "localhost:*"],
    allowed_origins=[f"http://{HOST}:*", "http://localhost:*"],
)


def serve(start: str, *, port: int, read_only: bool, token: str | None, told: Callable[[str, str], None]) -> None:
    """Serve clients of this machine until a signal ends it.

    Args:
        start: A folder of the repository.
        port: The port; 0 for one that is free.
        read_only: Whether the tools that write are left out.
        token: What clients must show; empty for the repository's own, None for none at all.
        told: Told the address and the token as soon as clients can connect.

    Raises:
        NoRepositoryError: There is no repository.
        GitmemError: The port is taken.
    """
    service = Service(start)
    try:
        common = service.need()
        needed = None if token is None else token or kept_token(Path(common, "gitmem"))
        app = guarded(make_app(make_server(service, read_only=read_only)), needed)
        with _bound(port) as bound:
            server = uvicorn.Server(uvicorn.Config(app, **_QUIET))
            told(f"http://{HOST}:{bound.getsockname()[1]}{PATH}", needed or "")
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


def guarded(app: ASGIApp, token: str | None) -> ASGIApp:
    """Return an application that answers only who shows the token; the same one where there is none."""
    if token is None:
        return app
    expected = f"Bearer {token}".encode()

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        shown = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(shown, expected):
            await app(scope, receive, send)
            return
        told = "send the header Authorization: Bearer TOKEN; gitmem mcp --http prints the token as it starts"
        refusal = JSONResponse({"error": told}, status_code=401, headers={"WWW-Authenticate": "Bearer"})
        await refusal(scope, receive, send)

    return guard


def kept_token(state: Path) -> str:
    """Return this clone's token, made on first use; only its owner can read the file.

    It stays, so that what was set up in a client goes on working; deleting the file makes another one.

    Raises:
        GitmemError: The file holds none.
    """
    path, fresh = state / TOKEN_FILE, os.urandom(24).hex()
    state.mkdir(mode=0o700, exist_ok=True)
    # Whole or not at all: another process may read it as soon as it has its name.
    new = state / f"{TOKEN_FILE}.{os.getpid()}"
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{fresh}\n")
    try:
        path.hardlink_to(new)
    except FileExistsError:
        pass  # there is one
    finally:
        new.unlink()
    found = path.read_text("ascii", "replace").strip()
    if len(found) < len(fresh) // 2 or not found.isalnum():
        raise GitmemError(f"{path} holds no token", hint="delete it: another one is made")
    return found


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen(128)  # whoever is told the address can connect
    except OSError as err:
        found.close()
        told = f"port {port} of {HOST} cannot be used: {err.strerror}"
        raise GitmemError(told, hint="gitmem mcp --http 0 takes one that is free") from err
    return found
