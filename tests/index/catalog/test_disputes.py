"""What contradicts a memory is kept, says so, and is doubtful until a person settles it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agent_work import message_event

from gitmem.agents import on_event
from gitmem.index.catalog.disputes import doubted, list_disputes
from gitmem.memory import Memory

OLDER = "Use tabs and not spaces in Makefiles here"
NEWER = "Use spaces and not tabs in Makefiles here"


def say(memory: Memory, repo: Path, text: str) -> None:
    on_event.save_learnings(memory, message_event(repo, f"LEARNED: {text}"))
    memory.captures.drain()


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (OLDER, NEWER),
        ("The mailer retries 3 times", "The mailer retries 5 times"),
        ("Sessions are stored in Redis", "Sessions are stored in Memcached"),
        ("Migrations must never be edited after release", "Migrations may be edited after release"),
        ("Der Server läuft auf Port 8080", "Der Server läuft auf Port 9000"),
        ("缓存的有效期是 5 分钟", "缓存的有效期是 10 分钟"),
    ],
)
def test_captured_line_that_contradicts_a_memory_is_kept_and_doubtful(
    memory: Memory, repo: Path, older: str, newer: str
) -> None:
    key = memory.remember(older, kind="decision").key
    before = memory.show(key).document

    say(memory, repo, newer)

    (dispute,) = list_disputes(memory.repository.catalog())
    assert (dispute.title, dispute.other, dispute.doubtful) == (newer, key, dispute.key)
    assert memory.show(key).document == before


def test_person_that_contradicts_an_agent_is_believed(memory: Memory, repo: Path) -> None:
    say(memory, repo, OLDER)

    key = memory.remember(NEWER).key

    catalog = memory.repository.catalog()
    (dispute,) = list_disputes(catalog)
    assert (dispute.key, dispute.doubtful) == (key, dispute.other)
    assert doubted(catalog, [key, dispute.other]) == {dispute.other: key}


def test_retiring_either_side_settles_it(memory: Memory, repo: Path) -> None:
    key = memory.remember(OLDER).key
    say(memory, repo, NEWER)

    memory.forget(key)

    assert list_disputes(memory.repository.catalog()) == []


def test_unrelated_memories_and_one_that_supersedes_are_no_dispute(memory: Memory, repo: Path) -> None:
    key = memory.remember(OLDER).key
    memory.remember(NEWER, supersedes=[key])
    say(memory, repo, "The API listens on port 8080")

    assert list_disputes(memory.repository.catalog()) == []
