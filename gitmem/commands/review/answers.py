"""The answers of built-in checks about the code: they run nothing, so a review can evaluate old and new ones."""

from __future__ import annotations

from gitmem.commands.review import sanitize
from gitmem.document.builtin_checks import row_of
from gitmem.document.spec import check_of
from gitmem.frozen import frozen, replace
from gitmem.model import BUILTIN
from gitmem.verify.builtin import conclude, files_of, look_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.commands.review.model import MemoryChange
    from gitmem.git import Git
    from gitmem.model import Check, Document
    from gitmem.verify.inputs import CodeTree


@frozen
class CodeAnswer:
    """A built-in check's answer about the code.

    Attributes:
        outcome: ``holds``, ``fails`` or ``blocked``.
        because: The reason, one line.
        files: The files that it searches, by path.
        having: The number of them that contain what it looks for; 0 for a check of another kind.
    """

    outcome: str
    because: str
    files: frozenset[str]
    having: int

    @property
    def sentence(self) -> str:
        """Return it as a sentence: ``holds: src/a.py:3 contains 'x'; it also holds in 22 other files``."""
        others = self.having - 1
        more = f"; it also holds in {others} other file{'s' * (others != 1)}" if others > 0 else ""
        return f"{self.outcome}: {self.because}{more}"


class CodeAnswers:
    """Evaluates built-in checks on one commit of the code, each once; files are read together."""

    def __init__(self, git: Git, tree: CodeTree | None, checks: Iterable[Check]) -> None:
        """Evaluate the checks.

        Args:
            git: The repository.
            tree: The code; None if there is none here, so that nothing is known.
            checks: Built-in checks.
        """
        self._answers: dict[Check, CodeAnswer] = {}
        if tree is None:
            return
        files = {check: files_of(tree, check) for check in dict.fromkeys(checks)}
        found = look_into(git, files)
        for check, entries in files.items():
            answer = conclude(check, entries, found[check])
            row = row_of(check)
            having = sum(map(bool, found[check].values())) if row.is_about_any and not row.is_denial else 0
            paths = frozenset(entry[2] for entry in entries)
            self._answers[check] = CodeAnswer(answer.outcome, sanitize.line(answer.because), paths, having)

    def find(self, check: Check | None) -> CodeAnswer | None:
        """Return a check's answer; None if unknown."""
        return self._answers.get(check) if check is not None and check.form == BUILTIN else None


def with_answers(
    changes: Sequence[MemoryChange], documents: Mapping[str, Document], answers: CodeAnswers
) -> list[MemoryChange]:
    """Return changes with the answers of their built-in checks."""
    found = []
    for change in changes:
        document = documents.get(change.key)
        answer = answers.find(check_of(document)) if change.command and document else None
        if answer is not None and change.command is not None:
            change = replace(change, command=replace(change.command, answer=answer.sentence))  # noqa: PLW2901
        found.append(change)
    return found
