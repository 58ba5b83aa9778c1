"""The result of every reader of a structured file: texts with their lines, in mappings and lists. Pure."""

from __future__ import annotations

from gitmem.errors import FormatError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Settings nest a few levels; deeper files were made to exhaust a reader.
DEPTH_LIMIT = 64
# Places where a key with dots is looked for: a file may have many names that begin like it.
MOST_TRIED = 1000
# A longer value is shown truncated.
SHOWN_LIMIT = 80


@frozen
class Node:
    """A value in a file.

    Attributes:
        line: The line where it begins, from 1.
        text: A scalar as written, without quotes; None for a mapping or a list. ``FROM`` of a Dockerfile has a text and
            members, several XML elements with one name have items and members.
        members: The members of a mapping, in order.
        items: The elements of a list, in order.
    """

    line: int
    text: str | None = None
    members: Mapping[str, Node] | None = None
    items: Sequence[Node] | None = None

    def find(self, keys: Sequence[str]) -> Node | None:
        """Return the value at *keys*, or None."""
        node: Node | None = self
        for key in keys:
            if node is None:
                return None
            if node.items is not None and key.isdecimal():
                at = int(key) if len(key) < 9 else len(node.items)
                node = node.items[at] if at < len(node.items) else None
            else:
                node = (node.members or {}).get(key)
        return node

    def spell(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the key of the value that *keys* name if some of them, joined by dots, are one name; else nothing.

        `server.port` of a properties file is one name. For a value that nests as the keys say, it is nothing.
        """
        tried: set[tuple[int, int]] = set()  # a YAML file may hold one mapping at many places
        open_: list[tuple[Node, int, tuple[str, ...]]] = [(self, 0, ())]
        while open_ and len(tried) < MOST_TRIED:
            node, start, spelt = open_.pop()
            if start == len(keys):
                return spelt if len(spelt) < len(keys) else ()
            if (id(node), start) in tried:
                continue
            tried.add((id(node), start))
            for end in range(len(keys), start, -1):
                name = ".".join(keys[start:end])
                found = node.find((name,)) if end == start + 1 else (node.members or {}).get(name)
                if found is not None:
                    open_.append((found, end, (*spelt, name)))
        return ()

    def at(self, *keys: str) -> Node:
        """Return the value at *keys*, or an empty one."""
        return self.find(keys) or NO_NODE

    def iter_members(self) -> Iterator[tuple[str, Node]]:
        """Yield the names and values of a mapping; nothing for other values."""
        yield from (self.members or {}).items()

    def texts(self) -> list[Node]:
        """Return the scalars of a list, or the scalar itself."""
        return [item for item in (self.items or (self,)) if item.text is not None]

    def value(self) -> str:
        """Return it on one line, for comparing and showing: ``3.11``, ``[a, b]``, ``{2 keys}``."""
        if self.text is not None:
            return " ".join(self.text.split())
        if self.items is not None:
            return f"[{', '.join(item.value() if item.text is not None else '…' for item in self.items)}]"
        return f"{{{len(self.members or ())} keys}}"


NO_NODE = Node(0)


def unreadable(what: str, line: int = 0) -> FormatError:
    """Return the error for a file whose content does not match its name."""
    return FormatError(f"{what}{f' (line {line})' if line else ''}", code="unreadable-source", line=line)
