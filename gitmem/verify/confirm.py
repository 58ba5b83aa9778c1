"""Confirm failures before recording them, and mark flapping checks: decide what runs again, and what the answers mean.

A check that newly fails runs again (``FIRM`` times in all), and then where it held last. One answer that it holds is
enough to say that it holds: exit 0 is what proves the fact, and what fails and then holds on the same code is the
check's weakness, not the code's. Such a fact is *marked* as flapping. A mark is the number of runs that must still
answer alike: each like answer takes one off, each further flap puts ``AGAIN`` on. While it stands, a failure needs as
many like answers as the mark says before it is recorded, so a coin is not believed, and a real break of a flapping
fact is still told at its commit: it fails every time, and it holds where it held.

How often to ask was chosen by simulation (``tests/verify/test_confirm.py`` has it as a test): a fact that holds and
whose check fails at random, judged at 250 commits, is accused wrongly so many times in all:

    fails at random          5 %    10 %    20 %    30 %    50 %
    asked twice, no mark     0.68   2.5     9.2    18      34
    five times, no mark      0      0       0.15   0.67    7.4
    five times, marked       0      0       0.005  0.005   0.05
    it is marked again        4.4    1.9     1.1    1.1     1.0

What runs a check is handed in: nothing here runs anything.
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.model import ERROR, FAILS, HOLDS, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # Runs the check on one commit of the code and returns what that shows, and why.
    Ask = Callable[[str], tuple[str, str]]

# Runs that must fail before a fact is said to fail; and where its author, who adds it now, waits for the answer.
FIRM, HURRIED = 5, 2
# What the first flap marks a fact with, what each further one adds, and the most that comes of it.
FIRST, AGAIN, MOST = 10, 20, 50
# A failure of a marked fact runs at most so often: a coin falls on the same side 20 times once in a million.
MOST_ASKED = 20


@frozen
class Confirmation:
    """The result of running a failed check again.

    Attributes:
        outcome: ``fails``; ``holds`` where the check held on the same code after all; ``error`` where nothing was
            learned.
        reason: Why nothing was learned, on one line.
        verdict: The verdict; None where nothing was learned.
    """

    outcome: str
    reason: str = ""
    verdict: Verdict | None = None


def confirm(
    old: Verdict | None,
    latest: Verdict | None,
    new: Verdict,
    *,
    ask: Ask,
    is_ancestor: Callable[[str], bool],
    firm: int = FIRM,
) -> Confirmation:
    """Ask a check that newly fails again, then where it held last: if it only fails there too, nothing was learned.

    Args:
        old: The verdict that counted so far, or None.
        latest: The latest verdict of this specification and claim, whatever its inputs: it has the mark.
        new: The failure.
        ask: Runs the check on one commit.
        is_ancestor: Tells whether a commit is one of the history of the code that is judged.
        firm: Runs that must fail where the fact is not marked.
    """
    mark = mark_of(latest)
    times = min(mark + FIRM, MOST_ASKED) if mark else firm
    for number in range(1, times):
        outcome, why = ask(new.commit)
        if outcome == HOLDS:
            said = f"it failed{f' {number} times' * (number > 1)}, then held on the same code"
            return Confirmation(HOLDS, verdict=flapped(_holding(new), mark, said))
        if outcome == ERROR:
            return Confirmation(ERROR, f"it failed, then could not run: {why}")
    if not new.held_commit:
        return Confirmation(FAILS, verdict=new)
    if old is not None and not old.own:
        return Confirmation(FAILS, verdict=replace(new, confirmed=_is_claim_true(new, ask, is_ancestor, times)))
    if new.held_commit == new.commit:
        return Confirmation(ERROR, "it held on this commit before: the environment changed")
    before = _ask_until(ask, new.held_commit, times)
    if before == FAILS:
        reason = f"it also fails at {new.held_commit[:12]}, where it held before: the environment changed"
        return Confirmation(ERROR, reason)
    return Confirmation(FAILS, verdict=replace(new, confirmed=before == HOLDS))


def _holding(new: Verdict) -> Verdict:
    return replace(new, outcome=HOLDS, because="", held_commit=new.commit, held_at=new.at, confirmed=True)


def _ask_until(ask: Ask, commit: str, times: int) -> str:
    """Ask on one commit until something else than a failure comes of it, at most so many times."""
    for _ in range(times):
        outcome, _ = ask(commit)
        if outcome != FAILS:
            return outcome
    return FAILS


def _is_claim_true(new: Verdict, ask: Ask, is_ancestor: Callable[[str], bool], times: int) -> bool:
    """Return whether a check holds at the commit that somebody else says it held at.

    Only an ancestor of the code that is judged is run, and it can confirm the failure but never excuse it: whoever
    pushes to the memory branch writes that name.
    """
    held = new.held_commit
    return held != new.commit and is_ancestor(held) and _ask_until(ask, held, times) == HOLDS


def mark_of(latest: Verdict | None) -> int:
    """Return how many runs must still answer alike; a pushed file may claim any number."""
    return min(latest.flapping, MOST) if latest else 0


def flapped(verdict: Verdict, mark: int, said: str) -> Verdict:
    """Return a verdict with the mark of a fact that just flapped, and what it did."""
    return replace(verdict, flapping=min(mark + AGAIN, MOST) if mark else FIRST, attempt=said, attempt_at=verdict.at)


def steadied(old: Verdict | None, latest: Verdict | None, new: Verdict) -> Verdict:
    """Return a verdict that was not in doubt with the mark that is left: one run less, or a flap where it contradicts.

    Args:
        old: The verdict that counted so far, or None.
        latest: The latest verdict of this specification and claim, whatever its inputs.
        new: What the check showed.
    """
    mark = mark_of(latest)
    if old is not None and old.own and old.inputs == new.inputs and (old.outcome, new.outcome) == (FAILS, HOLDS):
        return flapped(new, mark, "it failed before, on the same inputs")
    if mark > 1 and latest is not None:
        return replace(new, flapping=mark - 1, attempt=latest.attempt, attempt_at=latest.attempt_at)
    return new
