"""Read YAML, with the line of each value: texts as written, without tags and without expanding aliases. Pure.

Values are made from PyYAML's nodes, not by its constructors: ``3.10`` stays ``3.10``, ``on`` stays ``on``, and no tag
creates an object. An alias is the same node again, so a short file cannot become gigabytes.
"""

from __future__ import annotations

from gitmem.document.sources.node import DEPTH_LIMIT, Node, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    nodes_by_id: dict[int, Node] = {}
    nodes = [_node(document, nodes_by_id, 0) for document in documents if document is not None]
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


def _node(found: Any, made: dict[int, Node], depth: int) -> Node:
    line = found.start_mark.line + 1
    if id(found) in made:
        return made[id(found)]
    if depth > DEPTH_LIMIT:  # aliases of aliases
        raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep", line)
    made[id(found)] = Node(line)  # recursive structures end here
    if found.id == "mapping":
        members: dict[str, Node] = {}
        for name, value in found.value:
            if name.id != "scalar":
                continue
            if name.value == "<<" and name.style is None:
                merged = value.value if value.id == "sequence" else [value]
                for one in merged:
                    for inherited, behind in _node(one, made, depth + 1).iter_members():
                        members.setdefault(inherited, behind)
            else:
                members[name.value] = _with_line(_node(value, made, depth + 1), name.start_mark.line + 1)
        node = Node(line, members=members)
    elif found.id == "sequence":
        node = Node(line, items=[_node(one, made, depth + 1) for one in found.value])
    else:
        node = Node(line, found.value)
    made[id(found)] = node
    return node


def _with_line(node: Node, line: int) -> Node:
    """Return a member with the line of its name, where a reader looks."""
    return node if node.line == line else Node(line, node.text, node.members, node.items)
