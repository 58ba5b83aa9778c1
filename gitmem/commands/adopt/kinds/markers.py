"""Markers of pytest: registered in its settings or a ``conftest.py``, or used by tests."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.kinds.words import list_with_line
from gitmem.commands.adopt.statements import CODE, SHELLS, TREE
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

MARKER = "marker"
# Markers of pytest itself and of its common plugins, which no project registers.
_OWN = frozenset({
    "parametrize", "skip", "skipif", "xfail", "usefixtures", "filterwarnings", "asyncio", "anyio", "trio", "django_db",
    "timeout", "flaky", "benchmark", "vcr", "xdist_group", "order", "dependency", "and", "or", "not",
})  # fmt: skip
_USE = re.compile(r"\bpytest\.mark\.([a-z_]\w*)")
_CHOICE = re.compile(r"\bpytest\b[^|&;]*?\s-m[ =]?(?:\"([^\"]+)\"|'([^']+)'|([A-Za-z_]\w*))")
_MARKER_NAME = re.compile(
    r"`([a-z_]\w*)`(?: \w+)? marker|\bmarker:? `([a-z_]\w*)`|\b[Mm]arked (?:as |with )?`([a-z_]\w*)`"
)
_FILES = ("pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pytest.toml", "conftest.py")


def marker_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the markers that a statement names."""
    if statement.kind == TREE or (statement.kind == CODE and statement.language not in SHELLS | {"python", "py"}):
        return
    seen: set[str] = set()
    for number, line in enumerate(statement.lines, statement.line):
        named = [] if statement.kind == CODE else [next(filter(None, match)) for match in _MARKER_NAME.findall(line)]
        chosen = [next(filter(None, match)) for match in _CHOICE.findall(line)]
        claims = [
            *_USE.findall(line),
            *named,
            *(word for word_list in chosen for word in re.findall(r"\w+", word_list)),
        ]
        for name in claims:
            if name not in seen | _OWN:
                seen.add(name)
                yield Claim(MARKER, number, name, name, is_certain=False)


def find_marker(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a marker is registered, else where a test has it."""
    name = re.escape(claim.name)
    entry = rf"[\[\s]*[\"']?{name}\b\s*(?:\(.*?\))?\s*(?::|[\"']?\s*,?\s*(?:\]\s*)?(?:#.*)?$)"
    registered = re.compile(rf"^\s*(?:markers\s*=\s*)?{entry}|^\s*markers\s*=\s*\[.*?[\"']{name}[\"':(]")
    added = re.compile(rf"addinivalue_line\(\s*[\"']markers[\"'],\s*[\"']{name}\b")
    paths = sorted(code.tree.files_named(*_FILES))
    for path, text in code.texts(paths).items():
        if "markers" in text:
            for number, line in enumerate(_joined(text).split("\n"), 1):
                if added.search(line) or (not path.endswith(".py") and registered.match(line)):
                    return Source(path, number, line.strip())
    used = re.compile(rf"\bmark\.{name}\b")
    for path, text in code.texts(list_with_line(code, rf"mark\.{claim.name}", "*.py")).items():
        for number, line in enumerate(text.split("\n"), 1):
            if used.search(line):
                return Source(path, number, line.strip())
    return None


def marker_check(claim: Claim, source: Source) -> Mapping[str, str]:
    """Return the check that the file has the marker's name."""
    return {"contains": claim.name, "in": escape(source.path)}


def _joined(text: str) -> str:
    """Return a text whose calls that register markers are on one line each, with the same numbers of lines."""
    return re.sub(r"addinivalue_line\(\s*\n\s*", lambda match: "\n" * match[0].count("\n") + "addinivalue_line(", text)
