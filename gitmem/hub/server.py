"""Serve searches and memories over HTTP, to identities that may read them.

What an identity may not read does not exist for it: a memory of a hidden repository and one that does not exist get
the same answer, and no statistic of a search contains anything hidden.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
from functools import partial
from time import monotonic
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from gitmem.errors import ConfigError, GitmemError
from gitmem.frozen import frozen
from gitmem.hub import schema
from gitmem.hub.database import connected
from gitmem.hub.follower import SearchNode
from gitmem.hub.forge import webhook
from gitmem.hub.identity import TOKEN_LENGTH, UnknownIdentityError
from gitmem.hub.reading import Reading, refuse_powers
from gitmem.hub.web import verdicts
from gitmem.hub.web.lookup import find_dependents, find_foundations, find_hits, find_memory
from gitmem.hub.web.mcp_endpoint import Endpoint
from gitmem.hub.web.page import Pages
from gitmem.hub.web.request import RefusedRequestError, asked_dependents, asked_foundations, query_of, read_body
from gitmem.mcp.disconnects import ignore_disconnects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from gitmem.hub.identity import Identity

    # Is called with the name of an event and its fields, from any thread.
    Log = Callable[[str, Mapping[str, object]], None]

# The letters GITH on a phone keypad.
PORT = 4484
# Requests that are answered at once; more are refused, so that none waits for long. Each may have two connections.
AT_ONCE = 200
# A request that has waited longer for its turn is refused; its client may have given up.
QUEUE_S = 5.0
# When to ask again after a refusal for being too many.
AGAIN_S = 1
# A client that has not sent its whole request within this time, or not read the answer within the next, is cut off:
# clients that only hold their connections would keep the others out.
REQUEST_S = 20.0
# Upper limits of the buckets in which the times of answers are counted; 0.3 is as long as `gitmem recall` waits.
BUCKETS_S = (0.005, 0.02, 0.05, 0.1, 0.3, 1.0, 5.0)
# Requests of one identity: so many at once, and so many a second after that.
BURST, PER_SECOND = 60.0, 20.0
# Who may read the metrics, which tell how much there is.
OPERATORS = "@hub-operators"
# A node whose last look at the database is older is not ready.
BEHIND_S = 15.0
# How many new objects start a garbage collection, instead of Python's 700. Measured with modules left out as well: a
# search takes 0.88 to 0.92 of the CPU that it took before, when one full collection took 100 ms.
COLLECTED_AFTER = 20_000
BUSY = "the server is busy: ask again in a second"
# When a request arrived, in monotonic seconds: its name in the scope.
_ARRIVED = "gitmem.arrived"


@frozen
class Limits:
    """How often an identity may ask: at once, and a second."""

    burst: float = BURST
    per_second: float = PER_SECOND


@frozen
class Place:
    """How clients reach the server, who issues their tokens, and the secret of forges; each may be empty."""

    site: str = ""
    issuer: str = ""
    webhook_secret: str = ""


class Hub:
    """What the requests share.

    Attributes:
        node: The search node.
        reading: The database.
        place: How clients reach the server.
        log: Is called with each answer.
        answers: How many answers each endpoint gave, by status.
        times: How many answers of each endpoint took no longer than each of ``BUCKETS_S``, how many there were, and
            their seconds.
    """

    def __init__(
        self,
        node: SearchNode,
        reading: Reading,
        sources: Sequence[Callable[[str], Identity | None]],
        limits: Limits,
        place: Place | None = None,
    ) -> None:
        """Serve a node.

        Args:
            node: The search node.
            reading: The database.
            sources: Each returns the identity of a token, or None for a token that is not of its kind.
            limits: How often an identity may ask.
            place: How clients reach the server; None if it does not know.
        """
        self.node, self.reading, self.place = node, reading, place or Place()
        self._sources, self._limits = sources, limits
        self._rooms: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()
        self.log: Log = lambda _event, _fields: None
        self.answers: dict[tuple[str, int], int] = {}
        self.times: dict[str, list[float]] = {}

    def identify(self, request: Request) -> Identity:
        """Return who asks.

        Raises:
            RefusedRequestError: Nobody that is known, or too often.
        """
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise RefusedRequestError(401, "send the header Authorization: Bearer TOKEN")
        return self.identify_token(token, request)

    def identify_token(self, token: str, request: Request) -> Identity:
        """Return whose token this is, which a request brings.

        Raises:
            RefusedRequestError: Nobody's that is known, or they ask too often, or the request has waited for too long.
        """
        if monotonic() - request.scope[_ARRIVED] > QUEUE_S:
            raise RefusedRequestError(503, BUSY)
        if len(token) > TOKEN_LENGTH:
            raise RefusedRequestError(401, "the token is not known here")
        try:
            identity = next((known for source in self._sources if (known := source(token))), None)
        except UnknownIdentityError as err:
            raise RefusedRequestError(401, err.message) from err
        except ConfigError as err:
            raise RefusedRequestError(503, "the hub's list of tokens cannot be read") from err
        if identity is None:
            raise RefusedRequestError(401, "the token is not known here")
        request.state.identity = identity.name
        self._take(identity.name)
        return identity

    def _take(self, name: str) -> None:
        """Count a request of an identity against its limit (a token bucket)."""
        now = monotonic()
        with self._lock:
            room, at = self._rooms.get(name, (self._limits.burst, now))
            room = min(self._limits.burst, room + (now - at) * self._limits.per_second)
            if room < 1:
                raise RefusedRequestError(429, "too many requests: wait a second")
            self._rooms[name] = (room - 1, now)

    def note(self, what: str, status: int, seconds: float, identity: str, problem: str = "") -> None:
        """Count and log an answer, with neither the query nor the token: both may hold secrets."""
        event: dict[str, object] = {"endpoint": what, "status": status, "ms": round(seconds * 1000)}
        event |= {"identity": identity, "problem": problem}
        self.log("request", {name: value for name, value in event.items() if value != ""})
        with self._lock:
            self.answers[what, status] = self.answers.get((what, status), 0) + 1
            times = self.times.setdefault(what, [0.0] * (len(BUCKETS_S) + 2))
            for place, limit in enumerate(BUCKETS_S):
                times[place] += seconds <= limit
            times[-2] += 1
            times[-1] += seconds


def make_app(hub: Hub) -> Starlette:
    """Return the application."""

    def answered(what: str, answer: Callable[[Request], Response]) -> Callable[[Request], Response]:
        def respond(request: Request) -> Response:
            start, problem = monotonic(), ""
            try:
                if int(request.headers.get("content-length") or 0) or "transfer-encoding" in request.headers:
                    raise RefusedRequestError(413, "a request has no body")
                response = answer(request)
            except RefusedRequestError as err:
                problem = err.message
                # What follows a body that was not read may be part of it (RFC 9112, section 6.3).
                headers = {401: {"WWW-Authenticate": "Bearer"}, 413: {"Connection": "close"}}.get(err.status, {})
                response = JSONResponse({"error": err.message}, status_code=err.status, headers=headers)
            except GitmemError as err:
                problem = err.message
                response = JSONResponse({"error": err.message}, status_code=503)
            identity = getattr(request.state, "identity", "")
            hub.note(what, response.status_code, monotonic() - start, identity, problem)
            return response

        return respond

    answers: dict[str, tuple[str, Callable[[Request], Response]]] = {
        "search": ("/search", lambda request: _search(hub, request)),
        "memory": ("/memory/{name:path}", lambda request: _memory(hub, request)),
        "dependents": ("/dependents", lambda request: _dependents(hub, request)),
        "foundations": ("/foundations", lambda request: _foundations(hub, request)),
        "metrics": ("/metrics", lambda request: _metrics(hub, request)),
    }
    probes: dict[str, tuple[str, Callable[[Request], Response]]] = {
        "health": ("/healthz", lambda _: JSONResponse({"status": "ok"})),
        "ready": ("/readyz", lambda _: _ready(hub)),
    }

    def probed(respond: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
        async def respond_at_once(request: Request) -> Response:
            return respond(request)

        return respond_at_once

    routes = [Route(path, answered(what, answer), methods=["GET"]) for what, (path, answer) in answers.items()]
    # A probe waits for no thread: a server that is busy is alive.
    routes += [Route(path, probed(answered(what, answer)), methods=["GET"]) for what, (path, answer) in probes.items()]

    def load_tools() -> StreamableHTTPSessionManager:
        from gitmem.hub.web.mcp import load_sessions

        return load_sessions(hub.node, hub.reading)

    tools = Endpoint(load_tools, hub.identify, site=hub.place.site, issuer=hub.place.issuer)
    pages = Pages(hub.node, hub.reading, hub.identify_token, site=hub.place.site)
    hooks = [Route("/webhook", partial(_note_push, hub), methods=["POST"])]
    others = {
        "mcp": tools.routes,
        "page": pages.routes,
        "webhook": hooks,
        "verdict": verdicts.make_routes(hub.reading, hub.identify),
    }
    for what, listed in others.items():
        for route in listed:
            route.app = _Noted(route.app, hub, what)
            routes.append(route)
    app = Starlette(routes=routes, middleware=[Middleware(_Gate)], lifespan=lambda _: tools.run())
    app.router.redirect_slashes = False  # an unknown address gets 404, never a redirect
    return app


class _Gate:
    """An application that is called for so many requests at once, and tells those that it refuses when to come back."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._inside = app, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message.get("status") in (429, 503):
                message["headers"] = [*message.get("headers", ()), (b"retry-after", b"%d" % AGAIN_S)]
            await send(message)

        is_full = self._inside >= AT_ONCE
        app = JSONResponse({"error": BUSY}, status_code=503) if is_full else self._app
        self._inside += 1
        try:
            await app({**scope, _ARRIVED: monotonic()}, receive, sent)
        finally:
            self._inside -= 1


