"""The catalog's tables, and how its file is built."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from gitmem.index.catalog import FILE_NAME, FORMAT, LOCK_NAME, Catalog, connect, discard_file, register
from gitmem.store.local import is_unwritable
from gitmem.system import file_lock, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memory (
  id INTEGER PRIMARY KEY, folder TEXT NOT NULL, key TEXT NOT NULL, oid TEXT NOT NULL, kind TEXT NOT NULL,
  title TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, importance TEXT NOT NULL,
  confidence REAL NOT NULL, expires INTEGER, archived INTEGER NOT NULL, shadowed INTEGER NOT NULL DEFAULT 0,
  superseded INTEGER NOT NULL DEFAULT 0, agent TEXT NOT NULL, task TEXT NOT NULL,
  superseded_by TEXT NOT NULL, meaning TEXT NOT NULL DEFAULT '', imported INTEGER NOT NULL DEFAULT 0,
  letters TEXT NOT NULL DEFAULT '',
  path TEXT GENERATED ALWAYS AS (folder || '/' || key || '.md') VIRTUAL);
CREATE TABLE dictionary (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE packed (id INTEGER PRIMARY KEY, tags NOT NULL, paths TEXT NOT NULL, marks TEXT NOT NULL,
  fields NOT NULL, body NOT NULL, words TEXT NOT NULL);
CREATE VIEW text AS SELECT id, unpacked('tags', tags) AS tags, paths, marks, unpacked('fields', fields) AS fields,
  unpacked('body', body) AS body, words FROM packed;
CREATE TABLE label (number INTEGER PRIMARY KEY, tag TEXT NOT NULL UNIQUE);
CREATE TABLE tagged (label INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (label, id)) WITHOUT ROWID;
CREATE VIEW tag AS SELECT l.tag, g.id FROM label l JOIN tagged g ON g.label = l.number;
CREATE TABLE link (source INTEGER NOT NULL, relation TEXT NOT NULL, target TEXT NOT NULL,
  PRIMARY KEY (source, relation, target)) WITHOUT ROWID;
CREATE TABLE confirmation (source INTEGER NOT NULL, target TEXT NOT NULL, meaning TEXT NOT NULL,
  PRIMARY KEY (source, target, meaning)) WITHOUT ROWID;
CREATE TABLE fact (id INTEGER PRIMARY KEY, spec TEXT NOT NULL, claim TEXT NOT NULL, ttl_s INTEGER, form TEXT NOT NULL,
  words TEXT NOT NULL, inputs TEXT NOT NULL, outside_s INTEGER);
CREATE TABLE task (id INTEGER PRIMARY KEY, state TEXT NOT NULL, priority INTEGER NOT NULL, parent TEXT NOT NULL,
  who TEXT NOT NULL, agent TEXT NOT NULL, since INTEGER NOT NULL, closed INTEGER NOT NULL, attempts INTEGER NOT NULL,
  failures INTEGER NOT NULL, notes TEXT NOT NULL);
CREATE VIEW searched AS SELECT t.id, t.tags, t.paths,
  t.body || CASE WHEN k.notes <> '' THEN char(10) || k.notes ELSE '' END
  || CASE WHEN t.words <> '' THEN char(10) || t.words ELSE '' END AS body
  FROM text t LEFT JOIN task k ON k.id = t.id;
CREATE TABLE verdict (path TEXT NOT NULL, key TEXT NOT NULL, spec TEXT NOT NULL, claim TEXT NOT NULL,
  outcome TEXT NOT NULL, code_commit TEXT NOT NULL, inputs TEXT NOT NULL, at INTEGER NOT NULL, because TEXT NOT NULL,
  sandbox TEXT NOT NULL, held_commit TEXT NOT NULL, held_at INTEGER NOT NULL, weak INTEGER NOT NULL,
  confirmed INTEGER NOT NULL, culprit TEXT NOT NULL, attempt TEXT NOT NULL, attempt_at INTEGER NOT NULL,
  seconds REAL NOT NULL, culprit_after TEXT NOT NULL, reads TEXT NOT NULL, tools TEXT NOT NULL,
  undeclared TEXT NOT NULL, flapping INTEGER NOT NULL, moved TEXT NOT NULL,
  outside TEXT NOT NULL, rests TEXT NOT NULL, environment TEXT NOT NULL, alike INTEGER NOT NULL, by_whom TEXT NOT NULL,
  written TEXT NOT NULL,
  PRIMARY KEY (path, key, spec)) WITHOUT ROWID;
CREATE TABLE origin (path TEXT NOT NULL, name TEXT NOT NULL, mark TEXT NOT NULL, commits TEXT NOT NULL,
  author TEXT NOT NULL, signer TEXT NOT NULL, why TEXT NOT NULL, PRIMARY KEY (path, name)) WITHOUT ROWID;
CREATE TABLE ground (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, complete INTEGER NOT NULL, local_serial INTEGER
  NOT NULL, used INTEGER NOT NULL);
CREATE TABLE state (ground INTEGER NOT NULL, fact INTEGER NOT NULL, digest TEXT NOT NULL, outcome TEXT NOT NULL,
  at INTEGER NOT NULL, fresh INTEGER NOT NULL, own INTEGER NOT NULL, weak INTEGER NOT NULL,
  published INTEGER NOT NULL, tools INTEGER NOT NULL DEFAULT 0, flapping INTEGER NOT NULL DEFAULT 0,
  blocked INTEGER NOT NULL DEFAULT 0, moved INTEGER NOT NULL DEFAULT 0,
  outside INTEGER NOT NULL DEFAULT 0, until INTEGER, checked INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (ground, fact)) WITHOUT ROWID;
CREATE TABLE toolset (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE rest (ground INTEGER NOT NULL, fact INTEGER NOT NULL, target TEXT NOT NULL, meaning TEXT NOT NULL,
  PRIMARY KEY (ground, fact, target)) WITHOUT ROWID;
CREATE TABLE problem (path TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, key TEXT NOT NULL,
  hint TEXT NOT NULL, severity TEXT NOT NULL);
CREATE TABLE secret (path TEXT NOT NULL, key TEXT NOT NULL, rule TEXT NOT NULL, line INTEGER NOT NULL);
"""
# Made when the tables are full, in half of the time that it takes to keep them up to date meanwhile (measured at
# 50,000 memories).
INDEXES = """
CREATE UNIQUE INDEX IF NOT EXISTS memory_key ON memory (key, folder);
CREATE INDEX IF NOT EXISTS memory_letters ON memory (letters);
CREATE INDEX IF NOT EXISTS memory_folder ON memory (folder);
CREATE INDEX IF NOT EXISTS memory_live ON memory (kind, expires, shadowed, archived, superseded, imported)
  WHERE shadowed = 0 AND archived = 0 AND superseded = 0;
CREATE INDEX IF NOT EXISTS memory_recent ON memory (created) WHERE shadowed = 0 AND archived = 0;
CREATE INDEX IF NOT EXISTS memory_expires ON memory (expires) WHERE expires IS NOT NULL;
CREATE INDEX IF NOT EXISTS packed_paths ON packed (paths) WHERE paths <> '[]';
CREATE INDEX IF NOT EXISTS packed_anchored ON packed (id) WHERE instr(marks, ' anchors ') > 0;
CREATE INDEX IF NOT EXISTS packed_independent ON packed (id) WHERE instr(marks, ' independent ') > 0;
CREATE INDEX IF NOT EXISTS link_target ON link (relation, target, source);
CREATE INDEX IF NOT EXISTS verdict_key ON verdict (key, spec);
CREATE INDEX IF NOT EXISTS state_fact ON state (fact);
CREATE INDEX IF NOT EXISTS state_claimed ON state (ground, fact) WHERE own = 0 AND checked = 0 AND fresh = 1;
CREATE INDEX IF NOT EXISTS state_unpublished ON state (ground, fact) WHERE published = 0;
CREATE INDEX IF NOT EXISTS state_tools ON state (ground, tools) WHERE tools <> 0;
CREATE INDEX IF NOT EXISTS state_changed ON state (ground, fact) WHERE outcome = 'changed';
CREATE INDEX IF NOT EXISTS state_failed ON state (ground, fact) WHERE outcome = 'fails';
CREATE INDEX IF NOT EXISTS state_blocked ON state (ground, fact) WHERE blocked > 0;
CREATE INDEX IF NOT EXISTS state_moved ON state (ground, fact) WHERE moved = 1;
CREATE INDEX IF NOT EXISTS state_flapping ON state (ground, fact) WHERE flapping > 0;
CREATE INDEX IF NOT EXISTS problem_path ON problem (path);
CREATE INDEX IF NOT EXISTS secret_path ON secret (path)
"""


