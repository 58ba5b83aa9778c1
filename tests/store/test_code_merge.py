"""Whether a branch came into the default one is found in git objects alone; what is not certain is not found."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.store.code_merge import how_landed


def landed(folder: Path) -> str:
    git(folder, "branch", "-f", "memory", "base")
    how = {"memory_commit": "memory", "default": git(folder, "rev-parse", "main"), "remotes": ()}
    return how_landed(Git(discover(folder)), "topic", git(folder, "rev-parse", "companion"), **how)


@pytest.fixture(name="code")
def with_topic(repo: Path) -> Path:
    """Return a repository with a branch of two commits, and what a companion says of them in its trailers."""
    git(repo, "branch", "base")
    git(repo, "checkout", "-q", "-b", "topic")
    commit_files(repo, {"one.txt": "1\n"}, "one")
    head = commit_files(repo, {"two.txt": "2\n"}, "two")
    base = git(repo, "rev-parse", "base")
    tree = git(repo, "rev-parse", "base^{tree}")
    message = f"edit\n\nCode-Commit: {head}\nCode-Default: {base}\n"
    git(repo, "branch", "companion", git(repo, "commit-tree", tree, "-p", base, "-m", message))
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"other.txt": "x\n"}, "main goes on")
    return repo


def test_unmerged_branch_has_not_landed(code: Path) -> None:
    commit_files(code, {"one.txt": "1\n"}, "half of it")

    assert landed(code) == ""


@pytest.mark.parametrize("is_gone", [False, True])
@pytest.mark.parametrize("how", ["ancestry", "rebase", "squash"])
def test_each_kind_of_merge_is_found_also_where_the_branch_is_gone(code: Path, how: str, *, is_gone: bool) -> None:
    if how == "ancestry":
        git(code, "merge", "-q", "--no-ff", "-m", "merge", "topic")
    elif how == "rebase":
        git(code, "cherry-pick", "base..topic")
    else:
        git(code, "merge", "-q", "--squash", "topic")
        git(code, "commit", "-q", "-m", "both")
    commit_files(code, {"later.txt": "x\n"}, "later")
    if is_gone:
        git(code, "branch", "-q", "-D", "topic")

    assert landed(code) == how


def test_a_squash_with_more_in_it_is_another_change(code: Path) -> None:
    git(code, "merge", "-q", "--squash", "topic")
    commit_files(code, {"more.txt": "x\n"}, "both and more")

    assert landed(code) == ""
