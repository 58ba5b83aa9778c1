"""``gitmem background``: each work of the table, wherever it is wanted, and silence where there is no store."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import tip

from gitmem.cli import background as command
from gitmem.errors import ConflictError
from gitmem.store.state import background


@pytest.fixture(autouse=True)
def _as_nice_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "nice", lambda by: by)


def test_checkout_does_every_work_that_git_makes_due_and_a_failure_stops_no_other(
    memory, run_cli, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []

    def fail(memory: object) -> None:
        raise ConflictError("no")

    monkeypatch.setattr(command, "AFTER_GIT", ("bad", "good", "index"))
    monkeypatch.setattr(
        command, "WORKS", {**command.WORKS, "bad": fail, "good": lambda m: done.append(m.repository.tip())}
    )

    ran = run_cli("background", "checkout")

    assert (ran.status, ran.out) == (3, "")
    assert done == [tip(repo)]
    assert [what for what, _, _ in background.list_failures(repo / ".git" / "gitmem")] == ["bad"]
    assert (repo / ".git" / "gitmem" / "catalog.sqlite").exists()


def test_work_is_silent_where_there_is_no_store(run_cli, repo: Path) -> None:
    for what in command.NAMES:
        ran = run_cli("background", what)

        assert (ran.status, ran.out, ran.err) == (0, "", "")
        assert not (repo / ".git" / "gitmem" / "catalog.sqlite").exists()


def test_checkout_makes_the_whoosh_index_that_is_missing_behind_or_damaged(run_cli, repo: Path) -> None:
    state = repo / ".git" / "gitmem"

    def commit_of_index() -> str:
        run_cli("background", "checkout")
        return json.loads((state / "whoosh" / "stamp.json").read_bytes())["commit"]

    run_cli("remember", "a text", "--key", "a")
    made = commit_of_index()  # no question has needed it yet
    assert made == tip(repo)
    run_cli("remember", "another text", "--key", "b")
    assert commit_of_index() == tip(repo) != made
    for damaged in ("stamp.json", next(file.name for file in (state / "whoosh").glob("*.seg"))):
        (state / "whoosh" / damaged).write_bytes(b"no index")
        assert commit_of_index() == tip(repo)
        assert "a text" in run_cli("recall", "--syntax", "text").out


def test_checkout_makes_no_whoosh_index_of_very_many_memories_or_of_none(
    run_cli, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.commands.recall.engines.WHOOSH_AT_MOST", 1)
    run_cli("init")

    run_cli("background", "checkout")
    for key in ("a", "b"):
        run_cli("remember", f"the text {key}", "--key", key)
    run_cli("background", "checkout")

    assert not (repo / ".git" / "gitmem" / "whoosh").exists()
    run_cli("index", "--engine", "whoosh")  # one that was asked for is brought along
    run_cli("remember", "a third text", "--key", "c")
    run_cli("background", "checkout")
    assert json.loads((repo / ".git/gitmem/whoosh/stamp.json").read_bytes())["commit"] == tip(repo)


def test_command_is_in_no_list_of_commands(run_cli) -> None:
    assert "background" not in run_cli("--help").out
