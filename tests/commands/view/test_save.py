"""Saving the view: a person's edits are on the branch or still in the folder, and others' changes stay."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path

import pytest
from conftest import NOW, git, memory_text, tip
from hypothesis import given, settings
from hypothesis import strategies as st
from support.branch import keys_found, memory_files
from support.views import files_of, push, status_of, view_of

from gitmem.errors import NotFoundError, RefusedError
from gitmem.git import Git, worktrees
from gitmem.memory import Memory
from gitmem.store import commit
from gitmem.store.view import refresh
from gitmem.store.view import safe_folder as folder
from gitmem.store.view import worktree as views

BODY = "\n\n".join(f"line {n}" for n in range(5)) + "\n"
OLD = memory_text("Old", body=BODY)


@pytest.fixture
def shown(memory: Memory, repo: Path) -> Path:
    """Return the folder of a view of two memories."""
    push(repo, a=OLD, b=OLD)
    return Path(memory.view.make().path)


def test_edits_and_new_files_are_saved_and_found(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(OLD.replace("line 0", "pelican"))
    (shown / "gotchas").mkdir()
    (shown / "gotchas/c.md").write_text(memory_text("Flamingos bite", kind="gotcha"))
    git(shown, "add", "learned/a.md")

    done = memory.view.save()

    assert [c.key for c in done.changes] == ["c", "a"]
    assert (status_of(shown), view_of(memory).held) == ("", {})
    assert git(shown, "rev-parse", "HEAD") == tip(repo)
    assert (keys_found(memory, "pelican"), keys_found(memory, "flamingos")) == (["a"], ["c"])


def test_concurrent_changes_by_others_are_kept_and_shown(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(OLD.replace("line 0", "mine"))
    push(repo, a=OLD.replace("line 4", "theirs"), c=OLD)
    memory.view.follow()

    memory.view.save()

    united = OLD.replace("line 0", "mine").replace("line 4", "theirs")
    assert memory_files(repo)["learned/a.md"] == united
    assert files_of(shown)["learned/a.md"] == united
    assert (sorted(memory_files(repo)), status_of(shown)) == (["learned/a.md", "learned/b.md", "learned/c.md"], "")


def test_conflict_in_the_view_has_no_markers_and_waits_for_the_person(memory: Memory, shown: Path, repo: Path) -> None:
    mine, theirs = OLD.replace("line 0", "mine"), OLD.replace("line 0", "theirs")
    (shown / "learned/a.md").write_text(mine)
    push(repo, a=theirs)

    first = memory.view.save()
    between = (memory_files(repo)["learned/a.md"], files_of(shown)["learned/a.md"])
    second = memory.view.save(mine=["a"])

    assert [r.path for r in first.refused] == ["learned/a.md"]
    assert between == (theirs, mine)
    assert ([c.key for c in second.changes], memory_files(repo)["learned/a.md"]) == (["a"], mine)
    assert status_of(shown) == ""


def test_a_memory_that_both_sides_made_is_not_overwritten(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/new.md").write_text(memory_text("Mine"))
    push(repo, new=memory_text("Theirs"))
    memory.view.follow()

    done = memory.view.save()

    assert [r.path for r in done.refused] == ["learned/new.md"]
    assert memory_files(repo)["learned/new.md"] == memory_text("Theirs")
    assert files_of(shown)["learned/new.md"] == memory_text("Mine")


def test_deleted_file_is_restored_unless_forget_is_given(memory: Memory, shown: Path, repo: Path) -> None:
    for key in ("a", "b"):
        (shown / f"learned/{key}.md").unlink()
    first = memory.view.save()
    back = status_of(shown)
    (shown / "learned/a.md").unlink()

    second = memory.view.save(forget=True)

    assert (first.restored, first.changes, back) == (("learned/a.md", "learned/b.md"), (), "")
    assert (second.forgotten, second.restored) == (("a",), ())
    assert sorted(memory_files(repo)) == ["archive/learned/a.md", "learned/b.md"]
    assert "retired:" in files_of(shown)["archive/learned/a.md"]
    assert status_of(shown) == ""


def test_moved_file_is_an_edit_of_its_memory(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "gotchas").mkdir()
    (shown / "learned/a.md").rename(shown / "gotchas/a.md")
    (shown / "gotchas/a.md").write_text(memory_text("Old", kind="gotcha", body=BODY))

    done = memory.view.save(forget=True)

    assert (done.refused, done.forgotten, done.restored) == ((), (), ())
    assert sorted(memory_files(repo)) == ["gotchas/a.md", "learned/b.md"]
    assert (sorted(n for n in files_of(shown) if "/" in n), status_of(shown)) == (["gotchas/a.md", "learned/b.md"], "")


def test_commit_in_the_view_is_kept_and_merged(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(OLD.replace("line 0", "mine"))
    (shown / "notes.txt").write_text("no memory")
    git(shown, "add", "-A")
    git(shown, "rm", "-q", "learned/b.md")
    git(shown, "commit", "-qm", "by hand")
    mine = git(shown, "rev-parse", "HEAD")
    (shown / "learned/a.md").write_text(OLD.replace("line 0", "mine").replace("line 2", "not committed"))
    push(repo, a=OLD.replace("line 4", "theirs"))

    memory.view.follow()

    assert memory_files(repo)["learned/a.md"] == OLD.replace("line 0", "mine").replace("line 4", "theirs")
    assert git(repo, "for-each-ref", "--format=%(objectname)", "refs/gitmem/kept/") == mine
    assert git(repo, "log", "-1", "--format=%s %(trailers:key=Gitmem-Source,valueonly)", "memory").startswith(
        f"by hand commit {mine}"
    )
    assert git(repo, "rev-list", "--count", f"{mine}..memory") == "2"
    assert status_of(shown) == " M learned/a.md\n?? notes.txt"
    assert any("kept as refs/gitmem/kept/" in notice for notice in memory.notices)

    memory.view.save()

    assert memory_files(repo)["learned/a.md"] == (
        OLD.replace("line 0", "mine").replace("line 2", "not committed").replace("line 4", "theirs")
    )


def test_unmergeable_commit_leaves_the_file_to_the_person(memory: Memory, shown: Path, repo: Path) -> None:
    mine, theirs = OLD.replace("line 0", "mine"), OLD.replace("line 0", "theirs")
    (shown / "learned/a.md").write_text(mine)
    git(shown, "commit", "-qam", "by hand")
    push(repo, a=theirs)

    memory.view.follow()
    again = memory.view.save()

    assert (memory_files(repo)["learned/a.md"], files_of(shown)["learned/a.md"]) == (theirs, mine)
    assert [r.path for r in again.refused] == ["learned/a.md"]
    assert git(shown, "rev-parse", "HEAD") == tip(repo)


def test_merge_of_the_branch_in_the_view_is_accepted(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(OLD.replace("line 0", "mine"))
    git(shown, "commit", "-qam", "by hand")
    push(repo, b=OLD.replace("line 0", "theirs"))
    git(shown, "merge", "-q", "memory", "-m", "merged by hand")

    memory.view.save()

    assert memory_files(repo)["learned/a.md"] == OLD.replace("line 0", "mine")
    assert memory_files(repo)["learned/b.md"] == OLD.replace("line 0", "theirs")
    assert status_of(shown) == ""


def test_new_check_stays_unproven_and_one_that_cannot_fail_is_refused(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "facts").mkdir()
    (shown / "facts/ok.md").write_text(memory_text("It is", kind="fact", verify="grep -q RS256 src/auth/jwt.py"))
    (shown / "facts/bad.md").write_text(memory_text("It is so", kind="fact", verify="'true'"))

    done = memory.view.save()

    assert [c.key for c in done.changes] == ["ok"]
    assert [(r.path, "cannot fail" in r.reason) for r in done.refused] == [("facts/bad.md", True)]
    assert memory.repository.waiting_keys() == ["ok"]
    assert memory.notices == ["the check of ok is new; it is unproven until you run gitmem verify"]


def test_other_files_and_links_are_left_alone(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / ".a.md.swp").write_text("x")
    (shown / "notes.txt").write_text("x")
    (shown / "learned/link.md").symlink_to(repo / "README.md")
    before = tip(repo)

    done = memory.view.save()

    assert (done.others, tip(repo)) == (2, before)
    assert [r.path for r in done.refused] == ["learned/link.md"]
    assert (shown / "learned/link.md").is_symlink()


def test_message_with_a_secret_is_refused_before_anything_is_written(memory: Memory, shown: Path, repo: Path) -> None:
    (shown / "learned/a.md").write_text(OLD.replace("line 0", "mine"))
    before = tip(repo)

    with pytest.raises(RefusedError):
        memory.view.save(message="ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8")

    assert tip(repo) == before


def test_files_of_the_code_in_the_folder_are_no_edits(memory: Memory, shown: Path, repo: Path) -> None:
    oid = git(repo, "hash-object", "-w", "--stdin", input=OLD)
    git(repo, "update-index", "--add", "--cacheinfo", f"100644,{oid},.memory/learned/code.md")
    (shown / "learned/code.md").write_text(OLD)

    with pytest.raises(RefusedError, match="belongs to the code"):
        memory.view.save()

    assert [p.code for p in memory.doctor(fix=False).problems if p.code.startswith("view")] == ["view-tracked"]


def test_view_switched_to_the_branch_blocks_no_write_and_loses_nothing(memory: Memory, shown: Path, repo: Path) -> None:
    git(shown, "switch", "-q", "memory")
    (shown / "learned/a.md").write_text(OLD.replace("line 0", "committed"))
    git(shown, "commit", "-qam", "on the branch itself")
    (shown / "learned/b.md").write_text(OLD.replace("line 0", "not saved"))

    memory.remember("written meanwhile", key="c")
    memory.view.save()

    assert [word in memory_files(repo)[f"learned/{key}.md"] for key, word in
            (("a", "committed"), ("b", "not saved"), ("c", "meanwhile"))] == [True, True, True]  # fmt: skip
    assert (git(shown, "branch", "--show-current"), status_of(shown)) == ("", "")


def test_a_key_that_does_not_exist_is_reported(memory: Memory, shown: Path) -> None:
    with pytest.raises(NotFoundError):
        memory.view.save(mine=["nosuch"])


def test_without_a_view_there_is_nothing_to_save(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.view.save()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "stage", "commit", "push", "follow", "save"]),
        st.sampled_from("ab"),
        st.integers(min_value=0, max_value=4),
    ),
    min_size=3,
    max_size=8,
)
GIT = {"edit": ("status",), "stage": ("add", "."), "commit": ("commit", "-qam", "x")}


def change(file: Path, line: int, word: str) -> None:
    """Write a word into a line of a memory's body, as a person would."""
    head, fence, body = file.read_text().rpartition("---\n")
    lines = body.split("\n\n")
    lines[line] = word
    file.write_text(head + fence + "\n\n".join(lines).rstrip("\n") + "\n")


