"""The rows of benchmarks/rows/README.md, each walked with commands as its user types them.

A row is a function with ``@row(ID, FEATURE)``; its docstring says what is done and seen. The modules are the systems that
the rows come from: beadboard (A), beans (B), ai_memory (C), swarm (D), dotfiles (E), further (F) and card (G).
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from subprocess import SubprocessError

from benchmarks.rows.place import Place

SYSTEMS = ("beadboard", "beans", "ai_memory", "swarm", "dotfiles", "further", "card")
WORKS = "works"
# What a walk raises where an answer is not what it builds upon.
FAILURES = (AssertionError, ImportError, LookupError, OSError, StopIteration, SubprocessError, TypeError, ValueError)


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        name: Its id, such as ``A1``.
        feature: What must work, in Markdown.
        walk: Does it as a user would; what is not as it must be is noted in the place.
    """

    name: str
    feature: str
    walk: Callable[[Place], None]

    @property
    def about(self) -> str:
        """What the walk does, in one sentence without line ends."""
        return " ".join((self.walk.__doc__ or "").split())


@dataclass(frozen=True)
class Walked:
    """How the walk of a row went.

    Attributes:
        row: The row.
        lines: The commands that were run, in order.
        missing: What was not as it must be; empty where the row works.
        untried: What could not be tried on this machine.
        seconds: How long it took.
    """

    row: Row
    lines: tuple[str, ...]
    missing: tuple[str, ...]
    untried: tuple[str, ...]
    seconds: float

    @property
    def state(self) -> str:
        """``works`` or ``partly``."""
        return "partly" if self.missing else WORKS


ROWS: dict[str, Row] = {}


def row(name: str, feature: str) -> Callable[[Callable[[Place], None]], Callable[[Place], None]]:
    """Register the walk of a row."""

    def register(walk: Callable[[Place], None]) -> Callable[[Place], None]:
        assert name not in ROWS, name
        ROWS[name] = Row(name, feature, walk)
        return walk

    return register


def load() -> list[Row]:
    """Return all rows, by letter and number."""
    for system in SYSTEMS:
        import_module(f"benchmarks.rows.{system}")
    return sorted(ROWS.values(), key=lambda one: (one.name[0], int(one.name[1:])))


def walk(one: Row) -> Walked:
    """Walk a row in a scratch folder, which is deleted afterwards."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gitmem-row-", ignore_cleanup_errors=True) as folder:
        place = Place(Path(folder))
        try:
            one.walk(place)
        except FAILURES as err:  # a row that cannot go on must not end the walk
            place.missing.append(f"{type(err).__name__}: {err}")
    return Walked(one, tuple(place.lines), tuple(place.missing), tuple(place.untried), time.monotonic() - began)


def cells(line: str) -> list[str]:
    """Return the cells of a row of the table in benchmarks/rows/README.md; empty for any other line."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if re.match(r"\| *[A-G]\d+ *\|", line) else []


def write_states(text: str, rows: Iterable[Row], states: dict[str, str]) -> str:
    """Return benchmarks/rows/README.md with each row's feature, state and walk; its tests are written by people.

    Args:
        text: The file.
        rows: The rows.
        states: The new state by row; a row without one keeps its state.
    """
    known = {one.name: one for one in rows}

    def written(line: str) -> str:
        found = cells(line)
        if not found or found[0] not in known:
            return line
        one = known[found[0]]
        return f"| {one.name} | {one.feature} | {states.get(one.name, found[2])} | {one.about} | {found[-1]} |"

    return "".join(f"{written(line)}\n" for line in text.splitlines())


def select(rows: Sequence[Row], only: Sequence[str]) -> list[Row]:
    """Return the rows with these ids or letters; all without any.

    Raises:
        KeyError: No row has this id or letter.
    """
    for name in only:
        if not any(name in (one.name, one.name[0]) for one in rows):
            raise KeyError(name)
    return [one for one in rows if not only or {one.name, one.name[0]} & set(only)]
