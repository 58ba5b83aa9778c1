"""A store is asked by the engine that the question or the settings want, and shows what is not indexed yet too."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from conftest import tip
from support.facts import Clock, verify
from support.whoosh_store import ask, keys, make_store

from gitmem.errors import GitmemError
from gitmem.frozen import replace
from gitmem.index.whoosh import index
from gitmem.memory import Memory
from gitmem.model import ENGLISH
from gitmem.recall.query import Query


@pytest.fixture(scope="module")
def shelf(template: Path, tmp_path_factory: pytest.TempPathFactory):
    """Return a store that no test changes, its facts proved."""
    with Memory(make_store(template, tmp_path_factory.mktemp("shelf")), clock=Clock()) as memory:
        verify(memory)
        yield memory


@pytest.mark.parametrize(
    "asked",
    [
        Query(text="how does the gateway retry?"),
        Query(text="auth tokens", kinds=("decision",)),
        Query(text="getUserById", tags=("auth",)),
        Query(text="readme", statuses=("verified",)),
        Query(text="gateway", limit=1, everything=True),
        Query(text="retry", paths=("src/gateway",)),
        Query(text="RS25"),
        Query(text="gatewey"),
    ],
    ids=lambda asked: asked.text,
)
def test_both_engines_give_the_same_hits_for_plain_questions(shelf: Memory, asked: Query, monkeypatch) -> None:
    by_catalog = shelf.recall(asked)
    monkeypatch.setattr(shelf.repository, "config", replace(shelf.repository.config, engine="whoosh"))

    assert shelf.recall(asked) == by_catalog


def test_one_engine_answers_until_the_store_changes_and_then_shows_the_change(template: Path, tmp_path: Path) -> None:
    with Memory(make_store(template, tmp_path), clock=Clock()) as memory:
        memory.repository.config = replace(memory.repository.config, engine="whoosh")
        for _ in range(2):  # made, and then read
            memory.recall(Query(text="zebra"))
        first = memory.repository.engine
        memory.recall(Query(text="gateway"))
        same = memory.repository.engine
        with Memory(memory.repository.git.repository.top or "") as other:
            other.remember("A zebra crosses the gateway", key="zebra")

        found = memory.recall(Query(text="zebra"))

        assert first is not None and same is first
        assert memory.repository.engine is not first
        assert keys(found) == ["zebra"]


def test_past_the_size_syntax_is_refused_with_how_and_plain_recall_still_answers(
    template: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(index, "WHOOSH_AT_MOST", 3)
    with Memory(make_store(template, tmp_path), clock=Clock()) as memory:
        with pytest.raises(GitmemError) as caught:
            ask(memory, "gateway")
        memory.repository.config = replace(memory.repository.config, engine="whoosh")
        by_catalog = keys(memory.recall(Query(text="gateway")))
        message = list(memory.notices)
        memory.index.refresh(rebuild=False, engine="whoosh")

        assert caught.value.hint.endswith("gitmem index --engine whoosh")
        assert (by_catalog[0], len(message)) == ("retry-budget", 1)
        assert "; using FTS5 instead (" in message[0]
        assert keys(ask(memory, "gateway")) == by_catalog


def test_what_is_spooled_is_found_and_not_indexed(memory: Memory, monkeypatch) -> None:
    monkeypatch.setenv("GITMEM_BACKGROUND", "off")
    memory.remember("The first text")
    before = ask(memory, "zebra").hits
    memory.capture("A zebra crosses")

    assert before == ()
    assert [hit.title for hit in ask(memory, "zebra").hits] == ["A zebra crosses"]
    assert len(list(index.names_in(index._read(_folder(memory), ENGLISH)[1]))) == 1


def test_what_was_written_since_is_found_while_another_process_refreshes(memory: Memory, repo: Path) -> None:
    memory.remember("The first text")
    assert ask(memory, "zebra").hits == ()
    lock = os.open(_folder(memory).with_name("whoosh.lock"), os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    memory.remember("A zebra crosses")

    found = ask(memory, "zebra")
    os.close(lock)

    assert [hit.title for hit in found.hits] == ["A zebra crosses"]
    assert memory.notices == []
    assert index._read(_folder(memory), ENGLISH)[0]["commit"] != tip(repo)


def test_where_too_much_was_written_since_a_message_says_which_commit_is_shown(memory: Memory, monkeypatch) -> None:
    monkeypatch.setattr(index, "MOST_ADDED", 0)
    memory.remember("The first text")
    ask(memory, "zebra")
    lock = os.open(_folder(memory).with_name("whoosh.lock"), os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    memory.remember("A zebra crosses")

    found = ask(memory, "zebra")
    os.close(lock)

    assert found.hits == ()
    assert "is being updated by another process; showing" in memory.notices[0]


def _folder(memory: Memory) -> Path:
    return memory.repository.git.repository.state_dir / "whoosh"
