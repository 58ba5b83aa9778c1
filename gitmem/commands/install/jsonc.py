"""Edit a person's JSON file in a few places and leave every other byte unchanged. Pure.

Clients' settings are JSON written by hand: with comments, trailing commas, and an order of their own. Insertions can
be removed again, which restores the original text.

Source: RFC 8259; comments and trailing commas as in "JSON with comments" (Visual Studio Code).
"""

from __future__ import annotations

import json
import re

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
# The rest of a value's line that belongs to it; a comma is searched separately.
_REMARK = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))")
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')
INDENT = "  "
# Settings nest a few levels; deeper JSON is not a settings file.
DEPTH_LIMIT = 60


class JsoncError(ValueError):
    """The text is not valid JSON; the message says what is wrong and where."""


@frozen
class JsonMember:
    """One member of an object, or one element of an array.

    Attributes:
        name: The member's name; empty for an element.
        start: Its start (of a member, the start of its name).
        node: Its value.
        comma: The position of the comma after it; -1 if there is none.
    """

    name: str
    start: int
    node: JsonNode
    comma: int


@frozen
class JsonNode:
    """A value and its position.

    Attributes:
        start: Its first character.
        end: The position after its last one.
        kind: ``{``, ``[``, or empty for a string, a number and the like.
        items: The members of an object or array, in order.
        value: The Python value, without comments.
    """

    start: int
    end: int
    kind: str
    items: tuple[JsonMember, ...]
    value: Any

    def member(self, name: str) -> JsonMember | None:
        """Return the member with a name: the last one, as in every JSON reader; None if there is none."""
        members = [item for item in self.items if item.name == name] if self.kind == "{" else []
        return members[-1] if members else None


def parse(text: str) -> JsonNode:
    """Return the value in a text.

    Raises:
        JsoncError: It is not JSON.
    """
    node = _value(text, _skip(text, 0), 0)
    rest = _skip(text, node.end)
    if rest != len(text):
        raise _wrong(text, rest, "more than one value")
    return node


def _value(text: str, at: int, depth: int) -> JsonNode:
    opener = text[at : at + 1]
    if opener in ("{", "[") and opener:
        if depth > DEPTH_LIMIT:
            raise _wrong(text, at, "nested too deeply")
        return _container(text, at, depth)
    match = _SCALAR.match(text, at)
    if match is None:
        raise _wrong(text, at, "a value is missing")
    try:
        value = json.loads(match[0])
    except ValueError as err:
        raise _wrong(text, at, "a value is not JSON") from err
    return JsonNode(at, match.end(), "", (), value)


def _container(text: str, start: int, depth: int) -> JsonNode:
    kind = text[start]
    closer = "}" if kind == "{" else "]"
    items: list[JsonMember] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closer:
        if items and items[-1].comma < 0:
            raise _wrong(text, at, f"a comma or {closer} is missing")
        item = _item(text, at, kind, depth)
        items.append(item)
        at = _skip(text, item.comma + 1 if item.comma >= 0 else item.node.end)
    values = [item.node.value for item in items]
    value = dict(zip((item.name for item in items), values, strict=True)) if kind == "{" else values
    return JsonNode(start, at + 1, kind, tuple(items), value)


def _item(text: str, at: int, kind: str, depth: int) -> JsonMember:
    name, value_at = "", at
    if kind == "{":
        named = _value(text, at, depth) if text[at : at + 1] == '"' else None
        colon = _skip(text, named.end) if named else at
        if named is None or text[colon : colon + 1] != ":":
            raise _wrong(text, colon, "a name and a colon are missing")
        name, value_at = named.value, _skip(text, colon + 1)
    node = _value(text, value_at, depth + 1)
    comma = _skip(text, node.end)
    return JsonMember(name, at, node, comma if text[comma : comma + 1] == "," else -1)


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    assert match is not None  # it may match nothing
    return match.end()


def _wrong(text: str, at: int, what: str) -> JsoncError:
    return JsoncError(f"line {text.count(chr(10), 0, at) + 1}: {what}")


def format_value(value: object) -> str:
    """Format a value for a new file; an empty object is written on two lines, for insertions."""
    return json.dumps(value, indent=INDENT, ensure_ascii=False) if value else "{\n}"


