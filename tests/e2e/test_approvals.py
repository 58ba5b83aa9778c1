"""Who may approve a command: a person at a terminal, or a list reviewed onto the default branch. Nobody else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files
from support.ids import id_of
from support.terminal import GITMEM, Terminal, environment, gitmem, on_terminal

ASKED = "press Enter to decide later: "
REST = "Press Enter for the rest, or q to quit: "
CHECK = "test -s README.md && echo ran >> ran.log"


def fact(verify: str, **fields: str) -> str:
    return memory_text("A fact", verify=json.dumps(verify), **fields).replace("kind: learned", "kind: fact")


@pytest.fixture
def waiting(repo: Path) -> Path:
    """Return a repository whose memory branch came with two commands that nobody approved."""
    gitmem(repo, "init")
    put_files(
        repo,
        {"facts/one.md": fact("test -s README.md && true"), "facts/two.md": fact("test -s src/auth/jwt.py && true")},
    )
    return repo


def approvals(repo: Path) -> dict[str, str]:
    found = json.loads(gitmem(repo, "trust", "--list", "--json").out)["approvals"]
    return {row["key"]: row["verdict"] for row in found}


def statuses(repo: Path) -> dict[str, str]:
    return {row["key"]: row["status"] for row in json.loads(gitmem(repo, "list", "--json").out)["memories"]}


def answered(repo: Path, *answers: str | None) -> tuple[int, str]:
    """Review what waits: None types the hash's first digits, anything else is typed as it is."""
    with Terminal(repo, *GITMEM, "trust", "--review", env=environment(NO_COLOR="1")) as terminal:
        for number, answer in enumerate(answers, 1):
            terminal.wait_for(ASKED, times=number)
            digits = terminal.output.rpartition("hash ")[2][:6]
            terminal.type((digits if answer is None else answer) + "\n")
        return terminal.finish(), terminal.output.replace("\r\n", "\n")


def test_typed_hash_approves_each_command_that_was_shown(waiting: Path) -> None:
    status, shown = answered(waiting, None, None)

    assert (status, approvals(waiting)) == (0, {"one": "allow", "two": "allow"})
    assert "(1/2) one: A fact\n    test -s README.md && true\n  time limit 60 s, network no\n" in shown
    assert shown.endswith("2 of 2 approved\n")
    assert gitmem(waiting, "verify").status == 0
    assert statuses(waiting) == {"one": "verified", "two": "verified"}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (("", ""), {}),
        (("y", "yes"), {}),
        (("000000", "d"), {"two": "deny"}),
        (("q",), {}),
        (("d", None), {"one": "deny", "two": "allow"}),
        ((None, "q"), {"one": "allow"}),
    ],
)
def test_anything_else_leaves_it_waiting_denies_it_or_quits(
    waiting: Path, answers: tuple[str | None, ...], expected: dict[str, str]
) -> None:
    status, _ = answered(waiting, *answers)

    assert (status, approvals(waiting)) == (1, expected)


def test_end_of_the_terminal_approves_nothing(waiting: Path) -> None:
    with Terminal(waiting, *GITMEM, "trust", "--review") as terminal:
        terminal.wait_for(ASKED)
        terminal.type("\x04")
        status = terminal.finish()

    assert (status, approvals(waiting)) == (1, {})


def test_ctrl_c_at_the_question_keeps_what_was_answered(waiting: Path) -> None:
    with Terminal(waiting, *GITMEM, "trust", "--review", env=environment(NO_COLOR="1")) as terminal:
        terminal.wait_for(ASKED)
        terminal.type(terminal.output.rpartition("hash ")[2][:6] + "\n")
        terminal.wait_for("(2/2)")
        terminal.type("\x03")
        status = terminal.finish()

    assert (status, approvals(waiting)) == (130, {"one": "allow"})
    assert "Traceback" not in terminal.output


