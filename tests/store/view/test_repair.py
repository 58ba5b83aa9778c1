"""What a power cut left blank of the view is written again, and no edit of a person is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import git, memory_text, tip
from support.views import push, status_of, view_of

from gitmem.errors import ConflictError, NoRepositoryError, ProcessError, RefusedError
from gitmem.memory import Memory
from gitmem.store.view import worktree as views
from gitmem.store.view.state import View

ADMIN = ".git/worktrees/-memory"
BLANK = {"empty": b"", "zeros": bytes(41)}


@pytest.fixture
def shown(memory: Memory, repo: Path) -> Path:
    """Return the folder of a view of one memory."""
    push(repo, a=memory_text("About a"))
    return Path(memory.view.make().path)


def fsck(repo: Path) -> str:
    """Return what git finds wrong with a repository, work trees included."""
    done = subprocess.run(["git", "fsck", "--no-dangling"], cwd=repo, capture_output=True, text=True, check=False)
    return f"{done.returncode} {done.stdout}{done.stderr}".strip()


@pytest.mark.parametrize("blank", BLANK.values(), ids=BLANK)
@pytest.mark.parametrize(
    "lost",
    [["HEAD"], ["gitdir"], ["commondir"], ["logs/HEAD"], ["index"], ["HEAD", "logs/HEAD", "index", "gitdir"]],
    ids=",".join,
)
def test_blank_files_of_the_views_git_directory_are_written_again(
    memory: Memory, shown: Path, repo: Path, lost: list[str], blank: bytes
) -> None:
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    for name in lost:
        (repo / ADMIN / name).write_bytes(blank)

    changes = memory.view.save().changes

    assert [change.key for change in changes] == ["a"]
    assert "Mine" in git(repo, "show", "memory:learned/a.md")
    assert (git(shown, "rev-parse", "HEAD"), status_of(shown)) == (tip(repo), "")
    assert fsck(repo) == "0"


@pytest.mark.parametrize("name", ["HEAD", "gitdir", "commondir", "index", "logs/HEAD"])
def test_a_pipe_among_the_views_files_is_replaced_and_nothing_waits_for_it(
    memory: Memory, shown: Path, repo: Path, name: str
) -> None:
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    (repo / ADMIN / name).unlink()
    os.mkfifo(repo / ADMIN / name)

    memory.remember("Seals like ice")
    state = memory.view.state()
    changes = memory.view.save().changes

    assert state is not None and state["state"] in ("whole", "unlinked", "damaged")
    assert [change.key for change in changes] == ["a"]
    assert status_of(shown) == ""


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("/nowhere/at/all")


def looping(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def zeros_first(path: Path) -> None:
    path.write_bytes(b"\0" + path.read_bytes())


def full_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").write_text("x")


@pytest.mark.parametrize("damage", [dangling, looping, zeros_first, full_folder])
def test_what_git_cannot_use_among_the_views_files_is_written_again(
    memory: Memory, shown: Path, repo: Path, damage: Callable[[Path], None]
) -> None:
    for name in ("HEAD", "gitdir", "commondir"):
        (shown / "learned/a.md").write_text(memory_text(f"Mine after {name}"))
        damage(repo / ADMIN / name)

        assert [change.key for change in memory.view.save().changes] == ["a"], name
        assert (git(shown, "rev-parse", "HEAD"), fsck(repo)) == (tip(repo), "0"), name


def test_a_pipe_among_another_work_trees_files_is_named(memory: Memory, repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    (repo / ".git/worktrees/other/HEAD").unlink()
    os.mkfifo(repo / ".git/worktrees/other/HEAD")

    memory.remember("Seals like ice")
    with pytest.raises(NoRepositoryError, match="other/HEAD is not a file"):
        memory.view.make()


def test_a_blank_link_of_the_view_is_written_again(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    (shown / ".git").write_bytes(b"")

    assert [change.key for change in memory.view.save().changes] == ["a"]
    assert status_of(shown) == ""


def test_a_commit_in_the_view_counts_after_its_head_was_lost(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    git(shown, "commit", "-qam", "mine")
    (repo / ADMIN / "HEAD").write_bytes(b"")

    memory.view.save()

    assert "Mine" in git(repo, "show", "memory:learned/a.md")


def drop_nothing(repo: Path, blank: bytes) -> None:
    """Leave what git made."""


def drop_link(repo: Path, blank: bytes) -> None:
    (repo / ".memory/.git").write_bytes(blank)


def drop_admin(repo: Path, blank: bytes) -> None:
    for name in ("HEAD", "gitdir", "commondir"):
        (repo / ADMIN / name).write_bytes(blank)


def drop_both(repo: Path, blank: bytes) -> None:
    drop_link(repo, blank)
    drop_admin(repo, blank)


def drop_admin_folder(repo: Path, blank: bytes) -> None:
    shutil.rmtree(repo / ADMIN)


def drop_folder(repo: Path, blank: bytes) -> None:
    drop_admin(repo, blank)
    shutil.rmtree(repo / ".memory")


@pytest.mark.parametrize("drop", [drop_nothing, drop_link, drop_admin, drop_both, drop_admin_folder, drop_folder])
@pytest.mark.parametrize(("is_known", "blank"), [(True, BLANK["empty"]), (False, BLANK["zeros"])], ids=BLANK)
def test_a_view_whose_making_was_cut_short_is_made(
    memory: Memory, repo: Path, drop: Callable[[Path, bytes], None], is_known: bool, blank: bytes
) -> None:
    push(repo, a=memory_text("About a"))
    views.save(memory.repository.git, View(str(repo / ".memory"), "", "", {}))
    git(repo, "worktree", "add", "-q", "--detach", "--no-checkout", ".memory", "memory")
    drop(repo, blank)
    if (repo / ADMIN).exists():
        os.utime(repo / ADMIN, (time.time() - 60,) * 2)
    if not is_known:
        (repo / ".git/gitmem/view.json").unlink()

    made = memory.view.make()

    assert made.path == str(repo / ".memory")
    assert (repo / ".memory/learned/a.md").read_text() == memory_text("About a")
    assert git(repo, "worktree", "list", "--porcelain").count("worktree ") == 2
    assert fsck(repo) == "0"


def test_files_that_a_cut_left_blank_are_written_again_and_edits_stay(memory: Memory, repo: Path) -> None:
    push(repo, a=memory_text("About a"), b=memory_text("About b"))
    view = memory.view.make()
    folder = Path(view.path)
    views.save(memory.repository.git, View(view.path, view.name, "", {}, (tip(repo),)))
    (folder / "learned/a.md").write_bytes(b"")
    (folder / "learned/b.md").write_text(memory_text("Mine"))

    memory.view.save()

    assert (folder / "learned/a.md").read_text() == memory_text("About a")
    assert "Mine" in (folder / "learned/b.md").read_text()
    assert view_of(memory).toward == ()


def test_a_folder_with_files_of_a_person_is_left_alone(memory: Memory, repo: Path) -> None:
    push(repo, a=memory_text("About a"))
    (repo / ".memory").mkdir()
    (repo / ".memory/.git").write_bytes(b"")
    (repo / ".memory/mine.txt").write_text("mine")

    with pytest.raises(RefusedError, match="already exists and is not empty"):
        memory.view.make()

    assert (repo / ".memory/mine.txt").read_text() == "mine"


def test_a_planned_view_is_made_by_the_next_command_and_given_up_where_it_cannot_be(memory: Memory, repo: Path) -> None:
    push(repo, a=memory_text("About a"))
    planned = View(str(repo / ".memory"), "", "", {})
    views.save(memory.repository.git, planned)

    memory.view.follow()
    assert (repo / ".memory/learned/a.md").exists()

    memory.view.remove()
    views.save(memory.repository.git, planned)
    (repo / ".memory").write_text("mine")
    with pytest.raises(RefusedError):
        memory.view.follow()
    memory.view.follow()
    assert (repo / ".memory").read_text() == "mine"


LOCKS = ["HEAD.lock", "index.lock"]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_that_a_killed_gitmem_left_in_the_view_is_cleared(
    memory: Memory, shown: Path, repo: Path, name: str
) -> None:
    (repo / ADMIN / name).touch()
    (repo / ".git/gitmem/view.lock").write_text(f"1 {time.time():.3f} {time.time():.3f} - save")
    push(repo, b=memory_text("About b"))

    memory.view.follow()

    assert not (repo / ADMIN / name).exists()
    assert (git(shown, "rev-parse", "HEAD"), status_of(shown)) == (tip(repo), "")


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_of_another_git_stays_until_doctor_finds_it_old(
    memory: Memory, shown: Path, repo: Path, name: str
) -> None:
    lock = repo / ADMIN / name
    lock.touch()
    push(repo, b=memory_text("About b"))

    with pytest.raises((ConflictError, ProcessError)):
        memory.view.follow()
    assert lock.exists()
    assert memory.doctor(fix=True).fixed == ()

    os.utime(lock, (time.time() - 60,) * 2)
    assert str(lock) in "".join(memory.doctor(fix=True).fixed)
    memory.view.follow()
    assert git(shown, "rev-parse", "HEAD") == tip(repo)
