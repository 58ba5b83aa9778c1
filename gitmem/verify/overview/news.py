"""Select the parts of a result that are new to the reader.

Everything is reported once: a failure when it is recorded, a blocked check when it is first blocked, a flapping fact
when it is marked. After that it is only counted and listed, until it changes.
"""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.model import BLOCKED, FAILS, UNPROVEN
from gitmem.verify.moves import places_moved_to
from gitmem.verify.run.confirm import mark_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from gitmem.verify.run.judge import Result


def with_news(result: Result, *, noted: Collection[str]) -> Result:
    """Set on a result whether it is news, and whether it marks its fact as flapping.

    Args:
        result: The result of judging one fact.
        noted: Facts whose check did not pass in this clone at the last attempt, without a verdict.
    """
    due = result.due
    is_steady = mark_of(due.latest) == 0
    if result.verdict is not None and places_moved_to(result.verdict.moved):
        result = replace(result, is_moved=due.verdict is None or due.verdict.moved != result.verdict.moved)
    has_failed = due.verdict is not None and due.verdict.outcome == FAILS
    if result.outcome in (BLOCKED, UNPROVEN):  # a failed fact stays failed until it can be checked again
        return replace(result, is_news=is_steady and not has_failed and due.row.key not in noted)
    if result.outcome == FAILS:
        return replace(result, is_news=not has_failed)
    return replace(result, is_marked=is_steady and mark_of(result.verdict) > 0)
