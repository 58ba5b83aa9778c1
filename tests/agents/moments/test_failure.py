"""A command that fails brings back the memory that speaks of its error, once, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git
from support.agent_work import edited, ran
from support.each import each
from support.facts import make_fact, make_memory, put, verify
from support.ids import named

from gitmem.agents import on_event
from gitmem.agents.clients import claude_code
from gitmem.agents.event import COMPACTED, START, Event
from gitmem.agents.moments.cues import write_cues
from gitmem.memory import Memory

ERROR = "Exit code 1\nE       fixture 'frozen_clock' not found\n1 error in 0.05s"
COMMAND = "cd tests && pytest -q"


@pytest.fixture
def store(memory: Memory, repo: Path) -> Memory:
    put(
        repo,
        make_memory("clock", "pytest says \"fixture 'frozen_clock' not found\" in tests/", "Start it at the root."),
        make_memory("workers", "CI runs pytest on four workers"),
    )
    return memory


def test_memory_of_the_error_is_shown_once_for_each_context(store: Memory, repo: Path) -> None:
    failed = ran(repo, COMMAND, failed=True, output=ERROR)

    first, again = on_event.tool_used(store, failed), on_event.tool_used(store, failed)
    on_event.session_started(store, Event("claude-code", START, session="s1", folder=str(repo), source=COMPACTED))
    later = on_event.tool_used(store, failed)

    assert f"- {named('clock')} (gotcha, by a person)" in first
    assert "Start it at the root." in first
    assert "workers" not in first
    assert (again, bool(later)) == ("", True)


def test_memory_is_shown_where_a_pipe_hides_that_the_command_failed(store: Memory, repo: Path) -> None:
    hidden, harmless = "E       fixture 'frozen_clock' not found\n1 error", "fixture 'frozen_clock' not found: 0 times"

    assert on_event.tool_used(store, ran(repo, f"{COMMAND} | head", failed=False, output=harmless)) == ""
    assert "clock" in on_event.tool_used(store, ran(repo, f"{COMMAND} 2>&1 | tail -5", failed=False, output=hidden))


@each(
    ("failed", "output"),
    [(True, "Exit code 1"), (True, "E   assert 5 == 4"), (False, ERROR), (None, "fixture frozen_clock is fine")],
)
def test_nothing_is_shown_without_an_error_that_a_memory_speaks_of(
    store: Memory, repo: Path, failed: bool | None, output: str
) -> None:
    assert on_event.tool_used(store, ran(repo, COMMAND, failed=failed, output=output)) == ""


def test_memory_of_what_the_command_needs_is_shown_whatever_it_says(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("proxy", "`npm run e2e` needs the proxy", "Start it with make proxy."),
        make_memory("browser", "A browser in a container fills /dev/shm", "Give it another folder."),
        make_memory("unit", "`npm run unit` needs nothing"),
    )
    full = "Exit code 1\nError: /dev/shm/.org.chromium.X: No space left on device"

    assert named("proxy") in on_event.tool_used(memory, ran(repo, "npm run e2e -- --ci", failed=True))
    assert named("browser") in on_event.tool_used(memory, ran(repo, "make shots", failed=True, output=full))
    assert on_event.tool_used(memory, ran(repo, "npm run unit", failed=False)) == ""


def test_failure_counts_where_a_client_reports_no_status(store: Memory, repo: Path) -> None:
    output = ERROR.removeprefix("Exit code 1\n")

    assert named("clock") in on_event.tool_used(store, ran(repo, COMMAND, failed=None, output=output))


def test_belief_that_failed_is_shown_as_failed(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("codes", {"exists": "nothing"}, title="E_GATEWAY_BUSY means that the pool is full"))
    verify(memory)

    text = on_event.tool_used(memory, ran(repo, "make", failed=True, output="error E_GATEWAY_BUSY (5)"))

    assert "(fact, failed, by a person) FAILED:" in text


def test_same_command_that_was_repaired_before_brings_back_the_repair(memory: Memory, repo: Path) -> None:
    output = "Exit code 1\nmigrate: column zone_step is missing in table rates"
    for event in (
        ran(repo, "make migrate", failed=True, output=output, session="s0"),
        edited(repo, "db/zones.sql", session="s0"),
        ran(repo, "make migrate", failed=False, session="s0"),
    ):
        on_event.tool_used(memory, event)
    memory.captures.drain()

    text = on_event.tool_used(memory, ran(repo, "make migrate", failed=True, output=output))

    assert "passed after changes of db/zones.sql" in text


def test_memory_whose_own_words_speak_comes_before_those_captured_after_the_same_failure(
    memory: Memory, repo: Path
) -> None:
    after = "Captured after `pytest` failed: E       fixture 'frozen_clock' not found"
    own = make_memory("own", "conftest.py of the root has frozen_clock", "Elsewhere nothing knows of it. " * 20)
    put(repo, own, *(make_memory(f"same-{name}", f"The {name} fixture is not shared", after) for name in "abc"))

    text = on_event.tool_used(memory, ran(repo, COMMAND, failed=True, output=ERROR))

    assert f"- {named('own')}" in text
    assert sum(text.count(named(f"same-{name}")) for name in "abc") == 1


def test_warning_is_shown_before_the_command_once_and_nothing_at_others(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("mirror", "Never force-push to main", "The mirror of the bank stops."),
        make_memory("push", "A push to main starts the long tests"),
    )

    shown = [_announced(memory, repo, command) for command in ("git push", "git push -f", "git push --force origin x")]

    assert [bool(one) for one in shown] == [False, True, False]
    answer = json.loads(shown[1])["hookSpecificOutput"]
    assert answer["hookEventName"] == "PreToolUse"
    assert answer.keys() == {"hookEventName", "additionalContext"}
    assert named("mirror") in answer["additionalContext"]
    assert named("push") not in answer["additionalContext"]


def test_warning_about_another_branch_than_that_of_head_is_left_out(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("mirror", "Never force-push to main", "The mirror of the bank stops."))
    git(repo, "checkout", "-q", "-b", "pdf")

    shown = [_announced(memory, repo, f"git push {options}") for options in ("-f", "-f origin HEAD", "-f origin main")]

    assert [bool(one) for one in shown] == [False, False, True]


def test_what_is_done_before_a_commit_is_shown_where_its_files_are_committed(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("clear", "Clear the outputs before you commit", "They leaked once.", paths=["books/**"]))
    write_cues(memory.repository)
    for name in ("src/a.py", "books/a.ipynb"):
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("1\n")
    lines = ("git add src/a.py && git commit -m x", "git add books/a.ipynb && git commit -m x")

    assert [named("clear") in _announced(memory, repo, line) for line in lines] == [False, True]


def test_other_cautions_are_shown_beside_a_commit_of_other_files(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("auto", "pytest -n auto deadlocks", "The workers share a schema.", paths=["tests/**"]))
    write_cues(memory.repository)
    (repo / "a.py").write_text("1\n")

    assert named("auto") in _announced(memory, repo, "pytest -n auto && git add a.py && git commit -m x")


def _announced(memory: Memory, repo: Path, command: str) -> str:
    payload = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(repo), "tool_name": "Bash"}
    event = claude_code.parse(payload | {"tool_input": {"command": command}}, "")
    return claude_code.answer(event, on_event.command_announced(memory, event)) if event else ""
