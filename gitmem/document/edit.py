"""Change fields of a memory in place; the rest of the file stays the same, byte for byte."""

from __future__ import annotations

from gitmem.document.fields import check_fields, is_newer
from gitmem.document.format import end_line, format_field, format_fields, place_of
from gitmem.document.parse import parse, read_fields, unify
from gitmem.document.split import split
from gitmem.document.yaml.extent import Extent, extents_of, has_comments
from gitmem.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitmem.model import Document

# A value in `changes` that removes the field.
REMOVE: Any = object()


def edit(document: Document, changes: Mapping[str, Any], body: str | None = None) -> str:
    """Return the text of a memory with some fields changed, and with another body if one is given.

    Comments, order, quotes, line breaks, a byte order mark and every other field are unchanged. A field that already
    has its value is not touched. A comment after a changed value stays after it; comments between the lines of a
    changed list or block move above it; the comments of a removed field are removed. A new field is inserted after the
    last one that precedes it in ``format.ORDER``, an unknown one at the end.

    Args:
        document: A parsed memory.
        changes: The new value of each field, or ``REMOVE``.
        body: The new body; its line breaks become those of the file, and its last line gets one.

    Raises:
        FormatError: The result would not be a memory (as in ``parse`` and ``format``); ``newer-schema``; or
            ``cannot-edit`` if a field has no lines of its own and rewriting them all would lose a comment, or if a
            removed field separates a block from an indented comment, which would become part of the block.
    """
    parts = split(document.text)
    real = {name: value for name, value in changes.items() if not is_same(value, document.fields.get(name, REMOVE))}
    keeps_body = body is None or body == document.body
    if not real and keeps_body:
        return document.text
    if is_newer(document.fields):
        raise FormatError(
            "written for a newer version of gitmem",
            code="newer-schema",
            path=document.path,
            hint="update gitmem to edit it",
        )
    line_break = "\r\n" if parts.head.endswith("\r\n") else "\n"
    frontmatter = _changed(document, parts.frontmatter, real, line_break) if real else parts.frontmatter
    below = parts.body if keeps_body else _with_breaks(end_line(body or ""), line_break)
    fence = parts.fence if parts.fence.endswith("\n") or not below else parts.fence + line_break
    text = parts.head + frontmatter + fence + below
    return parse(text, path=document.path).text


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values of fields are the same, by their representation, since 1 == True == 1.0."""
    return one is other or (type(one) is type(other) and repr(one) == repr(other))


def _with_breaks(text: str, line_break: str) -> str:
    return text if line_break == "\n" else unify(text).replace("\n", line_break)


def _changed(document: Document, frontmatter: str, changes: dict[str, Any], line_break: str) -> str:
    """Return the changed lines of the frontmatter, in place if possible."""
    merged = {**document.fields, **changes}
    wanted = {name: value for name, value in merged.items() if value is not REMOVE}
    check_fields(wanted)
    for text in _candidates(frontmatter, changes, wanted, line_break):
        if _says(text, wanted):
            return text
    raise FormatError(
        "these fields cannot be changed without losing other parts of the frontmatter",
        code="cannot-edit",
        path=document.path,
        hint="edit the file by hand",
    )


def _candidates(frontmatter: str, changes: dict[str, Any], wanted: dict[str, Any], line_break: str) -> Iterator[str]:
    """Yield ways to write the changes, the least invasive first; each is verified by reading it back."""
    lines = unify(frontmatter)
    extents = extents_of(lines)
    if extents is not None:
        yield _in_place(frontmatter, extents, changes, line_break, on_one_line=False)
        # White space lines after the field would become part of a block.
        yield _in_place(frontmatter, extents, changes, line_break, on_one_line=True)
    if not has_comments(lines):
        yield _with_breaks(format_fields(wanted), line_break)


def _says(frontmatter: str, wanted: dict[str, Any]) -> bool:
    """Return whether a frontmatter reads back as the wanted fields, in any order."""
    try:
        fields = read_fields(frontmatter)
    except FormatError as err:
        if err.code == "frontmatter-too-large":
            raise
        return False
    return fields.keys() == wanted.keys() and all(is_same(fields[name], wanted[name]) for name in wanted)


def _in_place(
    frontmatter: str, extents: list[Extent], changes: dict[str, Any], line_break: str, *, on_one_line: bool
) -> str:
    rows = frontmatter.split("\n")
    # Replacements for rows from the first number to the second; of two at one place, the earlier comes first.
    swaps: list[tuple[int, int, list[str]]] = []
    known = {extent.name: extent for extent in extents}
    for name in sorted(changes, key=place_of):
        extent = known.get(name)
        if extent is None:
            at = _place(name, extents)
            swaps.append((at, at, _lines(name, changes[name], None, on_one_line)))
        else:
            swaps.append((extent.start, extent.stop, _lines(name, changes[name], extent, on_one_line)))
    if not any(lines for _, _, lines in swaps) and len(swaps) == len(extents):
        # Nothing is left, and an empty frontmatter is not a mapping.
        swaps.append((extents[0].start, extents[0].start, ["{}"]))
    ending = line_break.removesuffix("\n")
    # From the end, so that the numbers stay valid; sorting is stable, so equal places keep their order when reversed.
    swaps.sort(key=lambda swap: swap[:2])
    for start, stop, lines in reversed(swaps):
        rows[start:stop] = [line + ending for line in lines]
    return "\n".join(rows)


def _place(name: str, extents: list[Extent]) -> int:
    before = [extent.stop for extent in extents if place_of(extent.name) <= place_of(name)]
    return before[-1] if before else 0


def _lines(name: str, value: Any, extent: Extent | None, on_one_line: bool) -> list[str]:
    if value is REMOVE:
        return []
    lines = format_field(name, value, on_one_line=on_one_line).split("\n")[:-1]
    if extent is None:
        return lines
    if extent.suffix and len(lines) == 1:
        space = "" if extent.suffix[0] in " \t" else " "
        return [lines[0] + space + extent.suffix]
    comments = [extent.suffix.strip(" \t")] if extent.suffix else list(extent.comments)
    return comments + lines
