"""The tables of ``FtsEngine``, and how they follow the memories, in the caller's transaction.

The analysed terms are stored next to the FTS5 table, so that candidates are scored without being analysed again: that
took a third of a warm recall and more of a cold one (measured: 2.4 of 10 ms for 60 candidates). They are a third of the
catalog of 100,000 memories. Compressed, they were an eighth, but that took 17 us a memory, as long as the analysis of a
text whose words are known (measured).

Source: sqlite.org/fts5.html, section 4.4.1 (contentless tables).
"""

from __future__ import annotations

import _sqlite3 as sqlite3
from collections import Counter
from itertools import islice

from gitmem.index import ASKED_AT_MOST, FIELDS
from gitmem.index.catalog import SEPARATOR
from gitmem.model import ENGLISH
from gitmem.text.tokens import joined_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from gitmem.model import IndexText


# The tokenizer must leave analysed terms unchanged. "ascii" splits only at ASCII characters other than letters and
# digits and folds only ASCII case; unicode61 would fold and split terms by its own, older Unicode tables.
_SCHEMA = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS fts USING fts5(title, tags, key, paths, body, tokenize='ascii', content='')",
    "CREATE TABLE IF NOT EXISTS analysed(id INTEGER PRIMARY KEY, terms)",
    "CREATE TABLE IF NOT EXISTS term(term TEXT PRIMARY KEY, df INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS total(documents INTEGER NOT NULL, title INTEGER NOT NULL, tags INTEGER NOT NULL, "
    "key INTEGER NOT NULL, paths INTEGER NOT NULL, body INTEGER NOT NULL)",
    "INSERT INTO total SELECT 0, 0, 0, 0, 0, 0 WHERE NOT EXISTS (SELECT * FROM total)",
)
_INSERT = "INSERT INTO fts(rowid, title, tags, key, paths, body) VALUES (?, ?, ?, ?, ?, ?)"
_DELETE = "INSERT INTO fts(fts, rowid, title, tags, key, paths, body) VALUES ('delete', ?, ?, ?, ?, ?, ?)"
# How many bytes of postings are in memory before they become a segment: with SQLite's default of 1 MB, a build merges
# small segments again and again, a quarter of its time here, and its index is a tenth larger (measured).
_HELD, _HELD_BY_DEFAULT = 8 << 20, 1 << 20
_COUNT = "INSERT INTO term VALUES (?, ?) ON CONFLICT(term) DO UPDATE SET df = df + excluded.df"
_TOTAL = (
    "UPDATE total SET documents = documents + ?, title = title + ?, tags = tags + ?, key = key + ?, "
    "paths = paths + ?, body = body + ?"
)
# How many memories' document frequencies are summed before they are written: a build takes 6 MB (measured).
_BATCH = 2_000


def apply(
    db: sqlite3.Connection,
    added: Iterable[IndexText],
    removed: Iterable[IndexText],
    *,
    language: str = ENGLISH,
) -> None:
    """Remove memories (as they were when added), then add others; a changed memory is in both.

    Writes in the caller's transaction and does not commit. Both arguments are read once, in batches. An index has
    texts of only one *language*.

    Raises:
        sqlite3.DatabaseError: A removed memory is not in the index, or an added one is: rebuild the damaged index.
    """
    for statement in _SCHEMA:
        db.execute(statement)
    is_new = db.execute("SELECT 1 FROM analysed LIMIT 1").fetchone() is None
    if is_new:
        _hold(db, _HELD)
    old, new = iter(removed), iter(added)
    totals = [0] * (1 + len(FIELDS))
    while batch := list(islice(old, _BATCH)):
        rows = [(text.number, *(text.terms or _terms_of(text, language))) for text in batch]
        _refuse(rows, is_wrong=_count_known(db, rows) != len(rows))
        db.executemany(_DELETE, rows)
        db.executemany("DELETE FROM analysed WHERE id = ?", [row[:1] for row in rows])
        totals = [total - more for total, more in zip(totals, _sizes(rows), strict=True)]
        _count_in(db, rows, -1)
    while batch := list(islice(new, _BATCH)):
        rows = [(text.number, *(text.terms or _terms_of(text, language))) for text in batch]
        _refuse(rows, is_wrong=not is_new and _count_known(db, rows) > 0)
        db.executemany(_INSERT, rows)
        _keep(db, rows)
        totals = [total + more for total, more in zip(totals, _sizes(rows), strict=True)]
        if not is_new:
            _count_in(db, rows, 1)
    # Once: FTS5 writes the postings that it holds before a statement that may change several rows. After each batch, a
    # build would write a segment for each, and merge these.
    db.execute(_TOTAL, totals)
    if is_new:
        _hold(db, _HELD_BY_DEFAULT)
        _count_all(db)


def _hold(db: sqlite3.Connection, size: int) -> None:
    """Set how many bytes of postings are in memory before they are written."""
    db.execute("INSERT INTO fts(fts, rank) VALUES ('hashsize', ?)", (size,))


def _keep(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Store the terms of some memories, field by field."""
    db.executemany("INSERT INTO analysed VALUES (?, ?)", [(row[0], SEPARATOR.join(row[1:])) for row in rows])


def _count_known(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> int:
    """Return how many of these memories are in the index."""
    known = 0
    for at in range(0, len(rows), ASKED_AT_MOST):
        ids = [row[0] for row in rows[at : at + ASKED_AT_MOST]]
        marks = ",".join("?" * len(ids))
        known += db.execute(f"SELECT count(*) FROM analysed WHERE id IN ({marks})", ids).fetchone()[0]
    return known


def _sizes(rows: Sequence[tuple[Any, ...]]) -> list[int]:
    """Return how many memories these are, and how many terms each of their fields has."""
    columns = [" ".join(filter(None, column)) for column in list(zip(*rows, strict=True))[1:]]
    return [len(rows), *(column.count(" ") + 1 if column else 0 for column in columns)]


def _count_in(db: sqlite3.Connection, rows: Iterable[tuple[Any, ...]], sign: int) -> None:
    """Add the terms of some memories to the document frequencies, or subtract them."""
    counts: Counter[str] = Counter()
    for _, *fields in rows:
        counts.update(set(" ".join(fields).split()))
    db.executemany(_COUNT, sorted((term, sign * count) for term, count in counts.items()))
    if sign < 0:
        db.executemany("DELETE FROM term WHERE term = ? AND df <= 0", ((term,) for term in counts))


def _count_all(db: sqlite3.Connection) -> None:
    """Set the document frequencies of a new index, in an eighth of the time that ``_count_in`` takes (measured).

    Source: sqlite.org/fts5.html, section 8 (the fts5vocab virtual table module).
    """
    db.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, row)")
    db.execute("INSERT INTO term SELECT term, doc FROM vocabulary")
    db.execute("DROP TABLE vocabulary")


def _terms_of(text: IndexText, language: str) -> tuple[str, ...]:
    return tuple([joined_terms(part, language) for part in text.texts()])


def _refuse(rows: Sequence[tuple[Any, ...]], *, is_wrong: bool) -> None:
    # FTS5 would accept a second memory with the same number, or remove a missing one, and stay wrong from then on.
    assert len({row[0] for row in rows}) == len(rows), "a number twice"
    if is_wrong:
        raise sqlite3.DatabaseError("the search index belongs to other memories")
