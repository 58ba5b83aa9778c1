"""Memories of every scope are told with what they are and whose."""

from __future__ import annotations

from support.facts import make_memory, put
from support.ids import named

from gitmem.commands.context.parts import compose, part_of
from gitmem.recall.query import Query
from gitmem.text.budget import count_tokens


def test_private_memory_is_shown_whole_with_its_author(memory, repo) -> None:
    put(repo, make_memory("k", "Retry", "Three times. " * 20, by={"who": "Ana", "agent": "scout"}))
    memory.remember("Retry the import. " * 15, title="Retries", key="mine", scope="private")

    part = part_of(memory.repository, "H", memory.recall(Query(text="retry")))

    texts = {entry.key: entry.text for entry in part.entries}
    assert texts["k"].startswith(f"- {named('k')} (gotcha, by agent scout) Retry: Three times.")
    assert texts["mine"].startswith("- [mine] (learned, private, by a person)")
    assert texts["mine"].count("Retry the import.") == 15


def test_composed_text_keeps_within_its_budget_with_the_fence(memory, repo) -> None:
    put(repo, *(make_memory(f"k{n}", f"Retry {n}", "Three times, then stop. " * 8) for n in range(6)))
    part = part_of(memory.repository, "H", memory.recall(Query(text="retry")))

    kept, text = compose(memory.repository, [part], 300)

    assert count_tokens(text) <= 300
    assert 0 < len(kept[0].entries) < 6
    assert len(kept[0].entries) + kept[0].more == 6
