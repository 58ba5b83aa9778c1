"""A merge becomes one commit: new contents, entries that are there already, deletions, and what is to settle."""

from __future__ import annotations

from gitmem.git.objects import PathEntry
from gitmem.store.merge.plan import plan_of
from gitmem.store.merge.trees import Conflict, MergeResult, StoreState


def test_the_plan_has_what_the_overlay_says_and_names_the_conflicts() -> None:
    overlay = {"a.md": PathEntry("100644", "1" * 40), "b.md": PathEntry("100644", "2" * 40), "c.md": None}
    state = StoreState("0" * 40, overlay, {"1" * 40: b"new"})

    planned = plan_of(MergeResult(state, (Conflict("a", "a.md", ("title",)),)), "9" * 40, "sync: merge")

    assert (planned.subject, planned.merged) == ("sync: merge, 1 to settle", "9" * 40)
    assert planned.writes == (("a.md", b"new"),)
    assert planned.entries == (("b.md", "100644", "2" * 40),)
    assert planned.deletes == ("c.md",)
    assert planned.trailers == (("Gitmem-Conflict", "a"),)
