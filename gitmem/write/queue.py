"""Several writes in one commit: each is planned on the result of those before it.

Inside a transaction that is rolled back, each write is applied to the catalog, so keys, near duplicates, links, splits
and rotation come out as if each had been a commit of its own.
"""

from __future__ import annotations

import _sqlite3 as sqlite3

from gitmem.document.memory_fields import MemoryFields, frontmatter_of
from gitmem.errors import ConflictError
from gitmem.index.catalog import update
from gitmem.index.refresh import apply_scan
from gitmem.store import layout
from gitmem.store.local import is_busy
from gitmem.store.read import Scan, StoredFile
from gitmem.write.new_memory import NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from gitmem.index.catalog import Catalog
    from gitmem.store.commit import CommitPlan
    from gitmem.write.draft import Draft
    from gitmem.write.place import Change

# A longer queue is flushed: memories that are only in RAM are not acknowledged.
FLUSH_AT = 1000


class Rehearsal:
    """The combined changes of several writes, as a context manager; the catalog is restored at the end.

    To keep the changes in the catalog (of a copy, to show them), call `apply` inside a transaction instead.

    Attributes:
        catalog: The catalog, with every write applied.
        texts: The content of each file to write, by path.
        moves: Old and new path of each file to move.
        deletes: The paths to remove.
    """

    def __init__(self, catalog: Catalog, planned: dict[str, bytes]) -> None:
        """Set the catalog; *planned* is filled with contents by the names that the catalog uses for them."""
        self.catalog = catalog
        self._planned = planned
        self.texts: dict[str, bytes] = {}
        self.moves: dict[str, str] = {}
        self.deletes: set[str] = set()

    def __enter__(self) -> Rehearsal:
        """Begin the transaction.

        Raises:
            ConflictError: Another process is writing the index.
        """
        try:
            self.catalog.connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as err:
            if not is_busy(err):
                raise
            raise ConflictError("another process is writing the index", hint="try again") from err
        return self

    def __exit__(self, *_: object) -> None:
        """Roll back."""
        self.catalog.connection.execute("ROLLBACK")

    def apply(self, plan: CommitPlan) -> None:
        """Apply one write, so that the next one sees it."""
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
            self.deletes.add(old)  # there may be an older one
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
    """Memories that are written together: at exit, on flush, or when there are ``FLUSH_AT``.

    None is acknowledged before. If an exception leaves the block, unwritten memories are dropped.
    """

    def __init__(self, draft: Callable[[NewMemory], Draft], write: Callable[[list[Draft]], list[Change]]) -> None:
        self._draft = draft
        self._write = write
        self._waiting: list[Draft] = []
        self._done: list[Change] = []

    def __enter__(self) -> Queue:
        """Return itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write what is queued, unless an exception passes through."""
        if kind is None:
            self.flush()

    def remember(
        self, text: str, *, title: str = "", kind: str = "learned", key: str = "", **fields: Unpack[MemoryFields]
    ) -> None:
        """Queue a memory, with the fields of ``Memory.remember``; an invalid one is refused at once.

        Raises:
            UsageError: There is no such field.
            RefusedError: It holds a secret or a hidden character, or lacks what its kind requires.
        """
        frontmatter = frontmatter_of(fields, MemoryFields, what="remember")
        self._waiting.append(self._draft(NewMemory(text, frontmatter, title, kind, key)))
        if len(self._waiting) >= FLUSH_AT:
            self.flush()

    def flush(self) -> list[Change]:
        """Write what is queued in one commit; return the results of all writes of this queue so far, in order.

        Raises:
            GitmemError: Nothing was written, and the memories are still queued.
        """
        if self._waiting:
            self._done += self._write(self._waiting)
            self._waiting = []
        return list(self._done)
