"""What an agent may change: what it wrote as itself, for the same person; more where it leads."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git
from support.facts import make_memory, put

from gitmem.errors import NotFoundError, RefusedError
from gitmem.mcp.rights import refuse_known_fact, refuse_others, refuse_replacing
from gitmem.memory import Memory


@pytest.mark.parametrize(
    ("by", "leads", "may"),
    [
        ({"who": "Ana", "agent": "bot"}, "", True),
        ({"who": "Ben", "agent": "bot"}, "", False),
        ({"who": "Ana", "agent": "other"}, "", False),
        ({"who": "Ana"}, "", False),
        ("Ana", "", False),
        ({"who": "Ben"}, "bot", True),
        ({"who": "Ben"}, "*", True),
        ({"who": "Ben"}, "other", False),
    ],
)
def test_own_memories_and_those_of_who_is_led(memory, repo: Path, by: object, leads: str, may: bool) -> None:
    put(repo, make_memory("storm", "A retry storm", by=by))
    if leads:
        git(repo, "config", "gitmem.leads", leads)
    with Memory(repo) as mine:
        mine.repository.agent = "bot"
        if may:
            assert refuse_others(mine, "sto", "", "delete it") == "storm"
            refuse_replacing(mine, "storm", "")
        else:
            with pytest.raises(RefusedError, match="may delete it"):
                refuse_others(mine, "storm", "", "delete it")
            with pytest.raises(RefusedError, match="may replace it"):
                refuse_replacing(mine, "storm", "")


def test_private_memory_is_the_agents_own(memory) -> None:
    memory.remember("A private storm", key="storm", scope="private")

    memory.repository.agent = "bot"

    assert refuse_others(memory, "storm", "", "delete it") == "storm"


def test_unused_key_is_free(memory, repo: Path) -> None:
    put(repo, make_memory("storm-of-retries", "A retry storm"))
    memory.repository.agent = "bot"

    refuse_replacing(memory, "storm", "")  # the beginning of another one's
    refuse_known_fact(memory, "There is a README", "")
    with pytest.raises(NotFoundError):
        refuse_others(memory, "nothing", "", "delete it")
