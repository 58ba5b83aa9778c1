"""``gitmem hook``: what shims and pre-commit call; silent where there is no store."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, put_files, tip

from gitmem.cli import table


@pytest.mark.parametrize("event", table.GIT_EVENTS)
def test_hook_is_silent_where_there_is_no_store(run_cli, repo: Path, event: str) -> None:
    commit_files(repo, {"a": "1"}, "x\n\nLearned: a thing of note")

    ran = run_cli("hook", event)

    assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_hook_without_a_word_stops_no_agents_turn(run_cli) -> None:
    ran = run_cli("hook")

    assert (ran.status, ran.out) == (0, "")
    assert "without an event or the name of a harness" in ran.err


def test_commit_that_says_what_was_learnt_is_captured_and_told(memory, run_cli, repo: Path) -> None:
    before = tip(repo)
    commit_files(repo, {"a": "1"}, "x\n\nLearned: the gateway drops idle connections\nLearned: ok")

    ran = run_cli("hook", "post-commit")

    assert ran.status == 0
    assert "1 learning kept" in ran.out
    assert "not kept: " in ran.out
    assert tip(repo) == before
    assert "the gateway drops idle connections" in run_cli("recall", "gateway").out


def test_new_commits_of_a_rebase_are_captured(memory, run_cli, repo: Path) -> None:
    commit = commit_files(repo, {"a": "1"}, "x\n\nLearned: the gateway drops idle connections")

    run_cli("hook", "post-rewrite", commit)

    assert "the gateway drops idle connections" in run_cli("recall", "gateway").out


def test_doctor_fails_a_commit_only_for_what_cannot_be_read(memory, run_cli, repo: Path) -> None:
    put_files(repo, {"facts/a.md": "---\ntitle: A\nkind: learned\nrequires: [nothing]\n---\n"})
    fine = run_cli("hook", "doctor")
    put_files(repo, {"facts/b.md": "---\ntitle: [\n---\n"})

    broken = run_cli("hook", "doctor")

    assert (fine.status, fine.out) == (0, "")
    assert broken.status == 1
    assert "facts/b.md" in broken.out


def test_index_is_made_ahead_of_the_next_read(memory, run_cli, repo: Path) -> None:
    run_cli("hook", "index")

    assert (repo / ".git" / "gitmem" / "catalog.sqlite").exists()
