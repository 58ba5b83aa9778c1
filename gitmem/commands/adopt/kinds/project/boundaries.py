"""Import rules: "`core/` must not import from `api/`", "all HTTP goes through `net.py`".

A rule is false only if the code kept it when the line was written, and an import breaks it now. Imports in functions,
of types, and in tests do not count: rules usually allow them.
"""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.corpus import is_aside
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.judge.packages import list_packages
from gitmem.commands.adopt.statements import BULLET, ROW, SENTENCE
from gitmem.text.code.imports import read_imports, reads_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

BOUNDARY = "import rule"
_NAME = r"`@?[\w@./*-]+`"
_LIST = rf"(?P<others>{_NAME}(?:(?:,|,? (?:or|nor|and)) {_NAME})*)"
_NEVER = (
    r"(?:must not|must never|should not|should never|may not|shall not|can ?not|never|does not|do not|doesn't|don't|"
    r"mustn't)"
)
_IMPORT = r"(?:directly )?(?:imports?|depends? (?:up)?on)(?: anything| code| modules?)?(?: from)?"
_IN = r"(?:anywhere )?(?:in|under|within|inside|below)"
_RULES = (
    re.compile(rf"(?P<one>{_NAME})(?: \w+)? {_NEVER} {_IMPORT} (?:the )?{_LIST}"),
    re.compile(rf"\b[Nn]othing {_IN} (?P<one>{_NAME}) (?:may |should |must |ever )?{_IMPORT} (?:the )?{_LIST}"),
    re.compile(rf"(?P<one>{_NAME})\W{{1,4}}no imports? (?:from|of) (?:the )?{_LIST}"),
    re.compile(
        rf"\b(?:[Nn]ever|[Dd]o not|[Dd]on't) import (?:the |from )?{_LIST} (?:{_IN}|from|into) (?P<one>{_NAME})"
    ),
)
# "All HTTP goes through `net.py`": only there may the modules of that subject be imported.
_THROUGH = re.compile(
    r"\b(?:[Aa]ll|[Ee]very|[Aa]ny) (?P<subject>HTTP|network|subprocess|database|SQL)\b[\w -]{0,24} "
    r"(?:goes|go|is done|are made|is made|must go|happens) (?:through|via|in|by) (?:the )?"
    rf"(?P<one>{_NAME})"
)
_HTTP = (
    *("requests", "httpx", "aiohttp", "urllib3", "urllib.request", "net/http"),
    *("axios", "node-fetch", "got", "superagent", "undici"),
)
_SQL = ("sqlite3", "psycopg", "psycopg2", "asyncpg", "sqlalchemy", "pg", "mysql2", "better-sqlite3", "database/sql")
_SUBJECTS = {
    "http": _HTTP,
    "network": _HTTP,
    "subprocess": ("subprocess", "child_process", "node:child_process", "execa", "os/exec"),
    "database": _SQL,
    "sql": _SQL,
}
# Folders in which a code's own packages are.
_ROOTS = frozenset({"src", "lib", "python"})
_EXCEPTION = re.compile(
    r"\b(?:except|unless|other than|but may|only for|besides|apart from|outside of|type-only)\b", re.I
)


def boundary_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the import rules in a statement: the places are what may not import, then what it may not import."""
    if statement.kind not in (BULLET, SENTENCE, ROW) or _EXCEPTION.search(statement.text):
        return
    for number, line in enumerate(statement.lines, statement.line):
        for match in (match for rule in _RULES for match in rule.finditer(line)):
            one = match["one"].strip("`")
            for other in re.findall(_NAME, match["others"]):
                name = other.strip("`")
                yield Claim(
                    BOUNDARY, number, f"{one} must not import {name}", name, places=(one, name), is_certain=False
                )
        for match in _THROUGH.finditer(line):
            subject, one = match["subject"].lower(), match["one"].strip("`")
            yield Claim(
                BOUNDARY,
                number,
                f"all {match['subject']} goes through {one}",
                one,
                places=(one,),
                is_certain=False,
                tool=subject,
            )


def find_kept_rule(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the folder or file that an import rule is about, if its imports keep the rule."""
    place = _resolve(code, claim.places[0], document)
    if place is None or find_offence(code, claim, document) is not None:
        return None
    if claim.tool:
        imported = _imports_any(code, [place], _SUBJECTS[claim.tool])
        return Source(place) if imported is not None else None
    is_there = _resolve(code, claim.places[1], document) is not None or _is_package(claim.places[1])
    return Source(place) if is_there and _sources(code, place) else None


