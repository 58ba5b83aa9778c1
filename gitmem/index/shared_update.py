"""Make a shared catalog (``index.shared``) and bring its parts up to date."""

from __future__ import annotations

import _sqlite3 as sqlite3
from collections import deque

from gitmem.frozen import frozen, replace
from gitmem.index import fts_update
from gitmem.index.catalog import Catalog, schema, short_ids, texts_of
from gitmem.index.shared import GROUND, Part, shared_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from gitmem.store.local import LocalState

# A store with more memories is searched in its own catalog: what a copy saves does not grow with the store.
LARGEST = 20_000
# A memory of a part has its number in the store's own catalog plus the part's number times this.
_STEP = 1 << 32
_TABLES = (
    "CREATE TABLE part (number INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, commits TEXT NOT NULL,"
    " counts TEXT NOT NULL, files TEXT NOT NULL, notices TEXT NOT NULL)",
    "CREATE TABLE access (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, count INTEGER NOT NULL,"
    " last INTEGER NOT NULL)",
)
# The columns that are copied of each table, after the memory's number; ``?1`` stands for the part's beginning of a key.
_MEMORY = (
    "folder, ?1 || key, oid, kind, title, created, updated, importance, confidence, expires, archived, shadowed,"
    " superseded, agent, task, superseded_by, meaning, imported"
)
_COPIED = {
    "packed": ("id", "tags, paths, marks, fields, body, words", "text"),
    "link": ("source", "relation, ?1 || target", "link"),
    "confirmation": ("source", "?1 || target, meaning", "confirmation"),
    "fact": ("id", "spec, claim, ttl_s, form, words, inputs, outside_s", "fact"),
    "task": ("id", "state, priority, parent, who, agent, since, closed, attempts, failures, notes", "task"),
}
_STATE = "digest, outcome, at, fresh, own, weak, published, tools, flapping, blocked, moved, outside, until, checked"


@frozen
class PartSource:
    """A store as a part is made from it.

    Attributes:
        catalog: Its own catalog.
        ground: The ground of its statuses, or None.
        local: Its local state.
    """

    catalog: Catalog
    ground: int | None
    local: LocalState


def make_shared(folder: str) -> Catalog | None:
    """Build an empty shared catalog that only this person can read; None if the disk cannot be written to."""

    def fill(catalog: Catalog) -> None:
        for statement in _TABLES:
            catalog.connection.execute(statement)
        fts_update.apply(catalog.connection, (), ())
        catalog.set_meta("analysis", shared_stamp())

    shared = schema.build(folder, fill, expected={"analysis": shared_stamp()}, is_private=True)
    if shared.path is None:
        shared.close()
        return None
    return shared


def can_be_part(shared: Catalog, source: Catalog) -> bool:
    """Return whether a store's memories can be a part: in the language of the other parts, not too many, and no logs.

    Logs of two stores may have the same names.
    """
    language = shared.meta("language")
    if language and language != source.language:
        return False
    if source.row("SELECT 1 FROM label WHERE tag >= 'session-' AND tag < 'session.'"):
        return False
    return bool(source.row("SELECT count(*) <= ? FROM memory", (LARGEST,))[0])


def write_part(shared: Catalog, path: str, part: Part, source: PartSource | None) -> Part:
    """Make the part of a store equal to its catalog, in the caller's transaction; write only memories that changed.

    Args:
        shared: The shared catalog.
        path: The folder of the store's repository.
        part: What the part shows from now on, without its number.
        source: The store; None if only what is said about the part has changed.

    Returns:
        The part, with its number.
    """
    values = (part.commits, part.counts, part.files, part.notices, path)
    db = shared.connection
    db.execute(
        "INSERT INTO part (commits, counts, files, notices, path) VALUES (?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE"
        " SET commits = excluded.commits, counts = excluded.counts, files = excluded.files, notices = excluded.notices",
        values,
    )
    part = replace(part, number=shared.row("SELECT number FROM part WHERE path = ?", (path,))[0])
    if source is not None:
        if not shared.meta("language"):
            shared.set_meta("language", source.catalog.language)
        _copy(shared, part.number, source)
    return part


def remove_part(shared: Catalog, number: int) -> None:
    """Remove a part with all of its memories."""
    _erase(shared, number, [row[0] for row in shared.rows(*_of_part("SELECT id FROM memory", "id", number))])
    _erase_states(shared, number)
    shared.connection.execute("DELETE FROM part WHERE number = ?", (number,))


