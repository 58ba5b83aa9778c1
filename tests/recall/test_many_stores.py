from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, put_files
from support.facts import Clock, make_memory, put

from gitmem.index import Stats
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.recall.ranker import together

TEXTS = {
    "a": ("Retries are capped", "The gateway retries three times."),
    "b": ("The gateway needs a trace id", "It drops requests without one, and never retries."),
    "c": ("Deploys run at night", "The gateway drains first."),
    "d": ("Tokens live an hour", "Whoever retries later gets a new one."),
}


def files(keys: str) -> list[dict]:
    return [make_memory(key, *TEXTS[key]) for key in keys]


def scores(memory: Memory, query: str) -> dict[str, float]:
    hits = memory.recall(Query(query, limit=9)).hits
    return {hit.key: dict(hit.factors)["lexical"] for hit in hits}


@pytest.mark.parametrize("query", ["gateway retries", "trace", "tokens at night"])
def test_words_count_in_two_stores_as_they_do_in_one(repo: Path, query: str) -> None:
    put(repo, *files("ab"))
    git(repo, "update-ref", "refs/gitmem/private/ana", "refs/heads/memory")
    git(repo, "update-ref", "-d", "refs/heads/memory")
    put(repo, *files("cd"))

    with Memory(repo, clock=Clock()) as split:
        apart = scores(split, query)
    put(repo, *files("ab"))
    git(repo, "update-ref", "-d", "refs/gitmem/private/ana")
    with Memory(repo, clock=Clock()) as whole:
        assert apart == pytest.approx(scores(whole, query))
    assert apart


def test_averages_of_stores_are_weighed_by_how_much_each_has() -> None:
    small, large = Stats(1, {"a": 1}, (4.0,) * 5), Stats(3, {"a": 2, "b": 1}, (8.0,) * 5)

    assert together([small, large]) == Stats(4, {"a": 3, "b": 1}, (7.0,) * 5)


def test_each_store_is_asked_in_its_own_language(repo: Path) -> None:
    put(repo, make_memory("english", "Connections are dropped by the gateway"))
    git(repo, "update-ref", "refs/gitmem/private/ana", "refs/heads/memory")
    git(repo, "update-ref", "-d", "refs/heads/memory")
    put(repo, make_memory("deutsch", "Die Häuser haben ein Gateway", "Verbindungen werden getrennt."))
    put_files(repo, {"gitmem.toml": '[recall]\nlanguage = "german"\n'})

    with Memory(repo, clock=Clock()) as memory:
        found = {query: [hit.key for hit in memory.recall(Query(query)).hits] for query in QUERIES}
        hits = {hit.key: hit for hit in memory.recall(Query("gateway dropping Haus Verbindung")).hits}

    assert found == QUERIES
    marked = {key: [hit.snippet[a:b] for a, b in hit.matches] for key, hit in hits.items()}
    assert marked == {"english": [], "deutsch": ["Verbindungen"]}


QUERIES = {"Haus": ["deutsch"], "dropping": ["english"], "Verbindung": ["deutsch"], "gateways": ["english"]}
