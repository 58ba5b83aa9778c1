"""Vectors as rows of a file, searched exactly with numpy.

Exact search is quick enough: comparing 100,000 rows of 384 numbers takes 6 to 12 ms of CPU, because the file is mapped,
not read (measured). An approximate index would save these and miss some of the best rows; sqlite-vec's exact search of
the same rows takes 75 to 210 ms (``sqlite_vec``).
"""

from __future__ import annotations

import numpy as np  # 55 to 110 ms (measured), but this module is only loaded when an embedding provider is set up

from gitmem.index.vectors.rows import Nearest, map_file, write_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.vectors.rows import Floats

# Little-endian on every machine, so that all machines can read a repository on a shared disk.
FLOAT = np.dtype("<f4")


class FlatFile:
    """Rows in a raw file, one after the other and nothing else; numpy searches the mapped file."""

    def __init__(self, path: str, dimensions: int, count: int) -> None:
        """Open the file of *count* rows.

        Raises:
            DamagedError: It is shorter than that, missing, or not a regular file.
        """
        self._path, self._width = path, dimensions
        self._count = count
        self._rows: Floats = np.empty((0, dimensions), FLOAT)
        self._map()

    def _map(self) -> None:
        if not self._count:
            return
        size = self._count * self._width * FLOAT.itemsize
        mapped = map_file(self._path, size)
        self._rows = np.frombuffer(mapped, FLOAT).reshape(self._count, self._width)

    def nearest(self, query: Floats, limit: int) -> Nearest:
        """Return the nearest rows; see ``Rows``."""
        if not self._count:
            return Nearest((), 0.0, 0.0)
        cosines = self._compared(self._rows, query)
        some = min(limit, self._count)
        best = np.argpartition(-cosines, some - 1)[:some]
        best = best[np.argsort(-cosines[best], kind="stable")]
        rows = tuple((int(row), float(cosines[row])) for row in best if cosines[row] > -1)
        return Nearest(rows, float(cosines.mean()), float(cosines.std()))

    def cosines(self, query: Floats, rows: Sequence[int]) -> list[float]:
        """Return the cosines of some rows; see ``Rows``."""
        cosines = np.full(len(rows), -1.0, FLOAT)
        wanted = np.asarray(rows, np.int64)
        there = (wanted >= 0) & (wanted < self._count)
        if not there.any():  # before the first row, the width may be unknown
            return cosines.tolist()
        cosines[there] = self._compared(self._rows[wanted[there]], query)
        return [float(cosine) for cosine in cosines]

    @staticmethod
    def _compared(rows: Floats, query: Floats) -> Floats:
        """Return the cosine of each row; -1 for one that is damaged (not a unit row)."""
        with np.errstate(all="ignore"):
            cosines = rows @ query
        cosines[~(np.abs(cosines) <= 1.001)] = -1  # also catches NaN
        return np.clip(cosines, -1, 1, out=cosines)

    def read(self, rows: Sequence[int]) -> Floats:
        """Return some rows; see ``Rows``."""
        return np.array(self._rows[np.asarray(rows, np.int64)], FLOAT)

    def write(self, rows: Floats) -> None:
        """Append rows; see ``Rows``. Anything after the last complete row is overwritten."""
        written = np.ascontiguousarray(rows, FLOAT).tobytes()
        write_at(self._path, written, self._count * self._width * FLOAT.itemsize)
        self._count += len(rows)
        self._map()