def _of_part(sql: str, column: str, number: int) -> tuple[str, tuple[int, int]]:
    """Return a statement that is limited to a part's memories, and the values of its placeholders."""
    return f"{sql} WHERE {column} >= ? AND {column} < ?", (number * _STEP, (number + 1) * _STEP)


def _copy(shared: Catalog, number: int, source: PartSource) -> None:
    catalog, db, shift = source.catalog, shared.connection, number * _STEP
    beginning = f"{number}:"
    ids = short_ids(catalog, [key for (key,) in catalog.rows("SELECT key FROM memory WHERE shadowed = 0")])
    wanted = {
        (own[0] + shift, *own[1:], "" if own[12] else ids.get(own[2].removeprefix(beginning), ""))
        for own in catalog.rows(f"SELECT id, {_MEMORY} FROM memory".replace("?1", f"'{beginning}'"))
    }
    names = _MEMORY.replace("?1 || ", "")
    have = set(shared.rows(*_of_part(f"SELECT id, {names}, letters FROM memory", "id", number)))
    _erase(shared, number, [own[0] for own in have - wanted])
    new = sorted(wanted - have)
    marks = ", ".join("?" * (len(_MEMORY.split(",")) + 2))
    db.executemany(f"INSERT INTO memory (id, {names}, letters) VALUES ({marks})", new)
    numbers = [own[0] - shift for own in new]
    for table, (column, columns, view) in _COPIED.items():
        rows = catalog.each(
            f"SELECT {column}, {columns} FROM {view} WHERE {column} IN ({{}})".replace("?1", f"'{beginning}'"), numbers
        )
        _insert(
            shared, table, f"{column}, {columns.replace('?1 || ', '')}", [(row[0] + shift, *row[1:]) for row in rows]
        )
    tags = [(tag, id_ + shift) for tag, id_ in catalog.each("SELECT tag, id FROM tag WHERE id IN ({})", numbers)]
    db.executemany("INSERT OR IGNORE INTO label (tag) VALUES (?)", {(tag,) for tag, _ in tags})
    db.executemany("INSERT INTO tagged SELECT number, ? FROM label WHERE tag = ?", [(id_, tag) for tag, id_ in tags])
    texts = (replace(text, number=text.number + shift) for text in texts_of(catalog, numbers).values())
    fts_update.apply(db, texts, (), language=catalog.language)
    _copy_states(shared, number, source)


def _copy_states(shared: Catalog, number: int, source: PartSource) -> None:
    """Copy what changes without a commit: statuses and accesses."""
    catalog, shift, beginning = source.catalog, number * _STEP, f"{number}:"
    _erase_states(shared, number)
    ground = (source.ground or 0,)
    states = catalog.rows(f"SELECT fact, {_STATE} FROM state WHERE ground = ?", ground)
    _insert(shared, "state", f"ground, fact, {_STATE}", [(GROUND, row[0] + shift, *row[1:]) for row in states])
    rests = catalog.rows(f"SELECT fact, '{beginning}' || target, meaning FROM rest WHERE ground = ?", ground)
    _insert(shared, "rest", "ground, fact, target, meaning", [(GROUND, row[0] + shift, *row[1:]) for row in rests])
    looks = source.local.accesses(source.local.last_looks())
    ids = catalog.each("SELECT key, id FROM memory WHERE shadowed = 0 AND key IN ({})", looks)
    _insert(shared, "access", "key, id, count, last", [(beginning + key, id_ + shift, *looks[key]) for key, id_ in ids])


def _insert(shared: Catalog, table: str, columns: str, rows: Collection[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" * (columns.count(",") + 1))
    shared.connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)


def _erase(shared: Catalog, number: int, ids: Collection[int]) -> None:
    """Remove memories of a part, by number, with all that belongs to them but their states."""
    if not ids:
        return
    texts = texts_of(shared, ids)
    if len(texts) != len(ids):
        raise sqlite3.DatabaseError(f"part {number} of the shared index lacks texts")
    fts_update.apply(shared.connection, (), texts.values(), language=shared.language)
    for table, column in [("memory", "id"), *((name, pair[0]) for name, pair in _COPIED.items()), ("tagged", "id")]:
        deque(shared.each(f"DELETE FROM {table} WHERE {column} IN ({{}})", ids), maxlen=0)


def _erase_states(shared: Catalog, number: int) -> None:
    for table, column in (("state", "fact"), ("rest", "fact"), ("access", "id")):
        shared.connection.execute(*_of_part(f"DELETE FROM {table}", column, number))
