"""The index of a commit that is about to be made: where it is, what it has otherwise than HEAD, and what is merged."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git

from gitmem.git import Git
from gitmem.git.objects import empty_tree
from gitmem.git.repository import discover
from gitmem.git.staging_area import diff_index, index_file, list_merged

JWT = "src/auth/jwt.py"


def handle(folder: Path) -> Git:
    return Git(discover(folder))


def staged(folder: Path) -> list[tuple[str, str]]:
    """Return what the index has otherwise than HEAD, as status and path."""
    found = handle(folder)
    return [(change.status, change.path) for change in diff_index(found, "HEAD", index_file(found))]


def test_index_is_the_one_that_git_names_to_its_hooks(repo: Path, tmp_path: Path, monkeypatch) -> None:
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", str(linked))
    own = [index_file(handle(folder)) for folder in (repo, linked)]

    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    relative = index_file(handle(repo / "src"))
    monkeypatch.setenv("GIT_INDEX_FILE", "/elsewhere/index")

    assert own == [f"{repo}/.git/index", f"{repo}/.git/worktrees/linked/index"]
    assert (relative, index_file(handle(repo))) == (f"{repo}/.git/next-index-1.lock", "/elsewhere/index")


def test_only_what_is_staged_differs_and_what_is_meant_to_be_added_is_not_there(repo: Path) -> None:
    (repo / JWT).write_text("staged\n")
    git(repo, "add", JWT)
    git(repo, "rm", "-q", "--cached", "README.md")
    (repo / "src/gateway/retry.py").write_text("not staged\n")
    (repo / "new").write_text("")
    git(repo, "add", "-N", "new")
    before = (repo / ".git/index").read_bytes()

    assert staged(repo) == [("D", "README.md"), ("M", JWT)]
    assert (repo / ".git/index").read_bytes() == before


def test_everything_is_new_beside_the_empty_tree(repo: Path) -> None:
    found = handle(repo)

    changes = diff_index(found, empty_tree(found), index_file(found))

    assert {change.status for change in changes} == {"A"}
    assert [change.path for change in changes] == git(repo, "ls-files").split("\n")


@pytest.mark.parametrize("how", ["conflicts", "none", "by the environment"])
def test_merged_commits_are_known_during_a_merge(repo: Path, how: str, monkeypatch) -> None:
    git(repo, "checkout", "-q", "-b", "other")
    other = commit_files(repo, {JWT: "theirs\n"})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {JWT: "ours\n"})
    if how == "conflicts":
        git(repo, "merge", "-q", "other", check=False)
        assert ("U", JWT) in staged(repo)
    elif how == "by the environment":
        monkeypatch.setenv(f"GITHEAD_{other}", "other")
        monkeypatch.setenv("GITHEAD_nothing", "no commit")

    assert list_merged(handle(repo)) == (() if how == "none" else (other,))


def test_git_names_merged_commits_to_the_hook_of_a_merge_without_conflicts(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "other")
    other = commit_files(repo, {"theirs": ""})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"ours": ""})
    hook = repo / ".git/hooks/pre-merge-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nenv | grep ^GITHEAD_ >told\n")
    hook.chmod(0o755)

    git(repo, "merge", "-q", "-m", "merged", "other")

    assert (repo / "told").read_text() == f"GITHEAD_{other}=other\n"