def find_offence(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the import that breaks a rule."""
    place = _resolve(code, claim.places[0], document)
    if place is None:
        return None
    if claim.tool:
        root = document.folder
        others = [path for path in _sources(code, root) if path != place and not path.startswith(f"{place}/")]
        return _imports_any(code, others, _SUBJECTS[claim.tool])
    target = _resolve(code, claim.places[1], document)
    if target is None and not _is_package(claim.places[1]):
        return None
    if target is not None and (target == place or place.startswith(f"{target}/")):
        return None
    word = posixpath.basename(target).partition(".")[0] if target else claim.places[1]
    for path, text in code.texts(_sources(code, place)).items():
        for imported in read_imports(path, text) if word in text else ():
            hits = _leads_to(imported.name, target) if target else _is_of(imported.name, claim.places[1])
            if imported.is_firm and hits:
                return Source(path, imported.line, text.split("\n")[imported.line - 1].strip())
    return None


def _imports_any(code: Code, paths: Sequence[str], packages: Sequence[str]) -> Source | None:
    for path, text in code.texts(paths).items():
        for imported in read_imports(path, text) if any(package in text for package in packages) else ():
            if any(_is_of(imported.name, package) for package in packages):
                return Source(path, imported.line, text.split("\n")[imported.line - 1].strip())
    return None


def _sources(code: Code, place: str) -> list[str]:
    """Return the source files at a path that are not tests, sorted."""
    start = f"{place}/" if place else ""
    sources = [place] if place in code.files else [path for path in code.files if path.startswith(start)]
    return sorted(path for path in sources if reads_imports(path) and not is_aside(path[len(start) :]))


def _resolve(code: Code, name: str, document: Document) -> str | None:
    """Return the file or folder that a name means: beside the document, at the root, or the only one so called."""
    if name.startswith("@"):
        package = next(list_packages(code, name, "npm"), None)
        return posixpath.dirname(package.path) or None if package else None
    word = name.rstrip("/*").replace("::", "/")
    for folder in dict.fromkeys((document.folder, posixpath.dirname(document.path), "")):
        for place in (word, f"src/{word}"):
            path = posixpath.normpath(posixpath.join(folder, place))
            if code.has(path) and path != ".":
                return path
    dotted = word.replace(".", "/") if not re.search(r"\.\w{1,4}$", word) else word
    paths = [path for path in code.list_ending_with(dotted) if not is_aside(path)] if len(dotted) > 2 else []
    return paths[0] if len(paths) == 1 else None


def _is_package(name: str) -> bool:
    return re.fullmatch(r"@?[a-z][\w.-]*(?:/[\w.-]+)?", name) is not None and not name.endswith(
        (".py", ".ts", ".js", ".go")
    )


def _is_of(imported: str, package: str) -> bool:
    """Return whether an import is of a package, or of something in it."""
    return imported == package or imported.startswith((f"{package}.", f"{package}/", f"{package}::"))


def _leads_to(imported: str, target: str) -> bool:
    """Return whether an import leads to a file or folder of the code."""
    path = re.sub(r"^(?:@|~)/|^crate::|\.(?:js|ts|tsx|jsx)$", "", imported).replace("::", "/")
    parts = (path if "/" in path else path.replace(".", "/")).split("/")
    end = re.sub(r"\.(?:py|tsx?|jsx?|mts|mjs|go|rs)$", "", target).split("/")
    if "." in parts[0]:  # a domain, as in Go
        return any(parts[at : at + len(end)] == end for at in range(len(parts)))
    for start in range(len(end)):
        root, rest = end[:start], end[start:]
        # A single name may be a foreign package, unless the folder above is where the code's packages are.
        if parts[: len(rest)] == rest and (len(rest) > 1 or not root or root[-1] in _ROOTS):
            return True
    return False
