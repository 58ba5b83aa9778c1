"""``gitmem view``: where the files are, alone on standard output, and how it is taken away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, tip
from support.views import status_of


@pytest.fixture
def store(run_cli, repo: Path) -> Path:
    """Return a repository with one memory."""
    run_cli("remember", "A known thing", "--key", "a")
    return repo


def test_view_prints_its_folder_and_what_is_not_saved(run_cli, store: Path) -> None:
    made = run_cli("view")
    (store / ".memory/learned/a.md").write_text(memory_text("Mine"))

    again, table = run_cli("view"), json.loads(run_cli("view", "--json").out)

    assert (made.status, made.out, made.err) == (0, f"{store}/.memory\n", "")
    assert (again.out, again.err) == (f"{store}/.memory\n", "gitmem: 1 file not saved: gitmem save\n")
    assert table == {
        "path": f"{store}/.memory", "commit": tip(store), "unsaved": ["learned/a.md"], "held": [],
    }  # fmt: skip


def test_path_is_relative_to_the_current_folder(run_cli, store: Path) -> None:
    run_cli("view", "../notes", cwd=store / "src")

    assert (store / "notes/learned/a.md").is_file()
    assert git(store, "status", "--porcelain") == ""


def test_remove_deletes_the_view_unless_files_are_unsaved(run_cli, store: Path) -> None:
    before = {p: p.read_bytes() for p in (store / ".git/info").iterdir()}
    run_cli("view")
    (store / ".memory/notes.txt").write_text("mine")

    kept = run_cli("view", "--remove")
    (store / ".memory/notes.txt").unlink()
    gone = run_cli("view", "--remove")

    assert (kept.status, "not saved: notes.txt" in kept.err) == (3, True)
    assert (gone.status, gone.out) == (0, f"{store}/.memory\n")
    assert not (store / ".memory").exists()
    assert {p: p.read_bytes() for p in (store / ".git/info").iterdir()} == before
    assert not (store / ".git/worktrees").exists()
    assert run_cli("view", "--remove").status == 1


def test_a_commit_that_was_not_merged_keeps_it(run_cli, store: Path) -> None:
    run_cli("view")
    (store / ".memory/learned/a.md").write_text(memory_text("Mine"))
    git(store / ".memory", "commit", "-qam", "by hand")

    kept = run_cli("view", "--remove")
    found = run_cli("view")

    assert (kept.status, "contains an unsaved commit" in kept.err) == (3, True)
    assert "a of that commit is on the branch now" in found.err
    assert run_cli("view", "--remove").status == 0


def test_init_makes_the_view_by_default(run_cli, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITMEM_VIEW")
    without = run_cli("init", "--offline", "--no-view")
    was_made = (repo / ".memory").exists()
    git(repo, "config", "gitmem.view", "false")
    run_cli("init", "--offline")
    was_made = was_made or (repo / ".memory").exists()
    git(repo, "config", "gitmem.view", "true")

    done = run_cli("init", "--offline")

    assert (without.status, was_made) == (0, False)
    assert f"its files are shown in {repo}/.memory" in done.out
    assert (status_of(repo / ".memory"), git(repo, "status", "--porcelain")) == ("", "")


def test_init_makes_no_view_if_the_code_has_that_folder(run_cli, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITMEM_VIEW")
    commit_files(repo, {".memory/facts/x.md": memory_text()})

    done = run_cli("init", "--offline", "--json")

    assert (done.status, json.loads(done.out)["view"]) == (0, "")
    assert "the view was not created: .memory belongs to the code" in done.err


def test_init_says_how_to_make_the_view_if_its_folder_is_taken(
    run_cli, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITMEM_VIEW")
    (repo / ".memory").mkdir()
    (repo / ".memory/notes.md").write_text("mine\n")

    done = run_cli("init")

    assert done.status == 0
    assert "is not empty; move it away, or choose another folder: gitmem view PATH" in done.err


def test_view_needs_a_memory(run_cli, repo: Path) -> None:
    done = run_cli("view")

    assert (done.status, "no memory yet" in done.err, (repo / ".memory").exists()) == (3, True, False)
