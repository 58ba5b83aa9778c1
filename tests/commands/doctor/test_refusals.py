"""Refused texts wait whole, without their secrets, until a person accepts or drops them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agent_work import SECRET, captured_memories, ran

from gitmem.agents import on_event
from gitmem.errors import NotFoundError, RefusedError
from gitmem.memory import Memory
from gitmem.store.state.spool import Spool


@pytest.fixture
def refused(memory: Memory, repo: Path) -> str:
    """Return the name of a text that was refused because it holds a secret."""
    on_event.tool_used(memory, ran(repo, f'bd comment shop-12 "LEARNED: the gateway wants {SECRET} as its token"'))
    assert captured_memories(memory) == {}
    (found,) = memory.captures.list_refused()
    assert (found.kind, found.text) == ("learned", "the gateway wants [secret: github-token] as its token")
    assert "github-token in line 1" in found.why
    return found.name


def test_accepted_text_is_a_memory_with_its_task(memory: Memory, refused: str) -> None:
    assert memory.captures.accept(refused) == 1

    ((_, found),) = captured_memories(memory).items()
    assert found["title"] == "the gateway wants [secret: github-token] as its token"
    assert found["frontmatter"]["task"] == "shop-12"
    assert memory.captures.list_refused() == []


def test_dropped_text_is_gone(memory: Memory, refused: str) -> None:
    assert memory.captures.drop("all") == 1

    assert memory.captures.list_refused() == []
    with pytest.raises(NotFoundError, match=refused):
        memory.captures.drop(refused)


def test_refused_text_of_a_shell_comment_is_kept_as_typed(memory: Memory, repo: Path) -> None:
    line = 'bd comment shop-12 "LEARNED: $(cat lesson)"'
    on_event.tool_used(memory, ran(repo, line))

    (found,) = memory.captures.list_refused()
    assert (found.text, found.why) == (line, "a comment of claude-code: it is only a variable or substitution")


def test_accept_fails_without_a_text_or_if_it_is_refused_again(memory: Memory) -> None:
    spool = Spool(memory.repository.git.repository.state)
    spool.note_refused("an older gitmem kept the reason alone")
    spool.note_refused("first", {"text": "a text of no kind", "kind": "no such kind!"})
    lost, odd = memory.captures.list_refused()

    with pytest.raises(RefusedError, match="was not kept"):
        memory.captures.accept(lost.name)
    with pytest.raises(RefusedError, match="refused again"):
        memory.captures.accept(odd.name)
    assert [one.name for one in memory.captures.list_refused()] == [lost.name, odd.name]
