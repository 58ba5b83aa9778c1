"""One catalog for the memories of many stores, so that a question about all of them asks one file.

Each store is a **part**: a copy of what recall reads of the store's own catalog. The keys in it, and those that it
links to, begin with the part's number (``3:auth-uses-rs256``), so that nothing links from one store to another, and
the function that looks up the text of a memory leaves that out (``catalog.texts_of``). All parts have one language.
``shared_update`` makes it.
"""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.index.catalog import FILE_NAME, Catalog, discard_file
from gitmem.text.tokens import format_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The ground of all statuses: each part has those of one commit of its code.
GROUND = 1
# Increase this whenever the tables of ``shared_update`` or what they hold change: another format is built again.
_FORMAT = "parts 1"


@frozen
class Part:
    """What a shared catalog says about one of its stores.

    Attributes:
        number: The number that its keys begin with.
        commits: The commits that it shows.
        counts: Numbers that change with the store's local state.
        files: The files of local state that this was read from, as they were; empty if they may have changed since.
        notices: Notices for its readers, one line each.
    """

    number: int
    commits: str
    counts: str
    files: str
    notices: str


class PartAccesses:
    """How often the memories of a shared catalog were read, as ``LocalState`` says it for one store."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def accesses(self, keys: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return the number of accesses and the time of the last one by memory; memories without any are left out."""
        rows = self._catalog.each("SELECT key, count, last FROM access WHERE key IN ({})", keys)
        return {key: (count, last) for key, count, last in rows}


def shared_stamp() -> str:
    """Return what a shared catalog records of the format of text analysis, and of its own."""
    return f"{format_stamp()} {_FORMAT}"


def open_shared(folder: str) -> Catalog | None:
    """Open the shared catalog of a folder; None if there is none that can be used."""
    return Catalog.open(folder, analysis=shared_stamp())


def discard_shared(folder: str) -> None:
    """Delete the shared catalog of a folder."""
    discard_file(os.path.join(folder, FILE_NAME))


def read_parts(catalog: Catalog) -> dict[str, Part]:
    """Return the parts by the folder of each store's repository."""
    rows = catalog.rows("SELECT path, number, commits, counts, files, notices FROM part")
    return {path: Part(*columns) for path, *columns in rows}
