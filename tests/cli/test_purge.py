"""``gitmem purge``: it says what will happen, needs consent, and reads a secret from standard input only."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from conftest import git, tip
from support.each import each


@pytest.fixture
def octopus(run_cli) -> str:
    run_cli("remember", "The octopus pool keeps sockets", "--key", "octopus")
    return "octopus"


def test_dry_run_names_the_refs_and_the_consequences_and_changes_nothing(run_cli, repo: Path, octopus: str) -> None:
    before = tip(repo)
    alone = run_cli("purge", octopus, "--dry-run")
    git(repo, "remote", "add", "origin", "../hub.git")

    done = run_cli("purge", octopus, "--dry-run")

    assert (done.status, tip(repo)) == (0, before)
    assert "would be rewritten" in done.out
    assert "refs/heads/memory" in done.out
    for words in ("Other clones keep it", "A forge may show old commits", "Backups"):
        assert words in done.err
    assert "remote" not in alone.err


def test_without_a_terminal_consent_is_an_option(run_cli, repo: Path, octopus: str) -> None:
    before = tip(repo)

    refused = run_cli("purge", octopus)

    assert (refused.status, tip(repo)) == (2, before)
    assert "--yes" in refused.err
    assert run_cli("purge", octopus, "--yes").status == 0
    assert git(repo, "log", "memory", "-S", "octopus pool", "--format=%h") == ""
    assert run_cli("show", octopus).status == 1


def test_secret_comes_from_standard_input(run_cli, octopus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("octopus pool\n"))
    done = run_cli("purge", "--secret", "--yes", "--json")

    assert json.loads(done.out)["rewritten"] >= 1
    assert json.loads(done.out)["left"] == []
    assert "The [purged] keeps sockets" in run_cli("show", octopus).out
    monkeypatch.setattr("sys.stdin", io.StringIO("two\nlines\n"))
    assert run_cli("purge", "--secret", "--yes").status == 2


@each(
    "args",
    [(), ("a", "--secret"), ("a", "--accept"), ("--accept", "--continue"), ("--push", "--dry-run")],
)
def test_mixed_orders_are_refused(run_cli, repo: Path, args: tuple[str, ...]) -> None:
    assert run_cli("purge", *args).status == 2


def test_what_was_never_there_and_what_was_never_interrupted_is_an_answer(run_cli, octopus: str) -> None:
    for args in (("squid", "--yes"), ("--continue",), ("--push",)):
        assert run_cli("purge", *args).status in (1, 3)
