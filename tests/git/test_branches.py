"""The default branch is the one that was reviewed: the remote's, by what it says itself or by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git

from gitmem.git import Git
from gitmem.git.branches import default_branch, find_checkout, is_on_default, likely_default
from gitmem.git.repository import discover


def door(folder: Path) -> Git:
    return Git(discover(str(folder)))


def default_of(folder: Path, configured: str = "") -> str:
    return default_branch(door(folder), configured=configured, remote="origin")


@pytest.fixture
def clone(repo: Path) -> Path:
    """Return a clone whose origin has main and a develop branch."""
    git(repo, "branch", "develop")
    git(repo, "clone", "-q", "-c", "user.name=Ben", "-c", "user.email=ben@example.org", ".", "../clone")
    return repo.parent / "clone"


def test_no_process_is_started_where_no_file_sets_the_default_branch(repo, monkeypatch):
    git(repo, "branch", "-M", "main")
    opened = door(repo)
    monkeypatch.setattr(Git, "run", lambda *_, **__: pytest.fail("git was started"))

    assert default_branch(opened, configured="", remote="origin") == "refs/heads/main"


def test_without_a_remote_it_is_main(repo: Path) -> None:
    assert default_of(repo) == "refs/heads/main"


def test_without_main_it_is_master(repo: Path) -> None:
    git(repo, "branch", "-m", "main", "master")

    assert default_of(repo) == "refs/heads/master"


def test_what_a_new_repository_begins_with_comes_before_main(repo: Path) -> None:
    git(repo, "branch", "trunk")
    git(repo, "config", "init.defaultBranch", "trunk")

    assert default_of(repo) == "refs/heads/trunk"


def test_the_remotes_head_comes_first(clone: Path) -> None:
    git(clone, "config", "init.defaultBranch", "main")
    git(clone, "remote", "set-head", "origin", "develop")

    assert default_of(clone) == "refs/remotes/origin/develop"


def test_the_setting_comes_before_the_remotes_head(clone: Path) -> None:
    assert default_of(clone, "develop") == "refs/remotes/origin/develop"


def test_the_remotes_branch_comes_before_the_local_one(clone: Path) -> None:
    commit_files(clone, {"unreviewed": "x"})
    git(clone, "remote", "set-head", "origin", "--delete")

    assert default_of(clone) == "refs/remotes/origin/main"


def test_a_branch_of_another_name_is_not_guessed(repo: Path) -> None:
    git(repo, "branch", "-m", "main", "feature")

    assert default_of(repo) == ""


def test_a_remotes_head_that_is_gone_leaves_it_to_the_names(clone: Path) -> None:
    git(clone, "remote", "set-head", "origin", "develop")
    git(clone, "update-ref", "-d", "refs/remotes/origin/develop")  # what `git fetch --prune` does after a rename

    assert default_of(clone) == "refs/remotes/origin/main"
    assert likely_default(door(clone), configured="", remote="origin") == "refs/remotes/origin/main"


@pytest.mark.parametrize("configured", ["none", "../../../../etc/passwd", "-x"])
def test_a_setting_that_names_no_branch_leaves_none(repo: Path, configured: str) -> None:
    assert default_of(repo, configured) == ""


@pytest.mark.parametrize("text", ["", "junk", "ref: refs/remotes/other/main\n", "\xff"], ids=str)
def test_a_remotes_head_that_says_nothing_is_left_alone(clone: Path, text: str) -> None:
    (clone / ".git/refs/remotes/origin/HEAD").write_bytes(text.encode("latin-1"))

    assert default_of(clone) == "refs/remotes/origin/main"


@pytest.mark.parametrize("default", ["refs/heads/main", "refs/remotes/origin/main"])
def test_a_person_on_the_branch_is_on_the_default_one(clone: Path, default: str) -> None:
    commit_files(clone, {"not-pushed-yet": "x"})

    assert is_on_default(door(clone), default, remote="origin")


@pytest.mark.parametrize("default", ["refs/heads/main", "refs/remotes/origin/main"])
def test_a_checkout_of_a_forge_at_the_tip_is_on_the_default_branch(clone: Path, default: str) -> None:
    git(clone, "checkout", "-q", "--detach", "origin/main")

    assert is_on_default(door(clone), default, remote="origin")


@pytest.mark.parametrize("default", ["refs/heads/main", "refs/remotes/origin/main", ""])
@pytest.mark.parametrize("where", ["branch", "detached"])
def test_elsewhere_is_not_the_default_branch(clone: Path, default: str, where: str) -> None:
    git(clone, "checkout", "-q", "-b", "feature")
    commit_files(clone, {"feature": "x"})
    if where == "detached":
        git(clone, "checkout", "-q", "--detach")

    assert not is_on_default(door(clone), default, remote="origin")


def test_a_branch_whose_last_part_is_the_same_is_another(clone: Path) -> None:
    git(clone, "checkout", "-q", "-b", "feature/main")

    assert not is_on_default(door(clone), "refs/remotes/origin/main", remote="origin")


def test_an_unborn_head_on_the_default_branch_is_on_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", ".")

    assert is_on_default(door(tmp_path), "refs/heads/main", remote="origin")
    assert not is_on_default(door(tmp_path), "", remote="origin")


@pytest.mark.parametrize(
    ("checkout", "is_on_it"),
    [
        (["-b", "feature", "origin/main"], False),
        (["--detach", "main~1"], False),
        (["--detach", "main"], True),
        (["--detach", "merged"], False),
    ],
    ids=["another-branch-at-its-commit", "behind-it", "at-its-tip", "merge-of-a-pull-request"],
)
@pytest.mark.parametrize("place", ["clone", "linked"])
def test_head_decides_whether_it_is_on_the_default_branch(
    clone: Path, checkout: list[str], is_on_it: bool, place: str
) -> None:
    commit_files(clone, {"one": "x"})
    git(clone, "checkout", "-q", "-b", "merged")
    commit_files(clone, {"two": "x"})
    git(clone, "checkout", "-q", "main")
    folder = clone
    if place == "linked":  # the first work tree stays on the default branch, whatever the other one shows
        git(clone, "worktree", "add", "-q", "--detach", "../linked")
        folder = clone.parent / "linked"

    git(folder, "checkout", "-q", *checkout)

    assert is_on_default(door(folder), "refs/heads/main", remote="origin") is is_on_it


def test_remote_whose_name_has_a_slash_is_taken_whole(clone: Path) -> None:
    git(clone, "remote", "rename", "origin", "my/fork")

    assert is_on_default(door(clone), "refs/remotes/my/fork/main", remote="my/fork")
    git(clone, "checkout", "-q", "-b", "fork/main")
    commit_files(clone, {"own": "x"})
    assert not is_on_default(door(clone), "refs/remotes/my/fork/main", remote="my/fork")


def test_without_a_default_branch_no_one_is_on_it(repo: Path) -> None:
    assert not is_on_default(door(repo), "", remote="origin")


# Where a branch is checked out


def test_a_branch_is_checked_out_in_the_folder_that_is_on_it(repo: Path) -> None:
    assert find_checkout(door(repo), "refs/heads/main") == str(repo)
    assert find_checkout(door(repo), "refs/heads/memory") == ""


@pytest.mark.parametrize("at", ["service", "other", "service/src"])
def test_a_checkout_is_found_from_every_work_tree(repo: Path, at: str) -> None:
    git(repo, "worktree", "add", "-q", "-b", "memory", "../other")

    assert find_checkout(door(repo.parent / at), "refs/heads/memory") == str(repo.parent / "other")
    assert find_checkout(door(repo.parent / at), "refs/heads/main") == str(repo)


def test_a_folder_that_only_shows_a_branch_is_not_on_it(repo: Path) -> None:
    git(repo, "branch", "memory")
    git(repo, "worktree", "add", "-q", "--detach", "../other", "memory")

    assert find_checkout(door(repo), "refs/heads/memory") == ""


def test_a_work_tree_that_is_gone_does_not_count(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "memory", "../other")
    (repo.parent / "other" / ".git").unlink()

    assert find_checkout(door(repo), "refs/heads/memory") == ""


def test_a_bare_repository_is_on_no_branch(repo: Path) -> None:
    git(repo, "clone", "-q", "--bare", ".", "../bare.git")
    git(repo.parent / "bare.git", "worktree", "add", "-q", "--detach", "../of-bare")

    assert find_checkout(door(repo.parent / "bare.git"), "refs/heads/main") == ""
    assert find_checkout(door(repo.parent / "of-bare"), "refs/heads/main") == ""
