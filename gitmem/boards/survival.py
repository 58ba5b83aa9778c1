"""Whether a final report says what a board asks it to say: necessary, not sufficient. Pure.

An entry is found where the report has enough of its distinct terms, and every number of it: a report that lost the
figure lost the finding. A report that repeats the words and denies them passes, which only a reader can tell.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text.tokens import all_terms, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.boards.board import Board, Due

# Dotfiles calls it a "token-containment heuristic" and names no share. Six terms of ten let a sentence be reworded, and
# no two of the findings in the tests' table pass for each other.
THRESHOLD = 0.6


@frozen
class Missing:
    """What a report does not say.

    Attributes:
        due: The entry, and why it has to be said.
        share: The share of its terms that the report has, from 0 to 1.
        numbers: Its numbers that the report lacks, as they are written, sorted.
    """

    due: Due
    share: float
    numbers: tuple[str, ...]


def find_missing(board: Board, report: str, *, threshold: float = THRESHOLD) -> tuple[Missing, ...]:
    """Return what a report does not say of what it has to, in the order of the board.

    Args:
        board: The board.
        report: The report's text.
        threshold: The share of an entry's terms that must be in it, above 0 and at most 1.
    """
    said, figures = frozenset(all_terms(report)), frozenset(_numbers(report))
    found = []
    for due in board.surfacing():
        wanted = frozenset(terms(due.entry.text)) or frozenset(all_terms(due.entry.text))
        share = len(wanted & said) / len(wanted) if wanted else float(due.entry.text in report)
        numbers = tuple(sorted(set(_numbers(due.entry.text)) - figures))
        if share < threshold or numbers:
            found.append(Missing(due, share, numbers))
    return tuple(found)


def _numbers(text: str) -> list[str]:
    """Return the numbers of a text: ``840`` of ``840 ms`` and of ``840ms``; a name such as ``sha256`` has none."""
    words = "".join(char if char.isalnum() or char in ".,_" else " " for char in text).split()
    found = []
    for word in words:
        bare = word.replace(",", "")
        end = next((at for at, char in enumerate(bare) if not (char.isdecimal() or char == ".")), len(bare))
        found.append(bare[:end].strip("."))
    return [number for number in found if number]
