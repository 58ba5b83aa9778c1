"""Rewriting commits removes what the rules say, keeps the rest, and gives the same commits everywhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import git

from gitmem.git import Git
from gitmem.git.repository import discover_at as discover
from gitmem.git.rewrite import WORK_REF, drop_objects, move_refs, plan_rewriting, write_rewriting


class Rules:
    def drops(self, path: str) -> bool:
        return path.endswith("/gone.md")

    def content(self, path: str, content: bytes) -> bytes:
        return content.replace(b"walrus", b"[purged]")

    def text(self, content: bytes) -> bytes:
        return content.replace(b"walrus", b"[purged]")


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Return a repository with a merge, a file to drop, a text in a file and one in a message."""
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "Ana")
    git(tmp_path, "config", "user.email", "ana@example.org")
    put(tmp_path, "a/clean.md", "clean", "the start")
    put(tmp_path, "a/gone.md", "to drop", "a file")
    git(tmp_path, "switch", "-qc", "side", "HEAD^")
    put(tmp_path, "b/text é.md", "a walrus here", "on the side")
    git(tmp_path, "switch", "-q", "main")
    git(tmp_path, "merge", "-q", "--no-edit", "side")
    put(tmp_path, "a/clean.md", "clean again", "saw a walrus")
    return tmp_path


def put(folder: Path, path: str, text: str, message: str) -> None:
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


def rewrite(folder: Path) -> str:
    bound = Git(discover(folder))
    old = git(folder, "rev-parse", "main")
    new = write_rewriting(bound, plan_rewriting(bound, Rules(), [old]))[old]
    assert move_refs(bound, {"refs/heads/main": (old, new)})
    return new


def test_what_the_rules_remove_is_gone_and_the_rest_is_as_it_was(history: Path) -> None:
    start, dates = (
        git(history, "rev-list", "--max-parents=0", "main"),
        git(history, "log", "--format=%an %ad %cd", "main"),
    )

    rewrite(history)

    assert git(history, "log", "--all", "-i", "--grep=walrus", "--format=%H", "main") == ""
    assert git(history, "ls-tree", "-r", "-z", "--name-only", "main") == "a/clean.md\0b/text é.md\0"
    assert git(history, "show", "main:b/text é.md") == "a [purged] here"
    assert git(history, "show", "main:a/clean.md") == "clean again"
    assert git(history, "rev-list", "--max-parents=0", "main") == start
    assert git(history, "log", "--format=%an %ad %cd", "main") == dates
    assert git(history, "rev-list", "--merges", "--count", "main") == "1"
    assert git(history, "for-each-ref", WORK_REF) == ""
    git(history, "fsck", "--full", "--strict")


def test_clones_rewrite_to_the_same_commits(history: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "clone"
    shutil.copytree(history, other)

    assert rewrite(history) == rewrite(other)


def test_commits_of_excluded_histories_and_clean_ones_are_left_alone(history: Path) -> None:
    bound = Git(discover(history))
    rewrite(history)

    assert plan_rewriting(bound, Rules(), [git(history, "rev-parse", "main")]).changed == {}
    side = git(history, "rev-parse", "side")
    assert plan_rewriting(bound, Rules(), [side], but=[side]).order == ()


def test_moved_ref_is_not_overwritten(history: Path) -> None:
    bound = Git(discover(history))
    old = git(history, "rev-parse", "main")
    new = write_rewriting(bound, plan_rewriting(bound, Rules(), [old]))[old]
    put(history, "c.md", "later", "another writer")
    late = git(history, "rev-parse", "main")

    assert not move_refs(bound, {"refs/heads/main": (old, new)})
    assert git(history, "rev-parse", "main") == late


@pytest.mark.parametrize("packed", [False, True])
def test_only_objects_of_the_old_commits_are_deleted(history: Path, packed: bool) -> None:
    stray = git(history, "hash-object", "-w", "--stdin", input="the user's own dangling object")
    if packed:
        git(history, "repack", "-q", "-a", "-d", "-k")
    old = git(history, "rev-parse", "main")
    rewrite(history)
    git(history, "reflog", "expire", "--expire=all", "--all")
    git(history, "branch", "-qD", "side")
    git(history, "read-tree", "main")

    number = drop_objects(Git(discover(history)), [old])

    assert number > 0
    listed = git(history, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").split("\n")
    names = [line.split()[0] for line in listed if not line.endswith(" tree")]
    texts = git(history, "cat-file", "--batch", input="\n".join(names))
    assert "walrus" not in texts and "to drop" not in texts
    assert stray in names
    git(history, "fsck", "--full", "--strict")
