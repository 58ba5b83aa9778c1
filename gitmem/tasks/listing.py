"""Queries about tasks, answered from the catalog: all of them, those that are ready, and what each waits for."""

from __future__ import annotations

import unicodedata

from gitmem.document.fields import CLOSED, OPEN
from gitmem.frozen import frozen
from gitmem.index.catalog import state
from gitmem.tasks.task import Worker
from gitmem.text.sanitize import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.git.binary import Git
    from gitmem.index.catalog.catalog import Catalog


@frozen
class TaskRow:
    """One task as a list shows it.

    Attributes:
        id: Its number in the catalog.
        key: Its key.
        title: Its title.
        created: When it was written, epoch seconds; 0 where that is not known.
        state: ``open``, ``claimed`` or ``closed``.
        priority: 0 (the most urgent) to 4.
        parent: The key of the task it is a part of, or empty.
        who: Who holds it, or empty.
        agent: Their agent, or empty.
        since: Since when, epoch seconds, or 0.
        closed: When it was closed, epoch seconds, or 0.
        attempts: How many attempts have ended.
        failures: How many of them failed.
        waits_for: What it requires and nothing provides yet, sorted; keys or labels.
    """

    id: int
    key: str
    title: str
    created: int
    state: str
    priority: int
    parent: str
    who: str
    agent: str
    since: int
    closed: int
    attempts: int
    failures: int
    waits_for: tuple[str, ...] = ()


@frozen
class TaskQuery:
    """Which tasks are asked for.

    Attributes:
        states: Only these; empty for all that are not closed.
        parent: Only the parts of this task, or empty.
        worker: Only what this one holds, or None.
        everything: Closed ones too, where no states are named.
    """

    states: tuple[str, ...] = ()
    parent: str = ""
    worker: Worker | None = None
    everything: bool = False


# The most urgent first, then the oldest; one without a time counts as old.
_ORDER = "ORDER BY t.priority, m.created, m.key"
# What a `Row` is made of, of a task `t` and its memory `m`.
COLUMNS = (
    "m.id, m.key, m.title, m.created, t.state, t.priority, t.parent, t.who, t.agent, t.since, t.closed, t.attempts,"
    " t.failures"
)
# A memory provides its key and what it produces: a task once it is closed, any other while it is not known to be false.
_PROVIDES = (
    "NOT EXISTS (SELECT 1 FROM task k WHERE k.id = p.id AND k.state <> 'closed')"
    " AND NOT EXISTS (SELECT 1 FROM state s WHERE s.ground = ? AND s.fact = p.id AND s.outcome = 'fails'"
    " AND p.kind <> 'task')"
)
_LIVE_P = "p.shadowed = 0 AND p.archived = 0 AND p.superseded = 0"
# The tasks with what they require and nothing provides; what was retired is not waited for any more. CROSS: the links
# of tasks alone are walked, and not those of all facts (sqlite.org/optoverview.html).
_WAITS = (
    "FROM task t CROSS JOIN link r ON r.source = t.id WHERE r.relation = 'requires'"
    f" AND NOT EXISTS (SELECT 1 FROM memory p WHERE p.key = r.target AND p.shadowed = 0"
    f" AND (p.archived = 1 OR (p.superseded = 0 AND {_PROVIDES})))"
    " AND NOT EXISTS (SELECT 1 FROM link q JOIN memory p ON p.id = q.source"
    f" WHERE q.relation = 'produces' AND q.target = r.target AND {_LIVE_P} AND {_PROVIDES})"
    # What replaced it provides it.
    " AND NOT EXISTS (SELECT 1 FROM link q JOIN memory p ON p.id = q.source"
    f" WHERE q.relation = 'supersedes' AND q.target = r.target AND {_LIVE_P} AND {_PROVIDES})"
)


def worker_of(git: Git, agent: str) -> Worker:
    """Return who works here: the person as git names them, and the agent where one is set."""
    return Worker(display(unicodedata.normalize("NFC", git.identity()[0])), agent)


