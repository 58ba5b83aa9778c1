"""A captured learning gets its place: the files that it names or that its turn touched, and the failure before it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files
from support.agent_work import captured_memories, edited, message_event, ran

from gitmem.agents import on_event
from gitmem.agents.event import PROMPT, READ, TOOL, Event
from gitmem.memory import Memory


def prompt(repo: Path) -> Event:
    return Event("claude-code", PROMPT, session="s1", folder=str(repo), prompt="go on with the next part please")


def read(repo: Path, path: str) -> Event:
    return Event("claude-code", TOOL, session="s1", folder=str(repo), tool=READ, path=str(repo / path), failed=False)


def captured_after(memory: Memory, *events: Event) -> dict[str, dict[str, object]]:
    for event in events:
        if event.name == PROMPT:
            on_event.answer_prompt(memory, event)
        elif event.name == TOOL:
            on_event.tool_used(memory, event)
        else:
            on_event.save_learnings(memory, event)
    return {found["title"]: found for found in captured_memories(memory).values()}


def paths(found: dict[str, object]) -> object:
    return found["frontmatter"].get("paths", [])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the pool needs a lock", ["src/pool.py"]),
        ("`src/wire.py` is generated", ["src/wire.py"]),
        ("wire.py is generated", ["src/wire.py"]),
        ("SeatGrid repaints after the font has loaded", ["web/SeatGrid.tsx"]),
    ],
)
def test_learning_is_about_what_it_names_else_about_what_its_turn_changed(
    memory: Memory, repo: Path, text: str, expected: list[str]
) -> None:
    commit_files(repo, dict.fromkeys(("src/pool.py", "src/wire.py", "web/SeatGrid.tsx"), "x = 1\n"))

    found = captured_after(
        memory,
        read(repo, "src/wire.py"),
        prompt(repo),
        read(repo, "src/wire.py"),
        edited(repo, "src/pool.py", "y = 1\n"),
        message_event(repo, f"Done.\n\nLEARNED: {text}"),
    )

    assert [paths(one) for one in found.values()] == [expected]


def test_what_an_earlier_turn_touched_is_not_its_place(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"src/pool.py": "x = 1\n"})

    found = captured_after(
        memory,
        edited(repo, "src/pool.py", "y = 1\n"),
        prompt(repo),
        message_event(repo, "LEARNED: a release takes ten minutes"),
    )

    assert [paths(one) for one in found.values()] == [[]]


@pytest.mark.parametrize(("command", "after"), [("git switch main", "fatal: main is taken"), ("cat src/pool.py", "")])
def test_client_that_reports_no_status_leaves_failures_by_their_output(
    memory: Memory, repo: Path, command: str, after: str
) -> None:
    commit_files(repo, {"src/pool.py": "x = 1\n"})
    failed = ran(repo, command, failed=None, output="fatal: main is taken", client="codex")

    (one,) = captured_after(memory, failed, message_event(repo, "LEARNED: a branch has one work tree")).values()

    assert bool(after) == ("fatal: main is taken" in one["body"])  # type: ignore[operator]


def test_failure_that_a_learning_follows_is_stored_with_it_and_does_not_make_it_another_one(
    memory: Memory, repo: Path
) -> None:
    failed = ran(repo, "pnpm vitest", failed=True, output="RUN\nError: getContext is not implemented")
    said = message_event(repo, "LEARNED: canvas tests need the polyfill")

    found = captured_after(memory, failed, said)
    again = captured_after(memory, message_event(repo, said.response, session="s2"))

    (one,) = found.values()
    assert one["body"].strip() == "Captured after `pnpm vitest` failed: Error: getContext is not implemented"  # type: ignore[attr-defined]
    assert one["frontmatter"]["branch"] == "main"  # type: ignore[index]
    assert list(again) == list(found)


def test_each_learning_of_a_turn_is_about_what_was_touched_since_the_one_before(memory: Memory, repo: Path) -> None:
    commit_files(repo, dict.fromkeys(("src/pool.py", "src/wire.py"), "x = 1\n"))

    found = captured_after(
        memory,
        prompt(repo),
        edited(repo, "src/pool.py", "y = 1\n"),
        message_event(repo, "LEARNED: a lock is held over the fork"),
        edited(repo, "src/wire.py", "y = 1\n"),
        message_event(repo, "LEARNED: frames end with two zeros"),
        message_event(repo, "LEARNED: a release takes ten minutes"),
    )

    assert [paths(one) for one in found.values()] == [["src/pool.py"], ["src/pool.py", "src/wire.py"], ["src/wire.py"]]
