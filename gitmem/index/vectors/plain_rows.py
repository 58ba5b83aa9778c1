"""Vectors as rows of a file, searched without numpy: the format of ``numpy_rows``, for questions in a fresh process.

Few rows are compared one by one; of many, those whose signs resemble the query's (``signs``) and the newest.
"""

from __future__ import annotations

from math import dist
from struct import Struct

from gitmem.index.vectors.rows import Nearest, map_file, write_at
from gitmem.index.vectors.signs import read_signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterable, Sequence

    Row = tuple[float, ...]

# How many rows are compared one by one: 6 µs each with 256 numbers (measured).
EXACT = 1000
# How many rows with similar signs are compared for each that is wanted.
SIGNS = 2


def signs_path(path: str) -> str:
    """Return the path of the signs of a file of rows."""
    return f"{path.removesuffix('.f32')}.signs"


def cosine(row: Row, other: Row) -> float:
    """Return the cosine of two rows, of which each has length 1 or 0; -1 if one is damaged.

    By their distance, which takes half the time of a sum of products.
    """
    if (row[0] == 0.0 and not any(row)) or (other[0] == 0.0 and not any(other)):
        return 0.0
    value = 1.0 - dist(row, other) ** 2 / 2
    return max(-1.0, min(1.0, value)) if -1.001 <= value <= 1.001 else -1.0


class PlainFile:
    """Rows in a raw file, one after the other and nothing else; see ``rows.VectorRows``."""

    def __init__(self, path: str, dimensions: int, count: int) -> None:
        """Open the file of *count* rows.

        Raises:
            DamagedError: It is shorter than that, missing, or not a regular file.
        """
        self._path, self._width, self._count = path, dimensions, count
        self._row = Struct(f"<{dimensions}f")
        self._data: mmap.mmap | bytes = b""
        self._map()

    def _map(self) -> None:
        if not self._count:
            return
        size = self._count * self._row.size
        self._data = map_file(self._path, size)

    def nearest(self, query: Row, limit: int) -> Nearest:
        """Return the nearest rows; see ``Rows``."""
        signs = read_signs(signs_path(self._path), self._width, self._count) if self._count > EXACT else None
        covered = signs.count if signs is not None else 0
        compared = self._each(query, range(covered, self._count))
        number, mean, square = _moments(cosine for _, cosine in compared)
        if signs is not None:
            some, (own, variance) = signs.nearest(query, SIGNS * limit), signs.spread(query)
            compared += self._each(query, some)
            share = covered / (covered + number)
            mean, square = share * own + (1 - share) * mean, share * (variance + own**2) + (1 - share) * square
        best = sorted(compared, key=lambda pair: -pair[1])[:limit]
        return Nearest(tuple(pair for pair in best if pair[1] > -1), mean, max(0.0, square - mean**2) ** 0.5)

    def cosines(self, query: Row, rows: Sequence[int]) -> list[float]:
        """Return the cosines of some rows; see ``Rows``."""
        cosines = dict(self._each(query, (row for row in rows if 0 <= row < self._count)))
        return [cosines.get(row, -1.0) for row in rows]

    def _each(self, query: Row, rows: Iterable[int]) -> list[tuple[int, float]]:
        unpack, size, data = self._row.unpack_from, self._row.size, self._data
        return [(row, cosine(unpack(data, row * size), query)) for row in rows]

    def read(self, rows: Sequence[int]) -> list[Row]:
        """Return some rows; see ``Rows``."""
        return [self._row.unpack_from(self._data, row * self._row.size) for row in rows]

    def write(self, rows: Sequence[Row]) -> None:
        """Append rows; see ``Rows``. Anything after the last complete row is overwritten."""
        written = b"".join(self._row.pack(*row) for row in rows)
        write_at(self._path, written, self._count * self._row.size)
        self._count += len(rows)
        self._map()


def _moments(values: Iterable[float]) -> tuple[int, float, float]:
    """Return how many numbers there are, their mean and the mean of their squares."""
    listed = [*values]
    number = max(1, len(listed))
    return len(listed), sum(listed) / number, sum([value * value for value in listed]) / number
