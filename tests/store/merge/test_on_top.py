"""A companion is read on top of the memory branch as it is now, and brings nothing but memories."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, git, memory_text, put_files, tip

from gitmem.errors import GitmemError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.store.merge.on_top import list_changed_keys, on_top

REF = "refs/heads/gitmem/branch/topic"


def top(folder: Path, companion: str) -> str:
    ref = on_top(Git(discover(folder)), tip(folder), companion, code="topic", now=NOW, wait_s=5.0)
    return git(folder, "rev-parse", ref)


@pytest.fixture(name="store")
def with_memory(repo: Path) -> Path:
    """Return a repository with a memory branch and a companion that starts there."""
    put_files(repo, {"gitmem.toml": "format = 1\n", "learned/a.md": memory_text("One")})
    git(repo, "update-ref", REF, "refs/heads/memory")
    return repo


def test_one_that_has_the_memory_of_now_is_its_own_top(store: Path) -> None:
    companion = put_files(store, {"learned/b.md": memory_text("Two")}, ref=REF)

    assert top(store, companion) == companion
    assert list_changed_keys(Git(discover(store)), tip(store), companion) == ("b",)


def test_both_sides_are_there_and_the_branches_stay_where_they_are(store: Path) -> None:
    companion = put_files(store, {"learned/b.md": memory_text("Two")}, ref=REF)
    memory = put_files(store, {"learned/c.md": memory_text("Three")})

    found = top(store, companion)

    assert git(store, "ls-tree", "--name-only", f"{found}:learned").split() == ["a.md", "b.md", "c.md"]
    assert (tip(store), tip(store, REF)) == (memory, companion)
    assert top(store, companion) == found


def test_no_policy_workflow_or_verdict_of_a_companion_is_read(store: Path) -> None:
    files = {"gitmem.toml": 'format = 1\n[check]\nfail_on = "never"\n', ".github/workflows/x.yml": "on: push\n"}
    companion = put_files(store, {**files, "learned/b.md": memory_text("Two")}, ref=REF)

    found = top(store, companion)

    assert list_changed_keys(Git(discover(store)), tip(store), found) == ("b",)
    assert git(store, "diff", "--name-only", "memory", found) == "learned/b.md"


def test_one_that_is_merged_changes_nothing_and_foreign_code_is_refused(store: Path) -> None:
    assert top(store, tip(store)) == tip(store)
    with pytest.raises(GitmemError, match="no history in common"):
        top(store, git(store, "rev-parse", "main"))
