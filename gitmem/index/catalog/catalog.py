"""The catalog: its connection, its updates from the store, and its queries."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from gitmem.errors import DamagedIndexError
from gitmem.index.catalog import packed_texts, schema
from gitmem.model import ENGLISH
from gitmem.store.sqlite_errors import ERRORS, is_busy, is_damage, is_unwritable
from gitmem.system import file_lock
from gitmem.system.file_lock import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import Any

# Beside the catalog: held by whoever makes it.
LOCK_NAME = "catalog.lock"
# Lists of values are filled up to a multiple of this.
_STEP = 50


class Catalog:
    """One open catalog.

    Attributes:
        path: Its file; None for one that lives in memory because the disk cannot be written to.
        connection: The SQLite connection, in autocommit mode.
    """

    def __init__(self, path: str | None, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self._language = ""
        self._is_asked_again = False
        self._kept: tuple[tuple[int, int], dict[str, Any]] | None = None

    @classmethod
    def open(cls, state_dir: str | Path, *, analysis: str) -> Catalog | None:
        """Open the catalog of a repository; None where there is none that can be used: it is to be rebuilt.

        Args:
            state_dir: The repository's state folder.
            analysis: How text is analysed now (``analysis.format_stamp``).
        """
        path = os.path.join(state_dir, schema.FILE_NAME)
        if not os.path.isfile(path):
            return None
        try:
            catalog = cls(path, schema.connect(path))
            made_with = (catalog.meta("format"), catalog.meta("analysis"))
        except ERRORS as err:
            if is_busy(err):
                raise
            return None
        if made_with == (str(schema.FORMAT), analysis):
            return catalog
        catalog.close()
        return None

    @classmethod
    def open_at(cls, state_dir: str | Path, commit: str, tree: str) -> Catalog | None:
        """Open the catalog where it is up to date, for what asks for no words: how they are analysed is not looked at.

        Args:
            state_dir: The repository's state folder.
            commit: The commit that it must be of.
            tree: The tree of the code's memories, or empty.
        """
        path = os.path.join(state_dir, schema.FILE_NAME)
        if not os.path.isfile(path):
            return None
        try:
            catalog = cls(path, schema.connect(path))
            made_with = (catalog.meta("format"), catalog.meta("commit"), catalog.meta("tree"))
        except ERRORS:
            return None
        if made_with == (str(schema.FORMAT), commit, tree):
            return catalog
        catalog.close()
        return None

    @classmethod
    def build(cls, state_dir: str | Path, fill: Callable[[Catalog], None]) -> Catalog:
        """Make the catalog from nothing and put it in its place; in memory where the disk cannot be written to.

        Args:
            state_dir: The repository's state folder.
            fill: Fills the empty catalog it is given.
        """
        try:
            make_folder(state_dir)
            lock = file_lock.open_lock(os.path.join(state_dir, LOCK_NAME))
        except OSError:
            return cls.in_memory(fill)
        try:
            file_lock.lock(lock)
            final = os.path.join(state_dir, schema.FILE_NAME)
            fresh = f"{final}.new"
            schema.discard(fresh)
            catalog = cls(fresh, schema.create(fresh))
            with catalog.writing():
                fill(catalog)
                catalog.set_meta("format", str(schema.FORMAT))
            schema.settle(catalog.connection)
            schema.discard(final)
            os.rename(fresh, final)
            return cls(final, schema.connect(final))
        except OSError:
            return cls.in_memory(fill)  # the disk is full
        except sqlite3.OperationalError as err:
            if is_unwritable(err):
                schema.discard(os.path.join(state_dir, f"{schema.FILE_NAME}.new"))
                return cls.in_memory(fill)
            raise
        finally:
            os.close(lock)

    @classmethod
    def in_memory(cls, fill: Callable[[Catalog], None]) -> Catalog:
        """Make a catalog that lives as long as its connection."""
        catalog = cls(None, schema.create(None))
        with catalog.writing():
            fill(catalog)
            catalog.set_meta("format", str(schema.FORMAT))
        catalog.connection.execute("PRAGMA journal_mode = MEMORY")  # from here on a change may have to be undone
        return catalog

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def become(self, other: Catalog) -> None:
        """Show from now on what *other* shows, so that whoever holds this one goes on with the new state."""
        self.connection.close()
        self.path, self.connection, self._language = other.path, other.connection, ""
        self._kept = None

    def copied(self) -> Catalog:
        """Return a copy that can be written to and lives as long as its connection."""
        copy = sqlite3.connect(":memory:", isolation_level=None)
        packed_texts.register(copy)
        self.connection.backup(copy)
        return Catalog(None, copy)

    def move_to_memory(self) -> None:
        """Go on with a copy that can be written to."""
        self.become(self.copied())

    def check(self) -> None:
        """Look at every page of the file: at 100,000 memories that takes about a second.

        Raises:
            sqlite3.DatabaseError: It is damaged. A changed letter of a text is not noticed.
        """
        try:
            (found,) = self.connection.execute("PRAGMA integrity_check(1)").fetchone()
        except UnicodeDecodeError as err:  # what it found quotes damaged text
            raise sqlite3.DatabaseError(f"damaged text: {err}") from err
        if found != "ok":
            raise sqlite3.DatabaseError(found)

    def writing(self) -> Transaction:
        """Return a context in which changes are one transaction; raises sqlite3.OperationalError when it is busy."""
        return Transaction(self.connection)

    def reading(self) -> Reading:
        """Return a context in which every question is answered from one state, whatever is written meanwhile."""
        return Reading(self.connection)

    def meta(self, name: str) -> str:
        """Return one of the catalog's own notes, or an empty string."""
        row = self.connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    @property
    def language(self) -> str:
        """Return the language in which the texts are analysed: a catalog is made in one and keeps it."""
        if not self._language:
            self._language = self.meta("language") or ENGLISH
        return self._language

    def kept(self) -> dict[str, Any] | None:
        """Return what one question may keep for the next ones; any change of the catalog empties it.

        None for the first question: a process that asks no more would only pay for it. Inside ``reading``, it is of the
        state that is read (sqlite.org/pragma.html, data_version: what others have written).
        """
        if not self._is_asked_again:
            self._is_asked_again = True
            return None
        changes = (self.row("PRAGMA data_version")[0], self.connection.total_changes)
        if self._kept is None or self._kept[0] != changes:
            self._kept = changes, {}
        return self._kept[1]

    def set_meta(self, name: str, value: str) -> None:
        """Write one of the catalog's own notes."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def rows(self, sql: str, parameters: Iterable[Any] = ()) -> list[Any]:
        """Return all rows of a query."""
        return self.connection.execute(sql, tuple(parameters)).fetchall()

    def row(self, sql: str, parameters: Iterable[Any] = ()) -> Any:
        """Return the first row of a query, or None."""
        return self.connection.execute(sql, tuple(parameters)).fetchone()

    def each(self, sql: str, values: Iterable[Any], *, chunk: int = 500) -> Iterator[Any]:
        """Yield the rows of a query with ``IN ({})`` standing for a list of *values*, in chunks SQLite takes."""
        wanted = list(values)
        for at in range(0, len(wanted), chunk):
            part = wanted[at : at + chunk]
            # Few lengths, filled up with what is in no list: each is a statement of its own, and compiling one costs
            # more than it takes to run for a few values (measured: 40 us).
            part += [None] * (-len(part) % _STEP)
            yield from self.connection.execute(sql.replace("{}", ",".join("?" * len(part))), part)


class Transaction:
    """One transaction of the catalog, as a context manager; inside another one it is part of that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._is_outer = False

    def __enter__(self) -> None:
        """Begin; takes SQLite's write lock at once."""
        self._is_outer = not self._connection.in_transaction
        if self._is_outer:
            self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit, or roll back when an exception passes through."""
        if self._is_outer and self._connection.in_transaction:
            self._connection.execute("ROLLBACK" if kind else "COMMIT")


class Reading:
    """One state of the catalog (WAL keeps it for its readers), as a context manager; what it reads, it may not write.

    Between two questions outside of it another process may take a memory away that the first one named.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._is_outer = False

    def __enter__(self) -> None:
        """Begin; the first question fixes the state."""
        self._is_outer = not self._connection.in_transaction
        if self._is_outer:
            self._connection.execute("BEGIN")

    def __exit__(self, *_: object) -> None:
        """Let go of the state."""
        if self._is_outer and self._connection.in_transaction:
            self._connection.execute("COMMIT")


