"""Compare texts word by word. Pure and bounded: a text designed to be slow counts as replaced."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from gitmem.commands.review.model import GONE, NEW, SAME, WordRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The most words of one text, and the most pairs of equal words, that are compared: SequenceMatcher takes time
# proportional to the pairs for each run that it finds (difflib, "worst case quadratic", and worse with repeated
# elements).
MOST_WORDS = 4_000
MOST_PAIRS = 60_000
# The most pairs that one review compares in all: about two seconds (measured: 10 million per second).
BUDGET = 20_000_000
# Unchanged words shown around a change.
CONTEXT = 12

_WORD = re.compile(r"\S+\s*|\s+")


class PairBudget:
    """The number of pairs of words that a review may still compare."""

    def __init__(self, left: int = BUDGET) -> None:
        self.left = left

    def take(self, cost: int) -> bool:
        """Subtract a number, and return whether enough was left."""
        self.left -= cost
        return self.left >= 0


def diff(before: str, after: str, budget: PairBudget) -> tuple[WordRun, ...]:
    """Return the pieces of two texts in order; none if they only differ in white space at the ends."""
    before, after = before.strip(), after.strip()
    if before == after:
        return ()
    old, new = _WORD.findall(before), _WORD.findall(after)
    head = _count_common(old, new)
    tail = _count_common(old[head:][::-1], new[head:][::-1])
    ends = len(old) - tail, len(new) - tail
    middle = _compare(old[head : ends[0]], new[head : ends[1]], budget)
    return _merge_runs([WordRun(SAME, "".join(old[:head])), *middle, WordRun(SAME, "".join(old[ends[0] :]))])


def _count_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many leading words two texts share; white space after a word does not count."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a.strip() != b.strip()),
        min(len(one), len(other)),
    )


def _compare(old: list[str], new: list[str], budget: PairBudget) -> list[WordRun]:
    whole = [WordRun(GONE, "".join(old)), WordRun(NEW, "".join(new))]
    if not old or not new or max(len(old), len(new)) > MOST_WORDS:
        return whole
    bare = [word.strip() for word in old], [word.strip() for word in new]
    counts: dict[str, int] = {}
    for word in bare[1]:
        counts[word] = counts.get(word, 0) + 1
    pairs = sum(counts.get(word, 0) for word in bare[0])
    if pairs > MOST_PAIRS or not budget.take(pairs * 10 + len(old) + len(new)):
        return whole
    pieces = []
    for op, a, b, c, d in SequenceMatcher(None, bare[0], bare[1], autojunk=False).get_opcodes():
        if op == "equal":
            pieces.append(WordRun(SAME, "".join(new[c:d])))
            continue
        pieces += [WordRun(GONE, "".join(old[a:b])), WordRun(NEW, "".join(new[c:d]))]
    return pieces


def _merge_runs(pieces: list[WordRun]) -> tuple[WordRun, ...]:
    """Return the non-empty pieces, with unchanged text cut to the surroundings of a change."""
    nonempty = [piece for piece in pieces if piece.text]
    last = len(nonempty) - 1
    return tuple(
        WordRun(SAME, _shorten(piece.text, is_first=at == 0, is_last=at == last)) if piece.op == SAME else piece
        for at, piece in enumerate(nonempty)
    )


def _shorten(text: str, *, is_first: bool, is_last: bool) -> str:
    words = _WORD.findall(text)
    words_kept = CONTEXT if is_first or is_last else CONTEXT * 2
    if len(words) <= words_kept + 4:  # leaving out fewer saves nothing
        return text
    head = "" if is_first else "".join(words[:CONTEXT])
    tail = "" if is_last else "".join(words[-CONTEXT:])
    return f"{head}[… {len(words) - words_kept} words …] {tail}"
