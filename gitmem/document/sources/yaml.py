"""Read YAML, with the line of each value: texts as written, without tags. Pure.

Values are made from PyYAML's nodes, not by its constructors: ``3.10`` stays ``3.10``, ``on`` stays ``on``, and no tag
creates an object. An alias is the same node again, so a short file cannot become gigabytes.
"""

from __future__ import annotations

from gitmem.document.sources.node import DEPTH_LIMIT, Node, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Merge keys copy members: mappings that merge each other in turn would make a short file large.
MERGE_LIMIT = 100_000


def read(text: str) -> Node:
    """Return what a YAML file holds; of several documents, a list of them, with the members of all (the first counts).

    Raises:
        FormatError: It is not YAML, or nests deeper than ``DEPTH_LIMIT``.
    """
    import yaml  # 25 ms (measured), only for YAML files

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_depth(yaml, text, loader)
        documents = list(yaml.compose_all(text, Loader=loader))
    except yaml.YAMLError as err:
        mark = getattr(err, "problem_mark", None)
        problem = getattr(err, "problem", None) or "it is not readable"
        raise unreadable(f"it is not valid YAML: {problem}", mark.line + 1 if mark else 0) from err
    composed = _Composed()
    nodes = [composed.node(document) for document in documents if document is not None]
    if len(nodes) == 1:
        return nodes[0]
    return Node(1, members=dict(member for node in reversed(nodes) for member in node.iter_members()), items=nodes)


def _check_depth(yaml: Any, text: str, loader: Any) -> None:
    """Refuse deep nesting, before anything recurses."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH_LIMIT:
                raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep", event.start_mark.line + 1)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Composed:
    """The nodes made so far, by the identity of PyYAML's."""

    def __init__(self) -> None:
        self._made: dict[int, Node] = {}
        self._left = MERGE_LIMIT

    def node(self, found: Any, depth: int = 0) -> Node:
        line = found.start_mark.line + 1
        if id(found) in self._made:
            return self._made[id(found)]
        if depth > DEPTH_LIMIT:  # aliases of aliases
            raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep", line)
        self._made[id(found)] = Node(line)  # recursive structures end here
        if found.id == "mapping":
            node = Node(line, members=self._members(found, depth + 1))
        elif found.id == "sequence":
            node = Node(line, items=[self.node(entry, depth + 1) for entry in found.value])
        else:
            node = Node(line, found.value)
        self._made[id(found)] = node
        return node

    def _members(self, found: Any, depth: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        for name, value in found.value:
            if name.id != "scalar":
                continue
            if name.value == "<<" and not name.style:  # plain: None from Python's loader, empty from C's
                for entry in value.value if value.id == "sequence" else [value]:
                    for inherited, behind in self.node(entry, depth).iter_members():
                        self._left -= 1
                        members.setdefault(inherited, behind)
                if self._left < 0:
                    raise unreadable(f"it merges more than {MERGE_LIMIT} values", name.start_mark.line + 1)
            else:
                members[name.value] = _with_line(self.node(value, depth), name.start_mark.line + 1)
        return members


def _with_line(node: Node, line: int) -> Node:
    """Return a member with the line of its name, where a reader looks."""
    return node if node.line == line else Node(line, node.text, node.members, node.items)
