"""A catalog that is damaged where opening it does not look, or that another process will not let go of."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from conftest import memory_text, put_files, tip

from gitmem.errors import GitmemError
from gitmem.index import refresh
from gitmem.memory import Memory
from gitmem.recall.query import Query


@pytest.fixture
def catalog_file(memory: Memory, repo: Path) -> Path:
    """Return the catalog of a repository with one memory."""
    memory.remember("Deploys need VPN", key="vpn")
    memory.close()
    return repo / ".git/gitmem/catalog.sqlite"


def damage(file: Path, table: str) -> None:
    """Overwrite the first page of one table."""
    db = sqlite3.connect(file)
    (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * size)
        raw.write(b"\xa5" * size)


@pytest.mark.parametrize("table", ["memory", "packed", "sqlite_autoindex_label_1", "fact", "term"])
def test_damage_that_only_a_question_finds_costs_a_rebuild(run_cli, catalog_file: Path, table: str) -> None:  # type: ignore[no-untyped-def]
    damage(catalog_file, table)

    first = run_cli("recall", "deploys", "--tag", "x") if "label" in table else run_cli("recall", "deploys")
    second = run_cli("recall", "deploys")

    assert first.status == (1 if "label" in table else 0), first.err
    assert (second.status, second.out.split("\t")[0]) == (0, "vpn")


@pytest.mark.parametrize("table", ["memory", "packed", "link", "term"])
def test_write_beside_such_damage_is_whole_or_not_done(repo: Path, catalog_file: Path, table: str) -> None:
    damage(catalog_file, table)
    before = tip(repo)

    try:
        with Memory(repo) as memory:
            memory.remember("Deploys run from CI", key="vpn")
    except GitmemError:
        assert tip(repo) == before
    with Memory(repo) as memory:
        memory.remember("Deploys run from CI", key="vpn")
        found = memory.recall(Query(text="deploys")).hits

    assert [hit.title for hit in found] == ["Deploys run from CI"]


def test_index_that_another_process_writes_is_waited_for_once(
    repo: Path, catalog_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_files(repo, {"learned/new.md": memory_text("Deploys are new")})
    tried = []
    follow = refresh.follow
    monkeypatch.setattr(refresh, "follow", lambda *given: tried.append(given) or follow(*given))
    other = sqlite3.connect(catalog_file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with Memory(repo) as memory:
        hits = memory.recall(Query(text="deploys")).hits
        memory.status()
        memory.list(Query())
        message = list(memory.notices)
        other.close()
        put_files(repo, {"learned/newer.md": memory_text("Deploys are newer")})
        later = memory.recall(Query(text="deploys")).hits

    assert [hit.key for hit in hits] == ["vpn"]
    assert len(message) == 1
    assert "another process is updating the index; showing" in message[0]
    assert len(tried) == 2
    assert sorted(hit.key for hit in later) == ["new", "newer", "vpn"]
