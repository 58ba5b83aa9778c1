"""Read the frontmatter of other people's Markdown, also where it is not strict YAML. Pure.

Obsidian, Cursor, Claude Code and people write values that YAML refuses (``globs: **/*.ts``, ``about: Rules: one``,
``date: {{date}}``), name a field twice, or leave out the closing line. What is not a field stays in the body.
"""

from __future__ import annotations

import re

from gitmem.document.parse import read_fields, unify
from gitmem.document.split import split
from gitmem.errors import FormatError
from gitmem.frozen import frozen
from gitmem.plugins.import_.fields import as_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

BY_LINE = "the frontmatter is not strict YAML and was read line by line"
IN_BODY = "the frontmatter cannot be read and was kept in the body"
_DECIMAL = re.compile(r"(?<![\w.-])-?\d{1,18}\.\d{1,24}(?![\w.-])")
_FIELD = re.compile(r"([A-Za-z_][\w .-]{0,99}?)[ \t]*:(?:[ \t]+(.*)|)")


@frozen
class Front:
    """A file of other people in parts.

    Attributes:
        fields: Its frontmatter; empty if it has none.
        body: Its text, with the lines of the frontmatter that are not fields above it.
        remark: What the user should know about it; empty if the frontmatter is valid.
    """

    fields: dict[str, Any]
    body: str
    remark: str = ""


def read_front(text: str) -> Front:
    """Return the fields and the body of a Markdown file, with line feeds as its only line breaks."""
    plain = unify(text.removeprefix("\ufeff"))
    try:
        parts = split(plain)
    except FormatError as err:
        is_rule = err.code in ("no-frontmatter", "empty-file") or not _begins_with_field(plain)
        return Front({}, plain, "" if is_rule else IN_BODY)
    if not _without_comments(parts.frontmatter):
        return Front({}, parts.body)
    try:
        return Front(_as_written(read_fields(parts.frontmatter), parts.frontmatter), parts.body)
    except FormatError:
        pass
    fields, others = _read_by_line(parts.frontmatter)
    if not fields:
        return Front({}, plain, IN_BODY)
    prose = "\n".join(others).strip("\n")
    return Front(fields, f"{prose}\n\n{parts.body}" if prose else parts.body, BY_LINE)


def _as_written(fields: dict[str, Any], frontmatter: str) -> dict[str, Any]:
    """Return fields in which a decimal is text if its number has another form: ``version: 1.10`` is not 1.1."""
    if "." not in frontmatter:
        return fields
    forms: dict[float, str] = {}
    for word in _DECIMAL.findall(frontmatter):
        if repr(float(word)) != word or float(word) in forms:
            forms[float(word)] = word

    def written(value: Any) -> Any:
        if isinstance(value, list):
            return [written(entry) for entry in value]
        if isinstance(value, dict):
            return {name: written(entry) for name, entry in value.items()}
        return forms.get(value, value) if isinstance(value, float) else value

    return {name: written(value) for name, value in fields.items()}


def _begins_with_field(text: str) -> bool:
    """Return whether the line below the opening fence is a field; else the fence is a rule between paragraphs."""
    below = text.split("\n", 2)[1:2]
    return bool(below) and _FIELD.fullmatch(below[0]) is not None


def _without_comments(frontmatter: str) -> str:
    lines = frontmatter.split("\n")
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _read_by_line(frontmatter: str) -> tuple[dict[str, Any], list[str]]:
    """Return what can be read of a frontmatter, and the lines that cannot."""
    fields: dict[str, Any] = {}
    others: list[str] = []
    for name, lines in _groups(frontmatter):
        value = _read_value(lines) if name else None
        before = fields.get(name)
        if not name:
            others += lines
        elif name not in fields or before in (None, "", []):
            fields[name] = value
        elif isinstance(before, list) or isinstance(value, list):
            fields[name] = list(dict.fromkeys([*as_list(before), *as_list(value)]))
        elif value != before:
            others += lines
    return fields, others


def _groups(frontmatter: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each field's name and lines; lines that belong to none have no name."""
    name, lines = "", list[str]()
    for line in frontmatter.rstrip("\n").split("\n"):
        match = _FIELD.fullmatch(line)
        if match is None and (line[:1] in (" ", "\t", "-") or not line.strip()) and name:
            lines.append(line)
            continue
        if lines:
            yield name, lines
        name, lines = match[1] if match else "", [line]
    if lines:
        yield name, lines


def _read_value(lines: list[str]) -> Any:
    """Return the value of a field: as YAML if possible, else as the text or list of texts that it looks like."""
    value = lines[0].partition(":")[2].strip()
    below = [line.strip() for line in lines[1:] if line.strip()]
    try:
        return read_fields("\n".join(["value:" + lines[0].partition(":")[2], *lines[1:]]) + "\n")["value"]
    except FormatError:
        pass
    if below and not value and all(line.startswith("-") for line in below):
        return [_unquoted(line[1:].strip()) for line in below]
    if below:
        return "\n".join([*([value] if value not in ("|", ">", "|-", ">-", "") else []), *below])
    return _unquoted(value)


def _unquoted(value: str) -> str:
    quote = value[:1]
    return value[1:-1] if len(value) > 1 and quote in "\"'" and value.endswith(quote) else value
