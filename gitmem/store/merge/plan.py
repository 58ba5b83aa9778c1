"""The commit for a merge of two states of a store."""

from __future__ import annotations

from gitmem.store.commit import CommitPlan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.store.merge.trees import MergeResult

# The most memories named in trailers.
TRAILERS = 50


def plan_of(merged: MergeResult, theirs: str, subject: str) -> CommitPlan:
    """Return the merge commit: the overlay on our tree, with their commit as its second parent."""
    state = merged.state
    new = [(path, entry) for path, entry in sorted(state.overlay.items()) if entry is not None]
    keys = [conflict.key for conflict in merged.conflicts]
    made = state.contents
    return CommitPlan(
        subject + (f", {len(keys)} to settle" if keys else ""),
        writes=tuple((path, made[entry.oid]) for path, entry in new if entry.oid in made),
        entries=tuple((path, entry.mode, entry.oid) for path, entry in new if entry.oid not in made),
        deletes=tuple(sorted(path for path, entry in state.overlay.items() if entry is None)),
        merged=theirs,
        trailers=tuple(("Gitmem-Conflict", key) for key in keys[:TRAILERS]),
    )
