"""Writes to the code tree: files of the work tree, for the person to commit (row F9)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.facts import Clock, make_memory, put, statuses, tracked, verify

from gitmem.errors import NotFoundError, RefusedError
from gitmem.memory import Memory


def lying(repo: Path) -> set[str]:
    return {path.relative_to(repo).as_posix() for path in (repo / ".memory").rglob("*") if path.is_file()}


def state_of(repo: Path) -> tuple[str, ...]:
    """Return all that gitmem may not touch: HEAD, the memory branch, what is staged, and other files' state."""
    return (
        git(repo, "rev-parse", "HEAD"),
        tip(repo),
        git(repo, "diff", "--cached", "--stat"),
        git(repo, "status", "--porcelain", "--", ":(exclude).memory"),
    )


def test_a_memory_is_written_to_the_work_tree_and_nothing_else_is_touched(memory: Memory, repo: Path) -> None:
    (repo / "src/staged.py").write_text("x\n")
    git(repo, "add", "-A")
    (repo / "README.md").write_text("dirty\n")
    before = state_of(repo)

    done = memory.remember("The gateway drops requests", key="drops", kind="gotcha", in_tree=True)

    assert (done.path, done.commit) == (".memory/gotchas/drops.md", "")
    assert lying(repo) == {done.path}
    assert state_of(repo) == before
    assert memory.notices == [f"it takes effect once you commit it: git add {done.path}"]
    with pytest.raises(NotFoundError):
        memory.show("drops")

    git(repo, "add", ".memory")
    git(repo, "commit", "-qm", "a gotcha")
    assert memory.show("drops").document["title"] == "The gateway drops requests"


def test_uncommitted_files_count_for_the_next_write(memory: Memory, repo: Path) -> None:
    first = memory.remember("Deploys need the VPN", in_tree=True)
    same = memory.remember("Deploys need the VPN", in_tree=True)
    memory.remember("Old", key="a", in_tree=True)
    memory.remember("New", key="a", in_tree=True)

    assert (same.key, same.is_written) == (first.key, False)
    assert lying(repo) == {first.path, ".memory/learned/a.md"}
    assert "title: New" in (repo / ".memory/learned/a.md").read_text()

    memory.edit("a", fields={"title": "Newer"}, body=None, approve=False)
    assert "title: Newer" in (repo / ".memory/learned/a.md").read_text()
    with pytest.raises(NotFoundError, match="there is no memory a"):
        memory.show("a")


def test_edits_and_retirements_happen_in_the_work_tree(repo: Path) -> None:
    put(repo, make_memory("branch", "stays"))
    commit_files(repo, tracked(make_memory("a", "Once"), make_memory("b", "Gone")))
    before = tip(repo)

    with Memory(repo, clock=Clock()) as memory:
        memory.edit("a", fields={"title": "Twice"}, body=None, approve=False)
        memory.edit("a", fields={"tags": ["x"]}, body=None, approve=False)
        memory.forget("b", why="no more")

    text = (repo / ".memory/gotchas/a.md").read_text()
    assert "title: Twice" in text
    assert "tags: [x]" in text
    assert lying(repo) == {".memory/gotchas/a.md", ".memory/archive/gotchas/b.md"}
    assert tip(repo) == before


def test_memory_retired_in_the_code_tree_is_restored_there(repo: Path) -> None:
    commit_files(repo, tracked(make_memory("a", "Stays"), make_memory("b", "Gone")))
    with Memory(repo, clock=Clock()) as memory:
        memory.forget("b")
        commit_files(repo, {}, "retired")

        done = memory.restore("b")

    assert [change.path for change in done] == [".memory/gotchas/b.md"]
    assert lying(repo) == {".memory/gotchas/a.md", ".memory/gotchas/b.md"}


def test_a_fact_is_proved_now_and_recorded_once_it_is_committed(memory: Memory, repo: Path) -> None:
    before = tip(repo)
    with pytest.raises(RefusedError, match="does not hold"):
        memory.fact("No", verify={"exists": "nope"}, in_tree=True)

    memory.fact("Three", verify={"contains": "= 3", "in": "src/gateway/retry.py"}, key="three", in_tree=True)

    assert tip(repo) == before
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "a fact")
    assert statuses(memory) == {"three": "verified"}
    assert verify(memory).due == 0
    assert "verdicts/" in git(repo, "ls-tree", "-r", "--name-only", "memory")


def test_a_fact_that_is_edited_there_keeps_the_branch_s_verdict_until_it_is_committed(repo: Path) -> None:
    with Memory(repo, clock=Clock()) as memory:
        memory.fact("Three", verify={"contains": "= 3", "in": "src/gateway/retry.py"}, key="three", in_tree=True)
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", "a fact")
        verify(memory)
        before = tip(repo)

        memory.edit("three", fields={"verify": {"exists": "src/gateway/retry.py"}}, body=None, approve=False)

        assert tip(repo) == before
        assert statuses(memory) == {"three": "verified"}


