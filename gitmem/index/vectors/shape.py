"""The metadata of an index of vectors, checked: a forged index must not refer to other files or past a file's end."""

from __future__ import annotations

import re

from gitmem.frozen import frozen
from gitmem.index.vectors.numpy_rows import MOST_DIMENSIONS, DamagedError

FLAT, VEC = "numpy", "sqlite-vec"


@frozen
class Shape:
    """The storage of the rows: in which file or table, how long each is, how many are complete."""

    kept: str
    name: str
    dimensions: int
    count: int


@frozen
class Sizes:
    """How much is stored: memories, texts and rows; rows that no memory uses any more; bytes on the disk."""

    memories: int
    texts: int
    rows: int
    dead: int
    bytes: int


def shape_of(notes: dict[str, str]) -> Shape:
    """Return the shape that an index's metadata describe.

    Raises:
        DamagedError: They are invalid, for example name a file elsewhere.
    """
    kept, name = notes.get("kept", ""), notes.get("name", "")
    numbers = [notes.get(what, "") for what in ("dimensions", "count")]
    is_whole = all(number.isdecimal() and number.isascii() and len(number) < 10 for number in numbers)
    if kept not in (FLAT, VEC) or not re.fullmatch(r"rows-[0-9]{1,9}", name) or not is_whole:
        raise DamagedError("the index of the vectors is unusable")
    dimensions, count = map(int, numbers)
    if dimensions > MOST_DIMENSIONS or (count and not dimensions):
        raise DamagedError("the index of the vectors is unusable")
    return Shape(kept, name, dimensions, count)
