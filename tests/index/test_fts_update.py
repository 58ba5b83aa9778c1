"""The index follows its memories: what was changed step by step equals what is built at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.engines import make_engine, make_text, numbers, state, words

from gitmem.index import FtsEngine, fts_update
from gitmem.index.fts_update import apply
from gitmem.model import IndexText


def test_the_tokenizer_changes_no_term() -> None:
    letters = [chr(code) for code in range(0x80, 0x30000) if chr(code).isalnum()]
    written = {f"x{letter.lower()}y" for letter in letters}
    db = make_engine()._db

    rows = ((number, term) for number, term in enumerate(sorted(written), 1))
    db.executemany("INSERT INTO fts(rowid, body) VALUES (?, ?)", rows)

    db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, fts, row)")
    assert {row[0] for row in db.execute("SELECT term FROM vocabulary")} == written


def test_removed_memory_is_not_found_and_not_counted() -> None:
    old, other = make_text(1, "gateway keys", title="jwt"), make_text(2, "keys")
    engine = make_engine(old, other)

    apply(engine._db, [], [old])

    assert numbers(engine, "gateway keys jwt") == [2]
    assert state(engine) == state(make_engine(other))


def test_changed_memory_has_its_new_words_only() -> None:
    old, new = make_text(1, "gateway"), make_text(1, "proxy")
    engine = make_engine(old)

    apply(engine._db, [new], [old])

    assert numbers(engine, "gateway") == []
    assert numbers(engine, "proxy") == [1]


@given(st.lists(st.tuples(st.integers(1, 5), st.one_of(st.none(), st.tuples(words, words))), max_size=25))
def test_an_index_that_was_changed_equals_one_built_at_once(steps: list[tuple[int, tuple[str, str] | None]]) -> None:
    engine, held = make_engine(), dict[int, IndexText]()

    for number, wanted in steps:
        removed = [held.pop(number)] if number in held else []
        if wanted is not None:
            held[number] = make_text(number, wanted[1], title=wanted[0])
        apply(engine._db, [held[number]] if wanted is not None else [], removed)

    assert state(engine) == state(make_engine(*sorted(held.values(), key=lambda text: text.number)))


def test_batches_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [make_text(i, f"gateway word{i}", tags="auth") for i in range(1, 12)]
    whole = state(make_engine(*texts))
    monkeypatch.setattr(fts_update, "_BATCH", 3)

    assert state(make_engine(*texts)) == whole


def test_a_build_writes_one_segment_for_all_its_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fts_update, "_BATCH", 3)
    engine = make_engine(*(make_text(i, f"gateway word{i}") for i in range(1, 12)))

    assert engine._db.execute("SELECT count(DISTINCT segid) FROM fts_idx").fetchone() == (1,)


def test_the_analysed_terms_of_every_field_are_kept_and_nothing_of_the_text() -> None:
    engine = make_engine(make_text(1, "Tokens of the gateways", title="Signing keys", tags="auth", paths="src/jwt.py"))

    kept = engine._db.execute("SELECT id, terms FROM analysed").fetchall()

    assert kept == [(1, "sign key\nauth\n\nsrcjwtpi src jwt py\ntoken gateway")]


def test_terms_of_a_large_store_are_kept_in_its_language() -> None:
    engine = make_engine(make_text(20_000, "Die Häuser", title="Türen"), language="german")

    kept = engine._db.execute("SELECT terms FROM analysed").fetchall()

    assert kept == [("tur\n\n\n\nhaus",)]


def test_applying_waits_for_the_callers_commit() -> None:
    engine = make_engine(make_text(1, "gateway"))
    engine._db.commit()
    before = state(engine)
    engine._db.commit()

    apply(engine._db, [make_text(2, "gateway")], [make_text(1, "gateway")])
    assert numbers(engine, "gateway") == [2]
    engine._db.rollback()

    assert state(engine) == before


@each(
    ("added", "removed"),
    [
        pytest.param([make_text(1, "proxy")], [], id="added-twice"),
        pytest.param([], [make_text(2, "gateway")], id="removed-though-not-there"),
        pytest.param([], [make_text(1, "gateway"), make_text(2, "gateway")], id="one-of-two-there"),
    ],
)
def test_change_that_does_not_fit_the_index_is_damage_and_changes_nothing(
    added: list[IndexText], removed: list[IndexText]
) -> None:
    engine = make_engine(make_text(1, "gateway"))
    before = state(engine)

    with pytest.raises(sqlite3.DatabaseError, match="the search index belongs to other memories"):
        apply(engine._db, added, removed)

    assert state(engine) == before


def test_searching_before_the_first_update_is_an_error() -> None:
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(sqlite3.OperationalError, match="no such table"),
    ):
        FtsEngine(connection).frequencies(["gateway"])
