"""Several writes in one commit: each is planned on what the ones before it would leave.

The catalog is the stage: in a transaction that is rolled back every write is shown to the next one, so that keys, near
duplicates, links, splits and rotation come out as if each had been a commit of its own.
"""

from __future__ import annotations

import _sqlite3 as sqlite3

from gitmem.errors import ConflictError
from gitmem.index.catalog import update
from gitmem.index.refresh import apply_scan
from gitmem.store import layout
from gitmem.store.read import Scan, StoredFile
from gitmem.store.sqlite_errors import is_busy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitmem.index.catalog.catalog import Catalog
    from gitmem.store.commit import CommitPlan
    from gitmem.write.draft import Draft
    from gitmem.write.place import Change

# A queue of more than this is written before it grows further: what is only in memory is not acknowledged.
FLUSH_AT = 1000


class Rehearsal:
    """What several writes change together, as a context manager; the catalog is as before when it is left.

    Where the catalog is to keep them (a copy, to show them), `apply` is called inside a transaction instead.

    Attributes:
        catalog: The catalog, with every write that was applied.
        texts: The content of every file that is to be written, by path.
        moves: The old path of every file that is to be moved, and its new one.
        deletes: The paths that go.
    """

    def __init__(self, catalog: Catalog, planned: dict[str, bytes]) -> None:
        """Bind to a catalog; *planned* is filled with the contents by the names that the catalog has for them."""
        self.catalog = catalog
        self._planned = planned
        self.texts: dict[str, bytes] = {}
        self.moves: dict[str, str] = {}
        self.deletes: set[str] = set()

    def __enter__(self) -> Rehearsal:
        """Begin.

        Raises:
            ConflictError: Another process writes the index.
        """
        try:
            self.catalog.connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as err:
            if not is_busy(err):
                raise
            raise ConflictError("another process is writing the index", hint="try again") from err
        return self

    def __exit__(self, *_: object) -> None:
        """Undo everything."""
        self.catalog.connection.execute("ROLLBACK")

    def apply(self, plan: CommitPlan) -> None:
        """Take one write, and show it to the next one."""
        for old, new in plan.moves:
            self._move(old, new)
        for path in plan.deletes:
            self._delete(path)
        for path, content in plan.writes:
            self.texts[path] = self._planned[f"planned:{path}"] = content
            self.deletes.discard(path)
        self.catalog.connection.executemany(
            "UPDATE memory SET folder = ? WHERE id = ?",
            [(new.rpartition("/")[0], update.number_at(self.catalog, old)) for old, new in plan.moves],
        )
        files = tuple(StoredFile(_place(path), path, f"planned:{path}") for path, _ in plan.writes)
        scan = Scan("", files, plan.deletes, ())
        apply_scan(self.catalog, scan, zip(files, (content for _, content in plan.writes), strict=True))

    def _move(self, old: str, new: str) -> None:
        if old in self.texts:
            self.texts[new] = self.texts.pop(old)
            self.deletes.add(old)  # there may have been an older one
        else:
            first = next((path for path, to in self.moves.items() if to == old), old)
            self.moves[first] = new

    def _delete(self, path: str) -> None:
        self.texts.pop(path, None)
        first = next((old for old, to in self.moves.items() if to == path), path)
        self.moves.pop(first, None)
        self.deletes.add(first)


def _place(path: str) -> layout.StorePath:
    place = layout.place_of(path)
    assert isinstance(place, layout.StorePath), "gitmem writes only where a store may have files"
    return place


class Queue:
    """Memories that are written together: when it is left, when it is flushed, or when there are ``FLUSH_AT``.

    Nothing of it is acknowledged before. Left by an exception, it drops what is not written yet.
    """

    def __init__(self, draft: Callable[..., Draft], write: Callable[[list[Draft]], list[Change]]) -> None:
        self._draft = draft
        self._write = write
        self._waiting: list[Draft] = []
        self._done: list[Change] = []

    def __enter__(self) -> Queue:
        """Return itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write what waits, unless an exception passes through."""
        if kind is None:
            self.flush()

    def remember(self, text: str, **options: Any) -> None:
        """Take a memory, as ``Memory.remember`` does; what can be no memory is refused at once.

        Raises:
            RefusedError: It holds a secret or a hidden character, or lacks what its kind needs.
        """
        self._waiting.append(self._draft(text, **options))
        if len(self._waiting) >= FLUSH_AT:
            self.flush()

    def flush(self) -> list[Change]:
        """Write what waits in one commit; returns every write of this queue so far, in order.

        Raises:
            GitmemError: Nothing of what waited was written, and it still waits.
        """
        if self._waiting:
            self._done += self._write(self._waiting)
            self._waiting = []
        return list(self._done)