def test_history_is_that_of_the_code_and_of_the_verdicts(repo: Path) -> None:
    with Memory(repo, clock=Clock()) as memory:
        memory.fact("Three", verify={"contains": "= 3", "in": "src/gateway/retry.py"}, key="three", in_tree=True)
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", "a fact")
        verify(memory)

        rows = memory.log("three", limit=9)

    assert sorted((row.what, row.subject) for row in rows) == [
        ("memory", "a fact"),
        ("verdict", "verify: 1 verdict"),
    ]


def test_file_ignored_by_git_is_reported(memory: Memory, repo: Path) -> None:
    (repo / ".gitignore").write_text(".memory/\n")

    memory.remember("x", key="a", in_tree=True)

    assert memory.notices == ["it takes effect once you commit it: git add -f .memory/learned/a.md"]


@pytest.mark.parametrize("kind", ["a view", "a link", "a file", "a link inside"])
def test_view_or_file_in_place_of_the_folder_is_refused(memory: Memory, repo: Path, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    if kind == "a view":
        git(repo, "worktree", "add", "-q", "--detach", ".memory", "memory")
    elif kind == "a link":
        os.symlink(outside, repo / ".memory")
    elif kind == "a file":
        (repo / ".memory").write_text("x")
    else:
        (repo / ".memory").mkdir()
        os.symlink(outside, repo / ".memory/learned")

    with pytest.raises(RefusedError):
        memory.remember("x", key="a", in_tree=True)

    assert list(outside.iterdir()) == []


def test_a_bare_repository_has_no_code_tree_to_write_to(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")

    with Memory(tmp_path / "bare.git") as memory, pytest.raises(RefusedError, match="no work tree"):
        memory.remember("x", in_tree=True)


def test_memories_of_two_homes_are_not_linked_by_one_write(repo: Path) -> None:
    put(repo, make_memory("old", "on the branch"))
    commit_files(repo, tracked(make_memory("new", "in the code")))

    with Memory(repo, clock=Clock()) as memory, pytest.raises(RefusedError, match="different"):
        memory.supersede("old", "new")


def test_links_and_pipes_that_lie_in_the_code_are_neither_written_through_nor_waited_for(
    memory: Memory, repo: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine\n")
    folder = repo / ".memory/learned"
    folder.mkdir(parents=True)
    for name in (".a.md.new", "../.gitmem-new"):  # what a file is called until it is whole
        os.symlink(precious, folder / name)
    os.mkfifo(folder / "pipe.md")

    memory.remember("Deploys need the VPN", key="a", in_tree=True)

    assert precious.read_text() == "mine\n"
    assert "Deploys" in (folder / "a.md").read_text()
    assert not (folder / "a.md").is_symlink()


def test_both_homes_keep_every_field(memory: Memory, repo: Path) -> None:
    memory.remember("A foundation", key="base")
    every = {
        "body": "More about it.",
        "tags": ["auth"],
        "paths": ["src/auth/**"],
        "refs": ["src/auth/jwt.py:1"],
        "ttl": "30d",
        "requires": ["base"],
        "produces": ["auth-ready"],
        "env": ["TOKEN"],
        "timeout": "5s",
        "importance": "high",
        "confidence": 0.5,
        "task": "T-1",
    }
    texts = {}
    for is_in_tree in (False, True):
        memory.fact(
            "Tokens use RS256",
            key="tree" if is_in_tree else "branch",
            verify="grep -q RS256 src/auth/jwt.py",
            in_tree=is_in_tree,
            force=True,
            **every,
        )
        home = repo / ".memory/facts/tree.md"
        texts[is_in_tree] = home.read_text() if is_in_tree else git(repo, "show", "memory:facts/branch.md")

    assert texts[True].strip() == texts[False].strip()


def test_a_view_in_its_place_is_moved_with_what_is_not_saved_and_one_line_says_where(
    memory: Memory, repo: Path
) -> None:
    memory.remember("On the branch", key="a")
    memory.view.make()
    (repo / ".memory/learned/mine.md").write_text("---\ntitle: Mine\nkind: learned\n---\n", encoding="utf-8")

    memory.remember("In the tree", key="b", in_tree=True)

    assert (
        memory.notices[0] == "the view of the memory branch is in .memory-branch/ now: .memory/ is a folder of the code"
    )
    assert lying(repo) == {".memory/learned/b.md"}
    assert (repo / ".memory-branch/learned/mine.md").exists() and (repo / ".memory-branch/learned/a.md").exists()
    assert git(repo, "status", "--porcelain", "-uall") == "?? .memory/learned/b.md"
    memory.view.save()
    assert "mine" in git(repo, "ls-tree", "-r", "--name-only", "memory")
    memory.remember("In the tree too", key="c", in_tree=True)
    memory.view.remove()
    assert git(repo, "worktree", "list").count("\n") == 0
