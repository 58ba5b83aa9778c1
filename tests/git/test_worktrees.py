"""A linked worktree that shows a commit, with no checkout and nothing of the person's run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import commit_files, git

from gitmem.errors import NoRepositoryError
from gitmem.git import Git, worktrees
from gitmem.git.repository import discover
from gitmem.git.worktrees import PathVersion


def door(folder: Path) -> Git:
    return Git(discover(str(folder)))


@pytest.fixture
def view(repo: Path) -> Git:
    """Return a registered worktree of the code's commit, its index and file as git would have them."""
    place = repo / "inner" / "view"
    name = worktrees.register(door(repo), str(place), "HEAD")
    made = worktrees.at(door(repo), name, str(place))
    entries = [(mode, oid, path) for mode, oid, path in door(repo).list_paths("HEAD")]
    worktrees.update_index(made, entries, (), length=40)
    (place / "README.md").write_text("# A service\n")
    worktrees.hide(made, [path for _, _, path in entries if path != "README.md"])
    return made


def test_registering_runs_no_hook_and_writes_no_file(repo: Path) -> None:
    hook = repo / ".git/hooks/post-checkout"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)

    name = worktrees.register(door(repo), str(repo / "view"), "HEAD")

    assert [p.name for p in (repo / "view").iterdir()] == [".git"]
    assert not list(repo.rglob("ran"))
    assert worktrees.admin_of(str(repo / "view")) == str(repo / ".git/worktrees" / name)
    assert worktrees.place_of(str(repo / ".git/worktrees" / name)) == str(repo / "view")


def test_hidden_entries_are_no_deletions_and_git_status_is_clean(view: Git) -> None:
    place = Path(view.repository.top or "")

    assert git(place, "status", "--porcelain") == ""
    assert worktrees.list_changed(view) == []


def test_changes_are_distinguished_and_ignored_files_are_seen(view: Git, repo: Path) -> None:
    place = Path(view.repository.top or "")
    (repo / ".git/info/exclude").write_text("*.md\n")
    (place / "new.md").write_text("x")
    (place / "README.md").write_text("changed\n")
    changed = worktrees.list_changed(view)
    (place / "README.md").unlink()

    removed = worktrees.list_changed(view)

    assert sorted(changed) == [("?", "new.md"), ("C", "README.md")]
    assert sorted(removed) == [("?", "new.md"), ("R", "README.md")]


def test_pipe_that_git_would_wait_for_is_named(view: Git) -> None:
    place = Path(view.repository.top or "")
    (place / "README.md").write_text("changed\n")
    (place / "folder").mkdir()
    for name in (".gitattributes", "folder/.gitattributes"):
        os.mkfifo(place / name)
        for ask in (worktrees.list_changed, worktrees.remember_times):
            with pytest.raises(NoRepositoryError, match=f"{name} is not a file"):
                ask(view)
        (place / name).unlink()


def test_staged_changes_are_compared_with_the_commit(view: Git) -> None:
    place = Path(view.repository.top or "")
    (place / "README.md").write_text("changed\n")
    git(place, "add", "README.md")

    staged = worktrees.list_staged(view, "HEAD")

    assert [side.path for side in staged] == ["README.md"]


def test_sides_of_a_difference_name_both_blobs(repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    second = commit_files(repo, {"new": "x\n", "README.md": "other\n"})
    blob = {name: git(repo, "rev-parse", name) for name in (f"{first}:README.md", "HEAD:README.md", "HEAD:new")}

    sides = worktrees.list_sides(door(repo), first, second)

    assert sides == [
        PathVersion("README.md", "100644", blob[f"{first}:README.md"], "100644", blob["HEAD:README.md"]),
        PathVersion("new", "000000", "", "100644", blob["HEAD:new"]),
    ]


def test_main_work_tree_is_found_from_a_linked_one_and_a_bare_one_has_none(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", "../linked")
    git(repo, "clone", "-q", "--bare", ".", "../bare.git")
    git(repo.parent / "bare.git", "worktree", "add", "-q", "--detach", "../of-bare")

    found = [worktrees.find_main(door(repo.parent / name)) for name in ("service", "linked", "bare.git", "of-bare")]

    assert found == [str(repo), str(repo), "", ""]