def create(path: str | None) -> sqlite3.Connection:
    """Create an empty catalog at *path* (which must not exist) or in memory.

    Bulk-fill it, then call ``add_indexes`` and ``settle``.
    """
    connection = sqlite3.connect(path or ":memory:", isolation_level=None)
    register(connection)
    # The file is worthless until it is complete and has replaced the old one.
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(TABLES)
    return connection


def add_indexes(connection: sqlite3.Connection) -> None:
    """Create the indexes that a filled catalog lacks, inside the caller's transaction."""
    for statement in INDEXES.split(";"):
        connection.execute(statement)


def settle(connection: sqlite3.Connection) -> None:
    """Switch a newly filled catalog to WAL, for many readers and one writer at a time, and close it."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def is_being_built(state_dir: str | Path) -> bool:
    """Return whether another process is building a new catalog beside the present one."""
    try:
        lock = file_lock.try_lock(os.path.join(state_dir, LOCK_NAME))
    except OSError:
        return False
    if lock is not None:
        os.close(lock)
    return lock is None


def build(
    state_dir: str | Path,
    fill: Callable[[Catalog], None],
    *,
    expected: Mapping[str, str] | None = None,
    is_private: bool = False,
) -> Catalog:
    """Build the catalog from scratch and replace its file; in memory if the disk cannot be written to.

    Args:
        state_dir: The repository's state folder.
        fill: Called with the empty catalog, to fill it.
        expected: The values of ``meta`` with which a catalog that another process has built is returned instead.
        is_private: Whether only this user may read the file.
    """
    try:
        make_folder(state_dir)
        lock = file_lock.open_lock(os.path.join(state_dir, LOCK_NAME))
    except OSError:
        return in_memory(fill)
    try:
        file_lock.lock(lock)
        if expected is not None and (built := Catalog.open_with(state_dir, expected)):
            return built
        final = os.path.join(state_dir, FILE_NAME)
        fresh = f"{final}.new"
        discard_file(fresh)
        if is_private:  # SQLite gives its other files the same mode
            os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        catalog = Catalog(fresh, create(fresh))
        with catalog.writing():
            _fill(catalog, fill)
        settle(catalog.connection)
        discard_file(final)
        os.rename(fresh, final)
        return Catalog(final, connect(final))
    except OSError:
        return in_memory(fill)  # the disk is full
    except sqlite3.OperationalError as err:
        if is_unwritable(err):
            discard_file(os.path.join(state_dir, f"{FILE_NAME}.new"))
            return in_memory(fill)
        raise
    finally:
        os.close(lock)


def store_copy(state_dir: str | Path, catalog: Catalog) -> Catalog:
    """Replace the file of a folder with a catalog in memory and return that; the latter if it cannot be written now."""
    lock = None
    try:
        make_folder(state_dir)
        lock = file_lock.try_lock(os.path.join(state_dir, LOCK_NAME))
        if lock is None:
            return catalog
        final = os.path.join(state_dir, FILE_NAME)
        fresh = f"{final}.new"
        discard_file(fresh)
        copy = sqlite3.connect(fresh, isolation_level=None)
        copy.execute("PRAGMA journal_mode = OFF")
        copy.execute("PRAGMA synchronous = OFF")
        catalog.connection.backup(copy)
        settle(copy)
        discard_file(final)
        os.rename(fresh, final)
        stored = Catalog(final, connect(final))
    except (OSError, sqlite3.Error):
        return catalog  # the disk is full, or what is there is no file
    finally:
        if lock is not None:
            os.close(lock)
    catalog.close()
    return stored


def in_memory(fill: Callable[[Catalog], None]) -> Catalog:
    """Build a catalog in memory, which lasts as long as its connection."""
    catalog = Catalog(None, create(None))
    with catalog.writing():
        _fill(catalog, fill)
    catalog.connection.execute("PRAGMA journal_mode = MEMORY")  # later changes may have to be rolled back
    return catalog


def _fill(catalog: Catalog, fill: Callable[[Catalog], None]) -> None:
    fill(catalog)
    add_indexes(catalog.connection)
    catalog.set_meta("format", str(FORMAT))
