"""``gitmem install git-hooks``: what it says, and what it leaves to the person."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files, git

from gitmem.install import shim


def test_print_shows_each_file_as_a_difference_and_changes_nothing(run_cli, repo: Path) -> None:
    ran = run_cli("install", "git-hooks", "--print")

    assert ran.status == 0
    assert f"add     {repo}/.git/hooks/post-checkout  added\n" in ran.out
    assert f"+{shim.MARK}post-checkout\n" in ran.out
    assert not (repo / ".git" / "hooks" / "post-checkout").exists()


def test_what_only_the_person_may_do_is_said_and_is_no_success(run_cli, repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    commit_files(repo, {".githooks/post-merge": "#!/bin/sh\n"})

    ran = run_cli("install", "git-hooks")

    assert ran.status == 1
    assert 'add this line to it yourself: gitmem hook post-merge "$@" || :' in ran.out
