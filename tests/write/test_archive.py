"""Rotation: past the limit the oldest of a captured kind go to the archive with the write, and can come back (A8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support.branch import fields_of, keys_found, memory_files

from gitmem.memory import Memory
from gitmem.plugins.import_.run import Sources
from gitmem.recall.query import Query

POLICY = "[rotation]\nlimit = 4\nmove = 2\n"


def remember(memory: Memory, *numbers: int, kind: str = "learned") -> None:
    for number in numbers:
        memory.remember(f"Gateway number {number}", key=f"k{number}", kind=kind)


def archived(repo: Path) -> list[str]:
    return sorted(path for path in memory_files(repo) if path.startswith("archive/"))


@pytest.fixture
def store(memory: Memory, repo: Path) -> Memory:
    """Return a store that keeps at most four of a kind, with four old memories."""
    old = {
        f"learned/k{n}.md": memory_text(f"Gateway number {n}", created=f"2026-0{n}-01T00:00:00Z") for n in range(1, 5)
    }
    put_files(repo, {"gitmem.toml": POLICY, **old})
    return memory


def test_oldest_go_with_the_write_that_passes_the_limit_and_all_are_still_found(store: Memory, repo: Path) -> None:
    before = tip(repo)

    remember(store, 5)

    assert archived(repo) == ["archive/learned/k1.md", "archive/learned/k2.md"]
    assert git(repo, "rev-list", "--count", f"{before}..memory") == "1"
    assert fields_of(repo, "archive/learned/k1.md")["retired"]["why"] == "rotated"
    assert "2 old memories moved to the archive" in store.notices[0]
    assert sorted(keys_found(store, "gateway")) == ["k3", "k4", "k5"]
    everything = store.recall(Query(text="gateway", everything=True)).hits
    assert sorted(hit.key for hit in everything) == ["k1", "k2", "k3", "k4", "k5"]


def test_next_ones_go_only_when_the_limit_is_passed_again(store: Memory, repo: Path) -> None:
    remember(store, 5, 6)
    assert len(archived(repo)) == 2

    remember(store, 7)

    assert archived(repo) == [f"archive/learned/k{n}.md" for n in (1, 2, 3, 4)]


@pytest.mark.parametrize(("move", "moved", "writes"), [(2, 2, 21), (1, 2, 21), (15, 15, 2), (50, 24, 1)])
def test_writes_after_a_large_sync_move_no_more_than_the_policy_says_until_the_limit_is_reached(
    store: Memory, repo: Path, move: int, moved: int, writes: int
) -> None:
    more = {f"learned/more{n}.md": memory_text(f"More {n}") for n in range(20)}
    put_files(repo, {"gitmem.toml": f"[rotation]\nlimit = 4\nmove = {move}\n", **more})

    remember(store, 5)
    after_one = len(archived(repo))
    remember(store, *range(6, 5 + writes))

    assert after_one == moved
    assert len(keys_found(store, "")) <= 4


def test_imported_memories_neither_rotate_nor_count(store: Memory, repo: Path, tmp_path: Path) -> None:
    lines = [f'{{"key": "i{n}", "type": "learned", "content": "Import {n}", "ts": {n + 1}}}\n' for n in range(9)]
    (tmp_path / "knowledge.jsonl").write_text("".join(lines))
    put_files(
        repo, {"learned/own.md": memory_text("Its own mark", imported="2020-01-01", created="2020-01-01T00:00:00Z")}
    )

    store.bulk.import_files(Sources((str(tmp_path / "knowledge.jsonl"),)))
    remember(store, 5)
    remember(store, 5)

    assert fields_of(repo, "learned/i0.md")["imported"] is True
    assert archived(repo) == ["archive/learned/k1.md", "archive/learned/k2.md"]


def test_exported_memory_of_a_kind_that_rotates_gets_the_mark(store: Memory, repo: Path, tmp_path: Path) -> None:
    texts = {"learned/a.md": memory_text("A"), "gotchas/b.md": memory_text("B", kind="gotcha")}
    for path, text in {"gitmem.toml": "", **texts}.items():
        (tmp_path / "export" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "export" / path).write_text(text)

    store.bulk.import_files(Sources((str(tmp_path / "export"),)))

    assert fields_of(repo, "learned/a.md")["imported"] is True
    assert git(repo, "show", "memory:gotchas/b.md") + "\n" == texts["gotchas/b.md"]


def test_facts_decisions_critical_and_required_memories_neither_count_nor_move(store: Memory, repo: Path) -> None:
    protected = {
        "learned/k1.md": memory_text("one", created="2026-01-01T00:00:00Z", importance="critical"),
        "learned/k2.md": memory_text("two", created="2026-02-01T00:00:00Z", verify="{exists: README.md}"),
        "gotchas/g.md": memory_text("three", kind="gotcha", requires="[k3]"),
    }
    put_files(repo, protected)

    remember(store, 5, 6, 7)
    assert archived(repo) == []
    remember(store, 8)
    remember(store, *range(10, 20), kind="gotcha")

    assert archived(repo) == ["archive/learned/k4.md", "archive/learned/k5.md"]


def test_writing_the_same_key_again_rotates_nothing(store: Memory, repo: Path) -> None:
    remember(store, 4, 4)

    assert archived(repo) == []


def test_limit_of_nothing_switches_it_off(store: Memory, repo: Path) -> None:
    put_files(repo, {"gitmem.toml": "[rotation]\nlimit = 0\n"})

    remember(store, 5, 6, 7)

    assert archived(repo) == []


def test_rotated_memory_comes_back_and_is_not_the_next_to_go(store: Memory, repo: Path) -> None:
    remember(store, 5)

    change = store.restore("k1")[0]
    remember(store, 6)

    assert (change.path, change.is_written) == ("learned/k1.md", True)
    assert "retired" not in fields_of(repo, "learned/k1.md")
    assert archived(repo) == [f"archive/learned/k{n}.md" for n in (2, 3, 4)]


def test_forgotten_memory_comes_back_byte_for_byte_with_others_in_one_commit(memory: Memory, repo: Path) -> None:
    texts = {"learned/a.md": "---\ntitle: 'A'  # why\n---\nbody", "gotchas/b.md": memory_text("B", kind="gotcha")}
    put_files(repo, texts)
    memory.forget("a", "b", why="by mistake")
    before = int(git(repo, "rev-list", "--count", "memory"))

    memory.restore("a", "b", "a")

    assert git(repo, "show", "memory:learned/a.md") == texts["learned/a.md"]
    assert git(repo, "show", "memory:gotchas/b.md") + "\n" == texts["gotchas/b.md"]
    assert archived(repo) == []
    assert int(git(repo, "rev-list", "--count", "memory")) == before + 1


def test_rotated_memory_that_is_forgotten_becomes_a_tombstone(store: Memory, repo: Path) -> None:
    remember(store, 5)

    changes = store.forget("k1", why="wrong")

    assert [(change.path, change.is_written) for change in changes] == [("archive/learned/k1.md", True)]
    assert fields_of(repo, "archive/learned/k1.md")["retired"]["why"] == "wrong"
