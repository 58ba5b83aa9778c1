"""The file with the phrases of commands about which memories have a caution."""

from __future__ import annotations

from pathlib import Path

from support.facts import make_memory, put

from gitmem.agents.moments.cues import cued_phrases, write_cues
from gitmem.memory import Memory


def test_phrases_are_those_of_the_present_memories(memory: Memory, repo: Path) -> None:
    assert cued_phrases(str(repo), "pytest -n auto") == []
    put(repo, make_memory("a", "pytest -n auto deadlocks"), make_memory("b", "The lights blink"))

    write_cues(memory.repository)

    assert cued_phrases(str(repo), "pytest -n auto tests") == ["pytest -n"]
    assert cued_phrases(str(repo), "pytest tests") == []
    assert cued_phrases(str(repo.parent / "missing"), "pytest -n auto") == []
