"""Routes of the repository's servers: ``GET /api/users/{id}``, as frameworks register them. Pure but for reading code.

Where another file mounts a router below a prefix, only the end of the path is known: such a route is not said to hold,
but its statement becomes false with it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.kinds.words import find_line
from gitmem.commands.adopt.statements import CODE, TREE
from gitmem.document.sources.formats import iter_matches
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

ROUTE, ANY, PARAMETER = "route", "ANY", "{}"
_METHODS = "GET|POST|PUT|PATCH|DELETE"
_WRITTEN = re.compile(
    rf"(?<![\w/])({_METHODS})`?\s+`?(?:https?://[^/\s`]+)?(/[\w{{}}:<>\[\]./$~@-]*[\w}}>\])])(?![/.]*\.\.)"
)
_CELL = re.compile(r"^(?:https?://[^/\s]+)?(/[\w{}:<>\[\]./$~@-]*[\w}>\]])/?(?:\?.*)?$")
_CURL = re.compile(
    rf"\bcurl\b.*?(?:-X\s*|--request[ =])({_METHODS})\b.*?https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)[^/\s]*(/[\w/.-]*\w)"
)
_PLACE = re.compile(r"^(?:[{<:\[$*]|\w*[{<]).*|.*[}>\]]$")


@frozen
class Route:
    """One registered route: its method or ``ANY``, its path's parts, its line, and whether that is the whole path."""

    method: str
    parts: tuple[str, ...]
    line: int
    is_whole: bool


@frozen
class _Form:
    """How a framework registers routes.

    Attributes:
        endings: The suffixes of its files.
        pattern: The registration, with the groups ``method``, ``path`` and ``on`` (what it is registered on), if any.
        prefix: What puts a path before those that follow it in the file, or that are registered on ``name``.
        whole: What a route is registered on whose path is the whole one; empty for none.
    """

    endings: tuple[str, ...]
    pattern: re.Pattern[str]
    prefix: re.Pattern[str] | None = None
    whole: str = ""


_VERB = r"(?P<method>get|post|put|patch|delete)"
_VERB_CAPITAL = r"(?P<method>Get|Post|Put|Patch|Delete)"
_TEXT = r"[rf]?[\"'`](?P<path>[^\"'`\n]*)[\"'`]"
_SCRIPTS = ("js", "mjs", "cjs", "ts", "mts")
_FORMS = (
    _Form(  # FastAPI, Flask, Litestar
        ("py",),
        re.compile(rf"@(?P<on>\w+)\.(?:{_VERB}|(?:api_)?route|websocket)\(\s*(?:path=)?{_TEXT}(?P<more>[^\n]*)"),
        re.compile(
            r"\b(?P<name>\w+)\s*=\s*(?:\w+\.)?(?:APIRouter|Blueprint)\([^)]*?prefix\s*=\s*[\"'](?P<path>[^\"']*)"
        ),
        r"(?:app|application|api|server)",
    ),
    _Form(  # aiohttp, Starlette
        ("py",), re.compile(rf"\b(?:(?:add_|web\.){_VERB}|add_(?:api_route|url_rule)|Route)\(\s*{_TEXT}")
    ),
    _Form(("py",), re.compile(r"\bpath\(\s*r?[\"'](?P<path>[^\"'\n]*)[\"'],")),  # Django
    _Form(  # Express, Fastify, Hono, Koa
        _SCRIPTS,
        re.compile(
            r"\b(?P<on>\w*(?:[aA]pp|[rR]outer|[sS]erver|[rR]outes|fastify|hono))"
            rf"\.(?:{_VERB}|all)(?:<[^()]*>)?\(\s*{_TEXT}"
        ),
        re.compile(r"\b(?P<name>\w+)\s*=\s*new \w+\([^)]*prefix:\s*[\"'](?P<path>[^\"']*)"),
        r"(?:app|server|fastify)",
    ),
    _Form(  # NestJS
        _SCRIPTS,
        re.compile(rf"@(?:{_VERB_CAPITAL}|All)\(\s*(?:{_TEXT})?\s*\)"),
        re.compile(r"@Controller\(\s*(?:\{\s*path:\s*)?(?:[\"'`](?P<path>[^\"'`]*)[\"'`])?"),
    ),
    _Form(  # gin, echo, chi, fiber
        ("go",),
        re.compile(rf"\b(?P<on>\w+)\.(?P<method>GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete|Any)\(\s*{_TEXT},"),
        re.compile(r"\b(?P<name>\w+)\s*:?=\s*\w+\.Group\(\s*\"(?P<path>[^\"]*)\""),
    ),
    _Form(("go",), re.compile(r"\.Handle(?:Func)?\(\s*\"(?:(?P<method>[A-Z]+) )?(?P<path>/[^\"\n]*)\"")),  # net/http
    _Form(("rs",), re.compile(rf"\.route\(\s*{_TEXT}\s*,\s*(?:\w+::)*(?P<chain>[^\n]*)")),  # axum
    _Form(("rs",), re.compile(rf"#\[{_VERB}\(\s*{_TEXT}")),  # actix, Rocket
    _Form(  # Spring
        ("java", "kt"),
        re.compile(rf"@{_VERB_CAPITAL}Mapping(?:\(\s*(?:(?:value|path)\s*=\s*)?\{{?\s*(?:{_TEXT})?)?"),
        re.compile(r"@RequestMapping\(\s*(?:(?:value|path)\s*=\s*)?\{?\s*\"(?P<path>[^\"]*)\""),
    ),
    _Form(  # ASP.NET
        ("cs",),
        re.compile(rf"\[Http{_VERB_CAPITAL}(?:\(\s*(?:{_TEXT})?)?"),
        re.compile(r"\[Route\(\s*\"(?P<path>[^\"]*)\""),
    ),
    _Form(("cs",), re.compile(rf"\.Map{_VERB_CAPITAL}\(\s*{_TEXT}")),
    _Form(("rb",), re.compile(rf"^[ \t]*{_VERB}\s*\(?\s*[\"'](?P<path>[\w/:.*-]+)[\"']", re.M)),  # Rails
    _Form(("php",), re.compile(rf"Route::(?:{_VERB}|any)\(\s*{_TEXT}")),  # Laravel
)
_RESOURCES = re.compile(r"^[ \t]*resources? :(\w+)", re.M)
_CHAINED = re.compile(r"\b(get|post|put|patch|delete|any)\s*\(")
_METHOD_LIST = re.compile(r"methods\s*=\s*[\[({]([^\])}]*)")
_EXPORTED = re.compile(rf"^export\s+(?:async\s+)?(?:function|const)\s+({_METHODS})\b", re.M)
_FILE_ROUTE = re.compile(r"(?:^|/)(?:app|routes)/(.+)/(?:route|\+server)\.[jt]sx?$")
_PAGE_ROUTE = re.compile(r"(?:^|/)pages/(api/.+?)(?:/index)?\.[jt]sx?$")