@settings(max_examples=5)
@given(steps=STEPS)
def test_no_edit_is_lost(template: Path, steps: list[tuple[str, str, int]]) -> None:
    """Changes by others are on the branch; each last edit of a line is there, in the folder, or overruled."""
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(shutil.copytree(template, Path(folder) / "r", symlinks=True))
        with Memory(repo, clock=lambda: float(NOW)) as memory:
            memory.init(offline=True)
            push(repo, a=OLD, b=OLD)
            shown = Path(memory.view.make().path)
            mine: dict[tuple[str, int], str] = {}
            others: dict[str, str] = {}
            for nth, (what, key, line) in enumerate(steps):
                if what in GIT:
                    mine[key, line] = f"mine {nth}."
                    change(shown / f"learned/{key}.md", line, mine[key, line])
                    git(shown, *GIT[what])
                elif what == "push":
                    others[f"theirs {nth}."] = key
                    text = git(repo, "show", f"memory:learned/{key}.md")
                    push(repo, **{key: f"{text}\n\ntheirs {nth}.\n"})
                elif what == "follow":
                    memory.view.follow()
                else:
                    memory.view.save()
            memory.view.save()

            branch, files = memory_files(repo), files_of(shown)
            assert [w for w, key in others.items() if w not in branch[f"learned/{key}.md"]] == []
            assert [w for (key, _), w in mine.items() if w not in files[f"learned/{key}.md"]] == []
            assert not any("<<<<<<<" in text for text in branch.values())
            changed = {path for path, text in branch.items() if files[path] != text}
            assert {line[3:] for line in status_of(shown).split("\n") if line} == changed