class _Noted:
    """An application whose answers are counted and logged."""

    def __init__(self, app: ASGIApp, hub: Hub, what: str) -> None:
        self._app, self._hub, self._what = app, hub, what

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, status = monotonic(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            self._hub.note(self._what, status, monotonic() - start, scope.get("state", {}).get("identity", ""))


async def _note_push(hub: Hub, request: Request) -> Response:
    """Note a push for the next sync; the answer does not tell whether the hub has the repository."""
    secret = hub.place.webhook_secret
    try:
        if not secret:
            raise RefusedRequestError(404, "no secret for webhooks is set")
        if not webhook.has_signature(request.headers):
            raise RefusedRequestError(401, "the request is not signed")
        body = await read_body(request, webhook.BODY_LIMIT)
        if not webhook.is_signed(request.headers, body, secret):
            raise RefusedRequestError(401, "the signature is wrong")
        try:
            urls = webhook.urls_of(body)
        except ValueError:
            raise RefusedRequestError(400, "the body is not JSON (content type application/json)") from None
        if urls:
            await run_in_threadpool(hub.reading.note_push, urls)
    except RefusedRequestError as err:
        return JSONResponse({"error": err.message}, status_code=err.status)
    except GitmemError as err:
        return JSONResponse({"error": err.message}, status_code=503)
    return JSONResponse({"status": "accepted"}, status_code=202)


def _search(hub: Hub, request: Request) -> Response:
    query, identity = query_of(request), hub.identify(request)
    return JSONResponse(find_hits(hub.node, hub.reading, identity, query))


def _memory(hub: Hub, request: Request) -> Response:
    identity = hub.identify(request)
    name, _, key = str(request.path_params["name"]).rpartition("/")
    memory = find_memory(hub.reading, identity, name, key)
    if memory is None:
        raise RefusedRequestError(404, "there is no such memory")
    return JSONResponse(memory)


def _dependents(hub: Hub, request: Request) -> Response:
    (address, keys), identity = asked_dependents(request), hub.identify(request)
    return JSONResponse(find_dependents(hub.reading, identity, address, keys))


def _foundations(hub: Hub, request: Request) -> Response:
    references, identity = asked_foundations(request), hub.identify(request)
    return JSONResponse(find_foundations(hub.reading, identity, references))


def _ready(hub: Hub) -> Response:
    age = monotonic() - hub.node.looked_at
    is_ready = age < BEHIND_S
    return JSONResponse({"status": "ready" if is_ready else "behind"}, status_code=200 if is_ready else 503)


def _metrics(hub: Hub, request: Request) -> Response:
    """Answer with OpenMetrics, to operators only."""
    if OPERATORS not in hub.identify(request).principals:
        raise RefusedRequestError(403, f"metrics are for members of {OPERATORS.removeprefix('@')}")
    media = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    return PlainTextResponse(format_metrics(hub), media_type=media)


def format_metrics(hub: Hub) -> str:
    """Return the figures of a node as OpenMetrics.

    Source: the OpenMetrics specification 1.0.0 (openmetrics.io).
    """
    name = "gitmem_hub_requests"
    lines = [f"# TYPE {name} counter"]
    lines += [
        f'{name}_total{{endpoint="{what}",status="{status}"}} {count}'
        for (what, status), count in sorted(hub.answers.items())
    ]
    name = "gitmem_hub_request_seconds"
    lines += [f"# TYPE {name} histogram", f"# UNIT {name} seconds"]
    for what, (*buckets, count, seconds) in sorted(hub.times.items()):
        for limit, under in zip((*BUCKETS_S, "+Inf"), (*buckets, count), strict=True):
            lines.append(f'{name}_bucket{{endpoint="{what}",le="{limit}"}} {under:.0f}')
        lines += [f'{name}_count{{endpoint="{what}"}} {count:.0f}', f'{name}_sum{{endpoint="{what}"}} {seconds:.6f}']
    age = monotonic() - hub.node.looked_at
    gauges = {
        "memories": hub.node.engine.view().memories,
        "repositories": len(hub.node.repositories),
        "change": hub.node.seq,
        "ready": int(age < BEHIND_S),
    }
    for gauge, value in gauges.items():
        lines += [f"# TYPE gitmem_hub_{gauge} gauge", f"gitmem_hub_{gauge} {value}"]
    return "\n".join([*lines, "# EOF", ""])


class _Connection(H11Protocol):
    """A connection that is closed when its client neither sends nor reads for too long."""

    _deadline: asyncio.TimerHandle | None = None
    _seen: object = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as its parent's
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._deadline is not None:
            self._deadline.cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def _wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(REQUEST_S, self._end_if_stuck)

    def _end_if_stuck(self) -> None:
        """Close the connection if no request is being answered, or the same one as the last time."""
        if self.cycle is None or self.cycle.response_complete or self.cycle is self._seen:
            self.transport.abort()
            return
        self._seen = self.cycle
        self._wait()


def listening(address: tuple[str, int]) -> socket.socket:
    """Return a socket that listens, whose connections send the body of an answer at once.

    asyncio sees to it only where a socket names its protocol; a client that kept its connection waited 40 ms each time.
    """
    bound = socket.create_server(address)
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound


def serve(
    url: str,
    folder: Path,
    sources: Sequence[Callable[[str], Identity | None]],
    *,
    address: tuple[str, int],
    place: Place,
    log: Log,
) -> None:
    """Serve until a signal ends it.

    Args:
        url: The database, for a role that owns nothing.
        folder: The folder of the index.
        sources: Where identities come from.
        address: The host and the port; 0 for a free one.
        place: How clients reach the server.
        log: Is called with ``serving`` as soon as clients can connect, each ``request``, and each ``problem``.

    Raises:
        GitmemError: The role has too many rights or too few, the schema is another one, or the address is in use.
    """
    with connected(url) as connection:
        schema.require(connection)
        refuse_powers(connection)
    node, stop = SearchNode(url, folder), threading.Event()
    reading = Reading(url, node.known_access, node.history)

    def note(problem: str) -> None:
        log("problem", {"problem": problem or "the index follows the database again"})

    follower = threading.Thread(target=node.follow, args=(stop, note), name="follower", daemon=True)
    try:
        node.catch_up_now()
        reading.open()
        with listening(address) as bound:
            hub = Hub(node, reading, sources, Limits(), place)
            hub.log = log
            config = uvicorn.Config(make_app(hub), **_QUIET)
            ignore_disconnects()
            gc.freeze()
            gc.set_threshold(COLLECTED_AFTER, 10, 10)
            follower.start()
            host, port = bound.getsockname()[:2]
            log("serving", {"address": f"http://{host}:{port}"})
            uvicorn.Server(config).run(sockets=[bound])
    except OSError as err:
        raise GitmemError(f"cannot serve at {address[0]}:{address[1]}: {err.strerror}", hint="--port PORT") from err
    finally:
        stop.set()
        if follower.ident is not None:
            follower.join()
        if lost := reading.close():
            log("problem", {"problem": f"lost rows of hub.audit, because the database did not take them: {lost}"})
        node.close()


_QUIET: dict[str, Any] = {
    "log_level": "error",
    "access_log": False,
    "timeout_graceful_shutdown": 5,
    "timeout_keep_alive": 20,
    "http": _Connection,
    "limit_concurrency": 2 * AT_ONCE,
    "lifespan": "on",
    "server_header": False,
}
