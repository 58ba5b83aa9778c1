"""The FTS5 engine finds what analysis says is there, stays exact under changes, and keeps common words cheap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.engines import make_engine, make_text, numbers, words

from gitmem import index
from gitmem.frozen import fields_of
from gitmem.index import FIELD_WEIGHTS, FIELDS, FtsEngine
from gitmem.index.whoosh import index as whoosh_index
from gitmem.model import IndexText
from gitmem.policy import settings as policy
from gitmem.recall import bm25
from gitmem.text.tokens import query_terms, terms


@each("field", FIELDS)
def test_memory_is_found_by_a_word_of_each_field(field: str) -> None:
    engine = make_engine(make_text(1, "nothing of it"), make_text(2, **{field: "src/Gateway.py"}))

    assert numbers(engine, "gateways?") == [2]


def test_a_word_in_the_title_comes_before_one_in_the_body() -> None:
    engine = make_engine(make_text(1, "gateway", title="keys"), make_text(2, "keys", title="gateway"))

    found = engine.candidates(["gateway"], limit=10)

    assert [candidate.number for candidate in found] == [2, 1]
    assert found[0].rank_score > found[1].rank_score > 0


def test_no_memory_has_an_unknown_word() -> None:
    assert numbers(make_engine(make_text(1, "gateway")), "absent?") == []


def test_a_query_without_words_finds_nothing() -> None:
    assert make_engine(make_text(1, "gateway")).candidates([], limit=10) == []


def test_filter_applies_to_the_catalogs_rows_with_its_parameters() -> None:
    engine = make_engine(*(make_text(i, "gateway") for i in range(1, 7)))

    found = numbers(engine, "gateway", where="m.kind = ? OR m.id = ?", parameters=["gotcha", 6])

    assert sorted(found) == [1, 3, 5, 6]


def test_no_more_than_the_limit_are_found() -> None:
    engine = make_engine(*(make_text(i, "gateway " * i) for i in range(1, 7)))

    assert len(numbers(engine, "gateway", limit=2)) == 2


@given(st.text(), st.text())
def test_whatever_was_typed_and_written_the_terms_in_common_find_the_memory(query: str, body: str) -> None:
    engine = make_engine(make_text(1, body))

    found = numbers(engine, query)

    assert found == ([1] if set(query_terms(query)) & set(terms(body)) else [])


def test_frequencies_tell_memories_lengths_and_in_how_many_a_term_is() -> None:
    engine = make_engine(make_text(1, "jwt jwt token", title="jwt"), make_text(2, "token"))

    stats = engine.frequencies(["jwt", "token", "absent"])

    assert (stats.documents, dict(stats.frequency)) == (2, {"jwt": 1, "token": 2})
    assert stats.lengths == (0.5, 0.0, 0.0, 0.0, 2.0)


def test_frequencies_of_an_empty_index_are_zero() -> None:
    stats = make_engine().frequencies(["jwt"])

    assert (stats.documents, dict(stats.frequency), stats.lengths) == (0, {}, (0.0,) * len(FIELDS))


COMMON, RARE = 40, 3


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> FtsEngine:
    """Forty memories that all say "token"; three of them say "gateway", five "session", one has "token" as title.

    Only ten memories may be scored.
    """
    monkeypatch.setattr(index, "SCORED_AT_MOST", 10)
    return make_engine(
        *(
            make_text(
                i,
                " ".join(["token", "gateway" * (i <= RARE), "session" * (10 < i <= 15)]),
                title="token" * (i == 7),
            )
            for i in range(1, COMMON + 1)
        )
    )


def test_a_word_that_is_everywhere_makes_no_candidates_when_rarer_ones_are_there(crowded: FtsEngine) -> None:
    assert sorted(numbers(crowded, "gateway tokens", limit=RARE)) == [1, 2, 3]


def test_rarer_words_come_first_and_the_newest_with_common_ones_fill_up(crowded: FtsEngine) -> None:
    found = crowded.candidates(query_terms("gateway session tokens"), limit=15)

    scored = [candidate.number for candidate in found if candidate.rank_score]
    assert sorted(scored) == [1, 2, 3, 11, 12, 13, 14, 15]
    assert [candidate.number for candidate in found[len(scored) :]] == [40, 39, 38, 37, 36, 35, 34]


def test_a_common_word_in_a_title_makes_a_candidate(crowded: FtsEngine) -> None:
    assert numbers(crowded, "token", limit=1) == [7]


def test_words_that_every_memory_has_give_the_newest_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SCORED_AT_MOST", 10)
    engine = make_engine(*(make_text(i, "token session", title="token") for i in range(1, 41)))

    found = engine.candidates(["session", "token"], limit=3)

    assert [(candidate.number, candidate.rank_score) for candidate in found] == [(40, 0.0), (39, 0.0), (38, 0.0)]


def test_memories_with_all_common_words_are_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SCORED_AT_MOST", 10)
    both = {17, 23}
    texts = (make_text(i, "token session" if i in both else ("token", "session")[i % 2]) for i in range(1, 41))
    engine = make_engine(*texts)

    assert set(numbers(engine, "session token", limit=2)) == both


def test_a_filter_that_few_pass_still_finds_them_behind_common_words(crowded: FtsEngine) -> None:
    assert numbers(crowded, "gateway token", limit=5, where="m.id IN (20, 30)") == [30, 20]


def test_no_candidate_comes_twice(crowded: FtsEngine) -> None:
    found = numbers(crowded, "gateway session token", limit=100)

    assert sorted(found) == list(range(1, COMMON + 1))


def test_rare_words_that_can_all_be_scored_are_taken_beside_one_that_is_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(index, "SCORED_AT_MOST", 10)
    monkeypatch.setattr(index, "FEW", 5)
    engine = make_engine(*(make_text(i, "token " + ("gateway" if i <= 3 else "")) for i in range(1, 41)))

    assert sorted(numbers(engine, "gateway token", limit=2)) == [2, 3]


@each(
    ("enough", "expected"),
    [
        (1, '("a1" AND ("b2" OR "c3")) OR ("b2" AND ("c3"))'),
        (0, '("a1" AND (("b2" AND ("c3"))))'),
        (90, '"a1" OR "b2" OR "c3"'),
    ],
)
def test_the_sets_of_words_that_enough_memories_have_are_asked_for(enough: int, expected: str) -> None:
    stats = index.Stats(100, {"a1": 10, "b2": 10, "c3": 10}, ())

    assert index._with_most(["a1", "b2", "c3"], stats, enough) == expected


def test_memories_with_most_words_are_found_behind_many_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SCORED_AT_MOST", 10)
    monkeypatch.setattr(index, "FEW", 5)
    monkeypatch.setattr(index, "EVERYWHERE", 1.0)
    body = {9: "token session gateway", 23: "token gateway"}
    texts = (make_text(i, body.get(i, ("token", "session", "gateway")[i % 3])) for i in range(1, 41))

    assert numbers(make_engine(*texts), "session token gateway", limit=2) == [9, 23]


NARROW = st.lists(st.sampled_from(["a1", "b2", "c3", "d4", "e5", "f6"]), min_size=1, max_size=7).map(" ".join)


@given(
    st.lists(NARROW, min_size=1, max_size=40),
    NARROW,
    st.integers(1, 6),
    st.sampled_from(["", "m.kind = 'fact'"]),
    st.sampled_from([5, 500]),
)
def test_whatever_is_not_scored_or_not_asked_the_best_are_found(
    bodies: list[str], query: str, limit: int, where: str, most_asked: int
) -> None:
    engine = make_engine(*(make_text(i, body) for i, body in enumerate(bodies, 1)))
    terms = " OR ".join(f'"{term}"' for term in query_terms(query))
    every = engine._db.execute(
        f"SELECT fts.rowid, -bm25(fts, 3.0, 2.0, 0.5, 1.0, 1.0) FROM fts JOIN memory m ON m.id = fts.rowid"
        f" WHERE fts MATCH ? AND {where or '1'} ORDER BY 2 DESC, 1 DESC",
        (terms,),
    ).fetchall()

    with pytest.MonkeyPatch.context() as few:
        few.setattr(index, "FEW", 0)
        few.setattr(index, "EVERYWHERE", 1.0)
        few.setattr(index, "ASKED_AT_MOST", most_asked)
        found = engine.candidates(query_terms(query), limit=limit, where=where)

    scores = dict(every)
    # Of equal ones any may come: the same sum in another order of its words differs in the last digit.
    assert [one.rank_score for one in found] == pytest.approx([score for _, score in every[:limit]], abs=1e-12)
    assert [one.rank_score for one in found] == pytest.approx([scores[one.number] for one in found], abs=1e-12)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=30), st.lists(words, min_size=1, max_size=5), st.data())
def test_kept_worth_gives_the_very_candidates(rows: list, queries: list[str], data: st.DataObject) -> None:
    engine = make_engine(*(make_text(n, body, title=title) for n, (title, body) in enumerate(rows, 1)))
    again, limit = FtsEngine(engine._db, {}), data.draw(st.integers(1, 8))

    for query in queries:
        asked = query_terms(query)
        assert again.candidates(asked, limit=limit) == engine.candidates(asked, limit=limit)
        where: dict = {"limit": limit, "where": "m.kind = ?", "parameters": ["fact"]}
        assert again.candidates(asked, **where) == engine.candidates(asked, **where)


def test_only_so_much_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "KEPT_AT_MOST", 10)
    engine = make_engine(*(make_text(n, f"common word{n % 3}") for n in range(9)))
    kept: dict = {}
    again = FtsEngine(engine._db, kept)

    for term in ("common", "word0", "word1", "word2"):
        assert again.candidates([term], limit=5) == engine.candidates([term], limit=5)

    assert list(kept) == ["word0", "word1", "word2"]


def test_texts_stand_in_the_order_of_the_fields() -> None:
    text = IndexText(1, **{field: f"the {field}" for field in FIELDS})

    assert text.texts() == tuple(f"the {field}" for field in FIELDS)


def test_every_engine_reads_the_weights_of_the_policys_table() -> None:
    weights = fields_of(policy.Weights())

    assert dict(zip(FIELDS, FIELD_WEIGHTS, strict=True)) == weights
    assert bm25.WEIGHTS.fields == FIELD_WEIGHTS
    assert f"bm25(fts, {', '.join(map(str, weights.values()))})" in index._SCORED
    assert {"title": weights["title"], "names": weights["paths"], "body": weights["body"]} == whoosh_index.TEXTS
    assert min(FIELD_WEIGHTS) > 0


def test_a_title_weighs_most() -> None:
    assert max(zip(FIELD_WEIGHTS, FIELDS, strict=True)) == (FIELD_WEIGHTS[0], "title")
