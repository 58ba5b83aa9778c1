"""Long texts of a large catalog are packed, and read as they were written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from conftest import memory_text, put_files
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem import Memory, Query
from gitmem.index.catalog import BODY, packed_texts, places_of, schema, unpacker

TEXTS = [
    f"The gateway number {n} signs its tokens with RS256 and keeps the keys of service {n % 7}." for n in range(50)
]


@pytest.fixture
def db() -> sqlite3.Connection:
    return schema.create(None)


@given(text=st.text(), has_dictionary=st.booleans())
def test_packed_text_comes_back_as_it_was(text: str, has_dictionary: bool) -> None:
    db = schema.create(None)

    packed = packed_texts.packer(db, BODY, TEXTS if has_dictionary else ())(text)

    assert db.execute("SELECT unpacked('body', ?)", (packed,)).fetchone() == (text,)
    assert isinstance(packed, bytes) == (has_dictionary and len(text) >= packed_texts.SHORTEST)


def test_the_dictionary_of_a_rolled_back_write_is_not_used_again(db: sqlite3.Connection) -> None:
    unpack = unpacker(db)
    db.execute("BEGIN")
    assert unpack(BODY, packed_texts.packer(db, BODY, ["other words entirely"])("first")) == "first"
    db.execute("ROLLBACK")

    packed = packed_texts.packer(db, BODY, TEXTS)(TEXTS[3])

    assert unpack(BODY, packed) == TEXTS[3]


def test_damaged_text_is_damage_of_the_catalog(db: sqlite3.Connection) -> None:
    packed_texts.packer(db, BODY, TEXTS)

    with pytest.raises(sqlite3.DatabaseError, match="packed text is damaged"):
        unpacker(db)(BODY, b"\xff\xff\xff")


def test_texts_of_one_store_take_less_than_half_of_their_size(db: sqlite3.Connection) -> None:
    pack = packed_texts.packer(db, BODY, TEXTS)

    assert sum(len(pack(text)) for text in TEXTS) < sum(map(len, TEXTS)) / 2


def test_large_store_answers_from_packed_texts(repo: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.index.catalog.inserts.BATCH", 20)
    put_files(repo, {f"learned/m{n}.md": memory_text(f"m{n}", body=text) for n, text in enumerate(TEXTS)})
    found = memory.recall(Query(text="gateway number 31 tokens", limit=1)).hits[0]
    packed = memory.repository.catalog().row("SELECT typeof(body) FROM packed")

    memory.remember("Cookies of the gateway expire at noon", key="noon", kind="learned")
    memory.forget("m31")

    assert (found.key, packed) == ("m31", ("blob",))
    assert memory.recall(Query(text="cookies noon")).hits[0].key == "noon"
    assert memory.recall(Query(text="gateway number 31 tokens", limit=1)).hits[0].key != "m31"
    assert memory.show("m0").document["body"].strip() == TEXTS[0]


@each(
    ("refs", "places"),
    [
        ((), ""),
        (("https://example.org", "src/a.py:3", "src/b.py:4-9"), " (src/a.py:3, src/b.py:4-9)"),
        (("a:1", "b:2", "c:3", "d:4"), " (a:1, b:2, c:3)"),
    ],
)
def test_places_in_the_code_are_a_few_references(refs: tuple[str, ...], places: str) -> None:
    assert places_of(refs) == places
