"""The engine inside the catalog's SQLite file: an FTS5 table over analysed terms.

The table is contentless: it keeps what is needed to find a memory and none of its text, which halves it (measured:
4.6 against 10.5 MB for 10,000 memories). SQLite before 3.43 can delete from such a table only with the old text, so
whoever removes a memory brings it. All writing happens in the caller's transaction.

Source: sqlite.org/fts5.html, sections 4.4 (contentless tables), 5.1.1 (bm25) and 6.3 (delete).
"""

from __future__ import annotations

import sqlite3
from itertools import islice

from gitmem.analysis import terms as analyse
from gitmem.search.engine import FIELD_WEIGHTS, FIELDS, Candidate, Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitmem.model import IndexText

# The tokenizer must not change what analysis made. "ascii" cuts at ASCII characters other than letters and digits and
# folds ASCII case only; unicode61 would fold and cut terms by its own, older tables of Unicode.
_SCHEMA = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS fts USING fts5(title, tags, key, paths, body, content='', tokenize='ascii')",
    "CREATE TABLE IF NOT EXISTS term(term TEXT PRIMARY KEY, df INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS total(documents INTEGER NOT NULL, title INTEGER NOT NULL, tags INTEGER NOT NULL, "
    "key INTEGER NOT NULL, paths INTEGER NOT NULL, body INTEGER NOT NULL)",
    "INSERT INTO total SELECT 0, 0, 0, 0, 0, 0 WHERE NOT EXISTS (SELECT * FROM total)",
)
_INSERT = "INSERT INTO fts(rowid, title, tags, key, paths, body) VALUES (?, ?, ?, ?, ?, ?)"
_DELETE = "INSERT INTO fts(fts, rowid, title, tags, key, paths, body) VALUES ('delete', ?, ?, ?, ?, ?, ?)"
_COUNT = "INSERT INTO term VALUES (?, ?) ON CONFLICT(term) DO UPDATE SET df = df + excluded.df"
_TOTAL = (
    "UPDATE total SET documents = documents + ?, title = title + ?, tags = tags + ?, key = key + ?, "
    "paths = paths + ?, body = body + ?"
)
# FTS5's bm25() is the smaller the better. A rough order is enough, since score ranks the candidates again.
_SCORED = f"-bm25(fts, {', '.join(map(str, FIELD_WEIGHTS))})"

_KNOWN = "SELECT 1 FROM fts_docsize WHERE id = ?"
_BEST = f"SELECT fts.rowid, {_SCORED} FROM fts {{join}} WHERE fts MATCH ? {{also}} ORDER BY 2 DESC, 1 DESC LIMIT ?"
_NEWEST = "SELECT fts.rowid FROM fts {join} WHERE fts MATCH ? {also} ORDER BY fts.rowid DESC LIMIT ?"

# Memories whose document frequencies are added up before they are written: a build takes 6 MB (measured).
_BATCH = 2_000
# bm25() costs 0.6 us and more for each memory that matches, matching alone 0.02 us (measured at 100,000 memories): so
# many are scored in some 15 ms.
SCORED_AT_MOST = 20_000
# A term that more memories than this share have tells little of any: where rarer ones bring enough, it makes no
# candidates (it is scored like all others). Saves 6 of 9 ms at 6,000 memories that all have one word of the question
# (measured); with fewer matches than this there is nothing to save.
EVERYWHERE = 0.25
FEW = 2_000


