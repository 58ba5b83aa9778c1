"""The state of the view, doctor's findings about it, and its update after every write."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import git, memory_text
from support.console import at_rest, wait_until
from support.views import copy, files_of, push, status_of, view_of

from gitmem.errors import ConflictError, RefusedError
from gitmem.git import worktrees
from gitmem.memory import Memory
from gitmem.store.commit import WriteTarget, advance
from gitmem.store.view import refresh
from gitmem.store.view import worktree as views


@pytest.fixture
def shown(memory: Memory, repo: Path) -> Path:
    """Return the folder of a view of one memory."""
    push(repo, a=memory_text("Old"))
    return Path(memory.view.make().path)


def codes(memory: Memory, *, fix: bool = False) -> list[str]:
    """Return the codes of doctor's problems with the view."""
    return [p.code for p in memory.doctor(fix=fix).problems if p.code.startswith("view")]


def test_status_shows_the_view_and_its_unsaved_files(memory: Memory, shown: Path, repo: Path, run_cli) -> None:
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    (shown / "learned/new.md").write_text(memory_text("New"))
    git(shown, "add", "learned/a.md")

    found, stdin = memory.status().document["view"], run_cli("status").out

    assert (found["path"], found["state"], found["unsaved"]) == (
        str(shown), "whole", ["learned/a.md", "learned/new.md"],
    )  # fmt: skip
    assert f"view: {shown}; 2 files not saved: gitmem save\n" in stdin
    assert git(shown, "diff", "--cached", "--name-only") == "learned/a.md"