def insert(text: str, path: Sequence[str], value: object, *, name: str = "") -> str:
    """Insert a value at the end of an object or array; missing containers are created.

    Args:
        text: JSON whose outermost value is an object.
        path: The names that lead to the container.
        value: The value to insert.
        name: Its name in an object; empty for an element of an array.

    Raises:
        JsoncError: It is not JSON, or the path leads to something other than a container.
    """
    node = parse(text)
    if node.kind != "{":
        raise JsoncError("it does not contain an object")
    for depth, step in enumerate(path):
        item = node.member(step)
        if item is None:  # the missing containers around it are inserted with it
            rest = path[depth + 1 :]
            addition: object = {name: value} if name else [value]
            for outer in reversed(rest):
                addition = {outer: addition}
            return _append(text, node, depth, addition, step)
        node = item.node
        wanted = "{" if depth + 1 < len(path) or name else "["
        if node.kind != wanted:
            raise JsoncError(f"{'.'.join(path[: depth + 1])} is not {'an object' if wanted == '{' else 'a list'}")
    return _append(text, node, len(path), value, name)


def _append(text: str, node: JsonNode, depth: int, value: object, name: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = _indent(text, node, depth)
    unit = indent[: len(indent) // (depth + 1)] or INDENT
    piece = json.dumps(value, indent=unit, ensure_ascii=False)
    piece = (f"{json.dumps(name, ensure_ascii=False)}: " if name else "") + piece.replace("\n", f"\n{indent}")
    piece = piece.replace("\n", newline)
    if not node.items:
        # The text after a container's bracket tells whether the container existed before (`remove`).
        before = newline + indent if depth == 0 else ""
        return text[: node.start + 1] + before + piece + text[node.start + 1 :]
    last = node.items[-1]
    at = last.comma + 1 if last.comma >= 0 else last.node.end
    remark = _REMARK.match(text, at)
    behind = remark.end() if remark else at
    if last.comma >= 0:
        return f"{text[:behind]}{newline}{indent}{piece},{text[behind:]}"
    return f"{text[:at]},{text[at:behind]}{newline}{indent}{piece}{text[behind:]}"


def _indent(text: str, node: JsonNode, depth: int) -> str:
    """Return the indentation of lines in a container: that of its own lines, or by its depth."""
    for item in node.items:
        line = text.rfind("\n", 0, item.start) + 1
        if line and not text[line : item.start].strip(" \t"):
            return text[line : item.start]
    return INDENT * (depth + 1)


def remove(text: str, path: Sequence[str | int]) -> str:
    """Remove a member or element, and the containers that `insert` created for it.

    Args:
        text: JSON.
        path: The names and positions that lead to it.

    Raises:
        JsoncError: It is not JSON, or the path does not exist.
    """
    nodes = [parse(text)]
    steps: list[int] = []
    for step in path:
        node = nodes[-1]
        item = node.member(step) if isinstance(step, str) else (node.items[step : step + 1] or (None,))[0]
        if item is None:
            raise JsoncError(f"there is no {step}")
        steps.append(node.items.index(item))
        nodes.append(item.node)
    # A container without other content is removed as well, unless it existed and was empty before.
    depth = len(steps) - 1
    while depth > 0 and len(nodes[depth].items) == 1 and _is_made(text, nodes[depth]):
        depth -= 1
    return _cut(text, nodes[depth], steps[depth])


def _is_made(text: str, node: JsonNode) -> bool:
    return text[node.start + 1] in " \t\r\n"


def _cut(text: str, node: JsonNode, index: int) -> str:
    item = node.items[index]
    start = len(text[: item.start].rstrip(" \t\r\n"))
    if item.comma >= 0:
        return text[:start] + text[item.comma + 1 :]
    text = text[:start] + text[item.node.end :]
    if index:
        comma = node.items[index - 1].comma
        text = text[:comma] + text[comma + 1 :]
    return text


def iter_paths(node: JsonNode) -> Iterator[tuple[tuple[str | int, ...], JsonNode]]:
    """Yield every value below one with its path, outer ones first."""
    for position, item in enumerate(node.items):
        step: str | int = item.name if node.kind == "{" else position
        yield (step,), item.node
        for path, inner in iter_paths(item.node):
            yield (step, *path), inner
