"""Judge by contrast: decide what runs again before a failure is recorded, what the answers mean, and what flaps.

A check that does not pass now, and held at a commit before, runs there first, and once more if it does not pass there
either. If it passes there, the change did it: it runs again at the commit that is judged (``FIRM`` runs in all, fewer
for slow checks), and then it fails. If it does not pass there, the code did not do it: it is *blocked*. One answer
that it holds is enough to say that it holds: exit 0 is what proves the fact, and what fails and then holds on the
same code is the check's weakness, not the code's. Such a fact is *marked* as flapping. A mark is the number of runs
that must still answer alike: each like answer takes one off, each further flap puts ``AGAIN`` on. While there is one,
a failure needs as many like answers as the mark says before it is recorded, so a coin is not believed, and a real
break of a flapping fact is still reported at its commit: it fails every time, and it holds where it held.

A check that fails and then holds at the commit where it held flaps there: it must fail here as often as a marked one.
Neither says anything of the first failure of a check that fails at random, which few runs cannot tell from a break. So
the runs that a quick check must fail follow from the equal answers that are known of it (a sequential test, Wald,
Sequential Tests of Statistical Hypotheses, 1945): ``FIRM`` are enough once there are ``STEADY``. They are collected
before anything breaks: a quick check that holds for the first time runs again at once (``Judge``), and what flaps is
marked then. Neither is needed where a run's answer follows from the files that it read (``trace.determined``).

How often to ask was chosen by simulation (``tests/verify/run/test_confirm.py`` has it as a test): a fact that holds and
whose check fails at random, judged at 50 commits, is accused wrongly, and marked, so many times (4,000 walks):

    fails at random      2 %    5 %    10 %     20 %     30 %     50 %
    accused              0      0      0.0005   0.0003   0.0005   0.005
    marked               0.9    1.3    1.2      1.0      1.0      1.0

A fact about the world is false where nothing in the code changed. Declared as one, it is not compared, and fails: the
cause is outside the repository, and no commit. Where its run was only seen to use the network or git's tags, it is
compared like any other: a plugin of pytest asks git for tags, whatever the test is about (measured).

What runs a check is handed in: nothing here runs anything.
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.model import BLOCKED, FAILS, HOLDS, Verdict
from gitmem.store.environment import difference
from gitmem.verify.due import ENVIRONMENT
from gitmem.verify.run.outcome import UNCLEAR
from gitmem.verify.trace.outside import DECLARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # Runs the check on one commit of the code, so many times or until it holds; returns what each showed, and why.
    Ask = Callable[[str, int], list[tuple[str, str]]]

# Runs that must fail at the commit that is judged before a fact is said to fail; where somebody waits for the answer;
# and of checks that take longer than SLOW_S: with the one where it held, a break costs at most five, and these four.
FIRM, HURRIED, FEW = 4, 2, 3
SLOW_S = 10.0
# A check that takes less than QUICK_S and fails at random in so many of its runs is accused with at most this chance,
# when it fails for the first time; and the equal answers from which on FIRM runs are enough for that.
RATE, CHANCE, QUICK_S = 0.3, 0.00085, 0.5
STEADY = 10
# Runs where it held, until one passes.
THERE = 2
# What the first flap marks a fact with, what each further one adds, and the most that comes of it.
FIRST, AGAIN, MOST = 10, 20, 50
# A failure of a marked fact runs at most so often: a coin falls on the same side 20 times once in a million.
MOST_ASKED = 20
# How it begins where the check depends on the world, and no commit is to blame.
OUTSIDE = "outside the repository"


@frozen
class Confirmation:
    """The result of running again a check that did not pass.

    Attributes:
        outcome: ``fails``; ``holds`` where the check held on the same code after all; ``blocked`` where the code is not
            the cause, as far as anybody can tell.
        reason: Why it is blocked, on one line.
        verdict: The verdict; None where it is blocked.
    """

    outcome: str
    reason: str = ""
    verdict: Verdict | None = None


def confirm(
    latest: Verdict | None, new: Verdict, *, ask: Ask, held: str, is_unclear: bool, firm: int = FIRM
) -> Confirmation:
    """Judge by contrast a check that does not pass.

    Args:
        latest: The latest verdict of this specification and claim, whatever its inputs: it has the mark.
        new: The failure.
        ask: Runs the check.
        held: The commit where it held last, if that can be run here; else empty.
        is_unclear: Whether the failure may be the environment's: without a commit to compare with, it accuses nobody.
        firm: Runs that must fail where the fact is not marked.
    """
    if new.outside == DECLARED:
        held = ""  # the world has no earlier state to compare with
    if not held:
        firm = min(firm, FIRM)  # a fact that never held here accuses no commit
    mark = mark_of(latest)
    times = min(mark + firm, MOST_ASKED) if mark else firm
    there = ask(held, max(times, THERE) if mark else THERE) if held and held != new.commit else []
    answers = {outcome for outcome, _ in there}
    is_change = HOLDS in answers
    if is_change and FAILS in answers and firm >= FIRM:  # it flapped there
        times = max(times, FIRST + FIRM)
    is_elsewhere = bool(answers) and not answers & {HOLDS, BLOCKED}
    # Where it does not pass there either, or it may be the environment's, one more run tells whether it flaps.
    more = times if is_change or mark or not (is_elsewhere or is_unclear) else 2
    for number, (outcome, why) in enumerate(ask(new.commit, more - 1), 1):
        if outcome == HOLDS:
            said = f"it failed{f' {number} times' * (number > 1)}, then held on the same code"
            return Confirmation(HOLDS, verdict=flapped(_holding(new), latest, said))
        if outcome == BLOCKED or (outcome == UNCLEAR and not (is_change or is_unclear)):
            return Confirmation(BLOCKED, f"it failed, then could not run: {why}")
    if is_change:
        return Confirmation(FAILS, verdict=replace(new, confirmed=True, outside=""))
    # That a run was seen to use the world does not say that it failed for it: a plugin of pytest asks git for tags.
    if new.outside == DECLARED and not is_unclear:
        return Confirmation(FAILS, verdict=replace(blame_outside(new), confirmed=True))
    new = replace(new, outside="")
    if is_elsewhere:
        return Confirmation(
            BLOCKED, f"{new.because}; it does not pass at {held[:12]} either, where it held: {ENVIRONMENT}"
        )
    if held == new.commit:
        return Confirmation(BLOCKED, f"{new.because}; it held on this commit before: {ENVIRONMENT}")
    if is_unclear:
        return Confirmation(BLOCKED, new.because)
    return Confirmation(FAILS, verdict=replace(new, confirmed=False))


def blame_outside(verdict: Verdict) -> Verdict:
    """Return a failure whose cause is outside the repository, which says so."""
    return replace(verdict, because=f"{OUTSIDE}: {verdict.because}")


def runs_needed(seconds: float, steadiness: int, *, is_hurried: bool) -> int:
    """Return how many runs must fail before a fact is said to fail.

    Args:
        seconds: How long one takes.
        steadiness: How many equal answers are known of the check since it flapped (``due.steadiness``).
        is_hurried: Whether somebody waits for the answer.
    """
    if is_hurried:
        return HURRIED
    if seconds > SLOW_S:
        return FEW
    runs = FIRM
    while seconds < QUICK_S and (1 - RATE) ** steadiness * RATE ** (runs - 1) > CHANCE:
        runs += 1
    return runs


def _holding(new: Verdict) -> Verdict:
    return replace(new, outcome=HOLDS, because="", held_commit=new.commit, held_at=new.at, confirmed=True)


def mark_of(latest: Verdict | None) -> int:
    """Return how many runs must still answer alike; a pushed file may claim any number."""
    return min(latest.flapping, MOST) if latest else 0


def flapped(verdict: Verdict, latest: Verdict | None, said: str) -> Verdict:
    """Return a verdict with the mark of a fact that just flapped, and what it did."""
    mark = mark_of(latest)
    left = min(mark + AGAIN, MOST) if mark else FIRST
    marked = replace(verdict, flapping=left, alike=0, attempt=said, attempt_at=verdict.at)
    return with_beginning(marked, latest) if mark and latest is not None else marked


def steadied(old: Verdict | None, latest: Verdict | None, new: Verdict) -> Verdict:
    """Return a verdict that was not in doubt with the mark that is left: one run less, or a flap where it contradicts.

    Args:
        old: The verdict that counted so far, or None.
        latest: The latest verdict of this specification and claim, whatever its inputs.
        new: What the check showed.
    """
    mark = mark_of(latest)
    is_world = old is not None and bool(old.outside or new.outside)  # which changes while the inputs do not
    if (
        old is not None
        and old.own
        and not is_world
        and old.inputs == new.inputs
        and not difference(old.environment, new.environment)
        and (old.outcome, new.outcome) == (FAILS, HOLDS)
    ):
        return flapped(new, latest, "it failed before, on the same inputs")
    if mark > 1 and latest is not None:
        left = replace(new, flapping=mark - 1, attempt=latest.attempt, attempt_at=latest.attempt_at)
        return with_beginning(left, latest) if new.outcome == HOLDS else left
    return new


def trial_runs(seconds: float, steadiness: int) -> int:
    """Return how often a check that holds runs again, so that FIRM runs will be enough when it fails."""
    return max(0, STEADY - steadiness - 1) if seconds < QUICK_S else 0


def tried(verdict: Verdict, latest: Verdict | None, shown: Sequence[str], steadiness: int) -> Verdict:
    """Return the verdict of a check that holds with the equal answers that are known of it.

    Args:
        verdict: The verdict.
        latest: The latest verdict before it.
        shown: What more runs on the same code showed: as many as held, or until one failed.
        steadiness: The equal answers that were known before.
    """
    if FAILS in shown:
        return flapped(verdict, latest, f"it held, then failed in run {len(shown) + 1} on the same code")
    return replace(verdict, alike=min(steadiness + 1 + shown.count(HOLDS), STEADY))


def with_beginning(new: Verdict, latest: Verdict) -> Verdict:
    """Return a verdict of a fact that still flaps with what is known of when that began."""
    if not latest.culprit or latest.outcome != HOLDS:
        return new
    known = {"culprit": latest.culprit, "culprit_after": latest.culprit_after}
    return replace(new, attempt=latest.attempt, attempt_at=latest.attempt_at, **known)
