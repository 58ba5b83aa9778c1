"""Trees that name each other without end are counted, never listed; honest ones are listed however long it takes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from conftest import git
from support.hostile_branch import FILE, FOLDER, blob, tree

from gitmem.errors import ProcessError
from gitmem.git import Git, tree_limits
from gitmem.git.repository import discover


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_limits, "_too_much", {})


@pytest.fixture
def door(repo: Path) -> Git:
    return Git(discover(repo))


def nested(repo: Path, leaf: str, names: str, levels: int) -> str:
    for _ in range(levels):
        leaf = tree(repo, [(FOLDER, name.encode(), leaf) for name in names])
    return leaf


def test_bomb_is_refused_at_once_by_whoever_lists_it(door: Git, repo: Path) -> None:
    empty = git(repo, "hash-object", "-w", "-t", "tree", "--stdin", input=b"")
    bomb = nested(repo, tree(repo, [(FILE, b"f", blob(repo, b"x"))]), "abcdefghij", 12)

    began = time.process_time()
    for ask in (lambda: door.list_tree(bomb), lambda: door.list_paths(bomb), lambda: door.diff_trees(empty, bomb)):
        with pytest.raises(ProcessError, match=f"tree of {bomb[:12]} cannot be listed: it has more than") as caught:
            ask()
        assert caught.value.hint.endswith(bomb)

    assert time.process_time() - began < 10


@pytest.mark.parametrize(("names", "levels", "at_most", "fits"), [
    ("ab", 3, 22, True), ("ab", 3, 21, False), ("a", 99, 100, True), ("a", 101, 1000, False),
])  # fmt: skip
def test_every_entry_counts_as_often_as_it_is_named(
    door: Git, repo: Path, names: str, levels: int, at_most: int, fits: bool
) -> None:
    # Of "ab", 2 + 4 + 8 folders and a file in each of the last 8.
    made = nested(repo, tree(repo, [(FILE, b"f", blob(repo, b"x"))]), names, levels)

    if fits:
        tree_limits.need_bounded(door, [made], at_most)
    else:
        with pytest.raises(ProcessError):
            tree_limits.need_bounded(door, [made], at_most)


def test_honest_tree_is_listed_also_where_that_takes_long(
    door: Git, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_limits, "PATIENT_S", 0.0)
    listed = tree_limits._read_list
    asked = []

    def slow(git: Git, args: object, at_most: int, within_s: float) -> list[bytes]:
        asked.append(within_s)
        if within_s == 0.0:
            raise ProcessError("killed", argv=[], status=-9)
        return listed(git, args, at_most, within_s)

    monkeypatch.setattr(tree_limits, "_read_list", slow)

    listed_by_git = git(repo, "ls-tree", "-r", "--name-only", "HEAD").split("\n")
    assert [entry.path for entry in door.list_tree("HEAD")] == listed_by_git
    assert asked == [0.0, 15.0]
