"""How many memories count now."""

from __future__ import annotations

from conftest import NOW
from support.digests import days_ago
from support.facts import make_memory, put

from gitmem.index.catalog.state import count_live


def test_what_is_retired_superseded_expired_or_of_a_kind_left_out_does_not_count(memory, repo) -> None:
    put(
        repo,
        make_memory("a", "A"),
        make_memory("old", "Old", superseded_by="a"),
        make_memory("gone", "Gone"),
        make_memory("said", "Said", kind="outcome", created=days_ago(300), ttl="1d"),
        make_memory("says", "Says", kind="outcome", created=days_ago(0), ttl="1d"),
        make_memory("todo", "To do", kind="task"),
    )
    memory.forget("gone")

    assert count_live(memory.repository.catalog(), without=(), now=NOW) == 3
    assert count_live(memory.repository.catalog(), without=("task", "outcome"), now=NOW) == 1
