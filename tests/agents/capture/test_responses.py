"""A learning in an agent's responses is captured once, however often it is repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agent_work import SECRET, captured_memories, message_event, ran, refusals

from gitmem.agents import on_event
from gitmem.memory import Memory
from gitmem.store.state.plain_files import waiting_captures

TEXT = "All done. LEARNED: retries must be idempotent."
KEY = "retries-must-be-idempotent"


def test_line_of_an_answer_is_kept_once(memory: Memory, repo: Path) -> None:
    on_event.save_learnings(memory, message_event(repo, TEXT))
    assert list(captured_memories(memory)) == [KEY]
    before = memory.repository.find_tip()

    on_event.save_learnings(memory, message_event(repo, TEXT, session="s2"))

    assert list(captured_memories(memory)) == [KEY]
    assert memory.repository.find_tip() == before


def test_what_a_comment_said_before_is_left_as_it_is(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, ran(repo, 'bd comment shop-12 "LEARNED: retries must be idempotent."'))

    on_event.save_learnings(memory, message_event(repo, TEXT))

    assert captured_memories(memory)[KEY]["frontmatter"]["task"] == "shop-12"


def test_what_was_forgotten_does_not_come_back(memory: Memory, repo: Path) -> None:
    on_event.save_learnings(memory, message_event(repo, TEXT))
    captured_memories(memory)
    memory.forget(KEY)

    on_event.save_learnings(memory, message_event(repo, TEXT))

    assert captured_memories(memory)[KEY]["archived"]


@pytest.mark.parametrize("text", ["", "Nothing was learned", "```\nLEARNED: an example\n```", "LEARNED: ok"])
def test_other_answers_keep_nothing(memory: Memory, repo: Path, text: str) -> None:
    on_event.save_learnings(memory, message_event(repo, text))

    assert waiting_captures(memory.repository.git.repository.state) == ()
    assert refusals(memory) == []


def test_secret_is_refused(memory: Memory, repo: Path) -> None:
    on_event.save_learnings(memory, message_event(repo, f"LEARNED: the token is {SECRET}"))

    assert captured_memories(memory) == {}
    assert "github-token" in refusals(memory)[0]
