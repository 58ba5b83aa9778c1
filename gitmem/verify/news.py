"""Select the parts of a result that are new to the reader, and record checks that could not run.

Everything is reported once: a failure when it is recorded, a check that cannot be run when it first cannot, a flapping
fact when it is marked. Afterwards it is only counted and listed, until it has changed.
"""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.model import ERROR, FAILS
from gitmem.verify.confirm import flapped, mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from gitmem.model import Verdict
    from gitmem.verify.judge import Result


def with_news(result: Result, *, noted: Collection[str], ended: Collection[str]) -> Result:
    """Return a result that knows whether it is news, and whether it marks its fact as flapping.

    A fact whose check could not be run, then could, and now cannot again, flaps as one does that fails and holds.

    Args:
        result: What came of judging one fact.
        noted: Facts whose check could not be run when it was tried last.
        ended: Facts of which that was so before it could be run again.
    """
    due = result.due
    is_steady, key = mark_of(due.latest) == 0, due.row.key
    if result.outcome == ERROR:
        is_marked = is_steady and key in ended and _is_own(due.latest)
        return replace(result, is_marked=is_marked, is_news=is_steady and not is_marked and key not in noted)
    if result.outcome == FAILS:
        return replace(result, is_news=due.verdict is None or due.verdict.outcome != FAILS)
    return replace(result, is_marked=is_steady and mark_of(result.verdict) > 0)


def attempted(result: Result, *, ended: Collection[str], now: int) -> Verdict | None:
    """Return the last verdict with the mark of a fact that flaps since it cannot be checked again; or None.

    Only a verdict that was made here: one that is only claimed would become our own by being written again. That a
    check cannot be run for the first time is noted in this clone alone: it may be a matter of this machine.
    """
    latest = result.due.latest
    if latest is None or not latest.own or result.due.row.key not in ended:
        return None
    return replace(flapped(latest, mark_of(latest), result.reason), attempt_at=now)


def _is_own(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.own
