"""Compare the statuses of memories in the two states, for one code commit."""

from __future__ import annotations

from gitmem.commands.review import sanitize
from gitmem.commands.review.model import Shift
from gitmem.frozen import frozen
from gitmem.index.catalog import state
from gitmem.model import BLOCKED, FAILED, STALE, STATUSES, SUSPECT, UNPROVEN
from gitmem.statuses import SIGNS, RewordedChain, describe_chain
from gitmem.verify.blame.culprit import reasons_of
from gitmem.verify.due import KnownFacts, refresh_states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.git import Git
    from gitmem.index.catalog.state import MemoryStatus
    from gitmem.verify.inputs import CodeTree

# Most severe first.
GRAVITY = (*STATUSES, "")
# The reasons of statuses that are the same for every memory.
_REASONS = {
    BLOCKED: SIGNS[BLOCKED].meaning,
    UNPROVEN: "no known verdict applies: its check or its claim is new, or its verdict is gone",
    STALE: "its verdict is for other inputs, or too old",
}


@frozen
class StoreStatuses:
    """The statuses of the live memories in one state of the store.

    Attributes:
        by_key: The status that readers see, by key.
        titles: Title and path, by key.
        reasons: Why each failed fact fails, by key.
    """

    by_key: Mapping[str, MemoryStatus]
    titles: Mapping[str, tuple[str, str]]
    reasons: Mapping[str, tuple[str, str]]


def read_statuses(known: KnownFacts, git: Git, code: CodeTree) -> StoreStatuses:
    """Return the statuses of a catalog's memories for a commit of the code."""
    catalog, local, now = known.catalog, known.local, known.now
    ground = refresh_states(known, git, code.commit, code)
    rows = catalog.rows(f"SELECT m.id, m.key, m.title, m.path FROM memory m WHERE {state.LIVE}")
    chains = state.suspects(catalog, ground)
    statuses = state.statuses_of(catalog, ground, [row[0] for row in rows], now=now, chains=chains)
    by_key = {key: statuses[number] for number, key, _, _ in rows}
    failed = [key for key, status in by_key.items() if status.status == FAILED]
    reasons = reasons_of(catalog, git, ground, failed, local) if failed else {}
    return StoreStatuses(by_key, {key: (title, path) for _, key, title, path in rows}, reasons)


def list_shifts(before: StoreStatuses, after: StoreStatuses) -> tuple[Shift, ...]:
    """Return the changed statuses, most severe first, then by key; removed memories are reported elsewhere."""
    shifts = []
    for key, status in after.by_key.items():
        was = before.by_key[key].status if key in before.by_key else ""
        # A new fact without a verdict is reported with its command.
        if status.status == was or (status.status == UNPROVEN and key not in before.by_key):
            continue
        title, path = after.titles[key]
        shifts.append(
            Shift(
                key, sanitize.line(title), was, status.status, _because(key, status, before, after), status.chain, path
            )
        )
    return tuple(sorted(shifts, key=lambda shift: (GRAVITY.index(shift.after), shift.key)))


def _because(key: str, status: MemoryStatus, before: StoreStatuses, after: StoreStatuses) -> str:
    if status.status == FAILED:
        return sanitize.line("; ".join(filter(None, after.reasons.get(key, ()))))
    if status.status == SUSPECT:
        failed = status.chain[-1] if status.chain and not isinstance(status.chain, RewordedChain) else ""
        why = "; ".join(filter(None, after.reasons.get(failed, ())))
        return sanitize.line(describe_chain(status.chain) + (f", which failed: {why}" if why else ""))
    return _REASONS.get(status.status, "")
