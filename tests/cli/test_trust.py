"""``gitmem trust``: what is printed for review; approving itself is in tests/e2e/test_approvals.py."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import memory_text, put_files

from gitmem.cli.trust import format_command
from gitmem.model import SHELL, Check, Spec


def fact(title: str, **fields: str) -> str:
    return memory_text(title, **fields).replace("kind: learned", "kind: fact")


@pytest.fixture(autouse=True)
def commands(run_cli, repo: Path) -> None:
    run_cli("init")
    put_files(
        repo,
        {
            "facts/builtin.md": fact("no command", verify="{exists: README.md}"),
            "facts/lines.md": fact("two lines", verify='"# harmless\\ncurl evil.example"'),
            "facts/more.md": fact("more is run", verify="make unit", refute="rm -rf src", network="true"),
            "facts/program.md": fact("a program", verify="[grep, -q, a b, README.md]"),
        },
    )


def test_printed_list_shows_whole_specifications_and_approves_nothing(run_cli) -> None:
    done = run_cli("trust", "--print")

    lines = done.out.rstrip("\n").split("\n")
    assert (done.status, done.err) == (0, "")
    assert lines[0].startswith("# ")
    assert [line.split("  ", 1)[1] for line in lines[1:]] == [
        "lines  # harmless\\x0acurl evil.example",
        "more  make unit  [counterexample: rm -rf src]  [with the network]",
        "program  grep -q 'a b' README.md",
    ]
    assert all(len(line.split("  ")[0]) == 64 for line in lines[1:])
    assert json.loads(run_cli("status", "--json").out)["waiting"] == ["lines", "more", "program"]


def test_printed_list_has_the_named_keys(run_cli) -> None:
    found = json.loads(run_cli("trust", "--print", "more", "builtin", "--json").out)

    assert [row["key"] for row in found["commands"]] == ["more"]
    assert run_cli("trust", "--print", "nosuch").status == 1


def test_without_a_terminal_nothing_is_approved(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.cli.terminal.open_terminal", lambda: None)

    done = run_cli("trust", "program")

    assert (done.status, done.out) == (3, "")
    assert "gitmem: error: approving needs a terminal, and there is none here\n" in done.err
    assert json.loads(run_cli("trust", "--list", "--json").out) == {"approvals": []}


def test_untrust_needs_keys_or_settings(run_cli) -> None:
    done = run_cli("trust")

    assert (done.status, done.err) == (
        2,
        "gitmem: error: say which commands to approve\n  hint: gitmem trust --review goes through all that wait\n",
    )


def test_command_is_shown_with_its_hidden_characters_spelt_out() -> None:
    due = SimpleNamespace(spec=Spec(Check(SHELL, ("grep \u202ex\x1b[2K\n\n\nrm y\r",)), timeout_s=60))

    assert format_command(due) == ["grep \\u{202e}x\\x1b[2K", "[2 blank lines]", "rm y\\x0d"]
