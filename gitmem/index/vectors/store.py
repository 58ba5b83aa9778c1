"""The vectors of one embedding model in a folder of the index: stored by memory, and searched for nearest neighbours.

A vector belongs to a text, identified by a digest of its pieces; a text belongs to the memories that contain it,
identified by their blobs. So a change of tags embeds nothing again, and two branches share equal memories. This is
derived data: if it is damaged or belongs to another format or model, it is rebuilt, and the folder may be deleted at
any time.

The rows are in a separate file (``numpy_rows``, ``plain_rows``); ``index.sqlite`` next to it records how many of them
are complete.
Rows are written first, and then counted in a transaction: rows past the count, left by a killed process, are
overwritten by the next one. A writer holds the folder's lock; a reader holds a short transaction and never sees half of
a change.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from gitmem.frozen import fields_of, frozen, replace
from gitmem.index.vectors.folders import CUT, discard, folder_of, size_of
from gitmem.index.vectors.plain_rows import EXACT, PlainFile, signs_path
from gitmem.index.vectors.rows import MOST_DIMENSIONS, DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gitmem.index.embed.llama_tokens import Token
    from gitmem.index.vectors.rows import Nearest, VectorRows

# How rows are stored: in a raw file, or in a table of sqlite-vec.
FLAT, VEC = "numpy", "sqlite-vec"
# The version of how rows are stored and memories are split into pieces: vectors of another version are rebuilt.
FORMAT = f"1.{CUT}"
INDEX = "index.sqlite"
# How long a reader waits for a writer's commit, and a writer for a reader's query, in milliseconds. Both take a few;
# after a longer wait, recall continues without vectors.
BUSY_MS = 2000
# With more rows without signs than this, the signs are written again.
UNSIGNED = 256
# How many rows are copied at once: 15 MB for rows of 384 numbers.
_BLOCK = 10_000
_CHUNK = 500
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE text (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, first INTEGER NOT NULL,
  pieces INTEGER NOT NULL);
CREATE INDEX text_first ON text (first) WHERE pieces > 0;
CREATE TABLE memory (oid TEXT PRIMARY KEY, text INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX memory_text ON memory (text);
"""
_TOKENS = "CREATE TABLE token (text TEXT PRIMARY KEY, number INTEGER NOT NULL, rank INTEGER NOT NULL) WITHOUT ROWID"
_TEXT_AT = "SELECT id, first + pieces FROM text WHERE pieces > 0 AND first <= ? ORDER BY first DESC LIMIT 1"
_ROWS_OF = "SELECT m.oid, t.first, t.pieces FROM memory m JOIN text t ON t.id = m.text WHERE m.oid IN ({})"


@frozen
class Shape:
    """The storage of the rows: in which file or table, how long each is, how many are complete."""

    kept: str
    name: str
    dimensions: int
    count: int


@frozen
class Sizes:
    """How much is stored: rows in use, rows that no memory uses any more, and bytes on the disk."""

    rows: int
    dead: int
    bytes: int


def shape_of(notes: dict[str, str]) -> Shape:
    """Return the shape that an index's metadata describe: a forged one must not lead to other files or past an end.

    Raises:
        DamagedError: They are invalid, for example name a file elsewhere.
    """
    form, name = notes.get("kept", ""), notes.get("name", "")
    numbers = [notes.get(what, "") for what in ("dimensions", "count")]
    is_whole = all(number.isdecimal() and number.isascii() and len(number) < 10 for number in numbers)
    if form not in (FLAT, VEC) or not _is_name(name) or not is_whole:
        raise DamagedError("the index of the vectors is unusable")
    dimensions, count = map(int, numbers)
    if dimensions > MOST_DIMENSIONS or (count and not dimensions):
        raise DamagedError("the index of the vectors is unusable")
    return Shape(form, name, dimensions, count)


def _is_name(name: str) -> bool:
    """Return whether a name is one of a file or table of rows."""
    number = name.removeprefix("rows-")
    return number != name and number.isdecimal() and number.isascii() and len(number) < 10


