"""Where the view lies: made where it may be, found again after a move or a copy, and never another repository's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, tip
from support.views import copy, files_of, push, status_of, view_of

from gitmem.errors import ConflictError, RefusedError
from gitmem.memory import Memory
from gitmem.store.view import worktree as views


@pytest.fixture
def shown(memory: Memory, repo: Path) -> Path:
    """Return the folder of a view of one memory."""
    push(repo, a=memory_text("About a"))
    return Path(memory.view.make().path)


def test_view_is_at_the_top_of_the_main_work_tree_and_hidden_from_git_status(shown: Path, repo: Path) -> None:
    assert shown == repo / ".memory"
    assert (shown / "learned/a.md").read_text() == memory_text("About a")
    assert (git(repo, "status", "--porcelain"), status_of(shown)) == ("", "")
    assert git(shown, "rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    assert git(shown, "rev-parse", "HEAD") == tip(repo)


def test_from_a_linked_worktree_it_is_the_same_view(shown: Path, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "topic", "../linked")

    with Memory(repo.parent / "linked") as other:
        assert other.view.make().path == str(shown)
    assert git(repo.parent / "linked", "status", "--porcelain") == ""


def test_folders_that_are_taken_or_gits_own_are_refused_and_stay_as_they_are(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"kept/x.md": "x"})
    (repo / "full").mkdir()
    (repo / "full/file").write_text("mine")
    (repo / "link").symlink_to(repo.parent)
    (repo / "file").write_text("mine")

    for name in ("full", "link", "file", ".git/inner", ".git", "kept", "src/auth"):
        with pytest.raises(RefusedError):
            memory.view.make(str(repo / name))

    assert (repo / "full/file").read_text() == "mine"
    assert git(repo, "worktree", "list", "--porcelain").count("worktree ") == 1


def test_folder_tracked_by_the_code_is_refused(memory: Memory, repo: Path) -> None:
    commit_files(repo, {".memory/facts/x.md": memory_text()})
    (repo / ".memory/facts/x.md").unlink()

    with pytest.raises(RefusedError, match=r"\.memory belongs to the code"):
        memory.view.make()
    made = memory.view.make(str(repo / "notes/view"))

    assert made.path == str(repo / "notes/view")
    assert git(repo, "status", "--porcelain") == " D .memory/facts/x.md"


def test_a_second_view_elsewhere_is_refused(memory: Memory, shown: Path, repo: Path) -> None:
    with pytest.raises(RefusedError, match="the view already exists at"):
        memory.view.make(str(repo.parent / "other"))

    assert not (repo.parent / "other").exists()


def test_folder_that_was_deleted_is_forgotten_and_its_commits_are_kept(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    git(shown, "commit", "-qam", "mine")
    mine = git(shown, "rev-parse", "HEAD")
    shutil.rmtree(shown)

    memory.view.follow()

    assert memory.view.state() is None
    assert not (repo / ".git/worktrees").exists()
    assert git(repo, "for-each-ref", "--format=%(objectname)", "refs/gitmem/kept/") == mine
    assert (memory.view.make().path, status_of(shown)) == (str(shown), "")


def test_a_folder_of_the_persons_own_in_its_place_is_left_alone(memory: Memory, shown: Path, repo: Path) -> None:
    shutil.rmtree(shown)
    (shown / "facts").mkdir(parents=True)
    (shown / "facts/x.md").write_text("mine")

    memory.view.follow()

    assert files_of(shown) == {"facts/x.md": "mine"}
    assert not (shown / ".git").exists()


def test_copied_repository_gets_its_own_view_and_the_original_stays(shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(memory_text("Edited before the copy"))
    other = copy(repo, repo.parent / "copy")
    before = (git(repo, "rev-parse", "HEAD"), tip(repo), files_of(shown), git(shown, "rev-parse", "HEAD"))

    with Memory(other) as copied:
        assert (copied.view.state() or {})["state"] == "unlinked"
        copied.remember("only in the copy", key="b")
        copied.view.follow()
        copied.view.save()

    assert (git(repo, "rev-parse", "HEAD"), tip(repo), files_of(shown), git(shown, "rev-parse", "HEAD")) == before
    assert status_of(shown) == " M learned/a.md"
    assert "Edited before the copy" in git(other, "show", "memory:learned/a.md")
    assert sorted(p.name for p in (other / ".memory/learned").iterdir()) == ["a.md", "b.md"]
    assert git(other / ".memory", "rev-parse", "--git-common-dir") == str(other / ".git")
    assert status_of(other / ".memory") == ""


@pytest.mark.parametrize("is_pruned", [False, True], ids=["moved", "moved and pruned"])
def test_a_moved_repository_is_linked_again_with_what_was_not_saved(shown: Path, repo: Path, is_pruned: bool) -> None:
    (shown / "learned/a.md").write_text(memory_text("Not saved"))
    moved = repo.rename(repo.parent / "moved")
    if is_pruned:
        git(moved, "worktree", "prune", "--expire=now")

    with Memory(moved) as memory:
        memory.remember("more", key="b")
        memory.view.follow()

    assert files_of(moved / ".memory")["learned/a.md"] == memory_text("Not saved")
    assert status_of(moved / ".memory") == " M learned/a.md"
    assert git(moved, "worktree", "list", "--porcelain").count("worktree ") == 2


def test_view_outside_the_repository_is_not_shared_with_a_copy(memory: Memory, repo: Path, tmp_path: Path) -> None:
    memory.view.make(str(tmp_path / "far/view"))
    other = copy(repo, tmp_path / "copy")

    with Memory(other) as copied, pytest.raises(ConflictError, match="belongs to another repository"):
        copied.view.follow()
    with Memory(other) as copied:
        copied.view.remove()
        assert copied.view.state() is None

    assert (memory.view.state() or {})["state"] == "whole"
    assert status_of(tmp_path / "far/view") == ""


def test_git_may_move_it(memory: Memory, shown: Path, repo: Path) -> None:
    git(repo, "worktree", "move", ".memory", "elsewhere")

    memory.view.follow()

    assert view_of(memory).path == str(repo / "elsewhere")


def test_interrupted_creation_continues(memory: Memory, repo: Path) -> None:
    views.make(memory.repository.git, str(repo / ".memory"), memory.repository.tip())
    Path(memory.repository.git.repository.state, "view.json").unlink()

    memory.view.make()

    assert (repo / ".memory/gitmem.toml").is_file()
    assert status_of(repo / ".memory") == ""


def test_view_without_a_record_is_recovered_and_nothing_in_it_is_overwritten(
    memory: Memory, shown: Path, repo: Path
) -> None:
    (shown / "learned/a.md").write_text(memory_text("Mine"))
    push(repo, a=memory_text("Theirs"), b=memory_text("New"))
    memory.close()
    shutil.rmtree(memory.repository.git.repository.state)

    memory.view.make()
    done = memory.view.save()

    assert files_of(shown)["learned/a.md"] == memory_text("Mine")
    assert [r.path for r in done.refused] == ["learned/a.md"]
    assert status_of(shown) == " M learned/a.md"


def test_a_worktree_of_the_code_is_not_taken_over(memory: Memory, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", ".memory")

    with pytest.raises(RefusedError, match="is not empty"):
        memory.view.make()


def bare(repo: Path) -> Path:
    git(repo, "clone", "-q", "--bare", ".", "../bare.git")
    return repo.parent / "bare.git"


def submodule(repo: Path) -> Path:
    top = repo.parent / "top"
    git(repo.parent, "init", "-q", "top")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo), "sub")
    return top / "sub"


def separate(repo: Path) -> Path:
    git(repo.parent, "clone", "-q", "--separate-git-dir=apart.git", str(repo), "apart")
    return repo.parent / "apart"


def sha256(repo: Path) -> Path:
    git(repo.parent, "init", "-q", "--object-format=sha256", "long")
    return repo.parent / "long"


@pytest.mark.whole_system
@pytest.mark.parametrize("shape", [bare, submodule, separate, sha256])
def test_view_works_in_every_kind_of_repository(repo: Path, shape: Callable[[Path], Path]) -> None:
    place = shape(repo)
    with Memory(place) as memory:
        memory.remember("known", key="a")
        shown = Path(memory.view.make(str(repo.parent / "view")).path)
        (shown / "learned/a.md").write_text(memory_text("Mine"))
        memory.remember("more", key="b")
        memory.view.follow()
        before = status_of(shown)
        memory.view.save()
        with Memory(shown) as inside:
            assert "Mine" in inside.repository.text_of("a")

    assert (before, status_of(shown)) == (" M learned/a.md", "")
    assert sorted(files_of(shown)) == ["gitmem.toml", "learned/a.md", "learned/b.md"]


@pytest.mark.parametrize("has_pointer", [False, True])
def test_work_tree_of_a_bare_repository_has_a_view_of_its_own_place(repo: Path, *, has_pointer: bool) -> None:
    folder = repo.parent / "layout"
    folder.mkdir()
    git(repo, "clone", "-q", "--bare", ".", str(folder / ".bare"))
    if has_pointer:
        (folder / ".git").write_text("gitdir: ./.bare\n")
    for name in ("one", "two"):
        git(folder / ".bare", "worktree", "add", "-q", "-b", name, str(folder / name))

    with Memory(folder / "one") as memory:
        memory.remember("known", key="a")
        shown = Path(memory.view.make().path)
        memory.remember("more", key="b")
        memory.view.follow()
    with Memory(folder / "two") as other:
        assert Path(other.view.make().path) == shown
    with Memory(shown) as inside:
        assert inside.repository.git.repository.top == str(folder / "one")

    assert shown == folder / "one" / ".memory"
    assert sorted(files_of(shown)) == ["gitmem.toml", "learned/a.md", "learned/b.md"]
    assert [status_of(folder / name) for name in ("one", "two")] == ["", ""]


# --- info/exclude -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [".memory", "a b/[x]*", "#hash", "!bang"])
def test_line_hides_this_folder_and_no_other(repo: Path, name: str) -> None:
    for folder in (name, "src/other"):
        (repo / folder).mkdir(parents=True, exist_ok=True)
        (repo / folder / "file").write_text("x")

    views.exclude(str(repo / ".git"), name, str(repo / ".git/gitmem"))

    assert git(repo, "status", "--porcelain", "-uall") == "?? src/other/file"


def test_taking_it_out_leaves_every_other_line_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "info" / "exclude"
    views.exclude(str(tmp_path), ".memory", str(tmp_path / "gitmem"))
    views.include(str(tmp_path), ".memory", str(tmp_path / "gitmem"))
    assert not file.parent.exists()
    before = b"# caf\xe9\r\n*.log\n/.memory-old/"
    file.parent.mkdir()
    file.write_bytes(before)

    views.exclude(str(tmp_path), ".memory", str(tmp_path / "gitmem"))
    views.exclude(str(tmp_path), ".memory", str(tmp_path / "gitmem"))
    added = file.read_bytes()
    views.include(str(tmp_path), ".memory", str(tmp_path / "gitmem"))

    assert added.count(b"/.memory/\n") == 1
    assert file.read_bytes() == before
