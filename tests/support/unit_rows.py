"""Rows of length 1, and files and indexes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gitmem.index.vectors.folders import VectorsLock
from gitmem.index.vectors.numpy_rows import FlatFile
from gitmem.index.vectors.store import Vectors

MODEL = "tiny@0"
# What `stored_rows` opened; `close_stored_rows` closes it.
_OPEN: list[Vectors] = []


def unit_rows(count: int, width: int, seed: int = 1) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def written(path: Path, rows: np.ndarray) -> FlatFile:
    """Return a file of rows."""
    found = FlatFile(str(path), rows.shape[1], 0)
    found.write(rows)
    return found


def stored_rows(folder: Path, rows: np.ndarray, *, pieces: int = 1, first: int = 0) -> Vectors:
    """Keep rows as the pieces of texts, each of one memory: text-0 of oid-0 and so on; and return the vectors."""
    with VectorsLock(folder):
        found = Vectors.open(folder, MODEL) or Vectors.create(folder, MODEL)
        texts = [
            (f"text-{first + n}".encode(), rows[n * pieces : (n + 1) * pieces]) for n in range(len(rows) // pieces)
        ]
        with found.writing():
            found.add(texts, [(f"oid-{first + n}", digest) for n, (digest, _) in enumerate(texts)])
    _OPEN.append(found)
    return found


def reopened(folder: Path) -> Vectors:
    found = Vectors.open(folder, MODEL)
    assert found is not None
    _OPEN.append(found)
    return found


def close_stored_rows() -> None:
    """Close what was opened: Python 3.13 warns of a database that is left open."""
    while _OPEN:
        _OPEN.pop().close()
