"""The hub as a verdict cache: ``GET`` and ``PUT /ac/<sha256>``, the HTTP form of Bazel's remote cache.

It stores what it gets and checks nothing: clients believe only what an allowed signer signed (``verify.cache``).
"""

from __future__ import annotations

import re

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gitmem.errors import GitmemError
from gitmem.hub.web.request import RefusedRequestError, read_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from gitmem.hub.identity import Identity
    from gitmem.hub.reading import Reading

PATH = "/ac/{name}"
# The largest entry; a signed verdict has some 2 KiB.
BODY_LIMIT = 64 * 1024
# Entries that nobody sent for this time are deleted, some with each that is sent.
KEPT_DAYS, DELETED_AT_ONCE = 90, 10
_NAME = re.compile("[0-9a-f]{64}")
_PUT = """
INSERT INTO hub.verdict (name, body, identity) VALUES (%s, %s, %s)
ON CONFLICT (name) DO UPDATE SET body = excluded.body, identity = excluded.identity, at = now()
"""
_EXPIRE = f"""
DELETE FROM hub.verdict WHERE name IN (SELECT name FROM hub.verdict
  WHERE at < now() - interval '{KEPT_DAYS} days' ORDER BY at LIMIT {DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED)
"""


def make_routes(reading: Reading, identify: Callable[[Request], Identity]) -> list[Route]:
    """Return the endpoint; *identify* returns who sends a request, or raises the refusal with its status."""

    async def respond(request: Request) -> Response:
        try:
            if not _NAME.fullmatch(name := str(request.path_params["name"])):
                return _refusal(404, "an entry is named by the 64 digits of a SHA-256")
            identity = await run_in_threadpool(identify, request)
            if request.method == "PUT":
                body = await read_body(request, BODY_LIMIT)
                if not body:
                    return _refusal(400, "an entry cannot be empty")
                await run_in_threadpool(_put, reading, identity, bytes.fromhex(name), body)
                return Response(status_code=204)
            entry = await run_in_threadpool(_get, reading, identity, bytes.fromhex(name))
        except RefusedRequestError as err:
            return _refusal(err.status, err.message, {"WWW-Authenticate": "Bearer"} if err.status == 401 else None)
        except GitmemError as err:
            return _refusal(503, err.message)
        return (
            _refusal(404, "no such entry") if entry is None else Response(entry, media_type="application/octet-stream")
        )

    return [Route(PATH, respond, methods=["GET", "PUT"])]


def _refusal(status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": why}, status_code=status, headers=headers)


def _get(reading: Reading, identity: Identity, name: bytes) -> bytes | None:
    with reading.of(identity) as connection:
        row = connection.execute("SELECT body FROM hub.verdict WHERE name = %s", (name,)).fetchone()
    return None if row is None else bytes(row[0])


def _put(reading: Reading, identity: Identity, name: bytes, body: bytes) -> None:
    with reading.of(identity) as connection:
        connection.execute(_PUT, (name, body, identity.name))
        connection.execute(_EXPIRE)
