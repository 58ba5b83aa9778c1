"""Read the imports of source files: Python, JavaScript, TypeScript, Go and Rust. Pure."""

from __future__ import annotations

import posixpath
import re

from gitmem.frozen import frozen
from gitmem.text.code.languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_TRIPLE = re.compile(r"(\"\"\"|''').*?\1", re.S)
_PYTHON = re.compile(
    r"^(?P<indent>[ \t]*)(?:from[ \t]+(?P<module>\.*[\w.]*)[ \t]+import[ \t]*\(?(?P<names>[^#\n()]*)"
    r"|import[ \t]+(?P<plain>[\w., \t]+))",
    re.M,
)
_SCRIPT = re.compile(
    r"^[ \t]*(?:import|export)(?P<type>\s+type\b)?(?:[^'\";=()]{0,2000}?\bfrom)?\s*['\"](?P<name>[^'\"\n]+)['\"]"
    r"|\b(?:require|import)\(\s*['\"](?P<called>[^'\"\n]+)['\"]\s*\)",
    re.M,
)
_GO_BLOCK = re.compile(r"^import\s*\((?P<block>[^)]*)\)|^import\s+(?:[\w.]+\s+)?\"(?P<name>[^\"\n]+)\"", re.M)
_GO_LINE = re.compile(r"^[ \t]*(?:[\w.]+\s+)?\"([^\"\n]+)\"", re.M)
_RUST = re.compile(
    r"^[ \t]*(?:pub(?:\([\w:]+\))?[ \t]+)?(?:use|extern[ \t]+crate)[ \t]+(?:::)?([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)", re.M
)


@frozen
class Import:
    """One import.

    Attributes:
        line: Its line, from 1.
        name: The imported module: dotted in Python, as written elsewhere.
        is_firm: Whether it is at the top of its file and needed when it runs: not one in a function, not one of types.
    """

    line: int
    name: str
    is_firm: bool = True


def read_imports(path: str, text: str) -> list[Import]:
    """Return the imports of a file, in order; none for a language that is not read."""
    reader = _READERS.get(language_of(path))
    return list(reader(path, text)) if reader is not None else []


def reads_imports(path: str) -> bool:
    """Return whether the imports of such a file can be read."""
    return language_of(path) in _READERS


def _python(path: str, text: str) -> Iterator[Import]:
    text = _TRIPLE.sub(lambda match: "\n" * match[0].count("\n"), text)
    package = posixpath.dirname(path).split("/") if "/" in path else []
    for match, line in _lines(_PYTHON, text):
        is_firm = not match["indent"]
        if match["plain"]:
            for name in match["plain"].split(","):
                if words := name.split():
                    yield Import(line, words[0], is_firm)
            continue
        module, dots = match["module"].lstrip("."), len(match["module"]) - len(match["module"].lstrip("."))
        if dots:
            module = ".".join([*package[: len(package) - dots + 1], *([module] if module else [])])
        yield Import(line, module, is_firm)
        for name in match["names"].split(","):
            if words := name.split():
                yield Import(line, f"{module}.{words[0]}", is_firm)


def _script(path: str, text: str) -> Iterator[Import]:
    folder = posixpath.dirname(path)
    for match, line in _lines(_SCRIPT, text):
        start = text.rfind("\n", 0, match.start()) + 1
        if text[start : match.start()].lstrip().startswith(("//", "*", "/*")):
            continue
        name = match["name"] or match["called"]
        at = line + match[0].count("\n", 0, match[0].rfind(name))
        written = posixpath.normpath(posixpath.join(folder, name)) if name.startswith(".") else name
        yield Import(at, written, match["called"] is None and not match["type"])


def _go(_path: str, text: str) -> Iterator[Import]:
    for match, line in _lines(_GO_BLOCK, text):
        if match["name"]:
            yield Import(line, match["name"])
            continue
        for one, more in _lines(_GO_LINE, match["block"]):
            yield Import(line + more - 1, one[1])


def _rust(_path: str, text: str) -> Iterator[Import]:
    for match, line in _lines(_RUST, text):
        yield Import(line, match[1])


def _lines(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], int]]:
    line, at = 1, 0
    for match in pattern.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        yield match, line


_READERS = {"python": _python, "javascript": _script, "typescript": _script, "vue": _script, "svelte": _script,
            "go": _go, "rust": _rust}  # fmt: skip
