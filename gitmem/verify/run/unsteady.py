"""Unsteady facts: measure how often a check fails at one commit, and whether it also did at an earlier one.

A check that fails now and then does not show that a commit broke the fact, but a change may have made it unsteady. When
a fact flaps for the first time, its check runs ``RUNS`` times at the judged commit. It then runs at the commit where
the fact held, until it fails there too or has held so often that chance hardly explains the difference. In the latter
case the fact is *unsteady since* the judged commit, and ``why`` searches between the two with the same test.

The code that runs checks is passed in: this module runs nothing.
"""

from __future__ import annotations

from math import comb

from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILS, HOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # Runs the check at one commit up to a number of times, or until the last argument is shown; returns the outcomes.
    Runs = Callable[[str, int, str], Sequence[str]]

# Runs that measure how often a check fails; checks slower than this are only measured by `why`.
RUNS = 8
QUICK_S = 2.0
# Probability that chance explains failures at one commit and none at the other; and the most runs there.
CHANCE = 0.01
MOST_RUNS = 26


@frozen
class Rate:
    """How often a check failed.

    Attributes:
        failures: Runs that did not pass.
        runs: All runs.
    """

    failures: int
    runs: int

    def __str__(self) -> str:
        """Format the rate as ``4 of 8 runs fail``."""
        return f"{self.failures} of {self.runs} runs fail"

    def runs_needed(self) -> int:
        """Return how many runs must hold at another commit for it to count as steady; 0 if that is too many.

        Source: Fisher's exact test, one-sided: the share, among all ways to distribute the failures over the runs at
        both commits, in which all of them are at this one.
        """
        if not self.failures:
            return 0
        ways = comb(self.runs, self.failures)
        more = range(1, MOST_RUNS + 1)
        return next((n for n in more if ways <= CHANCE * comb(self.runs + n, self.failures)), 0)


def rate_at(commit: str, runs: Runs) -> Rate:
    """Return how often the check fails at a commit; runs without an answer do not count."""
    shown = [outcome for outcome in runs(commit, RUNS, "") if outcome != BLOCKED]
    return Rate(sum(outcome != HOLDS for outcome in shown), len(shown))


def steadiness(commit: str, needed: int, runs: Runs) -> str:
    """Return ``holds`` if a check is steady at a commit, ``fails`` if it is not, ``blocked`` if nothing was learned.

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
    """Describe since when a fact is unsteady and the evidence, on one line; *steady* is the last steady commit."""
    there = f", none of {needed} at {steady[:12]}" if steady else ""
    return f"unsteady since {commit[:12]}: {rate} there{there}"
