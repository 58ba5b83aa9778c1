"""A command that failed and passes after a change gives a candidate for a gotcha; nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agent_work import SECRET, captured_memories, edited, ran
from support.each import each

from gitmem.agents import on_event
from gitmem.agents.capture.fixes import Fix, command_of, tail_of
from gitmem.memory import Memory

TEST = "pytest -q tests/test_pool.py"
FAILED = "Exit code 1\n.F\nE   assert 3 == 5\nFAILED tests/test_pool.py::test_size - assert 3 == 5\n1 failed in 0.1s"


def play(memory: Memory, *events: object) -> list[dict]:
    """Let events happen, and return the gotchas that came of them."""
    for event in events:
        on_event.tool_used(memory, event)
    return [shown for shown in captured_memories(memory).values() if shown["kind"] == "gotcha"]


def test_what_failed_was_changed_and_passed_is_a_candidate(memory: Memory, repo: Path) -> None:
    (found,) = play(
        memory,
        ran(repo, f"cd {repo} && {TEST} 2>&1", failed=True, output=FAILED),
        edited(repo, "src/gateway/retry.py"),
        ran(repo, f"{TEST} -x", failed=True, output="another command"),
        edited(repo, "README.md"),
        ran(repo, TEST, output="1 passed"),
    )

    fields = found["frontmatter"]
    assert found["title"] == f"{TEST} failed: FAILED tests/test_pool.py::test_size - assert 3 == 5"
    assert "E   assert 3 == 5" in found["body"]
    assert (fields["paths"], fields["confidence"], fields["ttl"]) == (["README.md", "src/gateway/retry.py"], 0.3, "30d")
    assert "candidate" in fields["tags"]
    assert fields["by"]["agent"] == "claude-code"


def test_it_is_reported_once(memory: Memory, repo: Path) -> None:
    events = [ran(repo, TEST, failed=True, output=FAILED), edited(repo, "a.py"), ran(repo, TEST), ran(repo, TEST)]
    assert len(play(memory, *events)) == 1
    before = memory.repository.find_tip()

    play(memory, ran(repo, TEST))

    assert memory.repository.find_tip() == before


@pytest.mark.parametrize(
    "events",
    [
        [("fail", TEST), ("pass", TEST)],
        [("edit", "a.py"), ("pass", TEST)],
        [("fail", TEST), ("edit", "a.py"), ("pass", "pytest -q")],
        [("fail", TEST), ("edit", "a.py"), ("unknown", TEST)],
        [("fail", TEST), *[("edit", f"{n}.py") for n in range(9)], ("pass", TEST)],
        [("fail", "grep -r x ."), ("edit", "a.py"), ("pass", "grep -r x .")],
        [("fail", f"{TEST} | tail -5"), ("edit", "a.py"), ("pass", f"{TEST} | tail -5")],
        [("fail", f"curl -H 'Authorization: Bearer {SECRET}' x"), ("edit", "a.py"), ("pass", TEST)],
        [("quiet", TEST), ("edit", "a.py"), ("pass", TEST)],
        [("fail", TEST), ("edit", "/etc/hosts"), ("pass", TEST)],
    ],
    ids=[
        "no-edit",
        "no-failure",
        "another",
        "unknown",
        "too-many",
        "search",
        "pipe",
        "secret",
        "no-output",
        "elsewhere",
    ],
)
def test_other_sequences_of_events_are_not_a_fix(memory: Memory, repo: Path, events: list[tuple[str, str]]) -> None:
    made = {
        "fail": lambda line: ran(repo, line, failed=True, output=FAILED),
        "quiet": lambda line: ran(repo, line, failed=True, output="Exit code 1"),
        "pass": lambda line: ran(repo, line),
        "unknown": lambda line: ran(repo, line, failed=None),
        "edit": lambda path: edited(repo, path),
    }

    assert play(memory, *(made[what](about) for what, about in events)) == []


def test_secret_in_an_output_is_nowhere(memory: Memory, repo: Path) -> None:
    play(
        memory,
        ran(repo, TEST, failed=True, output=f"denied for {SECRET}\nE  error: denied"),
        edited(repo, "a.py"),
    )
    files = [
        path.read_bytes()
        for path in Path(memory.repository.git.repository.state, "capture").rglob("*")
        if path.is_file()
    ]

    (found,) = play(memory, ran(repo, TEST))

    assert files
    assert not any(SECRET.encode() in content for content in files)
    assert SECRET not in found["body"]


def test_sessions_are_apart(memory: Memory, repo: Path) -> None:
    events = [ran(repo, TEST, failed=True, output=FAILED), edited(repo, "a.py", session="s2")]

    assert play(memory, *events, ran(repo, TEST, session="s2"), ran(repo, TEST)) == []


def test_types_that_are_exempt_and_a_policy_that_wants_none_are_left_alone(memory: Memory, repo: Path) -> None:
    by = {"agent": "a1", "agent_type": "worker-supervisor"}
    events = [ran(repo, TEST, failed=True, output=FAILED, **by), edited(repo, "a.py", **by), ran(repo, TEST, **by)]

    assert play(memory, *events) == []


@each(
    ("line", "command"),
    [
        ("cd x && FOO=1 make test 2>&1", "make test"),
        ("cd x; npm  run   build", "npm run build"),
        ("cargo build && cargo test", "cargo build && cargo test"),
        ("sudo -u me ./configure --prefix '/a b'", "configure --prefix /a b"),
        ("make || true", ""),
        ("make; ls", ""),
        ("make $TARGET", ""),
        ("make &", ""),
        ("make 'a\nb'", ""),
        ("make " + "x" * 300, ""),
        ("ls", ""),
        ("'", ""),
    ],
)
def test_same_command_is_the_same_text(line: str, command: str) -> None:
    assert command_of(line) == command


def test_tail_is_the_last_lines_that_say_something() -> None:
    assert tail_of("Exit code 2\n" + "\n\n".join(f"line {n}" for n in range(99)) + "\n\x1b[31mred\x1b[0m\n")[-2:] == [
        "line 98",
        "red",
    ]


@each(
    ("line", "is_left_out"),
    [
        ("Exit code 2", True),
        ("exit status: 2", True),
        ("Command failed with exit code 127", True),
        ("Exit code 2 of the linker", False),
        ("Exit code unknown", False),
        ("the exit code 2", False),
    ],
)
def test_line_that_is_only_an_exit_status_says_nothing(line: str, is_left_out: bool) -> None:
    assert tail_of(f"broken\n{line}\n") == ["broken", *([] if is_left_out else [line])]


@each(
    ("count", "error"),
    [("===== 2 errors in 0.1s =====", "fixture missing"), ("Found 1 error in 1 file", "a.py:1: error: no such name")],
)
def test_title_is_the_line_with_the_cause_not_a_count(count: str, error: str) -> None:
    assert Fix("make check", (error, count), ("a.py",)).title == f"make check failed: {error}"
