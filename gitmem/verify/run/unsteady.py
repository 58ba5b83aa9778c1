"""Unsteady facts: how often a check fails on one commit, and whether it did so at an earlier one as well.

A check that fails now and then accuses nobody of breaking the fact, but a change may have made it so. Where a fact is
seen to flap for the first time, its check runs ``RUNS`` times at the commit that is judged, and then at the one where
it held, until it fails there too or has held so often that chance hardly explains the difference. Then the fact is
*unsteady since* the first of the two, and ``why`` searches between them with the same test.

What runs a check is handed in: nothing here runs anything.
"""

from __future__ import annotations

from math import comb

from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILS, HOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # Runs the check so many times at one commit, or until one is as the last argument says; returns what each showed.
    Runs = Callable[[str, int, str], Sequence[str]]

# Runs by which it is seen how often a check fails; of those that take longer than this, only `why` asks.
RUNS = 8
QUICK_S = 2.0
# How likely chance alone may explain that it fails at one commit and never at the other; and the most runs there.
CHANCE = 0.01
MOST_RUNS = 26


@frozen
class Rate:
    """How often a check failed.

    Attributes:
        failures: Runs that did not pass.
        runs: All of them.
    """

    failures: int
    runs: int

    def __str__(self) -> str:
        """Return it as ``4 of 8 runs fail``."""
        return f"{self.failures} of {self.runs} runs fail"

    def needed(self) -> int:
        """Return how many runs must hold at another commit before it is said to be steady; 0 where that is too many.

        Source: Fisher's exact test, one-sided: of all ways to spread the failures over the runs at both commits, the
        share in which all of them are at this one.
        """
        if not self.failures:
            return 0
        ways = comb(self.runs, self.failures)
        more = range(1, MOST_RUNS + 1)
        return next((n for n in more if ways <= CHANCE * comb(self.runs + n, self.failures)), 0)


def rate_at(commit: str, runs: Runs) -> Rate:
    """Return how often the check fails at a commit; runs that learned nothing do not count."""
    shown = [outcome for outcome in runs(commit, RUNS, "") if outcome != BLOCKED]
    return Rate(sum(outcome != HOLDS for outcome in shown), len(shown))


def steadiness(commit: str, needed: int, runs: Runs) -> str:
    """Return ``holds`` where a check is steady at a commit, ``fails`` where it is not, ``blocked`` if nothing is known.

    Args:
        commit: The commit.
        needed: How many runs must hold (``Rate.needed``).
        runs: Runs the check.
    """
    shown = runs(commit, needed, FAILS)
    if any(outcome not in (HOLDS, BLOCKED) for outcome in shown):
        return FAILS
    return HOLDS if len(shown) == needed and BLOCKED not in shown else BLOCKED


def since(commit: str, rate: Rate, steady: str = "", needed: int = 0) -> str:
    """Return since when a fact is unsteady and how that is known, on one line; *steady* is the last commit before."""
    there = f", none of {needed} at {steady[:12]}" if steady else ""
    return f"unsteady since {commit[:12]}: {rate} there{there}"