def route_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the routes that a statement names: a method and a path."""
    if statement.kind == TREE:
        return
    seen: set[str] = set()
    for method, path, line in _written(statement):
        parts = parts_of(path)
        name = f"{method} /{'/'.join(parts)}"
        if name not in seen and "..." not in path and any(part != PARAMETER for part in parts):
            seen.add(name)
            yield Claim(ROUTE, line, f"{method} {path}", name, is_certain=False)


def _written(statement: Statement) -> Iterator[tuple[str, str, int]]:
    for number, line in enumerate(statement.lines, statement.line):
        pattern = _CURL if statement.kind == CODE and "curl" in line else _WRITTEN
        yield from ((match[1], match[2], number) for match in pattern.finditer(line))
    cells = [cell.strip("`* ") for cell in statement.cells] if statement.header else []
    methods = [cell for cell in cells if re.fullmatch(_METHODS, cell)]
    paths = [found[1] for cell in cells if (found := _CELL.match(cell))]
    if len(methods) == len(paths) == 1:
        yield methods[0], paths[0], statement.line


def parts_of(path: str) -> tuple[str, ...]:
    """Return the parts of a path, placeholders as ``{}``."""
    bare = re.sub(r"\?.*$", "", re.sub(r"\{(\w+)(?::[^}]*)?\}|<(?:\w+:)?(\w+)>", PARAMETER, path))
    return tuple(PARAMETER if _PLACE.match(part) else part for part in bare.split("/") if part)


def find_route(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a server registers exactly this route."""
    return _find(code, claim, lambda route, parts: route.is_whole and _are_alike(route.parts, parts))