def list_tasks(catalog: Catalog, ground: int | None, wanted: TaskQuery) -> list[TaskRow]:
    """Return tasks by priority, then age, with what they wait for."""
    parts, values = [state.LIVE], list[str]()
    if wanted.states:
        parts.append(f"t.state IN ({','.join('?' * len(wanted.states))})")
        values += wanted.states
    elif not wanted.everything:
        parts.append(f"t.state <> '{CLOSED}'")
    if wanted.parent:
        parts.append("t.parent = ?")
        values.append(wanted.parent)
    if wanted.worker is not None:
        parts.append("t.who = ? AND t.agent = ? AND t.state = 'claimed'")
        values += [wanted.worker.who, wanted.worker.agent]
    condition = " AND ".join(parts)
    rows = catalog.rows(f"SELECT {COLUMNS} FROM task t JOIN memory m ON m.id = t.id WHERE {condition} {_ORDER}", values)
    waits = waiting_for(catalog, ground)
    return [TaskRow(*(*row, waits.get(row[0], ()))) for row in rows]


def ready(catalog: Catalog, ground: int | None) -> list[TaskRow]:
    """Return the tasks that somebody can begin: open, and all that they require is there; most urgent, oldest first."""
    # In one statement: of 5,000 tasks, reading those that wait as well would take twice the time (measured).
    rows = catalog.rows(
        f"SELECT {COLUMNS} FROM task t JOIN memory m ON m.id = t.id WHERE t.state = '{OPEN}' AND {state.LIVE}"
        f" AND t.id NOT IN (SELECT t.id {_WAITS} AND t.state = '{OPEN}') {_ORDER}",
        (ground or 0,) * 3,
    )
    return [TaskRow(*row) for row in rows]


def waiting_for(catalog: Catalog, ground: int | None) -> Mapping[int, tuple[str, ...]]:
    """Return by task what it requires and nothing provides yet, sorted; tasks that wait for nothing are not in it.

    A name that nothing has is waited for: nobody can have done it. A fact that failed provides nothing either: what
    rests on it would be built on sand.
    """
    rows = catalog.rows(
        f"SELECT t.id, r.target {_WAITS} AND t.state <> '{CLOSED}' ORDER BY r.target", (ground or 0,) * 3
    )
    found: dict[int, list[str]] = {}
    for number, target in rows:
        found.setdefault(number, []).append(target)
    return {number: tuple(targets) for number, targets in found.items()}


def waits_of(catalog: Catalog, ground: int | None, key: str) -> tuple[str, ...]:
    """Return what one task requires and nothing provides yet, sorted."""
    row = catalog.row("SELECT id FROM memory WHERE key = ? AND shadowed = 0", (key,))
    return waiting_for(catalog, ground).get(row[0], ()) if row else ()


def open_parts(catalog: Catalog, key: str) -> list[str]:
    """Return the parts of a task that are not closed, by key."""
    rows = catalog.rows(
        f"SELECT m.key FROM task t JOIN memory m ON m.id = t.id WHERE t.parent = ? AND t.state <> '{CLOSED}'"
        f" AND {state.LIVE} ORDER BY m.key",
        (key,),
    )
    return [row[0] for row in rows]


def titles(catalog: Catalog, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return title and state (empty for what is not a task) of live memories, by key."""
    rows = catalog.each(
        f"SELECT m.key, m.title, coalesce(t.state, '') FROM memory m LEFT JOIN task t ON t.id = m.id"
        f" WHERE {state.LIVE} AND m.key IN ({{}})",
        sorted(set(keys)),
    )
    return {key: (title, its) for key, title, its in rows}


def requirements(catalog: Catalog, ids: Sequence[int]) -> dict[int, list[str]]:
    """Return what each memory requires, by its number, sorted."""
    found: dict[int, list[str]] = {}
    rows = catalog.each(
        "SELECT source, target FROM link WHERE relation = 'requires' AND source IN ({}) ORDER BY source, target", ids
    )
    for number, target in rows:
        found.setdefault(number, []).append(target)
    return found
