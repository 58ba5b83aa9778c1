"""Read JSON, with or without comments and trailing commas, with the line of each value. Pure.

Source: RFC 8259; comments and trailing commas as in "JSON with comments" (Visual Studio Code). Of two equal names the
last one counts, as for ``json.loads``.
"""

from __future__ import annotations

import json
import re

from gitmem.document.sources.node import DEPTH_LIMIT, Node, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# White space before a token is part of its match: a file has as many tokens as it has lines and values, no more.
_TOKEN = re.compile(
    r"""[ \t\r\n]*(?: (?P<text>"(?:[^"\\\n]|\\.)*") | (?P<mark>[{}\[\]:,])
    | (?P<word>-?\d[\w.+-]*|true|false|null|NaN|-?Infinity) | (?P<remark>//[^\n]*|/\*.*?\*/) | (?P<end>\Z) )""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"[ \t\r\n]*")


def read(text: str) -> Node:
    """Return the content of a JSON file.

    Raises:
        FormatError: It is not JSON, or nests deeper than ``DEPTH_LIMIT``.
    """
    parser = _Parser()
    match, take, count = _TOKEN.match, parser.take, text.count
    line, at = 1, 0
    while True:
        token = match(text, at)
        if token is None:
            blank = _BLANK.match(text, at)
            raise unreadable("it is not valid JSON", line + (blank[0].count("\n") if blank else 0))
        kind = token.lastgroup
        written = token[kind or 0]
        end = token.end()
        if end - at > len(written):
            line += count("\n", at, end - len(written))
        at = end
        if kind == "end":
            return parser.result(line)
        if kind == "remark":
            line += written.count("\n")
        else:
            take(kind or "", written, line)


class _Parser:
    """The open values of a parse without recursion."""

    def __init__(self) -> None:
        self._open: list[tuple[int, dict[str, Node] | list[Node], str | None]] = []
        self._held: dict[str, Node] | list[Node] | None = None
        self._root: Node | None = None
        self._name: str | None = None
        self._expects = "value"

    def take(self, kind: str, text: str, line: int) -> None:
        if kind == "mark":
            self._take_mark(text, line)
        elif kind == "text" and self._expects == "name":
            self._name, self._expects = _unquoted(text, line), ":"
        elif self._expects in ("value", "item"):
            self._add(Node(line, _unquoted(text, line) if kind == "text" else text, None, None), line)
        else:
            raise unreadable("it is not valid JSON", line)

    def result(self, line: int) -> Node:
        if self._open or self._root is None:
            raise unreadable("it is not valid JSON: it ends too early", line)
        return self._root

    def _take_mark(self, mark: str, line: int) -> None:
        held = self._held
        if mark == self._expects == ":":
            self._expects = "value"
        elif mark == self._expects == ",":
            self._expects = "name" if isinstance(held, dict) else "item"
        elif mark in "{[" and self._expects in ("value", "item"):
            if len(self._open) >= DEPTH_LIMIT:
                raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep", line)
            self._held = {} if mark == "{" else []
            self._open.append((line, self._held, self._name))
            self._name, self._expects = None, "name" if mark == "{" else "item"
        elif (mark == "}" and isinstance(held, dict) and self._expects in ("name", ",")) or (
            mark == "]" and isinstance(held, list) and self._expects in ("item", ",")
        ):
            begun, closed, self._name = self._open.pop()
            self._held = self._open[-1][1] if self._open else None
            result: Any = closed
            self._add(Node(begun, None, result, None) if mark == "}" else Node(begun, None, None, result), line)
        else:
            raise unreadable("it is not valid JSON", line)

    def _add(self, node: Node, line: int) -> None:
        held = self._held
        if held is None:
            if self._root is not None:
                raise unreadable("it is not valid JSON", line)
            self._root, self._expects = node, "end"
            return
        if isinstance(held, dict):
            assert self._name is not None, "a value of an object has a name"
            held.pop(self._name, None)
            held[self._name] = node
        else:
            held.append(node)
        self._name, self._expects = None, ","


def _unquoted(text: str, line: int) -> str:
    if "\\" not in text:
        return text[1:-1]
    try:
        return str(json.loads(text, strict=False))
    except ValueError as err:
        raise unreadable("it is not valid JSON", line) from err
