"""For which code something was written: what writes say of it, and how that is read back."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files, git, put_files, tip
from support.ages import opened

from gitmem.store.trailers import Point, read_points


def _written(repo: Path, ref: str = "refs/heads/memory") -> Point:
    return read_points(opened(repo), tip(repo, ref))[0]


def test_every_write_says_for_which_code_it_was_made(memory, repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    memory.remember("One", key="a")
    lines = [_written(repo)]
    second = commit_files(repo, {"new.py": ""})
    memory.edit("a", lambda text: text + "more\n")
    lines.append(_written(repo))
    memory.forget("a", why="")
    lines.append(_written(repo))

    assert [(point.code, point.default) for point in lines] == [(first, ""), (second, ""), (second, "")]


def test_write_on_a_branch_says_where_the_default_branch_stood(memory, repo: Path) -> None:
    default = git(repo, "rev-parse", "HEAD")
    git(repo, "switch", "-q", "-c", "topic")
    topic = commit_files(repo, {"new.py": ""})

    memory.remember("Learnt on a topic", key="a")

    assert (_written(repo).code, _written(repo).default) == (topic, default)
    git(repo, "update-ref", "refs/remotes/origin/main", default)
    git(repo, "switch", "-q", "main")
    ahead = commit_files(repo, {"more.py": ""})
    memory.remember("Learnt ahead of the remote", key="b")
    assert (_written(repo).code, _written(repo).default) == (ahead, "")


def test_private_memories_say_nothing_of_the_code(memory, repo: Path) -> None:
    memory.remember("Mine", key="a", scope="private")

    assert _written(repo, memory.repository.private().ref).code == ""


def test_trailer_that_names_no_commit_says_nothing(memory, repo: Path) -> None:
    put_files(repo, {"learned/a.md": "x"})
    text = "Code-Commit: HEAD\nCode-Default: --output=/tmp/x\nCode-Commit: " + "e" * 39
    pushed = git(repo, "commit-tree", "memory^{tree}", "-p", "memory", "-m", f"pushed\n\n{text}")

    assert read_points(opened(repo), pushed)[0] == Point(pushed, (tip(repo),), "", "")
