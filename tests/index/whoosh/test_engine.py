"""Whoosh brings the candidates that FTS5 brings, keeps to conditions before its limit, and ends in time."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import memory_text
from support.catalogs import catalog_of
from support.each import each
from whoosh.query import Or

from gitmem.index import FtsEngine
from gitmem.index.catalog import Catalog, text_of
from gitmem.index.whoosh import engine as whoosh_engine
from gitmem.index.whoosh.engine import Among, WhooshEngine, in_texts
from gitmem.index.whoosh.index import refresh_whoosh
from gitmem.text.tokens import query_terms

FILES = {
    "gotchas/gateway-drops.md": memory_text("The gateway drops connections", kind="gotcha", body="After a minute."),
    "decisions/jwt.md": memory_text(
        "Tokens are signed", kind="decision", tags="[auth]", body="By RS256, for gateways."
    ),
    "learned/retries.md": memory_text("Retries are limited", paths="[src/gateway/retry.py]", body="To three."),
    **{f"learned/z{n}.md": memory_text(f"Another matter {n}", body="About the gateway too.") for n in range(5)},
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_of(FILES)


@pytest.fixture(scope="module")
def engine(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> WhooshEngine:
    return WhooshEngine(refresh_whoosh(tmp_path_factory.mktemp("state"), catalog), catalog)


def keys(catalog: Catalog, candidates) -> list[str]:
    return [catalog.row("SELECT key FROM memory WHERE id = ?", (one.number,))[0] for one in candidates]


@each("query", ["gateway", "signed tokens", "retry.py", "auth", "minute after", "absent", ""])
def test_both_engines_bring_the_same_memories(catalog: Catalog, engine: WhooshEngine, query: str) -> None:
    terms = query_terms(query)

    theirs = FtsEngine(catalog.connection).candidates(terms, limit=100) if terms else []

    assert sorted(keys(catalog, engine.candidates(terms, limit=100))) == sorted(keys(catalog, theirs))


def test_a_word_in_the_title_comes_first(catalog: Catalog, engine: WhooshEngine) -> None:
    found = engine.candidates(["gateway"], limit=3)

    assert keys(catalog, found)[0] == "gateway-drops"
    assert found[0].rank_score > found[1].rank_score > 0


def test_no_condition_works_behind_the_limit(catalog: Catalog, engine: WhooshEngine) -> None:
    found = engine.candidates(["gateway"], limit=1, where="m.kind = ?", parameters=("decision",))

    assert keys(catalog, found) == ["jwt"]


def test_several_words_are_worth_what_whoosh_says_of_them_together_asked_first_or_again(
    catalog: Catalog, engine: WhooshEngine
) -> None:
    terms = ["gateway", "drop", "minut"]
    together = Or([one for term in terms for one in in_texts(term).subqueries])
    wanted = {one.number: one.rank_score for one in engine.match(together, limit=100).candidates}

    for _ in range(2):
        found = engine.candidates(terms, limit=100)
        assert {one.number: one.rank_score for one in found} == pytest.approx(wanted)


def test_a_memory_that_changed_since_is_found_by_its_new_words_only(tmp_path: Path) -> None:
    catalog = catalog_of(FILES)
    shown = refresh_whoosh(tmp_path, catalog)
    catalog.connection.execute("UPDATE memory SET oid = 'another', title = 'A zebra' WHERE key = 'jwt'")

    engine = WhooshEngine(shown, catalog)

    assert keys(catalog, engine.candidates(["sign"], limit=5)) == []
    assert keys(catalog, engine.candidates(["zebra"], limit=5)) == ["jwt"]


def test_a_question_that_takes_too_long_ends_with_what_was_found(engine: WhooshEngine, monkeypatch) -> None:
    monkeypatch.setattr(whoosh_engine, "SECONDS_AT_MOST", -1.0)
    monkeypatch.setattr(whoosh_engine, "_LOOK_AT_CLOCK", 2)

    matched = engine.match(in_texts("gateway"), limit=10)

    assert (matched.total, matched.is_cut) == (2, True)


def test_among_matches_the_named_memories_and_without_names_all(catalog: Catalog, engine: WhooshEngine) -> None:
    numbers = [number for (number,) in catalog.rows("SELECT id FROM memory WHERE key IN ('jwt', 'z1')")]

    some = engine.match(Among(engine.names(numbers)), limit=10, is_scored=False)
    everything = engine.match(Among(None), limit=10, is_scored=False)

    assert sorted(keys(catalog, some.candidates)) == ["jwt", "z1"]
    assert everything.total == len(FILES)


def test_key_terms_are_what_few_other_memories_have(catalog: Catalog, engine: WhooshEngine) -> None:
    terms = engine.key_terms(text_of(catalog, "jwt")[1], limit=8)

    assert {"rs256", "auth", "token"} <= set(terms)
    assert terms.index("rs256") < terms.index("gateway")
