"""Recall by the query language: the scores of plain recall, statuses as told now, and filters without words."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, put_files
from support.each import each
from support.facts import Clock, make_memory, put, verify
from support.whoosh_store import ask, keys, make_store

from gitmem.errors import NotFoundError
from gitmem.memory import Memory
from gitmem.recall.query import Query


@pytest.fixture(scope="module")
def shelf(template: Path, tmp_path_factory: pytest.TempPathFactory):
    """Return a store that no test changes, its facts proved."""
    with Memory(make_store(template, tmp_path_factory.mktemp("shelf")), clock=Clock()) as memory:
        verify(memory)
        yield memory


def test_a_question_of_words_gives_the_hits_of_plain_recall_with_their_scores(shelf: Memory) -> None:
    assert ask(shelf, "gateway").hits == shelf.recall(Query(text="gateway")).hits


@each(
    ("query", "expected"),
    [
        ("created:[2026-03 to 2026-05]", ["user-lookup", "retry-budget"]),
        ("tag:auth", ["user-lookup", "jwt-signing"]),
        ("status:verified", ["readme-there", "retries-three"]),
        ("path:src/auth/jwt.py", ["jwt-signing"]),
        ("path:src/**/retry.py gateway", ["retry-budget"]),
        ("tag:jwt OR retries", ["retries-three", "retry-budget", "jwt-signing"]),
        ("title:gateway", ["retry-budget"]),
    ],
)
def test_hits_stand_by_score_and_those_without_words_the_newest_first(
    shelf: Memory, query: str, expected: list[str]
) -> None:
    assert keys(ask(shelf, query)) == expected


def test_what_has_left_search_is_found_with_all_only(shelf: Memory) -> None:
    assert "old-gateway" not in keys(ask(shelf, "gateway"))
    assert "old-gateway" in keys(ask(shelf, "gateway", everything=True))


def test_filters_of_the_command_line_narrow_the_question(shelf: Memory) -> None:
    assert keys(ask(shelf, "gateway", kinds=("pattern",))) == ["user-lookup"]


@each("query", ["gateway", "created:2026"])
def test_how_many_more_there_are_is_exact(shelf: Memory, query: str) -> None:
    everything, one = ask(shelf, query), ask(shelf, query, limit=1)

    assert (len(one.hits), one.more) == (1, len(everything.hits) - 1)


def test_statuses_are_those_reported_now(template: Path, tmp_path: Path) -> None:
    folder = make_store(template, tmp_path)
    with Memory(folder, clock=Clock()) as memory:
        verify(memory)
        assert keys(ask(memory, "status:failed OR status:suspect")) == []
        commit_files(folder, {"src/gateway/retry.py": "RETRIES = 9\n"})
        verify(memory)

        assert keys(ask(memory, "status:failed")) == ["retries-three"]
        assert keys(ask(memory, "status:suspect")) == ["rests-on-it"]


def test_a_write_is_found_by_the_next_question(memory: Memory) -> None:
    memory.remember("The first text about gateways")
    assert ask(memory, "zebra").hits == ()
    change = memory.remember("A zebra crosses")

    assert keys(ask(memory, "zebra")) == [change.key]
    memory.forget(change.key)
    assert ask(memory, "zebra").hits == ()


def test_where_nothing_is_found_the_near_word_is_suggested(shelf: Memory) -> None:
    assert ask(shelf, "kind:gotcha gatewey").suggestion == "kind:gotcha gateway"


def test_similar_are_those_that_share_its_rare_words_and_never_itself(memory: Memory) -> None:
    asked = memory.remember("Redis evicts sessions under memory pressure", key="redis-evicts").key
    memory.remember("Sessions vanish: Redis was full and evicted them", key="sessions-vanish")
    for number in range(5):
        memory.remember(f"The build number {number} is signed by the release job", key=f"build-{number}")

    found = memory.similar(asked[:7], query=Query())

    assert keys(found.found) == ["sessions-vanish"]
    assert {"redi", "evict", "session"} <= set(found.terms)


def test_similar_to_no_memory_is_an_error(shelf: Memory) -> None:
    with pytest.raises(NotFoundError):
        shelf.similar("absent", query=Query())


def test_whoosh_index_follows_the_language_of_the_store(repo: Path) -> None:
    put(
        repo,
        make_memory("haus", "Die Häuser am Fluss", "Heizungen"),
        make_memory("auto", "Ein Auto", "Heizung im Haus"),
    )

    with Memory(repo, clock=Clock()) as memory:
        before = keys(ask(memory, "title:Haus"))
        put_files(repo, {"gitmem.toml": '[recall]\nlanguage = "german"\n'})
        assert keys(ask(memory, "title:Haus")) == keys(ask(memory, '"Haus am Fluss"')) == ["haus"]
        assert keys(ask(memory, "title:Häus*")) == keys(ask(memory, "title:hausern")) == ["haus"]
        assert memory.similar("auto", query=Query()).found.hits[0].key == "haus"

    assert before == []
