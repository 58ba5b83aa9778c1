"""The address ``/mcp`` of a server, and who may call its tools: they are loaded with the first request for them.

Each request is complete in itself and shows who asks, so any server can answer it, and revoked access ends with the
next one. Source: MCP, "Authorization" and "Security Best Practices"; RFC 9728 (protected resource metadata).
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from gitmem.errors import GitmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send

    from gitmem.hub.identity import Identity

PATH = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
# How long a request waits for the tools to be loaded.
LOAD_S = 10.0
# Where the identity of a request stands between the guard and the tool.
IDENTITY = "gitmem.identity"


class Endpoint:
    """The endpoint ``/mcp`` of a server.

    Attributes:
        routes: The endpoint, and the metadata that tells clients where to get tokens.
    """

    def __init__(
        self,
        load: Callable[[], StreamableHTTPSessionManager],
        identify: Callable[[Request], Identity],
        *,
        site: str = "",
        issuer: str = "",
    ) -> None:
        """Serve tools.

        Args:
            load: Loads the tools, in another thread: importing what they need takes as long as all else of a server.
            identify: Returns who sends a request, or raises the refusal.
            site: The address by which clients reach the server; empty for the one that a request names.
            issuer: The address of the issuer of tokens; empty if clients cannot ask one.
        """
        self._load, self._identify = load, identify
        self._site, self._issuer = site, issuer
        self.routes = [
            Route(PATH, self, methods=["POST"]),
            Route(METADATA, self._metadata, methods=["GET"]),
            Route(METADATA + PATH, self._metadata, methods=["GET"]),
        ]

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Return the context within which requests are answered."""
        self._wanted, self._sessions = asyncio.Event(), asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._answer())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _answer(self) -> None:
        """Load the tools once they are wanted, and answer until this is cancelled."""
        while True:
            await self._wanted.wait()
            try:
                sessions = await run_in_threadpool(self._load)
            except Exception as err:  # noqa: BLE001 - who waits gets it, and the next request tries again
                self._wanted.clear()
                self._sessions.set_exception(err)
                self._sessions = asyncio.get_running_loop().create_future()
                continue
            async with sessions.run():
                self._sessions.set_result(sessions)
                await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of an identity; refuse any other, and one that a page of another site sends."""
        request = Request(scope)
        origin = request.headers.get("origin", "")
        if origin and origin != _origin(self._address(request)):
            await JSONResponse({"error": "sent by a page of another site"}, status_code=403)(scope, receive, send)
            return
        try:
            identity = await run_in_threadpool(self._identify, request)
        except GitmemError as err:
            status = getattr(err, "status", 503)
            headers = {"WWW-Authenticate": self._challenge(request)} if status == 401 else {}
            await JSONResponse({"error": err.message}, status_code=status, headers=headers)(scope, receive, send)
            return
        self._wanted.set()
        try:
            sessions = await asyncio.wait_for(asyncio.shield(self._sessions), LOAD_S)
        except TimeoutError:
            await JSONResponse({"error": "the tools are still loading: ask again in a second"}, status_code=503)(
                scope, receive, send
            )
            return
        await sessions.handle_request({**scope, IDENTITY: identity}, receive, send)

    def _address(self, request: Request) -> str:
        return self._site or str(request.base_url).rstrip("/")

    def _challenge(self, request: Request) -> str:
        where = f"{_origin(self._address(request))}{METADATA}{PATH}"
        return f'Bearer resource_metadata="{where}"' if self._issuer else "Bearer"

    def _metadata(self, request: Request) -> JSONResponse:
        """Answer with the metadata of the endpoint, or of the whole server at the address without its path."""
        if not self._issuer:
            return JSONResponse({"error": "no issuer of tokens is set"}, status_code=404)
        resource = self._address(request) + (PATH if request.url.path.endswith(PATH) else "")
        return JSONResponse(
            {
                "resource": resource,
                "authorization_servers": [self._issuer],
                "bearer_methods_supported": ["header"],
                "resource_name": "gitmem hub",
            }
        )


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
