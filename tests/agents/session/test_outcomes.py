"""Outcomes of commands: fixed ones, tests, and commands that only look."""

from __future__ import annotations

from support.each import each

from gitmem.agents.session.outcomes import follow, is_test, plain, reason
from gitmem.agents.transcripts.turns import COMMAND, EDIT, Turn


def ran(command: str, failed: bool | None, output: str = "") -> Turn:
    return Turn(COMMAND, command, output, failed)


def test_a_command_that_failed_and_then_passed_was_fixed_by_what_changed_between() -> None:
    turns = [
        Turn(EDIT, files=("before.py",)),
        ran("make", True, "x\nerror: no rule\nbye"),
        Turn(EDIT, files=("failed.py",), failed=True),
        Turn(EDIT, files=("Makefile",)),
        ran("cd sub && make 2>&1 | tail -3", False),
    ]

    (found,) = follow(turns)

    assert (found.command, found.was_fixed, found.failed, found.failures) == ("make", True, False, 1)
    assert (found.why, found.between) == ("error: no rule", ("Makefile",))


def test_a_command_that_fails_again_was_fixed_but_fails() -> None:
    (found,) = follow([ran("make", True), ran("make", False), ran("make", True)])

    assert (found.was_fixed, found.failed, found.failures) == (True, True, 2)


def test_a_test_run_that_hides_its_status_failed_by_what_it_says() -> None:
    (found,) = follow([ran("pytest -q | tail -2", False, "1 failed, 3 passed in 2s")])

    assert (found.failed, found.counts) == (True, "1 failed, 3 passed in 2s")


@each("command", ["grep -r x .", "ls", "git status", "cat a", "FOO=1 rg x", "cd a; ls", ""])
def test_what_only_looks_is_left_out(command: str) -> None:
    assert follow([ran(command, True)]) == []


def test_a_command_that_still_runs_says_nothing() -> None:
    assert follow([ran("make serve", None)]) == []


def test_a_refused_push_is_something_to_do() -> None:
    assert plain("git push origin main") == "git push origin main"


@each(
    ("command", "expected"),
    [
        ("python -m pytest -q tests", True),
        (".venv/bin/pytest", True),
        ("npm test", True),
        ("npm run test", True),
        ("go test ./...", True),
        ("cargo nextest run", True),
        ("make check", True),
        ("./gradlew :app:test", True),
        ("pip install pytest-xdist", False),
        ("cat pytest.ini", False),
        ("make", False),
    ],
)
def test_which_commands_run_tests(command: str, expected: bool) -> None:
    assert is_test(command) is expected


def test_the_reason_is_the_last_line_that_says_one() -> None:
    assert reason("error: a\nAssertionError: b\nsee log\nExit code 1") == "AssertionError: b"
    assert reason("only this\n") == "only this"
    assert reason("") == ""
