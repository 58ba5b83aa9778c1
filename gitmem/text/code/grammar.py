"""Find definitions in tree-sitter's syntax tree, with grammars from installed packages.

Nothing is downloaded: a language whose package is not installed has no grammar.
"""

from __future__ import annotations

from importlib import import_module

from tree_sitter import Language, Parser

from gitmem.text.code.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

# The grammars of a language: its package, and functions in it. TypeScript with JSX has a grammar of its own.
GRAMMARS = {
    "go": ("tree_sitter_go", ("language",)),
    "java": ("tree_sitter_java", ("language",)),
    "javascript": ("tree_sitter_javascript", ("language",)),
    "python": ("tree_sitter_python", ("language",)),
    "rust": ("tree_sitter_rust", ("language",)),
    "typescript": ("tree_sitter_typescript", ("language_typescript", "language_tsx")),
}
# Nodes that define something, by their names in these grammars (`node-types.json` of each).
DEFINITIONS = frozenset(
    """
    function_definition class_definition type_alias_statement function_declaration generator_function_declaration
    class_declaration abstract_class_declaration interface_declaration type_alias_declaration enum_declaration
    internal_module method_declaration type_declaration record_declaration annotation_type_declaration function_item
    struct_item enum_item union_item trait_item impl_item mod_item type_item macro_definition
    """.split()
)
# Nodes around a definition that belong to it.
WRAPPERS = frozenset(("decorated_definition", "export_statement", "lexical_declaration", "variable_declaration"))
VALUES = frozenset(("arrow_function", "function_expression", "generator_function", "class"))
# Nodes directly above a definition that belong to it.
ABOVE = frozenset(("comment", "line_comment", "block_comment", "attribute_item", "decorator"))


def parse(text: str, language: str) -> list[Span] | None:
    """Return the outermost definitions, by line; none without a grammar, or if the code does not parse."""
    package, names = GRAMMARS.get(language, ("", ()))
    for name in names:
        try:
            grammar = Language(getattr(import_module(package), name)())
        except (ImportError, AttributeError, ValueError):  # not installed, with another interface, or another version
            return None
        # Go ends its last statement with a line feed.
        root = Parser(grammar).parse(f"{text}\n".encode("utf-8", "replace")).root_node
        if not root.has_error:
            return _spans(root)
    return None


def _spans(root: Node) -> list[Span]:
    spans: list[Span] = []
    waiting = root.children[::-1]
    while waiting:
        node = waiting.pop()
        name = _name(node)
        if not name:
            waiting += node.children[::-1]
            continue
        first, end = _first(node), node.end_point.row + (node.end_point.column > 0)
        if not spans or node.start_point.row >= spans[-1].end:
            spans.append(Span(name, max(first, spans[-1].end if spans else 0), end))
    return spans


def _name(node: Node) -> str:
    """Return the name that a node defines, or an empty string if it defines none."""
    if node.type in WRAPPERS:
        return next((name for child in node.named_children if (name := _name(child))), "")
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        return _text(node.child_by_field_name("name")) if value is not None and value.type in VALUES else ""
    if node.type in VALUES and node.parent is not None and node.parent.type == "export_statement":
        return _text(node.child_by_field_name("name")) or "default"
    if node.type not in DEFINITIONS:
        return ""
    if node.type == "type_declaration":  # Go: one type, or several in parentheses
        node = next((child for child in node.named_children if child.type in ("type_spec", "type_alias")), node)
    named = node.child_by_field_name("name") or node.child_by_field_name("type") or node.child_by_field_name("left")
    return _text(named)


def _first(node: Node) -> int:
    """Return the first line of a node, including comments and attributes directly above it."""
    first = node.start_point.row
    above = node.prev_sibling
    while above is not None and above.type in ABOVE and above.start_point.row < first:
        # A Rust doc comment ends in column 0 of the next line.
        if above.end_point.row - (above.end_point.column == 0) < first - 1:
            break
        before = above.prev_sibling
        if before is not None and before.end_point.row == above.start_point.row and before.end_point.column > 0:
            break  # a comment after code is about that code
        first, above = above.start_point.row, before
    return first


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
