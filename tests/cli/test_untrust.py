"""``gitmem untrust``: a denial, which nothing but a person's approval lifts."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import commit_files


def test_denied_command_does_not_run_not_even_by_a_reviewed_list(run_cli, repo: Path) -> None:
    run_cli("fact", "t", "--verify", "test -s README.md && true", "--key", "f")
    commit_files(repo, {"approved": run_cli("trust", "--print").out})

    done = run_cli("untrust", "f")

    assert (done.status, done.out) == (0, "f\n")
    assert run_cli("verify", "--approved", "approved").status == 3
    assert [row["verdict"] for row in json.loads(run_cli("trust", "--list", "--json").out)["approvals"]] == ["deny"]
    assert run_cli("trust", "--list").out.startswith("deny  ")


def test_memory_without_a_command_has_nothing_to_deny(run_cli) -> None:
    run_cli("remember", "a text", "--key", "k")

    done = run_cli("untrust", "k")

    assert (done.status, done.out) == (1, "")
    assert done.err == "gitmem: none of these facts has a command that needs approval\n"


def test_question_shows_everything_that_would_run(run_cli) -> None:
    run_cli("fact", "t", "--verify", "test -s README.md && true", "--refute", "rm README.md", "--network", "--key", "f")

    run_cli("untrust", "f")

    output = run_cli("trust", "--list").out
    assert "test -s README.md && true  [counterexample: rm README.md]  [with the network]" in output
