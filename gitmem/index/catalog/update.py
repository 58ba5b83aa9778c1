"""Update the catalog's rows after a change in the store."""

from __future__ import annotations

from gitmem.errors import FormatError
from gitmem.index.catalog import Catalog
from gitmem.index.catalog.inserts import Inserts, problem_of
from gitmem.index.catalog.state import ANCHORED
from gitmem.model import Problem
from gitmem.store.verdicts.buckets import MOST_ERRORS, parse_section, split_bucket
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def remove_problems(catalog: Catalog, path: str) -> None:
    """Delete the problems and secrets recorded for *path*."""
    for table in ("problem", "secret"):
        catalog.connection.execute(f"DELETE FROM {table} WHERE path = ?", (path,))


def remove_path(catalog: Catalog, path: str) -> None:
    """Delete the rows of the file at *path*."""
    db = catalog.connection
    remove_problems(catalog, path)
    verdicts = catalog.rows("SELECT DISTINCT key FROM verdict WHERE path = ?", (path,))
    if verdicts:
        db.execute("DELETE FROM verdict WHERE path = ?", (path,))
        forget_states(catalog, [key for (key,) in verdicts])
        return
    number = number_at(catalog, path)
    if number is None:
        return
    tags = parse_json(catalog.row("SELECT tags FROM text WHERE id = ?", (number,))[0])
    db.executemany(
        "DELETE FROM tagged WHERE id = ? AND label = (SELECT number FROM label WHERE tag = ?)",
        [(number, tag) for tag in tags],
    )
    # Also without a check, a memory has a state if it refers to lines of code; the next memory may get its number.
    places = {"id": ("memory", "packed", "fact", "task"), "source": ("link", "confirmation"), "fact": ("state",)}
    for column, tables in places.items():
        for table in tables:
            db.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))


def update_bucket(catalog: Catalog, inserts: Inserts, path: str, content: bytes) -> list[Problem]:
    """Update the verdicts of one bucket to match its text, writing only those that differ.

    Returns the problems of sections that cannot be read, at most ``MOST_ERRORS`` of a bucket.
    """
    db = catalog.connection
    sections, errors = split_bucket(content, path)
    marks = {name: digest_text(text) for name, text in sections.items()}
    rows = catalog.rows("SELECT key, spec, written FROM verdict WHERE path = ?", (path,))
    known = {(key, spec[:16]): written for key, spec, written in rows}
    gone = [(path, key, spec) for key, spec, written in rows if marks.get((key, spec[:16])) != written]
    db.executemany("DELETE FROM verdict WHERE path = ? AND key = ? AND spec = ?", gone)
    problems = [problem_of(err, path, "") for err in errors]
    changed = {key for _, key, _ in gone}
    for name, text in sections.items():
        if known.get(name) == marks[name]:
            continue
        try:
            inserts.add_verdict(path, parse_section(name, text, path), written=marks[name])
            changed.add(name[0])
        except FormatError as err:
            if len(problems) < MOST_ERRORS:
                problems.append(problem_of(err, path, name[0]))
    forget_states(catalog, changed)
    return problems


def digest_text(text: bytes) -> str:
    """Return what tells the text of a verdict from others of its bucket."""
    from hashlib import blake2b  # 1 ms, and only if verdicts are new

    return blake2b(text, digest_size=12).hexdigest()


def number_at(catalog: Catalog, path: str) -> int | None:
    """Return the number of the memory at *path*, or None if there is none."""
    key = path.rpartition("/")[2].removesuffix(".md")  # paths have no index of their own, but keys have one
    row = catalog.row("SELECT id FROM memory WHERE key = ? AND path = ?", (key, path))
    return row[0] if row else None


def forget_states(catalog: Catalog, keys: Iterable[str]) -> None:
    """Have the statuses of these memories computed again on every ground, if they have any."""
    db = catalog.connection
    facts = list(
        catalog.each(
            "SELECT m.id FROM memory m JOIN packed p ON p.id = m.id LEFT JOIN fact f ON f.id = m.id WHERE m.key IN ({})"
            f" AND (f.id IS NOT NULL OR {ANCHORED})",
            keys,
        )
    )
    if facts:
        db.executemany("DELETE FROM state WHERE fact = ?", facts)
        db.execute("UPDATE ground SET complete = 0")


def add_problem(catalog: Catalog, problem: Problem) -> None:
    """Record one problem of the store."""
    p = problem
    catalog.connection.execute(
        "INSERT INTO problem VALUES (?,?,?,?,?,?)", (p.path, p.code, p.message, p.key, p.hint, p.severity)
    )


def settle_keys(catalog: Catalog, keys: Iterable[str] | None) -> None:
    """Determine which file counts if several have the same key, and which memories are superseded.

    Args:
        catalog: The catalog, inside a transaction.
        keys: The keys whose files or links changed; None for all.
    """
    db = catalog.connection
    if keys is None:
        db.execute(
            "UPDATE memory SET shadowed = 1 WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER"
            " (PARTITION BY key ORDER BY archived, path) AS nth FROM memory) WHERE nth > 1)"
        )
        targets = "SELECT target FROM link WHERE relation = 'supersedes'"
        db.execute(f"{_SUPERSEDED} superseded_by NOT IN ('', key) OR key IN ({targets})")
        return
    wanted = sorted(set(keys))
    for key in wanted:
        ids = [row[0] for row in catalog.rows("SELECT id FROM memory WHERE key = ? ORDER BY archived, path", (key,))]
        db.executemany("UPDATE memory SET shadowed = ? WHERE id = ?", [(int(n > 0), i) for n, i in enumerate(ids)])
    # After all keys: only the file that counts supersedes anything.
    db.executemany(_SUPERSEDED + "key = ?", [(key,) for key in wanted])


# CROSS JOIN starts from the few links to a key. SQLite's own plan scans all live memories once for each memory: 35 s of
# CPU at 100,000 memories instead of 0.06 s (measured).
_SUPERSEDED = (
    "UPDATE memory SET superseded = superseded_by NOT IN ('', key) OR EXISTS (SELECT 1 FROM link l CROSS JOIN memory s"
    " ON s.id = l.source WHERE l.relation = 'supersedes' AND l.target = memory.key AND s.archived = 0"
    " AND s.shadowed = 0 AND s.id <> memory.id) WHERE "
)


def linked_targets(catalog: Catalog, key: str) -> list[str]:
    """Return the keys that any file with this key supersedes: a change may alter which of the files counts."""
    rows = catalog.rows(
        "SELECT l.target FROM memory m JOIN link l ON l.source = m.id WHERE m.key = ? AND l.relation = 'supersedes'",
        (key,),
    )
    return [row[0] for row in rows]