def is_by_another(state_dir: str | Path) -> bool:
    """Return whether a folder has a catalog that is whole: one that ``open`` refuses is another version's of gitmem."""
    path = os.path.join(state_dir, schema.FILE_NAME)
    try:
        connection = schema.connect(path) if os.path.isfile(path) else None
    except sqlite3.Error:
        return False
    if connection is None:
        return False
    row = connection.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
    connection.close()
    return row is not None


def shown_by(catalog: Catalog) -> tuple[str, str]:
    """Return the store's commit and the code's tree ``.memory`` that a catalog is made from, or empty strings."""
    notes = dict(catalog.rows("SELECT name, value FROM meta WHERE name IN ('commit', 'tree')"))
    return notes.get("commit", ""), notes.get("tree", "")


def discard_damaged(err: BaseException | None, *folders: str | Path) -> None:
    """Throw the catalogs of some folders away where an error says that one is damaged, and say so; else do nothing.

    Raises:
        DamagedIndexError: It was damaged.
    """
    if not is_damage(err):
        return
    for folder in folders:
        schema.discard(os.path.join(folder, schema.FILE_NAME))
    message = "the index was damaged and has been deleted; no memories are lost, because they are on the branch"
    raise DamagedIndexError(message, hint="run the command again: the index will be rebuilt") from err
