"""Judge a failure by contrast: decide what to run again before recording it, and which facts are flapping.

A check that does not pass now, but held at an earlier commit, first runs there, and a second time if it does not pass
there. If it passes there, the change is the cause: the check runs again at the judged commit (``FIRM`` runs in all,
fewer for slow checks), and must fail each time. If it does not pass there, the code is not the cause: the fact is
*blocked*. A single passing run is enough for the fact to hold: exit 0 proves it, and a check that fails and then holds
on the same code is itself unreliable. Such a fact is *marked* as flapping. A mark is the number of equal answers that
are still needed: each equal answer subtracts one, each further flap adds ``AGAIN``. While a fact is marked, a failure
is recorded only after as many equal answers as the mark says. So a random failure is not believed, and
a real break of a flapping fact is still reported at its commit: there it fails every time, and at the earlier commit it
holds.

A check that both fails and holds at the earlier commit is flapping there, and must fail here as often as that of a
marked fact.

None of this covers the first failure of a check that fails at random, which a few runs cannot tell from a break. So the
number of runs in which a quick check must fail depends on its known equal answers (a sequential test: Wald, Sequential
Tests of Statistical Hypotheses, 1945); ``FIRM`` runs are enough once there are ``STEADY`` answers. They are collected
before anything breaks: a quick check that holds for the first time runs again at once (``Judge``), and is marked if it
flaps then. This is not needed if a run's answer follows from the files that it read (``trace.determinism``).

The number of runs was chosen by simulation (``tests/verify/run/test_confirm.py`` repeats it as a test). A fact that
holds and whose check fails at random is judged at 50 commits. The averages of 4,000 such walks are::

    fails at random      2 %    5 %    10 %     20 %     30 %     50 %
    wrongly accused      0      0      0.0005   0.0003   0.0005   0.005
    marked               0.9    1.3    1.2      1.0      1.0      1.0

A fact about the outside world can become false without a change to the code. If it is declared as such, it is not
compared and fails; the cause is outside the repository, and no commit is blamed. If its run was only seen to use the
network or git's tags, it is compared like any other: a plugin of pytest asks git for tags, whatever the test is about
(measured).

The code that runs checks is passed in: this module runs nothing.
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.model import BLOCKED, FAILS, HOLDS, NOT_HERE, UNPROVEN, Verdict
from gitmem.store.verdicts.environment import difference
from gitmem.verify.due import ENVIRONMENT
from gitmem.verify.run.outcome import UNCLEAR
from gitmem.verify.trace.outside import DECLARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # Runs the check on one commit of the code, so many times or until it holds; returns what each showed, and why.
    Ask = Callable[[str, int], list[tuple[str, str]]]

# Failing runs at the judged commit that a failure needs; the number if a user is waiting; and the number for checks
# slower than SLOW_S. With the run at the earlier commit, a break costs at most five runs, or four of a slow check.
FIRM, HURRIED, FEW = 4, 2, 3
SLOW_S = 10.0
# A check faster than QUICK_S that fails at random at this rate is wrongly accused with at most this probability on its
# first failure. STEADY is the number of equal answers from which on FIRM runs are enough for that.
RATE, CHANCE, QUICK_S = 0.3, 0.00085, 0.5
STEADY = 10
# Runs at the commit where it held, until one passes.
THERE = 2
# The mark after the first flap, the increase for each further one, and the largest mark.
FIRST, AGAIN, MOST = 10, 20, 50
# The most failing runs for a marked fact: a coin falls on the same side 20 times once in a million.
MOST_ASKED = 20
# How the reason begins if the check depends on the outside world, so that no commit is blamed.
OUTSIDE = "outside the repository"


@frozen
class Confirmation:
    """The result of running a failed check again.

    Attributes:
        outcome: ``fails``; ``holds`` if the check held on the same code after all; ``blocked`` if the code is probably
            not the cause; ``unproven`` if nothing shows that it is.
        reason: Why it is blocked or unproven, on one line.
        verdict: The verdict; None if it is blocked. If it is unproven, the failure that is not confirmed.
    """

    outcome: str
    reason: str = ""
    verdict: Verdict | None = None


def confirm(
    latest: Verdict | None, new: Verdict, *, ask: Ask, held: str, is_unclear: bool, firm: int = FIRM, written: str = ""
) -> Confirmation:
    """Judge a failed check by contrast.

    A failure counts only if the check passes at an earlier commit: where it last held or, if it was never seen to
    hold, where the fact was written.

    Args:
        latest: The latest verdict of this specification and claim, whatever its inputs; it contains the mark.
        new: The failure.
        ask: Runs the check.
        held: The commit where it last held, if that can be run here; else empty.
        is_unclear: Whether the environment may be the cause; then the fact only fails if it held at an earlier commit.
        firm: Runs that must fail if the fact is not marked.
        written: The commit where a fact was written that was never seen to hold; else empty.
    """
    if new.outside == DECLARED:
        held = written = ""  # there is no earlier state of the outside world to compare with
    before = held or written
    mark = mark_of(latest)
    there = ask(before, min(mark + firm, MOST_ASKED) if mark else THERE) if before and before != new.commit else []
    answers = {outcome for outcome, _ in there}
    is_change = HOLDS in answers
    if not is_change and not held:
        firm = min(firm, FIRM if new.outside == DECLARED else HURRIED)  # it accuses no commit
    times = min(mark + firm, MOST_ASKED) if mark else firm
    if is_change and FAILS in answers and firm >= FIRM:  # it flapped at the earlier commit
        times = max(times, FIRST + FIRM)
    is_elsewhere = bool(held) and bool(answers) and not answers & {HOLDS, BLOCKED}
    # If it does not pass there either, or the environment may be the cause, one more run shows whether it flaps.
    more = times if is_change or mark or not (is_elsewhere or is_unclear) else 2
    for number, (outcome, why) in enumerate(ask(new.commit, more - 1), 1):
        if outcome == HOLDS:
            reason = f"it failed{f' {number} times' * (number > 1)}, then held on the same code"
            return Confirmation(HOLDS, verdict=mark_flap(_as_holding(new), latest, reason))
        if outcome == BLOCKED or (outcome == UNCLEAR and not (is_change or is_unclear)):
            return Confirmation(BLOCKED, f"it failed once, and could not be run again: {why}")
    if is_change:
        return Confirmation(FAILS, verdict=replace(new, confirmed=True, outside=""))
    # Use of the outside world is not necessarily the cause of a failure: a plugin of pytest asks git for tags.
    if new.outside == DECLARED and not is_unclear:
        return Confirmation(FAILS, verdict=replace(blame_outside(new), confirmed=True))
    new = replace(new, outside="")
    if is_elsewhere:
        return Confirmation(
            BLOCKED, f"{new.because}; it does not pass at {held[:12]} either, where it held: {ENVIRONMENT}"
        )
    if held == new.commit:
        return Confirmation(BLOCKED, f"{new.because}; it held on this commit before: {ENVIRONMENT}")
    return unconfirmed(new, is_unclear=is_unclear, held=held)


def unconfirmed(new: Verdict, *, is_unclear: bool, held: str = "") -> Confirmation:
    """Return what a failure shows that no contrast confirms; *held* is the commit where it held, if there is one."""
    if is_unclear:
        return Confirmation(BLOCKED, new.because)
    reason = f"{NOT_HERE}: {new.because}"
    if held:
        reason += f"; the commit where it held, {held[:12]}, could not be checked"
    return Confirmation(UNPROVEN, reason, replace(new, confirmed=False))


def blame_outside(verdict: Verdict) -> Verdict:
    """Return a failure whose reason says that its cause is outside the repository."""
    return replace(verdict, because=f"{OUTSIDE}: {verdict.because}")


def runs_needed(seconds: float, steadiness: int, *, is_hurried: bool) -> int:
    """Return the number of failing runs that a failure needs.

    Args:
        seconds: The duration of one run.
        steadiness: How many equal answers the check has given since it flapped (``due.steadiness``).
        is_hurried: Whether a user is waiting for the answer.
    """
    if is_hurried:
        return HURRIED
    if seconds > SLOW_S:
        return FEW
    runs = FIRM
    while seconds < QUICK_S and (1 - RATE) ** steadiness * RATE ** (runs - 1) > CHANCE:
        runs += 1
    return runs


def _as_holding(new: Verdict) -> Verdict:
    return replace(new, outcome=HOLDS, because="", held_commit=new.commit, held_at=new.at, confirmed=True)


def mark_of(latest: Verdict | None) -> int:
    """Return the number of equal answers still needed, limited because a pushed file may claim any number."""
    return min(latest.flapping, MOST) if latest else 0


def mark_flap(verdict: Verdict, latest: Verdict | None, reason: str) -> Verdict:
    """Return a verdict with the mark of a fact that just flapped, and a description of the flap."""
    mark = mark_of(latest)
    left = min(mark + AGAIN, MOST) if mark else FIRST
    marked = replace(verdict, flapping=left, alike=0, attempt=reason, attempt_at=verdict.at)
    return with_beginning(marked, latest) if mark and latest is not None else marked


def update_mark(old: Verdict | None, latest: Verdict | None, new: Verdict) -> Verdict:
    """Return an undoubted verdict with the remaining mark: reduced by one, or raised if the answer contradicts *old*.

    Args:
        old: The verdict that counted so far, or None.
        latest: The latest verdict of this specification and claim, whatever its inputs.
        new: The new verdict.
    """
    mark = mark_of(latest)
    is_world = old is not None and bool(old.outside or new.outside)  # the world changes without the inputs
    if (
        old is not None
        and old.own
        and not is_world
        and old.inputs == new.inputs
        and not difference(old.environment, new.environment)
        and (old.outcome, new.outcome) == (FAILS, HOLDS)
    ):
        return mark_flap(new, latest, "it failed before, on the same inputs")
    if mark > 1 and latest is not None:
        left = replace(new, flapping=mark - 1, attempt=latest.attempt, attempt_at=latest.attempt_at)
        return with_beginning(left, latest) if new.outcome == HOLDS else left
    return new


def trial_runs(seconds: float, steadiness: int) -> int:
    """Return how often a check that holds must run again, so that FIRM runs are enough when it fails."""
    return max(0, STEADY - steadiness - 1) if seconds < QUICK_S else 0


def count_tries(verdict: Verdict, latest: Verdict | None, shown: Sequence[str], steadiness: int) -> Verdict:
    """Return the verdict of a check that holds, with the number of its known equal answers.

    Args:
        verdict: The verdict.
        latest: The latest verdict before it.
        shown: The answers of further runs on the same code, up to the first failure.
        steadiness: The number of equal answers known before.
    """
    if FAILS in shown:
        return mark_flap(verdict, latest, f"it held, then failed in run {len(shown) + 1} on the same code")
    return replace(verdict, alike=min(steadiness + 1 + shown.count(HOLDS), STEADY))


def with_beginning(new: Verdict, latest: Verdict) -> Verdict:
    """Return a verdict of a fact that is still flapping, with the known commits at which that began."""
    if not latest.culprit or latest.outcome != HOLDS:
        return new
    known = {"culprit": latest.culprit, "culprit_after": latest.culprit_after}
    return replace(new, attempt=latest.attempt, attempt_at=latest.attempt_at, **known)
