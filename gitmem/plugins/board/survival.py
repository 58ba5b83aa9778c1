"""Check that a final report mentions what its board requires: necessary, not sufficient. Pure.

An entry counts as mentioned if the report has enough of its distinct terms and all its numbers: without the figure, the
finding is lost. A report that repeats the words and denies them passes; only a reader can tell.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text.tokens import all_terms, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.plugins.board.board import Board, RequiredEntry

# Dotfiles calls it a "token-containment heuristic" and gives no share. With six terms of ten a sentence can be
# reworded, and no two findings in the tests' table match each other.
THRESHOLD = 0.6


@frozen
class Missing:
    """An entry that a report does not mention.

    Attributes:
        due: The entry, and why it must be mentioned.
        share: The share of its terms that the report has, from 0 to 1.
        numbers: Its numbers that the report lacks, as written, sorted.
    """

    due: RequiredEntry
    share: float
    numbers: tuple[str, ...]


def find_missing(board: Board, report: str, *, threshold: float = THRESHOLD) -> tuple[Missing, ...]:
    """Return the required entries that a report does not mention, in board order.

    Args:
        board: The board.
        report: The report's text.
        threshold: The share of an entry's terms that the report must contain, above 0 and at most 1.
    """
    report_terms, figures = frozenset(all_terms(report)), frozenset(_numbers(report))
    missing = []
    for due in board.list_required():
        wanted = frozenset(terms(due.entry.text)) or frozenset(all_terms(due.entry.text))
        share = len(wanted & report_terms) / len(wanted) if wanted else float(due.entry.text in report)
        numbers = tuple(sorted(set(_numbers(due.entry.text)) - figures))
        if share < threshold or numbers:
            missing.append(Missing(due, share, numbers))
    return tuple(missing)


def _numbers(text: str) -> list[str]:
    """Return the numbers in a text: ``840`` in ``840 ms`` and in ``840ms``; none in names such as ``sha256``."""
    words = "".join(char if char.isalnum() or char in ".,_" else " " for char in text).split()
    numbers = []
    for word in words:
        bare = word.replace(",", "")
        end = next((at for at, char in enumerate(bare) if not (char.isdecimal() or char == ".")), len(bare))
        numbers.append(bare[:end].strip("."))
    return [number for number in numbers if number]
