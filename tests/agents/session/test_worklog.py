"""The worklog is compact, bounded, and without secrets."""

from __future__ import annotations

from support.sessions import edited, lines, ran

from gitmem.agents.event import OTHER, TOOL, Event
from gitmem.agents.session import worklog

TOKEN = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


def worklog_entries(memory, session: str = "s1") -> list[dict]:
    return lines(memory.sessions.topic(session).worklog_path)


def test_commands_and_edits_are_kept_in_short(memory, repo) -> None:
    worklog.record(memory.repository, ran("pytest -q\n  tests", failed=True, output="a\n1 failed in 2 s\n"))
    worklog.record(memory.repository, edited(str(repo / "src/a.py"), "/elsewhere/b.py"))
    worklog.record(memory.repository, Event("claude-code", TOOL, session="s1", tool=OTHER, tool_name="Read"))

    shell, edit, other = worklog_entries(memory)
    assert (shell["did"], shell["failed"], shell["said"]) == ("pytest -q tests", True, "1 failed in 2 s")
    assert edit["did"] == ["src/a.py", "/elsewhere/b.py"]
    assert (other["tool"], other["did"]) == ("other", "Read")
    assert worklog.tail(memory.sessions.topic("s1"), 10) == [
        "ran pytest -q tests → failed: 1 failed in 2 s",
        "edited src/a.py, /elsewhere/b.py",
    ]


def test_secrets_and_control_characters_are_not_kept(memory) -> None:
    worklog.record(memory.repository, ran(f"curl -H 'x: {TOKEN}' \x1b]0;x\x07", failed=True, output=f"no: {TOKEN}"))

    with open(memory.sessions.topic("s1").worklog_path) as file:
        text = file.read()
    assert TOKEN not in text
    assert "[secret: github-token]" in text
    assert "\\u001b" not in text


def test_secret_across_the_cut_is_not_stored_in_part(memory) -> None:
    worklog.record(memory.repository, ran("echo " + "word " * (worklog.READ_CHARS // 5 - 6) + TOKEN))
    worklog.record(memory.repository, ran("echo" + " " * (worklog.READ_CHARS - 20) + TOKEN))

    assert not any(TOKEN[:8] in entry["did"] for entry in worklog_entries(memory))


def test_secret_across_the_beginning_of_a_long_last_line_is_not_stored_in_part(memory) -> None:
    for room in (worklog.READ_CHARS - 20, 20_000 - len(TOKEN)):
        worklog.record(memory.repository, ran("make", failed=True, output="no: " + TOKEN + " x" * (room // 2)))

    assert not any(TOKEN[-12:] in entry["said"] for entry in worklog_entries(memory))


def test_the_worklog_stays_small(memory) -> None:
    for number in range(30):
        worklog.record(memory.repository, ran(f"echo {number} " + "y" * 50_000))

    assert all(len(entry["did"]) <= worklog.KEPT_CHARS for entry in worklog_entries(memory))


def test_a_damaged_entry_says_nothing() -> None:
    for entry in ({}, {"tool": "edit", "did": 3}, {"tool": "shell", "did": None}):
        assert worklog.line_of(entry) == ""
