from __future__ import annotations

import sys

import pytest

from gitmem.memory import Memory
from gitmem.memory.sources import find_sources

API = "gitmem.plugins.pull.api"


def add_settings(memory: Memory) -> None:
    folder = memory.repository.git.repository.state_dir / "sources"
    folder.mkdir(parents=True)
    (folder / "docs.json").write_text('{"name": "docs", "kind": "docs", "collection": "docs"}')


def test_a_clone_without_sources_does_not_load_what_pulls_them(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, API, raising=False)

    assert find_sources(memory) is None
    assert API not in sys.modules


def test_sources_of_this_clone_are_found(memory: Memory) -> None:
    add_settings(memory)

    found = find_sources(memory)

    assert found is not None
    assert found.kinds() == {"docs"}


def test_memories_are_read_where_what_pulls_sources_was_deleted(
    memory: Memory, run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_settings(memory)
    memory.remember("The gateway drops idle connections")
    monkeypatch.setitem(sys.modules, API, None)  # what an import of a missing module finds

    assert find_sources(memory) is None
    assert [hit.title for hit in memory.list().hits] == ["The gateway drops idle connections"]
    assert run_cli("status").status == 0
    assert memory.jobs.run_scheduled() is not None
