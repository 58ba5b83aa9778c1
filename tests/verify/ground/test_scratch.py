"""Whatever a check does to its tree, it is undone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.errors import NotFoundError
from gitmem.verify.ground.scratch import CodeSource, Scratch

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
       (("NAME", "Ana"), ("EMAIL", "ana@example.com"), ("DATE", "2026-01-02T03:04:05Z"))},
}  # fmt: skip


def git(folder: Path, *args: str) -> str:
    return subprocess.run(
        ["git", *args], cwd=folder, env=ENV, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A scratch clone of a small repository, its commit, and its source."""
    top = tmp_path_factory.mktemp("scratch").resolve()
    git(top, "init", "-q", "-b", "main")
    for name in ("a", "d/a", "d/b", "d/e/a"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(f"{name}\n")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "one")
    commit = git(top, "rev-parse", "HEAD")
    source = CodeSource(top / ".git", b"")
    found = Scratch.find(top / ".git" / "gitmem" / "ground" / "1")
    found.show(commit, source)
    yield found, commit, source
    found.close()


PLACES = st.sampled_from(
    ["a", "b", "d", "d/a", "d/b", "d/c", "d/e", "d/e/a", "d/e/f", "x", "x/y", ".git", ".git/index"]
)
ACTIONS = st.sampled_from(["write", "remove", "folder", "link", "chmod", "rename"])


def act(top: Path, action: str, path: str, other: str) -> None:
    """Do one thing to the tree, where it can be done."""
    place = top / path
    try:
        if action == "write":
            place.write_text(other)
        elif action == "remove":
            shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
        elif action == "folder":
            place.mkdir()
        elif action == "link":
            place.symlink_to(other)
        elif action == "chmod":
            place.chmod(0o500, follow_symlinks=True)
        elif action == "rename":
            place.rename(top / other)
    except OSError:
        return


def listing(folder: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for top, folders, files in os.walk(folder):
        for name in folders + files:
            path = Path(top, name)
            content = os.fsencode(path.readlink()) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
            found[str(path.relative_to(folder))] = (path.lstat().st_mode, b"" if name == "index" else content)
    return found


@settings(max_examples=12)
@given(st.lists(st.tuples(ACTIONS, PLACES, PLACES), max_size=8))
def test_any_changes_are_undone(clone, actions):
    scratch, commit, source = clone
    scratch.show(commit, source)
    before = listing(scratch.tree)

    scratch.open_to_changes()
    for action, path, other in actions:
        act(scratch.tree, action, path, other)
    scratch.restore(commit, source)

    assert listing(scratch.tree) == before
    assert git(scratch.tree, "status", "--porcelain", "--ignored") == ""
    assert scratch._read_state() == commit


def test_while_a_check_may_change_it_its_state_says_nothing(clone):
    scratch, commit, source = clone
    scratch.show(commit, source)

    scratch.open_to_changes()
    during = scratch._read_state()
    scratch.restore(commit, source)

    assert (during, scratch._read_state()) == ("", commit)


def test_one_clone_has_one_holder(tmp_path):
    first = Scratch.find(tmp_path / "1")

    assert Scratch.find(tmp_path / "1") is None
    first.close()
    second = Scratch.find(tmp_path / "1")
    assert second is not None
    second.close()


def test_a_missing_commit_leaves_the_clone_as_it_was(clone):
    scratch, commit, source = clone
    scratch.show(commit, source)
    before = listing(scratch.tree)

    with pytest.raises(NotFoundError):
        scratch.show("1" * 40, source)
    scratch.show(commit, source)

    assert listing(scratch.tree) == before
    assert git(scratch.tree, "rev-parse", "HEAD") == commit


@pytest.mark.parametrize("name", ["plain", "new\nline", '"quoted"', "#hash", "back\\slash"])
def test_objects_are_borrowed_from_folders_of_any_name(tmp_path, name):
    top = tmp_path.resolve()
    origin = top / name
    origin.mkdir()
    git(origin, "init", "-q")
    (origin / "f").write_text("x\n")
    git(origin, "add", "-A")
    git(origin, "commit", "-q", "-m", "one")
    borrower = top / "borrower"
    borrower.mkdir()
    git(borrower, "init", "-q")
    scratch = Scratch.find(borrower / ".git" / "gitmem" / "ground" / "1")
    source = CodeSource(origin / ".git", b"")

    scratch.show(git(origin, "rev-parse", "HEAD"), source)
    scratch.close()

    assert (scratch.tree / "f").read_text() == "x\n"
    assert git(scratch.tree, "log", "--format=%s") == "one"
