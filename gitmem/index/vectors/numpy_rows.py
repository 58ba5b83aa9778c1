"""Vectors as rows of a file, searched exactly, and the protocol of such storage.

Exact search is quick enough: comparing 100,000 rows of 384 numbers takes 6 to 12 ms of CPU, because the file is mapped,
not read (measured). An approximate index would save these and miss some of the best rows; sqlite-vec's exact search of
the same rows takes 75 to 210 ms (``sqlite_vec``).
"""

from __future__ import annotations

import mmap
import os
import stat

import numpy as np  # 55 to 110 ms (measured), but this module is only loaded when an embedding provider is set up

from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.system import CLOSE_ON_EXEC, NO_FOLLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    Floats = np.ndarray[Any, np.dtype[np.float32]]

    class Rows(Protocol):
        """Unit rows of equal length, numbered from 0, to which rows can only be appended.

        The owner records how many rows are complete; rows past that count, left by a killed process, are overwritten.
        """

        def nearest(self, query: Floats, limit: int) -> Nearest:
            """Return at most *limit* rows (>= 1) with the largest cosines to *query*, and the statistics of all."""

        def cosines(self, query: Floats, rows: Sequence[int]) -> list[float]:
            """Return the cosine of each of these rows to *query*; -1 for a row that does not exist or is damaged."""

        def read(self, rows: Sequence[int]) -> Floats:
            """Return the rows with these numbers, which must exist."""

        def write(self, rows: Floats) -> None:
            """Append rows; they are on the disk when this returns, or an OSError or sqlite3.Error is raised."""


# Little-endian on every machine, so that all machines can read a repository on a shared disk.
FLOAT = np.dtype("<f4")
# More than any embedding model has (OpenAI's largest: 3,072).
MOST_DIMENSIONS = 65_536


class DamagedError(GitmemError):
    """The vectors are unusable, in another format, truncated, or not written by gitmem. They are rebuilt."""


@frozen
class Nearest:
    """The nearest rows to a query.

    Attributes:
        rows: Rows with their cosines, from -1 to 1, the largest first.
        mean: The average of the cosines of all rows; 0 if there are no rows.
        deviation: Their standard deviation, >= 0.
    """

    rows: tuple[tuple[int, float], ...]
    mean: float
    deviation: float


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
        try:
            # Non-blocking, because opening a FIFO of that name would wait for its writer.
            fd = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | CLOSE_ON_EXEC | NO_FOLLOW)
        except OSError as err:
            raise DamagedError(f"the vectors are missing: {err.strerror}") from err
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or found.st_size < size:
                raise DamagedError(f"the vectors are truncated: {found.st_size} of {size} bytes")
            mapped = mmap.mmap(fd, size, access=mmap.ACCESS_READ)
        finally:
            os.close(fd)
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
        found = np.full(len(rows), -1.0, FLOAT)
        wanted = np.asarray(rows, np.int64)
        there = (wanted >= 0) & (wanted < self._count)
        if not there.any():  # before the first row, the width may be unknown
            return found.tolist()
        found[there] = self._compared(self._rows[wanted[there]], query)
        return [float(cosine) for cosine in found]

    @staticmethod
    def _compared(rows: Floats, query: Floats) -> Floats:
        """Return the cosine of each row; -1 for one that is damaged (not a unit row)."""
        with np.errstate(all="ignore"):
            found = rows @ query
        found[~(np.abs(found) <= 1.001)] = -1  # also catches NaN
        return np.clip(found, -1, 1, out=found)

    def read(self, rows: Sequence[int]) -> Floats:
        """Return some rows; see ``Rows``."""
        return np.array(self._rows[np.asarray(rows, np.int64)], FLOAT)

    def write(self, rows: Floats) -> None:
        """Append rows; see ``Rows``. Anything after the last complete row is overwritten."""
        written = np.ascontiguousarray(rows, FLOAT).tobytes()
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | CLOSE_ON_EXEC | NO_FOLLOW, 0o600)
        try:
            at = self._count * self._width * FLOAT.itemsize
            while written:
                done = os.pwrite(fd, written, at)
                at, written = at + done, written[done:]
            os.fsync(fd)
        finally:
            os.close(fd)
        self._count += len(rows)
        self._map()
