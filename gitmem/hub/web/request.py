"""Read what a request asks for, within limits."""

from __future__ import annotations

from starlette.requests import ClientDisconnect

from gitmem.document.elsewhere import parse_elsewhere
from gitmem.errors import GitmemError
from gitmem.hub.client import KEYS
from gitmem.hub.registry import URL_LENGTH
from gitmem.hub.search import LIMIT, TEXT_LENGTH, HubQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.requests import Request

# Values of one filter, and characters of each.
VALUES, VALUE_LENGTH = 50, 200

# The filters, by the names of their parameters.
FILTERS = {
    "repository": "repositories",
    "kind": "kinds",
    "status": "statuses",
    "owner": "owners",
    "language": "languages",
}


class RefusedRequestError(GitmemError):
    """A request that is not answered, with its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def query_of(request: Request) -> HubQuery:
    """Return the query of a request.

    Raises:
        RefusedRequestError: A parameter is unknown, too long, or not what it must be.
    """
    known = {"q", "limit", "facets", *FILTERS}
    if unknown := sorted(set(request.query_params) - known):
        raise RefusedRequestError(400, f"unknown parameter: {unknown[0][:80]}")
    text = request.query_params.get("q", "")
    if not 0 < len(text) <= TEXT_LENGTH:
        raise RefusedRequestError(400, f"q must be a question of at most {TEXT_LENGTH} characters")
    limit = request.query_params.get("limit", "10")
    if not (limit.isascii() and limit.isdigit() and len(limit) <= 4 and 1 <= int(limit) <= LIMIT):
        raise RefusedRequestError(400, f"limit must be a number from 1 to {LIMIT}")
    facets = request.query_params.get("facets", "false")
    if facets not in ("true", "false"):
        raise RefusedRequestError(400, "facets must be true or false")
    filters = {field: tuple(request.query_params.getlist(name)) for name, field in FILTERS.items()}
    for name, field in FILTERS.items():
        if len(filters[field]) > VALUES or any(len(value) > VALUE_LENGTH for value in filters[field]):
            raise RefusedRequestError(400, f"{name} has at most {VALUES} values of {VALUE_LENGTH} characters")
    return HubQuery(text, limit=int(limit), with_facets=facets == "true", **filters)


def asked_dependents(request: Request) -> tuple[str, list[str]]:
    """Return the address of a repository and the keys of its memories, whose dependents a request asks for.

    Raises:
        RefusedRequestError: A parameter is unknown, missing, or too long.
    """
    if unknown := sorted(set(request.query_params) - {"address", "key"}):
        raise RefusedRequestError(400, f"unknown parameter: {unknown[0][:80]}")
    addresses, keys = request.query_params.getlist("address"), request.query_params.getlist("key")
    if len(addresses) != 1 or not 0 < len(addresses[0]) <= URL_LENGTH:
        raise RefusedRequestError(
            400, f"address must be the host and path of one repository, of {URL_LENGTH} characters"
        )
    if not 0 < len(keys) <= KEYS or any(not key.isprintable() or len(key) > VALUE_LENGTH for key in keys):
        raise RefusedRequestError(400, f"key must have 1 to {KEYS} values of {VALUE_LENGTH} characters")
    return addresses[0], keys


def asked_foundations(request: Request) -> list[tuple[str, str]]:
    """Return the memories that a request asks for, each as the name of its repository and its key.

    Raises:
        RefusedRequestError: A parameter is unknown, missing, or no reference.
    """
    if unknown := sorted(set(request.query_params) - {"reference"}):
        raise RefusedRequestError(400, f"unknown parameter: {unknown[0][:80]}")
    foundations = [parse_elsewhere(reference) for reference in request.query_params.getlist("reference")]
    if not 0 < len(foundations) <= KEYS or None in foundations:
        raise RefusedRequestError(400, f"reference must have 1 to {KEYS} values, each REPOSITORY:KEY")
    return [foundation for foundation in foundations if foundation is not None]


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request, of which no more than the limit is read.

    Raises:
        RefusedRequestError: It is larger, or ends too early.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > limit:
                raise RefusedRequestError(413, f"the body of a request has at most {limit:,} bytes")
    except ClientDisconnect:
        raise RefusedRequestError(400, "the request ended too early") from None
    return bytes(body)
