"""What to delete from a document when something that it names no longer exists, without a successor. Pure.

An entry of a list, table or tree that only says where the thing is is deleted with everything nested below it; from a
list of names, only the name is deleted. A sentence that says more is left to a person.
"""

from __future__ import annotations

import re

from gitmem.commands.adopt.statements import BULLET, ROW, TREE, cells_of, indentation_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from gitmem.commands.adopt.statements import Statement

# The longest label such as `**RPC layer**`: a longer text has content of its own.
LABEL_LIMIT = 40
_MARKER = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_EMPHASIS = re.compile(r"\*\*|__")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SUBJECT = re.compile(r"((?:`[^`]+`(?:, | and | & )?)+)(?:$|\s*[-–—:：(=→])")
_LABELLED = re.compile(rf"[^`]{{1,{LABEL_LIMIT}}}(?:[:：]|\s[-–—→])\s*((?:`[^`]+`(?:, | and |、)?)+)[.。]?$")
_IN_BRACKETS = re.compile(rf"[^`]{{1,{LABEL_LIMIT}}}\s\((`[^`]+`)\)[:.]?$")
_NAME = re.compile(r"`([^`]+)`")
_TREE_MARKS = re.compile(r"[\s│|├└─\-–+`]*")


def is_entry_of(statement: Statement, gone: Container[str]) -> bool:
    """Return whether a statement only says where something is, and all of that is gone."""
    if statement.kind == TREE:
        return True
    if statement.kind not in (BULLET, ROW):
        return False
    text = cells_of(statement.lines[0])[0] if statement.kind == ROW else _MARKER.sub("", statement.text)
    plain = _LINK.sub(r"`\1`", _EMPHASIS.sub("", text)).strip()
    found = _SUBJECT.match(plain) or (
        (_LABELLED.match(plain) or _IN_BRACKETS.match(plain)) if statement.kind == BULLET else None
    )
    return found is not None and all(name in gone for name in _NAME.findall(found[1]))


def block_of(lines: Sequence[str], statement: Statement) -> range:
    """Return the lines of an entry and of everything nested below it, numbered from 1."""
    if statement.kind not in (BULLET, TREE):
        return range(statement.line, statement.last + 1)
    measure = _depth_in_tree if statement.kind == TREE else indentation_of
    depth, last = measure(statement.lines[0]), statement.last
    for number in range(statement.last + 1, len(lines) + 1):
        line = lines[number - 1]
        if line.strip():
            if measure(line) <= depth or line.lstrip().startswith(("```", "~~~")):
                break
            last = number
    return range(statement.line, last + 1)


def _depth_in_tree(line: str) -> int:
    found = _TREE_MARKS.match(line)
    assert found is not None, "the pattern also matches nothing"
    return found.end()


def without(line: str, name: str) -> str:
    """Return a line without one of several names that it lists; the unchanged line if it lists no others."""
    quoted = re.escape(f"`{name}`")
    if len(re.findall(quoted, line)) != 1:
        return line
    for pattern, kept in (
        (rf"(?<=`), {quoted}(?=,? (?:and|or|&) `|, `)", ""),  # in the middle
        (rf"{quoted}(?:, |、)(?!and |or )(?=`)", ""),  # the first of several
        (rf"(?<!, ){quoted} (?:and|or|&) (?=`)", ""),  # the first of two
        (rf"(?<!, )(?<!、)(?P<first>`[^`]+`) (?:and|or|&) {quoted}", r"\g<first>"),  # the second of two
        (rf"(?<=`)(?:, |、){quoted}(?!,? (?:and|or|&) )", ""),  # the last one
    ):
        changed, count = re.subn(pattern, kept, line)
        if count:
            return changed
    return line