def digest_of(pieces: Sequence[str]) -> bytes:
    """Return the digest that identifies a text: that of its pieces as they are embedded."""
    from hashlib import blake2b  # 4 ms, and only when memories are embedded

    return blake2b("\0".join(pieces).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Vectors:
    """The vectors of one model, open.

    Attributes:
        model: The provider's name of the model.
        folder: The folder of the vectors.
        is_plain: Whether rows are tuples (``plain_rows``), not arrays of numpy.
    """

    def __init__(self, folder: str, model: str, connection: sqlite3.Connection, *, is_plain: bool = False) -> None:
        self.folder = folder
        self.model = model
        self.is_plain = is_plain
        self._db = connection
        self._shape = Shape("", "", 0, 0)
        self._rows: VectorRows | None = None

    @classmethod
    def open(cls, state_folder: str | os.PathLike[str], model: str, *, is_plain: bool = False) -> Vectors | None:
        """Open the vectors of a model; None if there are none.

        With *is_plain*, numpy is not loaded; rows in a table of sqlite-vec cannot be read then.

        Raises:
            DamagedError: They cannot be used; ``create`` makes empty ones.
            sqlite3.OperationalError: Another process writes for too long, or the file cannot be read.
        """
        folder = folder_of(state_folder, model)
        path = os.path.join(folder, INDEX)
        if not os.path.isfile(path):
            return None
        connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_MS / 1000)
        opened = cls(folder, model, connection, is_plain=is_plain)
        try:
            with opened.reading():
                pass
        except BaseException:
            opened.close()
            raise
        return opened

    @classmethod
    def create(cls, state_folder: str | os.PathLike[str], model: str) -> Vectors:
        """Replace the folder of a model by an empty one, after ``open`` has failed; call it under the lock.

        Raises:
            OSError, sqlite3.OperationalError: The disk cannot be written to.
        """
        folder = folder_of(state_folder, model)
        discard(folder)
        os.makedirs(folder, mode=0o700)
        path = os.path.join(folder, INDEX)
        connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_MS / 1000)
        try:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            notes = {"format": FORMAT, "model": model, "kept": FLAT, "name": "rows-0", "dimensions": 0, "count": 0}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", ((k, str(v)) for k, v in notes.items()))
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return cls(folder, model, connection)

    def close(self) -> None:
        """Close the connection; the file stays mapped as long as anyone holds its rows."""
        self._rows = None
        self._db.close()

    def reading(self) -> _Transaction:
        """Return a context manager in which all reads see one state.

        Raises (on entering):
            DamagedError: They cannot be used.
        """
        return _Transaction(self, "BEGIN")

    def writing(self) -> _Transaction:
        """Return a context manager for one transaction; call it under the lock."""
        return _Transaction(self, "BEGIN IMMEDIATE")

    def begin(self, statement: str) -> None:
        """Begin a transaction and open the rows as it sees them."""
        try:
            self._db.execute(statement)
            notes = dict(self._db.execute("SELECT name, value FROM meta"))
        except sqlite3.OperationalError as err:
            if "no such table" in str(err):  # killed while it was created, or not written by gitmem
                raise DamagedError("the vectors have no index") from err
            raise
        except sqlite3.DatabaseError as err:
            raise DamagedError(f"the index of the vectors is damaged: {err}") from err
        if notes.get("format") != FORMAT or notes.get("model") != self.model:
            raise DamagedError("the vectors have another format or belong to another model")
        shape = shape_of(notes)
        if self._rows is None or shape != self._shape:
            self._shape, self._rows = shape, self._opened(shape)

    def end(self, statement: str) -> None:
        """End the transaction, if one is open."""
        if self._db.in_transaction:
            self._db.execute(statement)

    def _opened(self, shape: Shape) -> VectorRows:
        path = os.path.join(self.folder, f"{shape.name}.f32")
        if self.is_plain and shape.kept == FLAT:
            return PlainFile(path, shape.dimensions, shape.count)
        if self.is_plain:
            raise DamagedError("vectors in a table of sqlite-vec need numpy")
        from gitmem.index.vectors import numpy_rows, sqlite_vec  # 55 to 110 ms for numpy (measured)

        if shape.kept == VEC:
            return sqlite_vec.VecTable(self._db, shape.name, shape.dimensions, shape.count)
        return numpy_rows.FlatFile(path, shape.dimensions, shape.count)

    @property
    def rows(self) -> VectorRows:
        """Return the rows; only in a transaction."""
        assert self._rows is not None, "outside of a transaction"
        return self._rows

    @property
    def shape(self) -> Shape:
        """Return the shape of the rows as of the last transaction's start."""
        return self._shape

    def meta(self, name: str) -> str:
        """Return a value of the table ``meta``, or an empty string."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def set_meta(self, name: str, value: str) -> None:
        """Write a value of the table ``meta``."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def nearest(self, query: Any, limit: int) -> tuple[dict[str, float], Nearest]:
        """Return the memories whose pieces are nearest to a query, and the nearest pieces with their statistics.

        Args:
            query: A unit vector.
            limit: How many pieces to find, >= 1; of a memory with several, the best one counts.

        Returns:
            Cosines by blob, the largest first.
        """
        self._check(query)
        texts: dict[int, float] = {}
        best = self.rows.nearest(query, limit)
        for row, cosine in best.rows:
            text, end = self._db.execute(_TEXT_AT, (row,)).fetchone() or (0, 0)
            if row < end:
                texts.setdefault(text, cosine)
        best_by_oid: dict[str, float] = {}
        for part in _parts(texts):
            marks = ",".join("?" * len(part))
            owners = self._db.execute(f"SELECT oid, text FROM memory WHERE text IN ({marks})", part)
            best_by_oid |= {oid: texts[text] for oid, text in owners}
        return dict(sorted(best_by_oid.items(), key=lambda item: -item[1])), best

    def cosines(self, query: Any, oids: Iterable[str]) -> dict[str, float]:
        """Return the cosine of the best piece of each memory that has vectors, by blob, in no order."""
        return {oid: cosine for oid, (cosine, _) in self._best_pieces(query, oids).items()}

    def best_rows(self, query: Any, oids: Iterable[str]) -> dict[str, Any]:
        """Return by blob the vector of the best piece of each memory that has one."""
        best = self._best_pieces(query, oids)
        return dict(zip(best, self.rows.read([row for _, row in best.values()]), strict=True))

    def _best_pieces(self, query: Any, oids: Iterable[str]) -> dict[str, tuple[float, int]]:
        """Return by blob the cosine and the row of each memory's best piece; a memory without vectors has none."""
        self._check(query)
        best: dict[str, tuple[float, int]] = {}
        count = self._shape.count
        for part in _parts(oids):
            rows = self._db.execute(_ROWS_OF.replace("{}", ",".join("?" * len(part))), part).fetchall()
            owners = [(oid, row) for oid, first, n in rows for row in range(max(first, 0), min(first + n, count))]
            cosines = self.rows.cosines(query, [row for _, row in owners])
            for (oid, row), cosine in zip(owners, cosines, strict=True):
                if cosine > best.get(oid, (-1.0, 0))[0]:
                    best[oid] = cosine, row
        return best

    def _check(self, query: Any) -> None:
        if self._shape.count and len(query) != self._shape.dimensions:
            raise DamagedError(f"the vectors have {self._shape.dimensions} dimensions, the query {len(query)}")

    def find_tokens(self, texts: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return the number and the rank of those of some texts that are tokens (``embed.packaged_model``)."""
        tokens: dict[str, tuple[int, int]] = {}
        for part in _parts(texts):
            marks = ",".join("?" * len(part))
            rows = self._db.execute(f"SELECT text, number, rank FROM token WHERE text IN ({marks})", part)
            tokens |= {text: (number, rank) for text, number, rank in rows}
        return tokens

    def keep_tokens(self, tokens: Iterable[Token]) -> None:
        """Store the tokens of the model; call in ``writing``."""
        self._db.execute("DROP TABLE IF EXISTS token")
        self._db.execute(_TOKENS)
        self._db.executemany("INSERT INTO token VALUES (?, ?, ?)", tokens)

    def has_tokens(self) -> bool:
        """Return whether the tokens of the model are stored."""
        sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'token'"
        return self._db.execute(sql).fetchone() is not None

    def last_missing(self, stamp: str) -> int:
        """Return how many memories had no vectors at the last update of a state of the store; -1 if there was none."""
        seen, _, missing = self.meta("seen").rpartition(" ")
        return int(missing) if seen == stamp and missing.isdecimal() else -1

    def list_embedded(self) -> set[str]:
        """Return the blobs of all memories that have been embedded."""
        return {row[0] for row in self._db.execute("SELECT oid FROM memory")}

    def texts(self, digests: Iterable[bytes]) -> dict[bytes, int]:
        """Return the numbers of those of the texts that have been embedded, by digest."""
        texts: dict[bytes, int] = {}
        for part in _parts(digests):
            marks = ",".join("?" * len(part))
            texts |= dict(self._db.execute(f"SELECT digest, id FROM text WHERE digest IN ({marks})", part))
        return texts

    def add(self, texts: Sequence[tuple[bytes, Any]], memories: Iterable[tuple[str, bytes]]) -> None:
        """Add texts with the rows of their pieces, and memories with the digests of their texts; call in ``writing``.

        Raises:
            DamagedError: The rows have another length than the existing ones.
            OSError, sqlite3.OperationalError: The disk is full.
        """
        full = [rows for _, rows in texts if len(rows)]
        at = self._shape.count
        if full:
            self._resize(len(full[0][0]))
            self.rows.write(self._join(full))
        for digest, rows in texts:
            self._db.execute("INSERT INTO text (digest, first, pieces) VALUES (?, ?, ?)", (digest, at, len(rows)))
            at += len(rows)
        self._note(replace(self._shape, count=at))
        sql = "INSERT OR REPLACE INTO memory SELECT ?, id FROM text WHERE digest = ?"
        self._db.executemany(sql, memories)

    def _join(self, blocks: Sequence[Any]) -> Any:
        if self.is_plain:
            return [row for block in blocks for row in block]
        import numpy as np

        return np.concatenate(blocks)

    def _resize(self, dimensions: int) -> None:
        """Set the length of a row with the first row; refuse rows of another length."""
        if self._shape.count and dimensions != self._shape.dimensions:
            message = f"the vectors have {self._shape.dimensions} dimensions, the new ones {dimensions}"
            raise DamagedError(message, hint="if the model changed under the same name: gitmem embed rebuild")
        if dimensions != self._shape.dimensions:
            self._shape = replace(self._shape, dimensions=dimensions, count=0)
            self._rows = self._opened(self._shape)

    def _note(self, shape: Shape) -> None:
        self._shape = shape
        for name, value in fields_of(shape).items():
            self.set_meta(name, str(value))

    def forget_others(self, oids: set[str]) -> int:
        """Delete all memories but these, and unused texts; return the number of deleted memories; in ``writing``."""
        gone = [(oid,) for oid in self.list_embedded() - oids]
        self._db.executemany("DELETE FROM memory WHERE oid = ?", gone)
        self._db.execute("DELETE FROM text WHERE id NOT IN (SELECT text FROM memory)")
        return len(gone)

    def sizes(self) -> Sizes:
        """Return how much is stored; call in a transaction."""
        (live,) = self._db.execute("SELECT coalesce(sum(pieces), 0) FROM text").fetchone()
        return Sizes(live, self._shape.count - live, size_of(self.folder))

    @property
    def is_scattered(self) -> bool:
        """Return whether more rows were added in small writes than were there when they were last copied.

        Linux caches large writes in large pages: mapping, comparing and unmapping 100,000 rows of 384 numbers then
        takes 6 ms, otherwise 25 ms (measured: ext4, Linux 6.18).
        """
        copied = self.meta("copied")
        return self._shape.count > max(_BLOCK, 2 * int(copied if copied.isdecimal() else 0))

    def compact(self, kept: str = "") -> None:
        """Copy the rows that are still in use to a new file or table, and delete the old one; call it under the lock.

        Args:
            kept: The storage to use, ``numpy`` or ``sqlite-vec``; empty for the current one.
        """
        with self.writing():
            old, was = self.rows, self._shape
            number = int(was.name.rpartition("-")[2]) + 1
            fresh = Shape(kept or was.kept, f"rows-{number}", was.dimensions, 0)
            self._remove(fresh)  # left by a killed process
            rows, count = self._opened(fresh), 0
            owners = self._db.execute("SELECT id, first, pieces FROM text ORDER BY first").fetchall()
            for block in _blocks(owners):
                wanted = [row for _, first, pieces in block for row in range(first, first + pieces)]
                if wanted:
                    rows.write(old.read(wanted))
                for number_of, _, pieces in block:
                    self._db.execute("UPDATE text SET first = ? WHERE id = ?", (count, number_of))
                    count += pieces
            self._rows = rows
            self._note(replace(fresh, count=count))
            self.set_meta("copied", str(count))
            if was.kept == VEC:
                self._remove(was)
        if was.kept == FLAT:
            self._remove(was)
        self.update_signs()

    def update_signs(self) -> None:
        """Write the signs of the rows again if they cover too few of them; call it under the lock, with numpy."""
        path, count = os.path.join(self.folder, f"{self._shape.name}.f32"), self._shape.count
        if self._shape.kept != FLAT or count <= EXACT or self.lacks_signs() <= UNSIGNED:
            return
        from gitmem.index.vectors.signs import write_signs

        with self.reading():
            write_signs(signs_path(path), self.rows.read(range(count)))

    def lacks_signs(self) -> int:
        """Return how many rows more than ``plain_rows.EXACT`` have no signs; after a transaction."""
        from gitmem.index.vectors.signs import count_signs

        path = os.path.join(self.folder, f"{self._shape.name}.f32")
        count = self._shape.count
        return count - count_signs(signs_path(path), self._shape.dimensions, count) if count > EXACT else 0

    def sweep(self) -> None:
        """Delete files of rows left by a killed process; call it under the lock."""
        for name in os.listdir(self.folder):
            stem, _, suffix = name.partition(".")
            if _is_name(stem) and suffix in ("f32", "signs", "signs.new") and stem != self._shape.name:
                os.unlink(os.path.join(self.folder, name))

    def _remove(self, shape: Shape) -> None:
        if shape.kept == VEC:
            from gitmem.index.vectors.sqlite_vec import table_of

            self._db.execute(f"DROP TABLE IF EXISTS {table_of(shape.name)}")
            return
        path = os.path.join(self.folder, f"{shape.name}.f32")
        for file in (path, signs_path(path)):
            if os.path.lexists(file):
                os.unlink(file)


class _Transaction:
    """A transaction of an index; see ``Vectors.reading`` and ``Vectors.writing``."""

    def __init__(self, vectors: Vectors, statement: str) -> None:
        self._vectors, self._statement = vectors, statement

    def __enter__(self) -> None:
        try:
            self._vectors.begin(self._statement)
        except BaseException:
            self._vectors.end("ROLLBACK")
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._vectors.end("ROLLBACK" if kind else "COMMIT")


def _parts(values: Iterable[Any]) -> Iterator[list[Any]]:
    wanted = list(values)
    for at in range(0, len(wanted), _CHUNK):
        yield wanted[at : at + _CHUNK]


def _blocks(owners: list[Any]) -> Iterator[list[Any]]:
    block: list[Any] = []
    rows = 0
    for owner in owners:
        block.append(owner)
        rows += owner[2]
        if rows >= _BLOCK:
            yield block
            block, rows = [], 0
    yield block
