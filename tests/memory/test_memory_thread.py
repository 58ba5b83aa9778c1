"""The memory's thread: one, up to date, and none the worse for what happens to the repository."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, git
from support.facts import make_memory, put

from gitmem.errors import GitmemError, NoRepositoryError
from gitmem.memory import Memory
from gitmem.memory.memory_thread import MemoryThread
from gitmem.recall.query import Query
from gitmem.store.state.write_lock import WriteLock


@pytest.fixture
def thread(memory, repo: Path):  # type: ignore[no-untyped-def]
    put(repo, make_memory("storm", "A retry storm"))
    made = MemoryThread(str(repo), clock=lambda: float(NOW))
    yield made
    made.close()


def ask(thread: MemoryThread, work: Any, agent: str = "bot") -> Any:
    return asyncio.run(thread.ask(work, agent=agent))[0]


def found(memory: Any) -> list[str]:
    return [hit.key for hit in memory.recall(Query(text="storm")).hits]


def test_all_work_is_done_by_one_thread(thread: MemoryThread) -> None:
    async def many() -> list[tuple[Any, list[str]]]:
        works = [thread.ask(lambda memory: (threading.get_ident(), found(memory)), agent="bot") for _ in range(20)]
        return list(await asyncio.gather(*works))

    lines = [answer for answer, _ in asyncio.run(many())]

    assert {keys[0] for _, keys in lines} == {"storm"}
    assert len({number for number, _ in lines}) == 1
    assert lines[0][0] != threading.get_ident()


def test_memory_stays_open_between_questions_and_knows_who_asks(thread: MemoryThread) -> None:
    first = ask(thread, lambda memory: (id(memory), memory.repository.author().agent), agent="one")
    second = ask(thread, lambda memory: (id(memory), memory.repository.author().agent), agent="two")
    third = ask(thread, lambda memory: (id(memory), memory.repository.author().agent), agent="two")

    assert (first[1], second[1]) == ("one", "two")
    assert second == third


def test_changed_setting_counts_from_the_next_question(thread: MemoryThread, repo: Path) -> None:
    before = ask(thread, lambda memory: memory.repository.config.agent)
    git(repo, "config", "gitmem.agent", "worker")

    assert (before, ask(thread, lambda memory: memory.repository.config.agent)) == ("", "worker")


def test_proposal_of_another_process_counts_from_the_next_question(thread: MemoryThread, repo: Path) -> None:
    assert ask(thread, lambda memory: memory.repository.ref) == "refs/heads/memory"
    with Memory(repo) as other:
        other.proposals.send("auth")

    assert ask(thread, lambda memory: memory.remember("Tokens rotate daily", key="one").key) == "one"

    assert "learned/one.md" in git(repo, "ls-tree", "-r", "--name-only", "gitmem/auth")


def test_index_that_was_deleted_or_damaged_is_rebuilt(thread: MemoryThread, repo: Path) -> None:
    index = repo / ".git/gitmem/catalog.sqlite"
    assert ask(thread, found) == ["storm"]

    def damaged(_: Any) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")  # as SQLite says it: no class of its own

    with pytest.raises(GitmemError, match="the index was damaged"):
        ask(thread, damaged)
    assert not index.exists()
    assert ask(thread, found) == ["storm"]
    index.unlink()
    assert ask(thread, found) == ["storm"]


def test_failure_of_any_kind_leaves_a_desk_that_answers(thread: MemoryThread) -> None:
    def fail(_: Any) -> None:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError):
        ask(thread, fail)

    assert ask(thread, found) == ["storm"]


def test_moved_repository_is_found_from_the_folder_we_are_in(
    thread: MemoryThread, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo)
    assert ask(thread, found) == ["storm"]

    repo.rename(repo.with_name("moved"))

    assert ask(thread, found) == ["storm"]
    monkeypatch.chdir("/")


def test_deleted_repository_is_reported_and_another_in_its_place_is_read(
    thread: MemoryThread, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(thread, found) == ["storm"]
    copy = shutil.copytree(repo, tmp_path / "copy")
    shutil.rmtree(repo)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(NoRepositoryError, match="moved or deleted"):
        ask(thread, found)
    monkeypatch.chdir(tmp_path)
    put(copy, make_memory("storm-2", "Another storm"))
    os.rename(copy, repo)

    assert sorted(ask(thread, found)) == ["storm", "storm-2"]


def test_no_repository_is_reported_at_the_start(tmp_path: Path) -> None:
    thread = MemoryThread(str(tmp_path))

    with pytest.raises(NoRepositoryError):
        thread.need()
    thread.close()


def test_locked_store_is_reported_with_its_holder(
    thread: MemoryThread, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITMEM_LOCK_TIMEOUT", "0.1")

    with (
        WriteLock(repo / ".git/gitmem", command="a long sync", timeout_s=1),
        pytest.raises(GitmemError, match="a long sync"),
    ):
        ask(thread, lambda memory: memory.remember("Something else"))

    assert ask(thread, lambda memory: memory.remember("Something else")).is_written
