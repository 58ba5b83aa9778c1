"""A document while it is corrected: each correction is tried in it, judged in place, and kept only if it is right."""

from __future__ import annotations

from collections import Counter

from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, Correction
from gitmem.commands.adopt.statements import ROW, TREE, depth_in_tree, split
from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.statements import Statement

    Edits = Mapping[int, str | None]
    # Returns the claims of a statement, each judged; None for what turns out not to be a claim.
    Judge = Callable[[Document, Statement], Sequence[tuple[Claim, JudgedClaim | None]]]


@frozen
class Wording:
    """One way to word a correction.

    Attributes:
        edits: The changed lines by number.
        fix: What replaces the claim's token.
        token: The text that is replaced: what else was claimed of it may change.
        is_right: Returns whether a judged claim is the corrected one; None if the document makes no claim of it.
    """

    edits: Edits
    fix: str
    token: str
    is_right: Callable[[JudgedClaim], bool] | None


class Draft:
    """The text of a document with the corrections that passed. Lines keep their original numbers, from 1."""

    def __init__(self, document: Document, text: str, judge: Judge) -> None:
        """Begin with the text at the head; *judge* judges a statement of it, also a corrected one."""
        self.document = document
        self._judge = judge
        self._lines = [line.removesuffix("\r") for line in text.split("\n")]
        self._edits: dict[int, str | None] = {}
        self._contexts: dict[int, set[int]] = {}
        self._statements = split(text)

    def line(self, number: int) -> str | None:
        """Return a line as it is now; None if it was deleted."""
        return self._edits.get(number, self._lines[number - 1])

    @property
    def last(self) -> int:
        """Return the number of the last line."""
        return len(self._lines)

    def lines(self) -> list[str]:
        """Return all lines as they are now; a deleted one is empty."""
        return [self.line(number) or "" for number in range(1, self.last + 1)]

    def statement_at(self, number: int) -> Statement | None:
        """Return the statement that a line belongs to."""
        return next((statement for statement in self._statements if statement.line <= number <= statement.last), None)

    def judged(self, statement: Statement) -> Sequence[tuple[Claim, JudgedClaim | None]]:
        """Return the claims of a statement, each judged."""
        return self._judge(self.document, statement)

    def replace(self, wording: Wording) -> bool:
        """Replace lines if the document is right with them, and return whether it is.

        The statements and what is marked in them must be as before; one of the changed claims must be right; no other
        may be false that was not, and none that held may be gone.
        """
        after = self._try(wording)
        if after is not None:
            self._keep(wording.edits, after)
        return after is not None

    def would_be_right(self, wording: Wording) -> bool:
        """Return whether lines may be replaced, as ``replace`` does, without doing so."""
        return self._try(wording) is not None

    def _try(self, wording: Wording) -> list[Statement] | None:
        """Return the statements of the document with a correction; None if it is not right with it."""
        edits, is_right = wording.edits, wording.is_right
        after = self._split(edits)
        if len(after) != len(self._statements) or all(self.line(at) == text for at, text in edits.items()):
            return None
        is_corrected = is_right is None
        for was, now in zip(self._statements, after, strict=True):
            if was == now:
                continue
            is_double = (
                now.kind == TREE
                and sum((statement.kind, statement.path) == (TREE, now.path) for statement in after) > 1
            )
            if is_double or not _is_alike(was, now) or (judged := self._compare(was, now, wording.token)) is None:
                return None
            is_corrected = is_corrected or any(is_right(one) for one in judged if is_right is not None)
        return after if is_corrected else None

    def remove(self, edits: Edits, token: str = "") -> bool:
        """Delete lines, or a name from a line, if the rest of the document is as before; return whether it is.

        Args:
            edits: The lines to delete as None, and those that change with them.
            token: A name that a line no longer has.
        """
        after = self._split(edits)
        left = [
            statement
            for statement in self._statements
            if any(edits.get(at, "") is not None for at in _numbers(statement))
        ]
        if len(after) != len(left):
            return False
        for was, now in zip(left, after, strict=True):
            if was == now:
                continue
            gone, added = self._changed_claims(was, now)
            if _place(was) != _place(now) or added or any(not token or token not in claim.token for claim in gone):
                return False
        self._keep(edits, after)
        return True

    def corrections(self) -> list[Correction]:
        """Return the changed lines, in order."""
        return [
            Correction(
                self.document.path,
                number,
                self._lines[number - 1],
                after,
                {other: self._lines[other - 1] for other in sorted(self._contexts[number])},
            )
            for number, after in sorted(self._edits.items())
            if after != self._lines[number - 1]
        ]

    def _split(self, edits: Edits) -> list[Statement]:
        """Return the statements with some edits, at the original numbers of their lines."""
        every = {number: edits.get(number, self.line(number)) for number in range(1, self.last + 1)}
        numbers = [number for number, line in every.items() if line is not None]
        text = "\n".join(line for line in every.values() if line is not None)
        return [replace(statement, line=numbers[statement.line - 1]) for statement in split(text)]

    def _keep(self, edits: Edits, after: list[Statement]) -> None:
        self._edits |= edits
        self._statements = after
        context = set(self._block_around(edits))
        for number in edits:
            context |= self._contexts.get(number, set())
        for number in edits:
            self._contexts[number] = context

    def _block_around(self, numbers: Iterable[int]) -> range:
        """Return the lines around some that no blank line separates from them: a paragraph, a list, a tree."""
        first, last = min(numbers), max(numbers)
        while first > 1 and self._lines[first - 2].strip():
            first -= 1
        while last < self.last and self._lines[last].strip():
            last += 1
        return range(first, last + 1)

    def _changed_claims(self, was: Statement, now: Statement) -> tuple[list[Claim], list[Claim]]:
        """Return the claims that only the former statement makes, and those that only the new one makes."""
        before, after = (Counter(claim for claim, _ in self.judged(statement)) for statement in (was, now))
        return list((before - after).elements()), list((after - before).elements())

    def _compare(self, was: Statement, now: Statement, token: str) -> list[JudgedClaim] | None:
        """Return what is new among the judged claims of a statement; None if one is worse than before."""
        before, after = dict(self.judged(was)), dict(self.judged(now))
        if was.lines == now.lines:  # the entry of a tree whose folder has another name now
            is_worse = any(map(_holds, before.values())) and not all(map(_holds, after.values()))
            return None if is_worse else []
        for claim, judged in before.items():
            if _holds(judged) and claim not in after and token not in claim.token and claim.token not in token:
                return None
        for claim, judged in after.items():
            if _is_wrong(judged) and not _is_wrong(before.get(claim)):
                return None
        return [judged for claim, judged in after.items() if judged is not None and before.get(claim) != judged]


def _holds(judged: JudgedClaim | None) -> bool:
    return judged is not None and judged.verdict == HOLDS


def _is_wrong(judged: JudgedClaim | None) -> bool:
    return judged is not None and judged.verdict in (FALSE, NEVER)


def _is_alike(was: Statement, now: Statement) -> bool:
    """Return whether two statements have the same form: the same lines, marks, cells and depth."""
    return (
        _place(was) == _place(now)
        and was.header == now.header
        and [(span.kind, span.line) for span in was.spans] == [(span.kind, span.line) for span in now.spans]
        and (was.kind != ROW or len(was.cells) == len(now.cells))
        and (was.kind != TREE or _depth(was) == _depth(now))
    )


def _depth(entry: Statement) -> tuple[int, int]:
    return entry.path.count("/"), depth_in_tree(entry.lines[0])


def _place(statement: Statement) -> tuple[str, int, int, str]:
    return statement.kind, statement.line, len(statement.lines), statement.language


def _numbers(statement: Statement) -> range:
    return range(statement.line, statement.last + 1)