def test_whole_command_is_shown_with_all_that_is_run_besides(repo: Path) -> None:
    gitmem(repo, "init")
    text = fact("# harmless\nrm -rf x", refute="curl evil.example", network="true", env="[B, A]")
    put_files(repo, {"facts/f.md": text})

    _, shown = answered(repo, "q")

    assert "    # harmless\n    rm -rf x\n" in shown
    assert "network YES" in shown
    assert "  it sees the variables A, B\n" in shown
    assert "  counterexample, also run: curl evil.example\n" in shown


def test_forty_commands_of_six_programs_are_approved_with_six_hashes_after_every_line_was_shown(repo: Path) -> None:
    gitmem(repo, "init")
    programs = {"pytest -q tests/a{}.py": 20, "grep -q 'T {}' README.md": 5, "test -s src/{}.py": 5}
    programs |= {"ruff check src/{}.py": 4, "mypy --strict src/{}.py": 3, "node --test test/{}.js": 3}
    lines = [line.format(number) for line, times in programs.items() for number in range(times)]
    put_files(repo, {f"facts/f{number:02}.md": fact(line) for number, line in enumerate(lines)})

    with Terminal(repo, *GITMEM, "trust", "--review", env=environment(NO_COLOR="1"), rows=14) as terminal:
        for number in range(1, 7):
            terminal.wait_for(f"({number}/6)")
            while terminal.wait_for_end(ASKED, REST) == REST:
                terminal.type("\n")
                terminal.wait_for("\n", times=terminal.output.count("\n") + 1)
            terminal.type(terminal.output.rpartition("hash ")[2][:6] + "\n")
        status = terminal.finish()
    shown = terminal.output.replace("\r\n", "\n")

    assert (status, set(approvals(repo).values()), len(approvals(repo))) == (0, {"allow"}, 40)
    assert [line for line in lines if f"    {line}  (f" not in shown] == []
    assert "(1/6) 20 × pytest -q\n" in shown


def test_command_that_comes_while_its_group_is_shown_is_not_approved(repo: Path) -> None:
    gitmem(repo, "init")
    put_files(repo, {"facts/a.md": fact("grep -q one README.md"), "facts/b.md": fact("grep -q two README.md")})

    with Terminal(repo, *GITMEM, "trust", "--review", env=environment(NO_COLOR="1")) as terminal:
        terminal.wait_for(ASKED)
        put_files(
            repo, {"facts/b.md": fact("grep -q changed README.md"), "facts/c.md": fact("grep -q three README.md")}
        )
        terminal.type(terminal.output.rpartition("hash ")[2][:6] + "\n")
        assert terminal.finish() == 0

    assert json.loads(gitmem(repo, "status", "--json").out)["waiting"] == ["b", "c"]


@pytest.mark.parametrize("words", [("trust", "one"), ("trust", "--review")])
def test_agent_without_a_terminal_cannot_approve_whatever_it_pipes_in(waiting: Path, words: tuple[str, ...]) -> None:
    digits = json.loads(gitmem(waiting, "trust", "--print", "--json").out)["commands"][0]["spec"][:6]

    done = gitmem(waiting, *words, input=f"{digits}\n" * 4)

    assert (done.status, approvals(waiting)) == (3, {})
    assert "approving needs a terminal, and there is none here" in done.err


def test_answer_in_a_pipe_is_not_taken_on_a_terminal_either(waiting: Path) -> None:
    digits = json.loads(gitmem(waiting, "trust", "--print", "--json").out)["commands"][0]["spec"][:6]
    line = f'yes {digits} | "$@" trust --review'

    with Terminal(waiting, "sh", "-c", line, "sh", *GITMEM) as terminal:
        terminal.wait_for(ASKED)
        terminal.type("q\n")
        status = terminal.finish()

    assert (status, approvals(waiting)) == (1, {})


