"""Find values in source files: ``NAME = literal``, in any language with a similar syntax. Pure.

The least indented assignment counts, and of several the first: a constant is defined before it is overwritten.
"""

from __future__ import annotations

import re

from gitmem.document.sources.comments import LISP, without_comments
from gitmem.document.sources.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LITERAL = "|".join(
    (
        r"[rbuf]{0,2}\"(?:[^\"\\\n]|\\.)*\"",
        r"[rbuf]{0,2}'(?:[^'\\\n]|\\.)*'",
        r"`[^`$\n]*`",
        r"[-+]?(?:0[xob][0-9a-f_]+|\d[\d_]*(?:\.[\d_]+)?(?:e[-+]?\d+)?)",
        r"true|false|none|null|nil",
        r"\[[^\[\]\n]*\]|\([^()\n]*\)",
    )
)
_MODIFIERS = "|".join(
    (
        "export|const|let|var|static|final|public|private|protected|readonly|val|mut|internal|local|declare|constexpr",
        r"pub(?:\([a-z]+\))?|#[ \t]*define|auto|int|long|float|double|bool|boolean|char|string|size_t",
        r"u?int\d+(?:_t)?|integer",
    )
)
_BEFORE_NAME = rf"(?P<indent>[ \t]*)(?:(?:this|self)\.|(?:{_MODIFIERS})\b[ \t]+(?:-[a-z]+[ \t]+)?)*"
# A type after the name: `: number`, `: &'static str`, Go's `int`.
_TYPE = (
    r"[\"']?(?:[ \t]*+:[ \t]*+&?(?:'static[ \t]++)?[a-z_][\w.<>\[\]|]*+(?=[ \t]*+=)"
    r"|[ \t]++[a-z]\w*+(?=[ \t]*+=))?"
)
_SIGN = r"(?:[ \t]*+(?::=|\?=|=(?!=)|:(?!:))|[ \t])[ \t]*+"
_AFTER = r"(?=[ \t]*(?:$|[;,)}#?]|//|/\*|as\b|--))"
# Patterns around a name, which are compiled once and not for each name (measured: 6 ms).
_START = re.compile(rf"{_BEFORE_NAME}[\"']?", re.IGNORECASE)
_PLAIN_END, _LITERAL_END = (
    re.compile(rf"(?![\w-]){_TYPE}{_SIGN}{value}", re.MULTILINE | re.IGNORECASE)
    for value in (r"(?P<value>[^\n]*)", f"(?P<value>{_LITERAL}){_AFTER}")
)
# `(def ^:const NAME 18)`, `(defvar NAME "x"`, `(define NAME 3)`.
_LISP_DEF = r"^[ \t]*\(def[\w-]*[ \t]+(?:\^(?:\{[^}\n]*\}|[^\s{]+)[ \t]+)*"
# Languages in which an unquoted value extends to the end of the line: make, shell.
_TO_THE_END = frozenset({"sh", "bash", "zsh", "env", "envrc", "mk", "make", "just", "cmake", "fish"})


def find_assignment(text: str, keys: Sequence[str], extension: str) -> Node | None:
    """Return the literal assigned to a name, or None.

    Args:
        text: The source.
        keys: The name, preceded by its enclosing definitions (``Config.timeout``), after which it is searched.
        extension: The file's extension, such as ``py``.
    """
    text, start = without_comments(text, extension), 0
    for part in keys[:-1]:
        opening = re.compile(
            rf"^.{{0,200}}\b{re.escape(part)}\b.{{0,200}}[:{{=(][ \t]*(?:(?:#|//).*)?$", re.MULTILINE
        ).search(text, start)
        if opening is None:
            return None
        start = opening.end()
    if extension in LISP:
        defined = re.compile(
            rf"{_LISP_DEF}{re.escape(keys[-1])}[ \t\n]+(?P<value>{_LITERAL})[ \t]*(?:[);]|$)", re.MULTILINE
        )
        match = defined.search(text, start)
        return match and Node(text.count("\n", 0, match.start("value")) + 1, _unquoted(match["value"]))
    is_plain = extension in _TO_THE_END
    best: tuple[int, re.Match[str]] | None = None
    for begin in _lines_with(keys[-1], text, start):
        assigned = _assigned_on(text, begin, keys[-1], _PLAIN_END.match if is_plain else _LITERAL_END.match)
        if assigned is not None and (best is None or assigned[0] < best[0]):
            best = assigned
    if best is None:
        return None
    value = best[1]["value"]
    line = text.count("\n", 0, best[1].start("value")) + 1
    return Node(line, _unquoted(value.split(" #")[0].strip() if is_plain else value))


def _assigned_on(
    text: str, begin: int, name: str, match_end: Callable[[str, int], re.Match[str] | None]
) -> tuple[int, re.Match[str]] | None:
    """Return the indentation of a line that assigns to a name, and the match of what follows the name."""
    end = text.find("\n", begin)
    at = text.rfind(name, begin, end if end >= 0 else len(text))
    while at >= 0:
        before = _START.fullmatch(text, begin, at)
        if before is not None and (after := match_end(text, at + len(name))):
            return len(before["indent"]), after
        at = text.rfind(name, begin, at + len(name) - 1)
    return None


def _lines_with(name: str, text: str, start: int) -> Iterator[int]:
    """Yield the starts of lines that contain a name: trying the pattern on every line takes twenty times as long."""
    at = text.find(name, start)
    while at >= 0:
        begin = text.rfind("\n", 0, at) + 1
        if begin >= start:
            yield begin
        end = text.find("\n", at)
        at = text.find(name, end) if end >= 0 else -1


def _unquoted(text: str) -> str:
    bare = text.lstrip("rbufRBUF") if text[-1:] in "'\"" else text
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\"`":
        return bare[1:-1]
    if re.fullmatch(r"[-+]?\d[\d_]*(?:\.[\d_]+)?", text):
        return text.replace("_", "")
    return text
