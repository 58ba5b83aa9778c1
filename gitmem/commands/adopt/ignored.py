"""Statements that are not judged: a comment tells gitmem to ignore them, or `gitmem install` wrote them. Pure."""

from __future__ import annotations

import re

from gitmem.commands.adopt.statements import split
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.statements import Statement

# `<!-- gitmem: ignore REASON -->`; in a code block `# gitmem: ignore REASON`, or with `//`.
_MARK = re.compile(r"(?:<!--|#|//)\s*gitmem:\s*(ignore(?:-file)?)\b[ \t]*(.*?)[ \t]*(?:-->|$)", re.M)
# What `gitmem install` writes: a section between two marks, and the last line of a file of its own.
_BEGIN, _END, _SEALED = "gitmem:begin", "gitmem:end", re.compile(r"^\W*gitmem:sum [0-9a-f]+\W*$")


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
    marks = {at: match for at, line in enumerate(text.split("\n"), 1) if (match := _MARK.search(line))}
    if not marks:
        return statements, []
    whole = next((match for match in marks.values() if match[1] == "ignore-file"), None)
    alone = {at + 1: match for at, match in marks.items() if not match.string.replace(match[0], "").strip()}
    others, ignored = [], []
    for statement in statements:
        lines = range(statement.line, statement.last + 1)
        mark = whole or next((marks[at] for at in lines if at in marks), None) or alone.get(statement.line)
        if mark is None:
            others.append(statement)
        else:
            ignored.append(IgnoredStatement(statement, mark[2]))
    return others, ignored


def has_comments(text: str) -> bool:
    """Return whether a document has a comment that says to ignore something."""
    return _MARK.search(text) is not None


def is_ignored(text: str) -> bool:
    """Return whether a comment says to ignore the whole document."""
    return any(match[1] == "ignore-file" for match in _MARK.finditer(text))


def is_installed(text: str) -> bool:
    """Return whether `gitmem install` wrote the whole document."""
    return _SEALED.match(text.rstrip().rpartition("\n")[2]) is not None


def without_installed(text: str) -> str:
    """Return a document with the lines that `gitmem install` wrote into it as empty ones."""
    if is_installed(text):
        return ""
    if _BEGIN not in text:
        return text
    lines, is_ours = [], False
    for line in text.split("\n"):
        is_ours = is_ours or _BEGIN in line
        lines.append("" if is_ours else line)
        is_ours = is_ours and _END not in line
    return "\n".join(lines)
