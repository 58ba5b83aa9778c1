"""What every storage of vectors has: the protocol of rows, and the nearest of them. Loads nothing heavy."""

from __future__ import annotations

import mmap
import os
import stat

from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.system import CLOSE_ON_EXEC, NO_FOLLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]

    class VectorRows(Protocol):
        """Unit rows of equal length, numbered from 0, to which rows can only be appended.

        The owner records how many rows are complete; rows past that count, left by a killed process, are overwritten.
        Rows and queries are arrays of numpy, or tuples in ``plain_rows``.
        """

        def nearest(self, query: Any, limit: int) -> Nearest:
            """Return at most *limit* rows (>= 1) with the largest cosines to *query*, and the statistics of all."""

        def cosines(self, query: Any, rows: Sequence[int]) -> list[float]:
            """Return the cosine of each of these rows to *query*; -1 for a row that does not exist or is damaged."""

        def read(self, rows: Sequence[int]) -> Any:
            """Return the rows with these numbers, which must exist."""

        def write(self, rows: Any) -> None:
            """Append rows; they are on the disk when this returns, or an OSError or sqlite3.Error is raised."""


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


def map_file(path: str, size: int) -> mmap.mmap:
    """Return the first *size* bytes (>= 1) of a file of rows, mapped.

    Raises:
        DamagedError: It is shorter than that, missing, or not a regular file.
    """
    try:
        # Non-blocking, because opening a FIFO of that name would wait for its writer.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | CLOSE_ON_EXEC | NO_FOLLOW)
    except OSError as err:
        raise DamagedError(f"the vectors are missing: {err.strerror}") from err
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size < size:
            raise DamagedError(f"the vectors are truncated: {info.st_size} of {size} bytes")
        return mmap.mmap(fd, size, access=mmap.ACCESS_READ)
    finally:
        os.close(fd)


def write_at(path: str, content: bytes, at: int) -> None:
    """Write bytes into a file of rows; they are on the disk when this returns, or an OSError is raised."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | CLOSE_ON_EXEC | NO_FOLLOW, 0o600)
    try:
        while content:
            done = os.pwrite(fd, content, at)
            at, content = at + done, content[done:]
        os.fsync(fd)
    finally:
        os.close(fd)
