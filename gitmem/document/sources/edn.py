"""Read EDN, the data of Clojure: ``deps.edn``, ``bb.edn``, ``shadow-cljs.edn``, ``project.clj``. Pure.

A keyword is read as its name without the colon. Tags and metadata are left out: ``#inst "2024"`` is a text.

Source: github.com/edn-format/edn; the Clojure reference, "The Reader".
"""

from __future__ import annotations

import re

from gitmem.document.sources.node import DEPTH_LIMIT, Node, unreadable

# White space before a token is part of its match. An atom is a number, a symbol or a keyword.
_TOKEN = re.compile(
    r"""[\s,]*+(?: (?P<remark>;[^\n]*) | (?P<drop>\#_|\^) | \#?(?P<text>"(?:[^"\\]|\\.)*")
    | \#?(?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<prefix>\#[A-Za-z?@:][\w./?@:-]*|[\#'`~@])
    | (?P<atom>[^\s,;"()\[\]{}]+) | (?P<end>\Z) )""",
    re.VERBOSE | re.DOTALL,
)
_CLOSED = {"(": ")", "[": "]", "{": "}"}
_DROPPED = Node(0)


def read(text: str) -> Node:
    """Return the first value of an EDN file; of ``(defproject NAME VERSION :key value …)``, its keys.

    Raises:
        FormatError: It is not EDN, or nests deeper than ``DEPTH_LIMIT``.
    """
    # The open collections: their sign, their line, their values so far. `_DROPPED` stands before a value to leave out.
    open_: list[tuple[str, int, list[Node]]] = [("", 1, [])]
    line = 1
    for token in _tokens(text):
        kind, written = token.lastgroup or "", token[token.lastgroup or 0]
        line += text.count("\n", token.start(), token.end() - len(written))
        values = open_[-1][2]
        if kind == "open":
            if len(open_) > DEPTH_LIMIT:
                raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep", line)
            open_.append((written, line, []))
        elif kind == "close":
            sign, first, members = open_.pop()
            if _CLOSED.get(sign) != written:
                raise unreadable("it is not valid EDN", line)
            _add(open_[-1][2], _collection(sign, first, members))
        elif kind == "drop":
            values.append(_DROPPED)
        elif kind in ("text", "atom"):
            _add(values, Node(line, written[1:-1] if kind == "text" else written.removeprefix(":")))
        line += written.count("\n")
    if len(open_) > 1:
        raise unreadable("it is not valid EDN: it ends too early", line)
    top = next(iter(open_[0][2]), Node(1, members={}))
    is_project = top.items is not None and [node.text for node in top.items[:1]] == ["defproject"]
    return _mapping(top.line, list(top.items or ())[3:]) if is_project else top


def _tokens(text: str) -> list[re.Match[str]]:
    tokens, at = [], 0
    while (token := _TOKEN.match(text, at)) and token.lastgroup != "end":
        tokens.append(token)
        at = token.end()
    if token is None:
        raise unreadable("it is not valid EDN", text.count("\n", 0, at) + 1)
    return tokens


def _add(values: list[Node], value: Node) -> None:
    if values and values[-1] is _DROPPED:
        values.pop()
    else:
        values.append(value)


def _collection(sign: str, line: int, values: list[Node]) -> Node:
    return _mapping(line, values) if sign == "{" else Node(line, items=values)


def _mapping(line: int, values: list[Node]) -> Node:
    pairs = zip(values[::2], values[1::2], strict=False)
    return Node(line, members={name.text: value for name, value in pairs if name.text is not None})