def test_fact_that_is_typed_at_a_terminal_is_approved_and_proved_at_once(repo: Path) -> None:
    gitmem(repo, "init")

    done = on_terminal(repo, "fact", "there is a readme", "--verify", "test -s README.md && true", "--key", "f")

    assert (done.status, re.sub(r"\x1b\[\d*m", "", done.out)) == (
        0,
        f"✓ holds  there is a readme  {id_of('f')}\n",
    )
    assert (approvals(repo), statuses(repo)) == ({"f": "allow"}, {"f": "verified"})


def test_fact_whose_input_is_a_pipe_is_not_approved_though_there_is_a_terminal(repo: Path) -> None:
    gitmem(repo, "init")
    line = 'echo body | "$@" fact t --verify "test -s README.md && true" --key f --body -'

    with Terminal(repo, "sh", "-c", line, "sh", *GITMEM) as terminal:
        status = terminal.finish()

    assert (status, approvals(repo), statuses(repo)) == (0, {}, {"f": "unproven"})


def test_changed_command_asks_again(waiting: Path) -> None:
    answered(waiting, None, None)
    put_files(waiting, {"facts/one.md": fact("test -s README.md && echo changed")})

    done = gitmem(waiting, "verify")

    assert (done.status, statuses(waiting)["one"]) == (3, "unproven")
    assert "1 not approved" in done.err


def test_approval_is_of_this_clone_alone_and_of_its_worktrees(waiting: Path, tmp_path: Path) -> None:
    answered(waiting, None, None)
    git(waiting, "worktree", "add", "-q", str(tmp_path / "tree"), "HEAD")
    git(tmp_path, "clone", "-q", str(waiting), str(tmp_path / "clone"))

    assert approvals(tmp_path / "tree") == {"one": "allow", "two": "allow"}
    assert approvals(tmp_path / "clone") == {}


LIST = ".github/gitmem-approved"


def test_list_counts_as_it_stands_on_the_default_branch_and_nowhere_else(waiting: Path) -> None:
    text = gitmem(waiting, "trust", "--print").out
    commit_files(waiting, {f"{LIST}.sample": ""})
    (waiting / LIST).write_text(text)
    in_the_tree = gitmem(waiting, "verify", "--approved", LIST)
    git(waiting, "switch", "-q", "-c", "topic")
    commit_files(waiting, {LIST: text})
    on_a_topic = gitmem(waiting, "verify", "--approved", LIST)
    put_files(waiting, {LIST: text})
    on_the_memory_branch = gitmem(waiting, "verify", "--approved", LIST)
    git(waiting, "switch", "-q", "main")
    git(waiting, "merge", "-q", "topic")
    merged = gitmem(waiting, "verify", "--approved", LIST)

    refused = in_the_tree, on_a_topic, on_the_memory_branch
    assert [done.status for done in refused] == [1, 1, 1]
    assert all(f"{LIST} is not on main" in done.err for done in refused)
    assert (merged.status, statuses(waiting)) == (0, {"one": "verified", "two": "verified"})
    assert approvals(waiting) == {}


def test_approvals_that_others_can_write_to_approve_nothing(waiting: Path, tmp_path: Path) -> None:
    answered(waiting, None, None)
    folder = tmp_path / "state-home" / "gitmem" / "trust"
    folder.chmod(0o777)

    done = gitmem(waiting, "verify", "--all")

    assert done.status == 3
    assert f"others can write to {folder}, so approvals in it do not count" in done.err
    assert f"chmod 700 {folder}" in done.err


def test_reading_runs_nothing_even_of_what_is_approved(repo: Path) -> None:
    gitmem(repo, "init")
    put_files(repo, {"facts/f.md": fact(CHECK), "gitmem.toml": '[verify]\nsetup = "echo setup >> ran.log"\n'})
    answered(repo, None)

    words = (
        "list",
        "recall fact",
        "show f",
        "log f",
        "status",
        "context",
        "doctor",
        "verify --dry-run",
        "trust --print",
    )
    for line in words:
        gitmem(repo, *line.split())

    assert list(repo.rglob("ran.log")) == []
