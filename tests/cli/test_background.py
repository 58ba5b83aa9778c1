"""``gitmem background``: each work of the table, wherever it is wanted, and silence where there is no store."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import tip

from gitmem.cli import background as command
from gitmem.errors import ConflictError
from gitmem.store import background


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


@pytest.mark.parametrize("what", command.NAMES)
def test_work_is_silent_where_there_is_no_store(run_cli, repo: Path, what: str) -> None:
    ran = run_cli("background", what)

    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert not (repo / ".git" / "gitmem" / "catalog.sqlite").exists()


def test_command_is_in_no_list_of_commands(run_cli) -> None:
    assert "background" not in run_cli("--help").out
