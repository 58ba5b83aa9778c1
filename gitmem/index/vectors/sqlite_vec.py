"""Vectors as rows of a table of sqlite-vec, for users who install that SQLite extension and set ``gitmem.vectors``.

It is never chosen automatically: its exact search of 100,000 rows of 384 numbers takes 75 ms of CPU for the 60 nearest
and 210 ms for 4,000; numpy takes 6 to 12 ms (sqlite-vec 0.1.9, measured). It implements the same protocol
(``rows.VectorRows``), so ``store`` does not depend on how rows are stored.

Source: alexgarcia.xyz/sqlite-vec, "KNN queries" and "Python".
"""

from __future__ import annotations

import _sqlite3 as sqlite3

import numpy as np

from gitmem.index.vectors.numpy_rows import FLOAT
from gitmem.index.vectors.rows import DamagedError, Nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.vectors.rows import Floats

# The largest `k` that sqlite-vec accepts.
MOST_NEAREST = 4096
_CHUNK = 500


def can_load() -> str:
    """Return why sqlite-vec cannot be used here, or an empty string."""
    connection = sqlite3.connect(":memory:")
    try:
        load(connection)
    except DamagedError as err:
        return err.message
    finally:
        connection.close()
    return ""


def load(connection: sqlite3.Connection) -> None:
    """Load the extension into a connection.

    Raises:
        DamagedError: It is not installed, or this Python's SQLite loads no extensions (many builds do not).
    """
    try:
        import sqlite_vec  # 1 ms, and only if it is chosen
    except ImportError as err:
        raise DamagedError("the package sqlite-vec is not installed") from err
    if not hasattr(connection, "enable_load_extension"):
        raise DamagedError("this Python's SQLite cannot load extensions")
    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    connection.enable_load_extension(False)


class VecTable:
    """Rows in a ``vec0`` table of the index; it changes with the index's own transactions."""

    def __init__(self, connection: sqlite3.Connection, name: str, dimensions: int, count: int) -> None:
        """Open the table of *count* rows; with 0 rows it need not exist.

        Raises:
            DamagedError: The extension is not installed.
        """
        load(connection)
        self._db, self._table = connection, table_of(name)
        self._width, self._count = dimensions, count

    def nearest(self, query: Floats, limit: int) -> Nearest:
        """Return the nearest rows; see ``rows.VectorRows``."""
        if not self._count:
            return Nearest((), 0.0, 0.0)
        data = _bytes(query)
        sql = f"SELECT rowid, 1 - distance FROM {self._table} WHERE v MATCH ? AND k = ?"
        rows = self._db.execute(sql, (data, min(limit, MOST_NEAREST))).fetchall()
        every = f"SELECT avg(c), avg(c * c) FROM (SELECT 1 - vec_distance_cosine(v, ?) AS c FROM {self._table})"
        mean, square = self._db.execute(every, (data,)).fetchone()
        neighbours = tuple((row, cosine) for row, cosine in rows if cosine is not None)
        return Nearest(neighbours, mean or 0.0, max(0.0, (square or 0.0) - (mean or 0.0) ** 2) ** 0.5)

    def cosines(self, query: Floats, rows: Sequence[int]) -> list[float]:
        """Return the cosines of some rows; see ``rows.VectorRows``."""
        data, cosines = _bytes(query), dict[int, float]()
        for at in range(0, len(rows), _CHUNK):
            part = rows[at : at + _CHUNK]
            sql = f"SELECT rowid, 1 - vec_distance_cosine(v, ?) FROM {self._table} WHERE rowid IN ({_marks(part)})"
            cosines |= {row: cosine for row, cosine in self._db.execute(sql, (data, *part)) if cosine is not None}
        return [cosines.get(row, -1.0) for row in rows]

    def read(self, rows: Sequence[int]) -> Floats:
        """Return some rows; see ``rows.VectorRows``."""
        vectors: dict[int, bytes] = {}
        for at in range(0, len(rows), _CHUNK):
            part = rows[at : at + _CHUNK]
            vectors |= dict(
                self._db.execute(f"SELECT rowid, v FROM {self._table} WHERE rowid IN ({_marks(part)})", part)
            )
        joined = b"".join(vectors[row] for row in rows)
        return np.frombuffer(joined, FLOAT).reshape(len(rows), self._width)

    def write(self, rows: Floats) -> None:
        """Append rows; see ``rows.VectorRows``."""
        if not self._count:
            self._db.execute(f"DROP TABLE IF EXISTS {self._table}")
            columns = f"v float[{self._width}] distance_metric=cosine"
            self._db.execute(f"CREATE VIRTUAL TABLE {self._table} USING vec0({columns})")
        numbered = ((number, _bytes(row)) for number, row in enumerate(rows, self._count))
        self._db.executemany(f"INSERT INTO {self._table} (rowid, v) VALUES (?, ?)", numbered)
        self._count += len(rows)


def table_of(name: str) -> str:
    """Return the table with the rows of this name."""
    return name.replace("-", "_")


def _bytes(row: Floats) -> bytes:
    return np.ascontiguousarray(row, FLOAT).tobytes()


def _marks(values: Sequence[int]) -> str:
    return ",".join("?" * len(values))