# A save that is cut short


class Cut(BaseException):
    """A kill."""


class Steps:
    """Kill a save before one of its durable steps.

    Between two of them nothing durable happens, so that "before one" is also "after the one before it".
    """

    DURABLE = (
        (refresh, "save"), (worktrees, "move_head"), (worktrees, "update_index"), (commit, "_import"),
        (folder.Folder, "write"), (folder.Folder, "remove"), (views, "keep"),
    )  # fmt: skip

    def __init__(self, patch: pytest.MonkeyPatch, stop: int) -> None:
        self._left = stop
        for owner, name in self.DURABLE:
            patch.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, real: Callable[..., object]) -> Callable[..., object]:
        def step(*args: object, **more: object) -> object:
            self._left -= 1
            if self._left == 0:
                raise Cut
            return real(*args, **more)

        return step


@pytest.mark.whole_system
@pytest.mark.parametrize("is_committed", [False, True])
def test_killed_save_loses_no_edit(
    memory: Memory, shown: Path, repo: Path, monkeypatch: pytest.MonkeyPatch, is_committed: bool
) -> None:
    for stop in count(1):
        (shown / "learned/a.md").write_text(OLD.replace("line 0", f"mine {stop}") + "\n\n")
        (shown / f"learned/new-{stop}.md").write_text(memory_text(f"New {stop}", body=f"new {stop}\n"))
        if is_committed:
            git(shown, "add", "-A")
            git(shown, "commit", "-qm", "mine")
        (shown / "learned/b.md").write_text(
            memory_files(repo)["learned/b.md"].replace("line 1", f"line 1, edit {stop}")
        )
        push(repo, theirs=memory_text(f"Theirs {stop}"))
        with monkeypatch.context() as patch:
            Steps(patch, stop)
            try:
                memory.view.save()
                break
            except Cut:
                pass

        memory.view.follow()
        memory.view.save()

        texts = memory_files(repo)
        assert f"mine {stop}" in texts["learned/a.md"]
        assert f"new {stop}" in texts[f"learned/new-{stop}.md"]
        assert f"edit {stop}" in texts["learned/b.md"]
        assert f"Theirs {stop}" in texts["learned/theirs.md"]
        assert (git(shown, "rev-parse", "HEAD"), status_of(shown)) == (tip(repo), "")
    assert stop > 10, "every step was met"


def test_edit_during_a_save_is_not_overwritten(
    memory: Memory, shown: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = OLD.replace("line 0", "late")
    push(repo, a=OLD.replace("line 4", "theirs"))
    read_blobs = type(memory.repository.git).read_blobs

    def slow(git: Git, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        found = list(read_blobs(git, oids))
        (shown / "learned/a.md").write_text(late)
        return iter(found)

    with monkeypatch.context() as patch:
        patch.setattr(type(memory.repository.git), "read_blobs", slow)
        memory.view.follow()

    assert (shown / "learned/a.md").read_text() == late
    memory.view.save()
    assert memory_files(repo)["learned/a.md"] == late.replace("line 4", "theirs")
