"""Transcripts give what hooks would have captured, except what they did capture."""

from __future__ import annotations

from pathlib import Path

from support.agent_work import captured_memories, message_event, ran

from gitmem.agents import on_event
from gitmem.agents.capture.turns import capture
from gitmem.agents.transcripts.turns import COMMAND, EDIT, PROMPT, SAID, Turn
from gitmem.memory import Memory

COMMENT = 'bd comment shop-12 "LEARNED: retries must be idempotent"'
KEY = "retries-must-be-idempotent"


def test_words_and_comments_are_kept_and_prompts_and_failures_are_not(memory: Memory, repo: Path) -> None:
    turns = [
        Turn(PROMPT, "LEARNED: what a person pasted"),
        Turn(COMMAND, COMMENT, "ok", failed=False),
        Turn(COMMAND, 'bd comment shop-13 "LEARNED: nothing was written"', "no such issue", failed=True),
        Turn(SAID, "DECISION: keep five retries"),
    ]

    capture(memory.repository, message_event(repo, ""), turns)

    found = captured_memories(memory)
    assert {key: one["kind"] for key, one in found.items()} == {
        KEY: "learned",
        "keep-five-retries": "decision",
    }
    assert found[KEY]["frontmatter"]["task"] == "shop-12"


def test_what_a_hook_captured_and_a_person_renamed_does_not_come_back(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, ran(repo, COMMENT))
    captured_memories(memory)
    memory.remember("Retries are idempotent, so the gateway may repeat any of them", key="retries")
    memory.supersede(KEY, "retries")

    capture(memory.repository, message_event(repo, ""), [Turn(COMMAND, COMMENT, "ok", failed=False)])

    assert memory.captures.drain() == 0


def test_learning_said_between_calls_is_about_what_came_before_it(memory: Memory, repo: Path) -> None:
    turns = [
        Turn(PROMPT, "prepare the release"),
        Turn(EDIT, files=("setup.cfg",), failed=False),
        Turn(COMMAND, "make sdist", "Error: CHANGES is missing", failed=True),
        Turn(SAID, "LEARNED: the archive names its files twice"),
        Turn(COMMAND, "sed -i s/a/b/ src/pool.py", failed=False),
        Turn(SAID, "LEARNED: a lock is held over the fork"),
        Turn(EDIT, files=("docs/pool.md",), failed=False),
        Turn(COMMAND, "git switch main", "fatal: main is taken", failed=True),
        Turn(PROMPT, "and now the pool"),
        Turn(SAID, "LEARNED: a release takes ten minutes"),
    ]

    capture(memory.repository, message_event(repo, ""), turns)

    found = {one["title"]: one for one in captured_memories(memory).values()}
    assert {title: one["frontmatter"].get("paths", []) for title, one in found.items()} == {
        "the archive names its files twice": ["setup.cfg"],
        "a lock is held over the fork": ["src/pool.py"],
        "a release takes ten minutes": [],
    }
    assert "make sdist" in found["the archive names its files twice"]["body"]
    assert "failed" not in found["a lock is held over the fork"]["body"] + found["a release takes ten minutes"]["body"]