def find_route_end(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a server registers a route that may be this one, below a prefix that is not known."""
    return _find(code, claim, lambda route, parts: _is_end(route.parts, parts))


def find_path(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where the code has the end of a route's path as a string, in any way."""
    *_, before, last = ("", *_parts_of(claim))
    if last == PARAMETER:
        # A constant may be the prefix of routes that are registered elsewhere, or below it.
        constant = rf"\b[A-Z][A-Z_]+\b[^=]{{0,20}}= *[\"'`][^\"'`]{{0,80}}\b{re.escape(before)}/?[\"'`]"
        parameter = rf"{re.escape(before)}/?[\"'`]? *[+]? *[\"'`]?/?[{{:<$[]"
        return find_line(code, f"{parameter}|{constant}") if before != PARAMETER else Source("")
    return find_line(code, rf"[\"'`/]{re.escape(last)}[\"'`/?]")


def words_of(claim: Claim) -> list[str]:
    """Return the literal parts of a route's path."""
    return [part for part in _parts_of(claim) if re.fullmatch(r"[\w-]{2,}", part)]


def _parts_of(claim: Claim) -> tuple[str, ...]:
    return tuple(claim.name.partition(" /")[2].split("/"))


def _find(code: Code, claim: Claim, is_it: Callable[[Route, tuple[str, ...]], bool]) -> Source | None:
    method, parts = claim.name.partition(" ")[0], _parts_of(claim)
    words = words_of(claim)
    by_name = code.tree.list_own_with_part(words[-1]) if words else ()
    for path, text in code.texts(dict.fromkeys((*code.files_naming(words), *by_name))).items():
        for route in routes_in(path, text):
            if route.method in (method, ANY) and is_it(route, parts):
                return Source(path, route.line, text.split("\n")[route.line - 1].strip())
    return None


def _are_alike(route: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    return len(route) == len(parts) and all(
        one == other or PARAMETER in (one, other) for one, other in zip(route, parts, strict=True)
    )


def _is_end(route: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Return whether a path ends as a route does, which has a literal part."""
    is_literal = any(part != PARAMETER for part in route)
    return is_literal and len(route) <= len(parts) and _are_alike(route, parts[len(parts) - len(route) :])


@lru_cache(maxsize=4000)
def routes_in(path: str, text: str) -> tuple[Route, ...]:
    """Return the routes that a file registers, or is."""
    suffix = path.rpartition(".")[2]
    routes = [route for form in _FORMS if suffix in form.endings for route in _registered(form, text)]
    if suffix == "rb":
        routes += _resources(text)
    return (*routes, *_file_routes(path, text))


def _registered(form: _Form, text: str) -> Iterator[Route]:
    matches = list(iter_matches(form.pattern, text))
    prefixes = _Prefixes(form.prefix.finditer(text) if form.prefix and matches else ())
    for match, line in matches:
        on = _group(match, "on")
        whole = "/".join([*prefixes.before(on, match.start()), _group(match, "path")])
        is_whole = bool(form.whole and re.fullmatch(form.whole, on)) and whole.startswith("/")
        for method in _methods_of(match):
            yield Route(method, parts_of(whole), line, is_whole)


class _Prefixes:
    """The prefixes of a file, by what they are registered on, or by where they are."""

    def __init__(self, matches: Iterable[re.Match[str]]) -> None:
        self._named: dict[str, tuple[int, str]] = {}
        self._starts: list[int] = []
        self._paths: list[str] = []
        for match in matches:
            if name := _group(match, "name"):
                self._named[name] = match.start(), _group(match, "path")
            else:
                self._starts.append(match.start())
                self._paths.append(_group(match, "path"))

    def before(self, on: str, start: int) -> list[str]:
        """Return the last prefix of a route, in a list: one of its own name, or one without a name above it."""
        at = bisect_left(self._starts, start) - 1
        unnamed = [(self._starts[at], self._paths[at])] if at >= 0 else []
        return [path for _, path in sorted([*unnamed, *([self._named[on]] if on in self._named else [])])[-1:]]


def _methods_of(match: re.Match[str]) -> list[str]:
    if chain := _group(match, "chain"):
        return [method.upper() for method in _CHAINED.findall(chain)] or [ANY]
    if listed := _METHOD_LIST.search(_group(match, "more")):
        return [method.upper() for method in re.findall(r"\w+", listed[1])]
    method = _group(match, "method").upper()
    return [ANY if method in ("", "ALL", "ANY") else method]


def _group(match: re.Match[str], name: str) -> str:
    return (match[name] or "") if name in match.re.groupindex else ""


def _resources(text: str) -> Iterator[Route]:
    """Yield the routes of Rails' resources."""
    for match in _RESOURCES.finditer(text):
        line, name = text.count("\n", 0, match.start(1)) + 1, match[1]
        for method, parts in (
            ("GET", ()),
            ("POST", ()),
            *((verb, (PARAMETER,)) for verb in ("GET", "PUT", "PATCH", "DELETE")),
        ):
            yield Route(method, (name, *parts), line, is_whole=False)


def _file_routes(path: str, text: str) -> Iterator[Route]:
    """Yield the routes that a file of Next.js or SvelteKit is, by its place."""
    if (page := _PAGE_ROUTE.search(path)) and text:
        yield Route(ANY, parts_of(page[1]), 1, is_whole=True)
    if file := _FILE_ROUTE.search(path):
        parts = tuple(part for part in parts_of(file[1]) if not part.startswith("("))
        for match in _EXPORTED.finditer(text):
            yield Route(match[1], parts, text.count("\n", 0, match.start()) + 1, is_whole=True)
