"""Convert the Atlassian Document Format to Markdown. Pure.

Source: Atlassian Developer, "Atlassian Document Format" (structure, nodes and marks). For a node of an unknown type the
content is used, so that no text is lost when the format grows.
"""

from __future__ import annotations

from gitmem.document.times import format_day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The deepest nesting: no editor makes more, and Python's stack has room for it.
DEPTH = 100
_MARKS = {"strong": "**", "em": "_", "code": "`", "strike": "~~"}
_PANELS = {"info": "Note", "note": "Note", "warning": "Warning", "error": "Error", "success": "Done"}


def markdown_of(document: Any) -> str:
    """Return a document as Markdown; a text unchanged, and an empty string for anything else."""
    if isinstance(document, str):
        return document
    return _block(document, 0).strip("\n") if isinstance(document, dict) else ""


def _children(node: dict[str, Any]) -> list[dict[str, Any]]:
    content = node.get("content")
    return [node for node in content if isinstance(node, dict)] if isinstance(content, list) else []


def _attribute(node: dict[str, Any], name: str) -> str:
    attributes = node.get("attrs")
    value = attributes.get(name) if isinstance(attributes, dict) else None
    return str(value) if isinstance(value, str | int) else ""


def _block(node: dict[str, Any], depth: int) -> str:
    """Return a block followed by a blank line, or the inline text of another node."""
    if depth > DEPTH:
        return ""
    kind = str(node.get("type"))
    if kind in ("paragraph", "decisionItem"):
        return f"{_inline(node, depth)}\n\n"
    if kind == "heading":
        level = _attribute(node, "level")
        return f"{'#' * (int(level) if level in list('123456') else 1)} {_inline(node, depth)}\n\n"
    if kind == "codeBlock":
        text = "".join(str(child.get("text") or "") for child in _children(node))
        fence = "```" if "```" not in text else "~~~~"
        return f"{fence}{_attribute(node, 'language')}\n{text}\n{fence}\n\n"
    if kind in ("bulletList", "orderedList", "taskList", "decisionList"):
        return _list(node, depth)
    if kind in ("blockquote", "panel", "expand", "nestedExpand"):
        return _quote(node, depth)
    if kind == "rule":
        return "---\n\n"
    if kind == "table":
        return _table(node, depth)
    if kind in ("mediaSingle", "mediaGroup"):
        names = [_attribute(child, "alt") or _attribute(child, "id") for child in _children(node)]
        return "".join(f"[attachment: {name}]\n\n" for name in names if name)
    if kind in ("blockCard", "embedCard"):
        return f"{_attribute(node, 'url')}\n\n"
    inner = "".join(_block(child, depth + 1) for child in _children(node))
    return inner or _leaf(node)


def _list(node: dict[str, Any], depth: int) -> str:
    lines = []
    first = _attribute(node, "order")
    for at, item in enumerate(_children(node), start=int(first) if first.isdecimal() else 1):
        mark = f"{at}." if node.get("type") == "orderedList" else "-"
        if item.get("type") == "taskItem":
            mark = "- [x]" if _attribute(item, "state") == "DONE" else "- [ ]"
            text = _inline(item, depth + 1)
        else:
            text = _block(item, depth + 1).rstrip("\n").replace("\n\n", "\n")
        indent = " " * (len(mark) + 1 if node.get("type") == "orderedList" else 2)
        lines.append(f"{mark} " + text.replace("\n", f"\n{indent}"))
    return "\n".join(lines) + "\n\n" if lines else ""


def _quote(node: dict[str, Any], depth: int) -> str:
    text = "".join(_block(child, depth + 1) for child in _children(node)).strip("\n")
    title = _attribute(node, "title") or _PANELS.get(_attribute(node, "panelType"), "")
    text = f"**{title}**\n\n{text}" if title else text
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n")) + "\n\n"


def _table(node: dict[str, Any], depth: int) -> str:
    rows = []
    for row in _children(node):
        cells = ["".join(_block(child, depth + 1) for child in _children(cell)) for cell in _children(row)]
        rows.append([" ".join(cell.split()).replace("|", "\\|") for cell in cells])
    if not rows:
        return ""
    width = max(map(len, rows))
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]) + "\n\n"


def _inline(node: dict[str, Any], depth: int) -> str:
    if depth > DEPTH:
        return ""
    return "".join(_leaf(child) or _inline(child, depth + 1) for child in _children(node))


def _leaf(node: dict[str, Any]) -> str:
    """Return an inline node as Markdown."""
    kind = node.get("type")
    if kind == "text":
        return _mark_up(str(node.get("text") or ""), node.get("marks"))
    if kind == "hardBreak":
        return "\n"
    if kind in ("mention", "status"):
        return _attribute(node, "text")
    if kind == "emoji":
        return _attribute(node, "text") or _attribute(node, "shortName")
    if kind == "inlineCard":
        return _attribute(node, "url")
    if kind == "date":
        stamp = _attribute(node, "timestamp")
        is_date = stamp.isdecimal() and len(stamp) <= 14
        return format_day(int(stamp) // 1000) if is_date else ""
    return ""


def _mark_up(text: str, marks: Any) -> str:
    """Return text with its marks; white space at its ends stays outside of them."""
    inner = text.strip()
    if not inner or not isinstance(marks, list):
        return text
    marked = inner
    for mark in (mark for mark in marks if isinstance(mark, dict)):
        sign = _MARKS.get(str(mark.get("type")), "")
        address = _attribute(mark, "href") if mark.get("type") == "link" else ""
        marked = f"[{marked}]({address})" if address else f"{sign}{marked}{sign}"
    return text.replace(inner, marked, 1)
