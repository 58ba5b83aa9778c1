"""The hub's pages for people: a search box, facets, results, and one memory. They run no script.

A token is pasted once and kept in a cookie that no script can read and that no other site's page sends. The cookie
opens these pages alone: what answers programs wants a header. Texts of memories are shown as the report shows them.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route

from gitmem import __version__
from gitmem.commands.report.page.render import styles
from gitmem.commands.report.page.serve import HEADERS
from gitmem.commands.report.page.templates import FILTERS as TEXTS
from gitmem.document.fields import format_value
from gitmem.errors import GitmemError
from gitmem.frozen import replace
from gitmem.hub.web.lookup import find_hits, find_memory
from gitmem.hub.web.request import FILTERS, RefusedRequestError, query_of, read_body
from gitmem.statuses import MARKS, warning_of
from gitmem.text import web_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jinja2 import Environment
    from starlette.requests import Request
    from starlette.responses import Response

    from gitmem.hub.follower import SearchNode
    from gitmem.hub.identity import Identity
    from gitmem.hub.reading import Reading

COOKIE = "gitmem_hub"
# Browsers keep no larger cookie: RFC 6265, section 6.1.
COOKIE_LENGTH = 3_800
FORM_LENGTH = 16 * 1024
# Hits on a page, and values of a facet that are shown at once.
STEP, SHOWN = 20, 8
# What is shown of a memory besides its text, if it has it.
FIELDS = ("tags", "paths", "refs", "requires", "produces", "verify", "task", "by", "created", "expires")


class Pages:
    """The pages of a server.

    Attributes:
        routes: Their addresses.
    """

    def __init__(
        self, node: SearchNode, reading: Reading, identify: Callable[[str, Request], Identity], *, site: str = ""
    ) -> None:
        """Show what a node finds.

        Args:
            node: The search node.
            reading: The database.
            identify: Returns whose token this is, which a request brings, or raises the refusal.
            site: The address by which browsers reach the server; empty for the one that a request names.
        """
        self._node, self._reading, self._identify, self._site = node, reading, identify, site
        self.routes = [
            Route("/", self._front, methods=["GET"]),
            Route("/read/{name:path}", self._read, methods=["GET"]),
            Route("/login", self._login, methods=["POST"]),
            Route("/logout", self._logout, methods=["POST"]),
        ]

    def _front(self, request: Request) -> Response:
        return self._shown(request, self._results)

    def _read(self, request: Request) -> Response:
        return self._shown(request, self._memory)

    def _shown(self, request: Request, show: Callable[[Request, Identity], Response]) -> Response:
        """Answer for the identity of the cookie; ask for a token where there is none."""
        try:
            return show(request, self._identify(_token_of(request), request))
        except GitmemError as err:
            status = getattr(err, "status", 503)
            if status == 401:
                return _page("login.html", 401 if request.cookies.get(COOKIE) else 200, problem=_problem(request, err))
            return _page("problem.html", status, problem=err.message)

    def _results(self, request: Request, identity: Identity) -> Response:
        if not request.query_params.get("q"):
            return _page("hits.html", name=identity.name, query="", hits=None, facets=[], chosen=[], more="")
        typed = QueryParams([(name, value) for name, value in request.query_params.multi_items() if name != "limit"])
        query = query_of(request)
        if "limit" not in request.query_params:
            query = replace(query, limit=STEP)
        hits = find_hits(self._node, self._reading, identity, replace(query, with_facets=True))
        more = ""
        if len(hits["hits"]) == query.limit < 5 * STEP:
            more = _address([*typed.multi_items(), ("limit", str(query.limit + STEP))])
        return _page(
            "hits.html",
            name=identity.name,
            query=query.text,
            hits=[hit | {"address": _read_address(hit)} for hit in hits["hits"]],
            facets=_facets(typed, hits["facets"]),
            chosen=[
                (name, value, _address(_without(typed, name, value)))
                for name, value in typed.multi_items()
                if name in FILTERS
            ],
            more=more,
        )

    def _memory(self, request: Request, identity: Identity) -> Response:
        name, _, key = str(request.path_params["name"]).rpartition("/")
        memory = find_memory(self._reading, identity, name, key)
        if memory is None:
            raise RefusedRequestError(404, "There is no such memory.")
        front = memory["frontmatter"]
        return _page(
            "memory.html",
            name=identity.name,
            query="",
            memory=memory,
            warning=warning_of(memory["status"]),
            fields=[(name, format_value(front[name])) for name in FIELDS if front.get(name) not in (None, "", [])],
        )

    async def _login(self, request: Request) -> Response:
        """Keep a token that is known here in the cookie."""
        try:
            self._refuse_others(request)
            form = parse_qs((await read_body(request, FORM_LENGTH)).decode("ascii", "replace"), max_num_fields=4)
            token = form.get("token", [""])[0].strip()
            await run_in_threadpool(self._identify, token, request)
            cookie = urlsafe_b64encode(token.encode()).decode()
            if len(cookie) > COOKIE_LENGTH:
                raise RefusedRequestError(400, "the token is too long for a browser's cookie")
        except (GitmemError, ValueError) as err:
            problem = err.message if isinstance(err, GitmemError) else "this is not a form"
            return _page("login.html", getattr(err, "status", 400), problem=problem)
        answer = RedirectResponse("/", status_code=303, headers=HEADERS)
        is_secure = self._address(request).startswith("https:")
        answer.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", secure=is_secure, path="/")
        return answer

    async def _logout(self, request: Request) -> Response:
        try:
            self._refuse_others(request)
        except RefusedRequestError as err:
            return _page("problem.html", err.status, problem=err.message)
        answer = RedirectResponse("/", status_code=303, headers=HEADERS)
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer

    def _address(self, request: Request) -> str:
        return self._site or str(request.base_url).rstrip("/")

    def _refuse_others(self, request: Request) -> None:
        """Refuse a form of another site's page.

        Raises:
            RefusedRequestError: It is one.
        """
        parts = urlsplit(self._address(request))
        if request.headers.get("origin", "") != f"{parts.scheme}://{parts.netloc}":
            raise RefusedRequestError(
                403, "this form was not sent by a page of this server (behind a proxy, gitmem hub serve needs --url)"
            )


def _token_of(request: Request) -> str:
    """Return the token of the cookie.

    Raises:
        RefusedRequestError: There is none.
    """
    try:
        token = urlsafe_b64decode(request.cookies.get(COOKIE, "").encode()).decode()
    except (binascii.Error, UnicodeError):
        token = ""
    if not token:
        raise RefusedRequestError(401, "")
    return token


def _problem(request: Request, err: GitmemError) -> str:
    return err.message if request.cookies.get(COOKIE) else ""


def _facets(typed: QueryParams, counted: Mapping[str, Mapping[str, int]]) -> list[tuple[str, list[Any]]]:
    """Return for each facet the values to choose from, each with its count and its address."""
    return [
        (
            name,
            [
                (value, count, _address([*typed.multi_items(), (name, value)]))
                for value, count in counted[name].items()
                if value not in typed.getlist(name)
            ],
        )
        for name in FILTERS
        if len(counted[name]) > 1
    ]


def _without(typed: QueryParams, name: str, value: str) -> list[tuple[str, str]]:
    return [item for item in typed.multi_items() if item != (name, value)]


def _address(parameters: list[tuple[str, str]]) -> str:
    return f"/?{urlencode(parameters)}"


def _read_address(hit: Mapping[str, Any]) -> str:
    return f"/read/{quote(hit['repository'])}/{quote(hit['key'], safe='')}"


def _page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page with the headers that let it load nothing and be shown in no frame."""
    text = _templates().get_template(template).render(style=_style(), version=__version__, **values)
    rules = ("img-src data:", "frame-ancestors 'none'")
    headers = HEADERS | {
        "Content-Security-Policy": web_page.policy(_style(), also=rules, forms="'self'"),
        # Without it, browsers do not say which page sends a form.
        "Referrer-Policy": "same-origin",
    }
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), status_code=status, headers=headers)


@cache
def _style() -> str:
    return styles() + (files(__package__) / "page.css").read_text("utf-8")


@cache
def _templates() -> Environment:
    environment = web_page.templates(__package__)
    environment.filters |= TEXTS
    environment.globals |= {"MARKS": MARKS, "SHOWN": SHOWN, "COOKIE": COOKIE}
    return environment
