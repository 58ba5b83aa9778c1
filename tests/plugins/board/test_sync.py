"""Boards between clones: the union of both, without loss, invalid entries or secrets."""

from __future__ import annotations

import shutil

import pytest
from conftest import NOW, git, put_files

from gitmem.memory import Memory
from gitmem.plugins.board.entry import ClaimSource, Entry, format_entry, id_of, path_of
from gitmem.plugins.board.log import ref_of


def opened(folder) -> Memory:
    return Memory(folder, clock=lambda: float(NOW))


@pytest.fixture
def clones(repo, tmp_path):
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "remote.git"))
    other = shutil.copytree(repo, tmp_path / "other", symlinks=True)
    with opened(repo) as here, opened(other) as there:
        yield here, there


def texts(memory: Memory) -> list[str]:
    return sorted(entry.text for entry in memory.boards.show("r").entries if entry.type != "goal")


def sync(memory: Memory, **how) -> dict[str, tuple[int, bool, str]]:
    return {one.run: (one.received, one.is_sent, one.problem) for one in memory.boards.sync(**how)}


def test_boards_of_two_clones_are_united(clones):
    here, there = clones
    here.boards.open("r", goal="find it")
    question = here.boards.signal("r", "Why?").entry.name
    assert sync(here) == {"r": (0, True, "")}
    assert sync(there) == {"r": (2, True, "")}
    here.boards.post("r", "of here")
    there.boards.post("r", "of there")
    there.boards.post("r", "of both", worker="w1")
    here.boards.post("r", "of both", worker="w1")
    there.boards.answer("r", question, text="Because")

    assert sync(there)["r"] == (0, True, "")
    assert sync(here)["r"][1:] == (True, "")
    assert sync(there)["r"][1:] == (True, "")

    assert texts(here) == texts(there) == ["Because", "Why?", "of both", "of here", "of there"]
    assert here.boards.show("r").entries == there.boards.show("r").entries
    assert here.boards.show("r").closing_signals == ()


def test_invalid_entries_of_a_remote_are_skipped(clones, tmp_path):
    here, _ = clones
    here.boards.open("r")
    here.boards.sync()
    good = Entry("observation", "pushed", "w9", "Mallory", NOW, {})
    files = {path_of("e", 2, id_of(good)): format_entry(good), "entries/run.sh": "rm -rf /", "README.md": "x"}
    put_files(tmp_path / "remote.git", files, ref=ref_of("r"))

    assert sync(here)["r"] == (1, True, "")

    assert texts(here) == ["pushed"]
    assert "run.sh" not in git(tmp_path / "remote.git", "ls-tree", "-r", "--name-only", ref_of("r"))


def test_board_that_was_deleted_or_rewritten_at_the_remote_is_not_pushed_again(clones, tmp_path):
    here, _ = clones
    here.boards.open("r")
    sync(here)
    first = git(tmp_path / "remote.git", "rev-parse", ref_of("r"))
    here.boards.post("r", "more")
    sync(here)
    git(tmp_path / "remote.git", "update-ref", ref_of("r"), first)

    assert "rewritten at origin" in sync(here)["r"][2]
    assert "rewritten at origin" in sync(here)["r"][2]
    git(tmp_path / "remote.git", "update-ref", "-d", ref_of("r"))
    here.boards.post("r", "still more")

    assert "deleted at origin" in sync(here)["r"][2]
    assert texts(here) == ["more", "still more"]


def test_board_with_a_secret_is_not_pushed(clones, tmp_path):
    here, _ = clones
    here.boards.open("r")
    leak = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    bad = Entry("observation", "seen", "w9", "Mallory", NOW, {}, ClaimSource(evidence=f"token {leak}"))
    put_files(
        here.repository.git.repository.work_tree, {path_of("e", 2, id_of(bad)): format_entry(bad)}, ref=ref_of("r")
    )

    (done,) = here.boards.sync()

    assert (done.is_sent, "a secret would be pushed" in done.problem, leak in done.problem) == (False, True, False)
    assert git(tmp_path / "remote.git", "for-each-ref") == ""


def test_sync_without_a_push_only_fetches(clones, tmp_path):
    here, there = clones
    here.boards.open("r")
    sync(here)
    there.boards.open("other")

    assert sync(there, push=False) == {"other": (0, False, ""), "r": (1, True, "")}
    assert "other" not in git(tmp_path / "remote.git", "for-each-ref")
