"""What the view's files become: the branch's, unless a person changed them; from a hostile branch, only what may be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support import hostile_branch
from support.views import files_of, push, status_of, view_of

from gitmem.errors import ConflictError, ForeignBranchError
from gitmem.memory import Memory
from gitmem.store import layout
from gitmem.store.view import refresh
from gitmem.store.view import worktree as views

OLD, NEW, MINE = memory_text("Old"), memory_text("New"), memory_text("Mine")


@pytest.fixture
def shown(memory: Memory, repo: Path) -> Path:
    """Return the folder of a view of two memories."""
    push(repo, a=OLD, b=OLD)
    return Path(memory.view.make().path)


def test_only_what_a_person_left_alone_is_brought_forward(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(MINE)
    (shown / "learned/mine.md").write_text(MINE)
    push(repo, a=NEW, b=NEW, c=NEW)

    memory.view.follow()

    files = files_of(shown)
    assert [files[f"learned/{k}.md"] for k in ("a", "b", "c", "mine")] == [MINE, NEW, NEW, MINE]
    assert status_of(shown) == " M learned/a.md\n?? learned/mine.md"
    assert git(shown, "rev-parse", "HEAD") == tip(repo)
    assert view_of(memory).held == {"learned/a.md": git(repo, "hash-object", "--stdin", input=OLD)}


def test_files_gone_from_the_branch_are_removed_unless_changed(memory: Memory, shown: Path) -> None:
    (shown / "learned/a.md").write_text(MINE)

    memory.forget("a", "b")
    memory.view.follow()

    assert sorted(files_of(shown)) == [
        ".gitattributes", "STATUS.md", "archive/learned/a.md", "archive/learned/b.md", "gitmem.toml", "learned/a.md",
    ]  # fmt: skip


def test_reverted_edit_shows_the_branchs_version_again(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(MINE)
    push(repo, a=NEW)
    memory.view.follow()
    (shown / "learned/a.md").write_text(OLD)

    memory.view.follow()

    assert (files_of(shown)["learned/a.md"], view_of(memory).held, status_of(shown)) == (NEW, {}, "")


@pytest.mark.parametrize("step", ["files", "index", "state"])
def test_next_refresh_completes_one_that_died(
    memory: Memory, shown: Path, repo: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    (shown / "learned/a.md").write_text(MINE)
    push(repo, a=NEW, b=NEW, c=NEW)
    after = {"files": "_index", "index": "save", "state": "worktrees.move_head"}[step]

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"gitmem.store.view.refresh.{after}", die)
        with pytest.raises(KeyboardInterrupt):
            memory.view.follow()
    push(repo, b=MINE)
    memory.view.follow()

    files = files_of(shown)
    assert [files[f"learned/{k}.md"] for k in ("a", "b", "c")] == [MINE, MINE, NEW]
    assert status_of(shown) == " M learned/a.md"
    assert list(view_of(memory).held.values()) == [git(repo, "hash-object", "--stdin", input=OLD)]


@pytest.mark.parametrize("damage", ["missing", "garbage", "cut"])
def test_an_index_that_was_lost_is_rebuilt_and_nothing_looks_deleted(
    memory: Memory, shown: Path, repo: Path, damage: str
) -> None:
    (shown / "learned/a.md").write_text(MINE)
    index = Path(view_of(memory).admin(memory.repository.git), "index")
    data = {"missing": b"", "garbage": b"no index", "cut": index.read_bytes()[:50]}[damage]
    index.unlink()
    if data:
        index.write_bytes(data)
    push(repo, c=NEW)

    memory.view.follow()

    assert status_of(shown) == " M learned/a.md"
    assert files_of(shown)["learned/c.md"] == NEW


def test_a_view_that_another_git_writes_is_left_for_later(memory: Memory, shown: Path, repo: Path) -> None:
    lock = Path(views.lock_of(memory.repository.git, view_of(memory)))
    lock.touch()
    push(repo, a=NEW)

    with pytest.raises(ConflictError, match="locked by another git process"):
        memory.view.follow()
    locked = files_of(shown)["learned/a.md"]
    lock.unlink()
    memory.view.follow()

    assert (locked, files_of(shown)["learned/a.md"]) == (OLD, NEW)


def test_a_view_that_was_switched_to_the_code_is_left_alone(memory: Memory, shown: Path, repo: Path) -> None:
    git(shown, "switch", "-q", "--detach", "main")
    push(repo, a=NEW)

    with pytest.raises(ConflictError, match=", which is not a commit of the memory; it is left alone"):
        memory.view.follow()

    assert (shown / "src/auth/jwt.py").is_file()


def test_git_may_bring_it_forward_or_back_itself(memory: Memory, shown: Path, repo: Path) -> None:
    push(repo, a=NEW)
    push(repo, c=NEW)
    git(shown, "switch", "-q", "--detach", "memory~1")
    memory.view.follow()
    forward = (files_of(shown)["learned/c.md"], status_of(shown))
    git(shown, "switch", "-q", "--detach", "memory~3")
    memory.view.follow()

    assert (forward, status_of(shown)) == ((NEW, ""), "")
    assert files_of(shown)["learned/c.md"] == NEW


def test_a_branch_that_was_rewritten_is_shown(memory: Memory, shown: Path, repo: Path) -> None:
    git(repo, "update-ref", "refs/heads/memory", "memory~1")
    push(repo, z=NEW)
    git(repo, "reflog", "expire", "--all", "--expire=now")
    (shown / "learned/a.md").write_text(MINE)

    memory.view.follow()

    assert sorted(name for name in files_of(shown) if "/" in name) == ["learned/a.md", "learned/z.md"]


def test_verdicts_are_not_shown_and_not_deleted_by_a_commit_there(memory: Memory, shown: Path, repo: Path) -> None:
    path = layout.verdict_path("a", "0123456789abcdef")
    put_files(repo, {path: "x = 1\n", ".github/workflows/check.yml": "on: push\n"})
    memory.view.follow()
    (shown / "learned/a.md").write_text(MINE)

    git(shown, "commit", "-qam", "by hand")

    assert not (shown / "verdicts").exists()
    assert not (shown / ".github").exists()
    assert git(shown, "diff", "--name-only", "HEAD~1", "HEAD") == "learned/a.md"


def test_a_hostile_branch_writes_and_runs_nothing_but_memories(
    memory: Memory, shown: Path, repo: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    for key in ("filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv"):
        git(repo, "config", key, f"touch {ran}; cat")
    evil = hostile_branch.blob(repo, b"* filter=evil diff=evil\n")
    text, link = hostile_branch.blob(repo, NEW.encode()), hostile_branch.blob(repo, b"../../../outside")
    program = hostile_branch.blob(repo, b"#!/bin/sh\ntouch ran\n")
    inner = hostile_branch.tree(repo, [(hostile_branch.FILE, b"post-checkout", program)])
    hostile_branch.push(
        repo,
        {
            "learned": [
                (hostile_branch.FOLDER, b"..", inner),
                (hostile_branch.FOLDER, b".git", inner),
                (hostile_branch.FOLDER, b".GIT", inner),
                (hostile_branch.MODULE, b"module", hostile_branch.NOWHERE),
                (hostile_branch.FILE, b".gitattributes", evil),
                (hostile_branch.LINK, b"link.md", link),
                (hostile_branch.FILE, b"good.md", text),
                (hostile_branch.FILE, b"null.md", "0" * 40),
                (hostile_branch.FILE, b"Upper.md", text),
                (hostile_branch.FILE, b"bomb.md", hostile_branch.zeros(repo, 3_000_000)),
            ],
            ".github": [(hostile_branch.FILE, b"..", text), (hostile_branch.FILE, b".gitattributes", evil)],
        },
    )

    memory.view.follow()
    (shown / "learned/good.md").write_text(MINE)
    memory.view.save()
    status_of(shown)

    assert sorted(files_of(shown)) == [
        ".gitattributes", "STATUS.md", "gitmem.toml", "learned/a.md", "learned/b.md", "learned/good.md",
    ]  # fmt: skip
    assert files_of(shown)[".gitattributes"] == layout.ATTRIBUTES
    assert not ran.exists()
    assert sorted({*os.listdir(repo.parent)} - {"state-home"}) == ["service"]


@pytest.mark.parametrize("name", [b"..", b".git", b".GIT", b"evil.md"])
def test_a_branch_with_a_name_of_no_store_at_its_root_is_not_shown(
    memory: Memory, shown: Path, repo: Path, name: bytes
) -> None:
    before = files_of(shown)
    text = hostile_branch.blob(repo, NEW.encode())
    folder = hostile_branch.FOLDER, name, hostile_branch.tree(repo, [(hostile_branch.FILE, b"victim.md", text)])
    hostile_branch.push(repo, {"": [(hostile_branch.FILE, name, text) if name.endswith(b".md") else folder]})

    with pytest.raises(ForeignBranchError):
        memory.view.follow()

    assert files_of(shown) == before
    assert not (repo / "victim.md").exists()


def test_a_name_that_leads_out_is_not_looked_at_after_a_refresh_was_cut_short(
    memory: Memory, shown: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "victim.md").write_text(NEW)
    text = hostile_branch.blob(repo, NEW.encode())
    upper = hostile_branch.tree(repo, [(hostile_branch.FILE, b"victim.md", text)])
    hostile_branch.push(
        repo,
        {
            "learned": [
                (hostile_branch.FOLDER, b"..", hostile_branch.tree(repo, [(hostile_branch.FOLDER, b"..", upper)]))
            ]
        },
    )
    with monkeypatch.context() as patch:
        patch.setattr("gitmem.store.view.refresh._index", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.view.follow()
    git(repo, "update-ref", "refs/heads/memory", "memory~1")
    push(repo, c=NEW)

    memory.view.follow()

    assert (repo / "victim.md").read_text() == NEW
    assert files_of(shown)["learned/c.md"] == NEW


def test_a_hostile_attributes_file_at_the_top_is_not_shown_and_counts_for_nothing(
    memory: Memory, shown: Path, repo: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    git(repo, "config", "filter.evil.clean", f"touch {ran}; cat")
    put_files(repo, {".gitattributes": "* filter=evil\n"})

    memory.view.follow()
    (shown / "learned/a.md").write_text(MINE)
    memory.view.save()
    status_of(shown)

    assert not (shown / ".gitattributes").exists()
    assert not ran.exists()


def test_a_link_that_a_person_put_in_the_way_is_not_followed(memory: Memory, shown: Path, repo: Path) -> None:
    outside = repo.parent / "outside"
    outside.mkdir()
    for path in (shown / "learned").iterdir():
        path.unlink()
    (shown / "learned").rmdir()
    (shown / "learned").symlink_to(outside)
    push(repo, a=NEW, c=NEW)

    memory.view.follow()

    assert os.listdir(outside) == []
    assert sorted(view_of(memory).held) == ["learned/a.md", "learned/c.md"]


def test_standing_says_where_the_files_are_from(memory: Memory, shown: Path, repo: Path) -> None:
    view, before = view_of(memory), tip(repo)
    (shown / "learned/a.md").write_text(MINE)
    git(shown, "commit", "-qam", "mine")

    found = refresh.read_head(memory.repository.git, view, before)

    assert found == refresh.ViewHead(before, git(shown, "rev-parse", "HEAD"))
