"""What gitmem wrote is packed now and then, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files, tip
from support.facts import make_fact, put, verify

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.store.commit import pack


def loose(repo: Path) -> set[str]:
    return {f"{file.parent.name}{file.name}" for file in (repo / ".git/objects").glob("[0-9a-f][0-9a-f]/*")}


@pytest.fixture
def git_of(repo: Path) -> Git:
    (repo / ".git/gitmem").mkdir(exist_ok=True)
    return Git(discover(repo))


def test_objects_of_the_branch_are_packed_after_so_many_commits_and_no_others(repo, git_of, monkeypatch):
    monkeypatch.setattr(pack, "COMMITS", 3)
    for n in range(4):
        put_files(repo, {f"learned/m{n}.md": f"memory {n}\n"})
    commit_files(repo, {"src/mine.py": "not packed\n"})
    mine = git(repo, "hash-object", "-w", "--stdin", input="nobody refers to this")
    config = (repo / ".git/config").read_bytes()
    before = loose(repo)

    done = [pack.count(git_of, tip(repo)) for _ in range(4)]

    assert done == [False, False, True, False]
    listed = set(git(repo, "rev-list", "--objects", "--no-object-names", "memory").split())
    assert before - loose(repo) == listed & before
    assert {mine, git(repo, "rev-parse", "HEAD:src/mine.py")} <= loose(repo)
    assert (repo / ".git/config").read_bytes() == config
    assert git(repo, "fsck", "--full", "--no-dangling") == ""
    assert git(repo, "show", "memory:learned/m3.md") == "memory 3"


def test_graph_has_filters_of_changed_paths_for_the_branch_alone(repo, git_of, monkeypatch):
    monkeypatch.setattr(pack, "COMMITS", 1)
    code = commit_files(repo, {"src/mine.py": "not of the branch\n"})
    for n in range(3):
        put_files(repo, {f"learned/m{n}.md": f"memory {n}\n"})
        assert pack.count(git_of, tip(repo))

    graphs = b"".join(file.read_bytes() for file in (repo / ".git/objects/info/commit-graphs").glob("*.graph"))
    assert b"BDAT" in graphs  # gitformat-commit-graph(5): the data of the filters
    assert bytes.fromhex(tip(repo)) in graphs
    assert bytes.fromhex(code) not in graphs
    assert git(repo, "commit-graph", "verify") == ""


def test_packs_hold_only_what_is_new(repo, git_of, monkeypatch):
    monkeypatch.setattr(pack, "COMMITS", 1)
    sizes = []
    for n in range(3):
        put_files(repo, {f"learned/m{n}.md": f"memory {n}\n" * 2000})
        assert pack.count(git_of, tip(repo))
        sizes.append(
            sorted(
                len(git(repo, "show-index", input=file.read_bytes()).split("\n"))
                for file in (repo / ".git/objects/pack").glob("*.idx")
            )
        )

    assert [len(size) for size in sizes] == [1, 2, 3]
    assert max(sizes[-1][1:]) <= max(sizes[0])


def test_failed_packing_is_ignored(repo, git_of, monkeypatch):
    monkeypatch.setattr(pack, "COMMITS", 1)

    assert pack.count(git_of, "1" * 40) is False
    assert pack.count(git_of, tip(repo, "HEAD")) in (True, False)


def test_verify_counts_what_it_commits(repo, monkeypatch):
    monkeypatch.setattr(pack, "COMMITS", 2)
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        put(repo, make_fact("a", {"contains": "RS256", "in": "src/auth/*"}))
        verify(memory)
        assert not list((repo / ".git/objects/pack").glob("*.idx"))
        commit_files(repo, {"src/auth/jwt.py": "none\n"})
        verify(memory)

    assert len(list((repo / ".git/objects/pack").glob("*.idx"))) == 1
    assert git(repo, "fsck", "--full", "--no-dangling") == ""
