"""Read XML as used in manifests: elements as mappings of children and attributes, with their lines. Pure.

Document types and entities are refused before anything is expanded.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from gitmem.document.sources.node import DEPTH_LIMIT, Node, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMESPACE = re.compile(r"^.*:")


def read(text: str) -> Node:
    """Return the content of an XML file: its root element is the only member.

    An element's members are its attributes and child elements by local name; several with one name form a list, which
    has the members of all of them: `Project.PropertyGroup.LangVersion` is in any of the groups. Only leaves have text.

    Raises:
        FormatError: It is not XML, declares entities or a document type, or is nested too deeply.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    builder = _Builder(parser)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.take
    parser.StartDoctypeDeclHandler = builder.refuse
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as err:
        raise unreadable("it is not valid XML", err.lineno) from err
    return builder.stack[0].node()


class _Element:
    def __init__(self, line: int) -> None:
        self.line = line
        self.text: list[str] = []
        self.children: dict[str, list[Node]] = {}

    def node(self) -> Node:
        text = "".join(self.text).strip()
        members = {name: _united(those) for name, those in self.children.items()}
        return Node(self.line, text if text or not members else None, members=members)


def _united(those: list[Node]) -> Node:
    """Return one element as it is, or several as a list with the members of all."""
    if len(those) == 1:
        return those[0]
    children: dict[str, list[Node]] = {}
    for node in those:
        for name, child in node.iter_members():
            children.setdefault(name, []).extend(child.items or (child,))
    members = {
        name: nodes[0] if len(nodes) == 1 else Node(nodes[0].line, items=nodes) for name, nodes in children.items()
    }
    return Node(those[0].line, members=members, items=those)


class _Builder:
    def __init__(self, parser: expat.XMLParserType) -> None:
        self._parser = parser
        self.stack = [_Element(1)]

    def start(self, _name: str, attributes: Mapping[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        if len(self.stack) > DEPTH_LIMIT:
            raise unreadable(f"it nests more than {DEPTH_LIMIT} levels deep", line)
        element = _Element(line)
        for name, value in attributes.items():
            element.children[_NAMESPACE.sub("", name)] = [Node(line, value)]
        self.stack.append(element)

    def end(self, name: str) -> None:
        node = self.stack.pop().node()
        self.stack[-1].children.setdefault(_NAMESPACE.sub("", name), []).append(node)

    def take(self, text: str) -> None:
        self.stack[-1].text.append(text)

    def refuse(self, *_: object) -> None:
        raise unreadable("it declares a document type, which is not read", self._parser.CurrentLineNumber)
