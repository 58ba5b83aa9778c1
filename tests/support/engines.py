"""An ``FtsEngine`` over made texts, and everything that it knows."""

from __future__ import annotations

import _sqlite3 as sqlite3
from collections.abc import Iterable

from hypothesis import strategies as st

from gitmem.index import FtsEngine
from gitmem.index.catalog import register
from gitmem.index.fts_update import apply
from gitmem.model import ENGLISH, IndexText
from gitmem.text.tokens import query_terms

VOCABULARY = st.lists(st.sampled_from(["jwt", "token", "snake_case", "認証", "naïve", "the", "x/y.py"]), max_size=6)
words = VOCABULARY.map(" ".join)


def make_text(number: int, body: str = "", **fields: str) -> IndexText:
    return IndexText(**({"number": number, "title": "", "tags": "", "key": "", "paths": "", "body": body} | fields))


def make_engine(*texts: IndexText, language: str = ENGLISH) -> FtsEngine:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE memory (id INTEGER PRIMARY KEY, kind TEXT)")
    connection.execute("CREATE TABLE dictionary (name TEXT PRIMARY KEY, content BLOB NOT NULL)")
    register(connection)
    kinds = [(text.number, "gotcha" if text.number % 2 else "fact") for text in texts]
    connection.executemany("INSERT INTO memory VALUES (?, ?)", kinds)
    engine = FtsEngine(connection)
    apply(connection, texts, [], language=language)
    return engine


def numbers(
    engine: FtsEngine, query: str, *, limit: int = 100, where: str = "", parameters: Iterable[object] = ()
) -> list[int]:
    found = engine.candidates(query_terms(query), limit=limit, where=where, parameters=tuple(parameters))
    return [candidate.number for candidate in found]


def state(engine: FtsEngine) -> list[list[object]]:
    """Return all that an index knows: each occurrence of each term, document frequencies, totals, lengths."""
    db = engine._db
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrence USING fts5vocab(main, fts, instance)")
    queries = (
        "SELECT * FROM occurrence ORDER BY doc, term, col, offset",
        "SELECT * FROM term ORDER BY term",
        "SELECT * FROM total",
        "SELECT * FROM fts_docsize ORDER BY id",
    )
    return [db.execute(query).fetchall() for query in queries]
