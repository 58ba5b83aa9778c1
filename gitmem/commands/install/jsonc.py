"""Change a person's JSON file in a few places and leave every other byte of it alone. Pure.

Settings of agents' harnesses are JSON that people write by hand: with comments, with commas at the end, in an order of
their own. What is put in here can be taken away again, and then the text is what it was before.

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
# What is behind a value on its own line and belongs to it: a comma is looked for apart.
_REMARK = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))")
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')
INDENT = "  "
# Settings nest a few levels; what nests deeper is not a settings file.
DEPTH_LIMIT = 60


class JsoncError(ValueError):
    """A text is not JSON, as far as it was read; its words say what is wrong and where."""


@frozen
class JsonMember:
    """One member of an object, or one element of an array.

    Attributes:
        name: The member's name; empty for an element.
        start: Where it begins: a member, at its name.
        node: Its value.
        comma: Where the comma behind it is; -1 where there is none.
    """

    name: str
    start: int
    node: JsonNode
    comma: int


@frozen
class JsonNode:
    """One value and where it is.

    Attributes:
        start: Its first character.
        end: Behind its last one.
        kind: ``{``, ``[``, or empty for a string, a number and the like.
        items: What an object or array holds, in order.
        value: It as Python has it, without comments.
    """

    start: int
    end: int
    kind: str
    items: tuple[JsonMember, ...]
    value: Any

    def member(self, name: str) -> JsonMember | None:
        """Return the member of a name: the last one, as every reader of JSON does; None if there is none."""
        found = [item for item in self.items if item.name == name] if self.kind == "{" else []
        return found[-1] if found else None


def parse(text: str) -> JsonNode:
    """Return the value that a text holds.

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
    found = _SCALAR.match(text, at)
    if found is None:
        raise _wrong(text, at, "a value is missing")
    try:
        value = json.loads(found[0])
    except ValueError as err:
        raise _wrong(text, at, "a value is not JSON") from err
    return JsonNode(at, found.end(), "", (), value)


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
    found = _BLANK.match(text, at)
    assert found is not None  # it may match nothing
    return found.end()


def _wrong(text: str, at: int, what: str) -> JsoncError:
    return JsoncError(f"line {text.count(chr(10), 0, at) + 1}: {what}")


def dumped(value: object) -> str:
    """Return a value as a new file has it; an empty object is open for what is put in."""
    return json.dumps(value, indent=INDENT, ensure_ascii=False) if value else "{\n}"


def insert(text: str, path: Sequence[str], value: object, *, name: str = "") -> str:
    """Return a text with a value put in at the end of an object or array; containers that are missing are made.

    Args:
        text: JSON whose outermost value is an object.
        path: The names that lead to the container.
        value: What is put in.
        name: Its name in an object; empty for an element of an array.

    Raises:
        JsoncError: It is not JSON, or something else stands where a container should be.
    """
    node = parse(text)
    if node.kind != "{":
        raise JsoncError("it does not contain an object")
    for depth, step in enumerate(path):
        item = node.member(step)
        if item is None:  # what is made around it is made in one piece
            rest = path[depth + 1 :]
            made: object = {name: value} if name else [value]
            for outer in reversed(rest):
                made = {outer: made}
            return _append(text, node, depth, made, step)
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
        # Whether a container was there before it was filled is told by what follows its bracket (`remove`).
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
    """Return what the lines in a container begin with: as its own do, or so many units as it lies deep."""
    for item in node.items:
        line = text.rfind("\n", 0, item.start) + 1
        if line and not text[line : item.start].strip(" \t"):
            return text[line : item.start]
    return INDENT * (depth + 1)


def remove(text: str, path: Sequence[str | int]) -> str:
    """Return a text without one member or element, and without the containers that `insert` made for it.

    Args:
        text: JSON.
        path: Names and positions that lead to it.

    Raises:
        JsoncError: It is not JSON, or there is nothing there.
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
    # A container that holds nothing else goes with it, but one that was there and empty before.
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
    """Yield every value below one with the path to it, outer ones first."""
    for position, item in enumerate(node.items):
        step: str | int = item.name if node.kind == "{" else position
        yield (step,), item.node
        for path, inner in iter_paths(item.node):
            yield (step, *path), inner
