"""Read TOML, with the line of each value: tomllib parses it, and one pass over the lines finds the keys. Pure.

Source: TOML 1.0.0.
"""

from __future__ import annotations

import re

from gitmem.document.sources.node import DEPTH_LIMIT, Node, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BARE = r"[A-Za-z0-9_-]+"
_PART = rf"(?:{_BARE}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEY})[ \t]*\]")
_PAIR = re.compile(rf"[ \t]*({_KEY})[ \t]*=")
_ONE_PART = re.compile(_PART)
# The parts of a value that can span lines: texts, comments, brackets.
_PIECE = re.compile(
    r"\"\"\"(?:[^\\]|\\.)*?\"{3,5}|'''.*?'{3,5}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|\#[^\n]*|[\[\]{}\n]", re.DOTALL
)


def read(text: str) -> Node:
    """Return the content of a TOML file.

    Raises:
        FormatError: It is not TOML, or nested too deeply.
    """
    import tomllib  # 5 ms and more (measured), only for TOML files

    if any(line.count(".") > DEPTH_LIMIT and _has_deep_key(line) for line in text.split("\n")):
        raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep")
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as err:
        raise unreadable(f"it is not valid TOML: {str(err)[:80]}") from err
    except RecursionError as err:
        raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep") from err
    return _Lines(text).node(tables, (), 1, 0)


def _has_deep_key(line: str) -> bool:
    """Return whether a line may begin with a key of very many parts, for which tomllib takes quadratic time."""
    pieces = re.split(r"[,\[\]\"']", line.split("=", 1)[0])
    is_deep = any(piece.count(".") > DEPTH_LIMIT for piece in pieces)
    return is_deep or sum(piece.strip() == "." for piece in pieces) > DEPTH_LIMIT


class _Lines:
    """The line of each key, and the lines of the elements of each list."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[tuple[str, ...], int] = {}
        self._spans: dict[tuple[str, ...], tuple[int, int, int]] = {}
        self._scan()

    def _scan(self) -> None:
        table: tuple[str, ...] = ()
        counts: dict[tuple[str, ...], int] = {}
        at, line = 0, 1
        while at < len(self._text):
            end, begun = at, line
            header, pair = _HEADER.match(self._text, at), _PAIR.match(self._text, at)
            if header:
                keys = _keys(header[2])
                table = self._place(keys, counts, is_array=header[1] == "[[")
                self._lines.setdefault(table, line)
                end = header.end()
            elif pair:
                keys = (*table, *_keys(pair[1]))
                for depth in range(len(table) + 1, len(keys) + 1):
                    self._lines.setdefault(keys[:depth], line)
                end = pair.end()
            start = end
            end, line = self._end_of_value(end, line)
            if pair and not header:
                self._spans[keys] = (start, end, begun)
            at = end

    def _place(self, keys: tuple[str, ...], counts: dict[tuple[str, ...], int], *, is_array: bool) -> tuple[str, ...]:
        """Return the path of a table's header, through the last element of each list of tables."""
        path: tuple[str, ...] = ()
        for number, key in enumerate(keys):
            path = (*path, key)
            if is_array and number == len(keys) - 1:
                counts[path] = counts.get(path, -1) + 1
            if path in counts:
                path = (*path, str(counts[path]))
        return path

    def _end_of_value(self, at: int, line: int) -> tuple[int, int]:
        """Return the line where a value ends, including its texts and brackets."""
        depth = 0
        for piece in _PIECE.finditer(self._text, at):
            mark = piece[0]
            if mark == "\n":
                line += 1
                if depth <= 0:
                    return piece.end(), line
            elif mark in "[{":
                depth += 1
            elif mark in "]}":
                depth -= 1
            else:
                line += mark.count("\n")
        return len(self._text), line

    def node(self, value: Any, path: tuple[str, ...], line: int, depth: int) -> Node:
        if depth > DEPTH_LIMIT:
            raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep")
        line = self._lines.get(path, line)
        if isinstance(value, dict):
            return Node(line, members={k: self.node(v, (*path, k), line, depth + 1) for k, v in value.items()})
        if isinstance(value, list):
            places = self._places(path, value, line)
            return Node(
                line,
                items=[
                    self.node(entry, (*path, str(n)), place, depth + 1)
                    for n, (entry, place) in enumerate(zip(value, places, strict=True))
                ],
            )
        return Node(line, str(value).lower() if isinstance(value, bool) else self._literal(value, path))

    def _places(self, path: tuple[str, ...], values: list[Any], line: int) -> list[int]:
        """Return the lines of a list's elements, as far as they are plain texts."""
        span = self._spans.get(path)
        if span is None:
            return [line] * len(values)
        at, end, places = span[0], span[1], []
        for value in values:
            start = self._text.find(str(value), at, end) if isinstance(value, str) else -1
            if start >= 0:
                line += self._text.count("\n", at, start)
                at = start
            places.append(line)
        return places

    def _literal(self, value: object, path: tuple[str, ...]) -> str:
        """Return a scalar as written: 3.10 must not become 3.1."""
        span = self._spans.get(path)
        if isinstance(value, float) and span is not None:
            return self._text[span[0] : span[1]].split("#")[0].strip()
        return str(value)


def _keys(text: str) -> tuple[str, ...]:
    return tuple(_unquoted(part[0]) for part in _ONE_PART.finditer(text))


def _unquoted(part: str) -> str:
    if part[0] == "'":
        return part[1:-1]
    if part[0] == '"':
        import tomllib  # as above

        return str(tomllib.loads(f"a = {part}")["a"])
    return part