class FtsEngine:
    """The FTS5 index in one SQLite database: ``apply`` makes its tables, ``drop`` removes them.

    A text must be removed with the same ``analysis.format_stamp`` that it was added with; otherwise drop and rebuild.
    Looking something up before the first ``apply`` is a ``sqlite3.OperationalError``: there is no index.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def drop(self) -> None:
        """Delete the tables and all that is in them."""
        for table in ("fts", "term", "total"):
            self._db.execute(f"DROP TABLE IF EXISTS {table}")

    def apply(self, added: Iterable[IndexText], removed: Iterable[IndexText]) -> None:
        """Take memories out, then others in; a changed memory is in both, with its old and its new words.

        Writes in the caller's transaction and does not commit. Both are read once, in batches.

        Raises:
            sqlite3.DatabaseError: A removed memory is not in the index, or an added one is: it is damaged, rebuild it.
        """
        for statement in _SCHEMA:
            self._db.execute(statement)
        for texts, sign in ((removed, -1), (added, 1)):
            stream = iter(texts)
            while batch := list(islice(stream, _BATCH)):
                self._write(batch, sign)

    def _write(self, batch: list[IndexText], sign: int) -> None:
        # FTS5 would take a second memory of one number, or forget one it does not have, and be wrong ever after.
        numbers = {text.number for text in batch}
        known = sum(bool(self._db.execute(_KNOWN, (number,)).fetchone()) for number in numbers)
        assert len(numbers) == len(batch), "a number twice"
        if known != (len(batch) if sign < 0 else 0):
            raise sqlite3.DatabaseError("the search index is not of these memories")
        counts: dict[str, int] = {}
        totals = [sign * len(batch), *(0 for _ in FIELDS)]
        self._db.executemany(_INSERT if sign > 0 else _DELETE, _rows(batch, sign, counts, totals))
        self._db.executemany(_COUNT, sorted(counts.items()))
        if sign < 0:
            self._db.executemany("DELETE FROM term WHERE term = ? AND df <= 0", ((term,) for term in counts))
        self._db.execute(_TOTAL, totals)

    def frequencies(self, terms: Sequence[str]) -> Stats:
        """Return how many memories there are, their average lengths, and in how many each term occurs."""
        documents, *lengths = self._db.execute("SELECT * FROM total").fetchone()
        marks = ", ".join("?" * len(terms))
        found = self._db.execute(f"SELECT term, df FROM term WHERE term IN ({marks})", tuple(terms))
        return Stats(documents, dict(found), tuple(length / max(documents, 1) for length in lengths))

    def candidates(
        self, terms: Sequence[str], *, limit: int, where: str = "", parameters: Sequence[object] = ()
    ) -> list[Candidate]:
        """Return at most *limit* memories with any of the terms, the best first.

        Where the terms match more than ``SCORED_AT_MOST`` memories, the rarest are taken while they stay below it, and
        the memories that have all the others; where no term is that rare, those with one in title or tags. If this is
        too few (or far too many), the newest memories with any term follow, unscored.

        Args:
            terms: Analysed terms (``analysis.query_terms``).
            limit: How many at most, >= 1.
            where: An SQL condition on ``memory m`` (``m.id`` is the memory's number), or empty.
            parameters: The values of its placeholders.
        """
        stats = self.frequencies(terms)
        rarest = _telling(sorted(stats.frequency, key=lambda term: (stats.frequency[term], term)), stats, limit)
        if not rarest:
            return []
        match, everything = self._affordable(rarest, stats), _any(rarest)
        values = (*parameters, limit)
        scored = self._db.execute(_select(_BEST, where), (match, *values)) if match else ()
        found = [Candidate(*row) for row in scored]
        if len(found) == limit or match == everything:
            return found
        numbers = {candidate.number for candidate in found}
        newest = [row[0] for row in self._db.execute(_select(_NEWEST, where), (everything, *values))]
        more = [Candidate(number, 0.0) for number in newest if number not in numbers]
        return found + more[: limit - len(found)]

    def _affordable(self, rarest: list[str], stats: Stats) -> str:
        """Return an FTS5 expression for the most telling memories that can be scored; empty where they are too many."""
        if min(sum(stats.frequency.values()), stats.documents) <= SCORED_AT_MOST:
            return _any(rarest)
        room, taken = SCORED_AT_MOST, 0
        while stats.frequency[rarest[taken]] <= room:
            room -= stats.frequency[rarest[taken]]
            taken += 1
        rare, common = rarest[:taken], rarest[taken:]
        tries = [f"({' AND '.join(map(_quoted, common))})"]
        if not rare:  # beside rare words, a title's common one would seem as rare as it is in titles
            tries.append(f"{{title tags}} : ({_any(common)})")
        sizes = [(self._count(part), part) for part in tries]
        parts = [part for size, part in sizes if size <= room / len(tries)]
        least, smallest = min(sizes)
        return " OR ".join([*map(_quoted, rare), *parts]) or (smallest if least <= 2 * SCORED_AT_MOST else "")

    def _count(self, match: str) -> int:
        size: int = self._db.execute("SELECT count(*) FROM fts WHERE fts MATCH ?", (match,)).fetchone()[0]
        return size


def _telling(rarest: list[str], stats: Stats, limit: int) -> list[str]:
    """Return the terms without those that are everywhere, where the others bring *limit* memories."""
    if sum(stats.frequency.values()) <= FEW:
        return rarest
    kept = [term for term in rarest if stats.frequency[term] <= EVERYWHERE * stats.documents]
    return kept if sum(stats.frequency[term] for term in kept) >= limit else rarest


def _select(order: str, where: str) -> str:
    # CROSS JOIN keeps SQLite from asking FTS5 once for each memory that passes the condition.
    join = "CROSS JOIN memory m ON m.id = fts.rowid" if where else ""
    return order.format(join=join, also=f"AND ({where})" if where else "")


def _quoted(term: str) -> str:
    return f'"{term}"'


def _any(terms: Sequence[str]) -> str:
    return " OR ".join(map(_quoted, terms))


def _rows(
    batch: list[IndexText], sign: int, counts: dict[str, int], totals: list[int]
) -> Iterator[tuple[int, str, str, str, str, str]]:
    """Yield the analysed fields of each memory; adds to *counts* and *totals* what they change."""
    for text in batch:
        fields = [analyse(part) for part in text.texts()]
        for place, found in enumerate(fields, 1):
            totals[place] += sign * len(found)
        for term in set().union(*fields):
            counts[term] = counts.get(term, 0) + sign
        title, tags, key, paths, body = (" ".join(found) for found in fields)
        yield text.number, title, tags, key, paths, body
