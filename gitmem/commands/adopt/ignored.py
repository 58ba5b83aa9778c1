"""Statements that a comment in the document tells gitmem to ignore. Pure."""

from __future__ import annotations

import re

from gitmem.commands.adopt.statements import split
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.statements import Statement

# `<!-- gitmem: ignore REASON -->`; in a code block `# gitmem: ignore REASON`, or with `//`.
_MARK = re.compile(r"(?:<!--|#|//)\s*gitmem:\s*(ignore(?:-file)?)\b[ \t]*(.*?)[ \t]*(?:-->|$)", re.M)


@frozen
class IgnoredStatement:
    """A statement that is not judged.

    Attributes:
        statement: The statement.
        reason: The reason in the comment, or empty.
    """

    statement: Statement
    reason: str

    @property
    def text(self) -> str:
        """Return the text of the statement without the comment."""
        return " ".join(_MARK.sub("", line).strip() for line in self.statement.lines).strip()


def split_ignored(text: str) -> tuple[list[Statement], list[IgnoredStatement]]:
    """Return the statements of a document to judge, and those to ignore.

    A comment applies to the statement that it is in; on a line of its own, to the next one; as ``ignore-file``, to all.
    """
    statements = split(text)
    marks = {at: found for at, line in enumerate(text.split("\n"), 1) if (found := _MARK.search(line))}
    if not marks:
        return statements, []
    whole = next((found for found in marks.values() if found[1] == "ignore-file"), None)
    alone = {at + 1: found for at, found in marks.items() if not found.string.replace(found[0], "").strip()}
    kept, ignored = [], []
    for one in statements:
        lines = range(one.line, one.last + 1)
        mark = whole or next((marks[at] for at in lines if at in marks), None) or alone.get(one.line)
        if mark is None:
            kept.append(one)
        else:
            ignored.append(IgnoredStatement(one, mark[2]))
    return kept, ignored


def has_comments(text: str) -> bool:
    """Return whether a document has a comment that says to ignore something."""
    return _MARK.search(text) is not None


def is_ignored(text: str) -> bool:
    """Return whether a comment says to ignore the whole document."""
    return any(found[1] == "ignore-file" for found in _MARK.finditer(text))