def test_status_ignores_files_that_a_refresh_is_writing(
    memory: Memory, shown: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(repo, a=memory_text("New"), b=memory_text("Added"))
    (shown / "learned/mine.md").write_text(memory_text("Mine"))
    asked: list[list[str]] = []

    def and_asked(done: Callable[..., object]) -> Callable[..., object]:
        def do(*args: object, **options: object) -> object:
            with Memory(repo) as other:
                asked.append(other.status().document["view"]["unsaved"])
            return done(*args, **options)

        return do

    for module, name in ((worktrees, "update_index"), (worktrees, "move_head"), (refresh, "save")):
        monkeypatch.setattr(module, name, and_asked(getattr(module, name)))
    memory.view.follow()

    assert asked == [["learned/mine.md"]] * 4
    assert (shown / "learned/a.md").read_text() == memory_text("New")


def test_doctor_reports_only_files_behind_the_branch(memory: Memory, shown: Path, repo: Path) -> None:
    well = codes(memory)
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    push(repo, a=memory_text("New"))
    memory.view.follow()

    assert (well, codes(memory)) == ([], ["view-behind"])


def test_doctor_relinks_a_copied_view_and_forgets_a_missing_one(memory: Memory, shown: Path, repo: Path) -> None:
    with Memory(copy(repo, repo.parent / "copy")) as copied:
        broken, mended, well = codes(copied), copied.doctor(fix=True).fixed, codes(copied)
    shutil.rmtree(shown)
    gone, forgot = codes(memory), memory.doctor(fix=True).fixed

    assert (broken, well, gone, codes(memory)) == (["view-broken"], [], ["view-gone"], [])
    assert mended == (f"linked the view {repo.parent}/copy/.memory to this repository again",)
    assert forgot == (f"removed the record of the view {shown}, whose folder is gone",)


def test_doctor_rebuilds_a_damaged_index(memory: Memory, shown: Path) -> None:
    Path(view_of(memory).admin(memory.repository.git), "index").write_bytes(b"garbage")
    broken = codes(memory)

    memory.doctor(fix=True)

    assert (broken, codes(memory), status_of(shown)) == (["view-broken"], [], "")


def test_doctor_removes_only_a_stale_lock(memory: Memory, shown: Path) -> None:
    lock = Path(views.lock_of(memory.repository.git, view_of(memory)))
    lock.touch()
    young = codes(memory, fix=True)
    os.utime(lock, (0, 0))
    with lock.open():
        held = codes(memory, fix=True)
    dead = codes(memory)

    after = codes(memory, fix=True)

    assert (young, held, dead, after) == (["view-locked"], ["view-locked"], ["view-locked"], [])
    assert not lock.exists()


def test_doctor_hints_at_the_way_back_from_another_branch(memory: Memory, shown: Path) -> None:
    git(shown, "switch", "-q", "--detach", "main")

    problem = next(p for p in memory.doctor(fix=False).problems if p.code == "view-broken")
    git(repo := shown.parent, *problem.hint.removeprefix("git ").replace("'", "").split())

    assert (codes(memory), status_of(shown), git(repo, "status", "--porcelain")) == ([], "", "")


def test_large_view_is_created_only_on_request(memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.commands.view.view.UNASKED_AT_MOST", 4)
    push(repo, a=memory_text(), b=memory_text())

    with pytest.raises(RefusedError, match="it would have 5 files; gitmem view creates it"):
        memory.view.make(unasked=True)

    assert not (repo / ".memory").exists()
    assert Path(memory.view.make().path, "learned/b.md").is_file()


def test_automatic_view_stops_growing_at_the_limit(
    memory: Memory, repo: Path, run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.commands.view.view.UNASKED_AT_MOST", 4)
    push(repo, a=memory_text())
    folder = Path(memory.view.make(unasked=True).path)
    push(repo, **{f"m{n}": memory_text() for n in range(5)})

    memory.view.follow()
    names, stdin = files_of(folder).keys(), run_cli("status").out
    run_cli("view")

    assert "learned/m4.md" not in names
    assert "; too large to update automatically: gitmem view" in stdin
    assert "learned/m4.md" in files_of(folder)


def test_view_follows_a_write(shown: Path, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITMEM_BACKGROUND")
    (shown / "learned/a.md").write_text(memory_text("Mine"))

    with Memory(repo) as memory:
        memory.remember("More is known", key="b")
        memory.forget("a")
    # What the process behind it is writing now is no file to read yet.
    assert wait_until(lambda: (shown / "archive/learned/a.md").exists() and at_rest(repo / ".git" / "gitmem"))

    files = files_of(shown)
    assert {"learned/b.md", "archive/learned/a.md"} <= files.keys()
    assert files["learned/a.md"] == memory_text("Mine")


def test_view_follows_every_move_of_the_branch(
    memory: Memory, shown: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr("gitmem.store.state.background.start", lambda *args: asked.append(args[2]))
    old = memory.remember("More is known", key="b").commit
    new = git(repo, "commit-tree", "-p", old, "-m", "x", f"{old}^{{tree}}")

    advance(WriteTarget(memory.repository.git, memory.repository.ref, "test", 1), new, old=old)

    assert asked == ["view", "view"]


def test_read_only_disk_separates_writes_and_view(
    memory: Memory, shown: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(repo, b=memory_text("New"))

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr("gitmem.store.view.safe_folder.os.rename", refuse)
        with pytest.raises(OSError, match="Read-only"):
            memory.view.follow()
    memory.view.follow()

    assert (status_of(shown), "learned/b.md" in files_of(shown)) == ("", True)


def test_removing_a_view_leaves_files_of_the_code(memory: Memory, shown: Path, repo: Path) -> None:
    other = repo.parent / "other"
    git(repo, "worktree", "add", "-q", "-b", "home", str(other))
    (other / ".memory/learned").mkdir(parents=True)
    (other / ".memory/learned/code.md").write_text(memory_text("Of the code"))
    git(other, "add", "-f", ".memory")
    git(other, "commit", "-qm", "a second home")
    git(repo, "merge", "-q", "home")
    unsaved = memory.status().document["view"]["unsaved"]
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    with pytest.raises(ConflictError, match=r"1 file\(s\) .* learned/a.md"):
        memory.view.remove()
    (shown / "learned/a.md").unlink()
    git(shown, "checkout", "-q", "--", "learned/a.md")

    memory.view.remove()

    assert unsaved == []
    assert files_of(shown) == {"learned/code.md": memory_text("Of the code")}
    assert git(repo, "status", "--porcelain", "--ignored") == ""
    assert str(shown) not in git(repo, "worktree", "list")
    assert memory.view.make(str(repo.parent / "view")).path == str(repo.parent / "view")
