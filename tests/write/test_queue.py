"""A batch: many memories, one commit, and the same store as if each had been written alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NOW, git, memory_text, put_files, tip
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.branch import keys_found

from gitmem.errors import RefusedError
from gitmem.memory import Memory
from gitmem.store import layout
from gitmem.write import queue as module

SAID = "The gateway drops every request that carries no trace id and answers with a 502"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def tree(repo: Path) -> list[str]:
    """Return every file of the branch with its content's name."""
    return git(repo, "ls-tree", "-r", "memory").split("\n")


def test_memories_of_a_batch_share_a_commit_and_are_found(memory: Memory, repo: Path) -> None:
    before = tip(repo)

    with memory.bulk.batch() as batch:
        for number in range(120):
            batch.remember(f"Gateway number {number}", key=f"k{number}", kind="gotcha")
        assert tip(repo) == before
    changes = batch.flush()

    assert git(repo, "rev-list", "--count", f"{before}..memory") == "1"
    assert [change.key for change in changes] == [f"k{number}" for number in range(120)]
    assert {change.commit for change in changes} == {tip(repo)}
    assert keys_found(memory, "number 77")[0] == "k77"
    assert memory.repository.catalog().rows("SELECT * FROM problem") == []


_DRAWN = st.lists(
    st.tuples(
        st.sampled_from(
            [SAID, SAID.replace("drops", "rejects"), "The gateway drops every request of bots", "Other words"]
        ),
        st.sampled_from(["", "", "k1", "k2", "old3"]),
        st.sampled_from(["learned", "gotcha"]),
        st.sampled_from([(), (), ("old1",), ("k1",)]),
    ),
    min_size=2,
    max_size=7,
)


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_DRAWN)
def test_batch_leaves_the_store_that_the_same_writes_one_by_one_leave(
    memory: Memory, repo: Path, monkeypatch_module: None, drawn: list[tuple[str, str, str, tuple[str, ...]]]
) -> None:
    start = git(repo, "rev-list", "--max-parents=0", "memory")
    old = {f"learned/old{n}.md": memory_text(f"Old {n}", created="2026-01-01T00:00:00Z") for n in range(4)}
    policy = {"gitmem.toml": '[rotation]\nlimit = 6\nmove = 2\n[duplicates]\nthreshold = "off"\n'}
    trees = []
    for is_batch in (False, True):
        git(repo, "update-ref", "refs/heads/memory", start)
        put_files(repo, {**old, **policy})
        with Memory(repo, clock=lambda: float(NOW)) as store, store.bulk.batch() as batch:
            for text, key, kind, supersedes in drawn:
                options = {"key": key, "kind": kind, "supersedes": [k for k in supersedes if k == "old1" and k != key]}
                if is_batch:
                    batch.remember(text, **options)
                else:
                    store.remember(text, **options)
        trees.append(tree(repo))

    assert trees[0] == trees[1]


@pytest.fixture
def monkeypatch_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split folders early, so that a few memories do it."""
    monkeypatch.setattr(layout, "SPLIT_ABOVE", 5)


def test_refused_memory_is_reported_at_once_and_the_others_are_written(memory: Memory, repo: Path) -> None:
    with memory.bulk.batch() as batch:
        batch.remember("a good one", key="a")
        with pytest.raises(RefusedError):
            batch.remember(f"use {TOKEN}")
        with pytest.raises(RefusedError, match="needs a reference"):
            batch.remember("no lines", kind="code_pattern")

    assert [change.key for change in batch.flush()] == ["a"]


def test_exception_drops_what_was_not_acknowledged(memory: Memory, repo: Path) -> None:
    before = tip(repo)

    with pytest.raises(ZeroDivisionError), memory.bulk.batch() as batch:
        batch.remember("a text")
        1 / 0  # noqa: B018

    assert tip(repo) == before


def test_refusal_of_one_write_keeps_all_of_them_waiting_and_the_catalog_as_it_was(memory: Memory, repo: Path) -> None:
    before = tip(repo)
    batch = memory.bulk.batch()
    batch.remember("a good one", key="a")
    batch.remember("a bad one", key="b", supersedes=["nosuch"])

    with pytest.raises(RefusedError, match=": no memory has this key"):
        batch.flush()

    assert tip(repo) == before
    assert memory.repository.catalog().rows("SELECT key FROM memory") == []


def test_large_batch_is_written_before_it_grows(memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FLUSH_AT", 3)
    before = tip(repo)

    with memory.bulk.batch() as batch:
        for number in range(7):
            batch.remember(f"Gateway number {number}", key=f"k{number}")

    assert git(repo, "rev-list", "--count", f"{before}..memory") == "3"


WRITER = """
import sys
from gitmem import Memory
with Memory(".") as memory, memory.bulk.batch() as batch:
    for n in range(30):
        batch.remember(f"Writer {sys.argv[1]} says number {n}", kind="gotcha", key=f"w{sys.argv[1]}-{n}")
print(*(change.key for change in batch.flush()))
"""


@pytest.mark.whole_system
def test_batches_of_several_processes_lose_none(memory: Memory, repo: Path) -> None:
    argv = [sys.executable, "-c", WRITER]
    children = [subprocess.Popen([*argv, str(n)], cwd=repo, stdout=subprocess.PIPE, text=True) for n in range(4)]
    keys = [key for child in children for key in child.communicate()[0].split()]

    assert len(keys) == 120
    assert sorted(Path(line.split("\t")[1]).stem for line in tree(repo) if "gotchas/" in line) == sorted(keys)
