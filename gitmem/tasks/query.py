"""Query tasks in the catalog: all of them, the ready ones, and what each waits for."""

from __future__ import annotations

import unicodedata

from gitmem.frozen import frozen
from gitmem.index.catalog import state
from gitmem.model import CLOSED, OPEN
from gitmem.tasks.task import Worker
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog


@frozen
class TaskRow:
    """One task in a list.

    Attributes:
        id: Its number in the catalog.
        key: Its key.
        title: Its title.
        created: When it was written, epoch seconds; 0 if unknown.
        state: ``open``, ``claimed`` or ``closed``.
        priority: 0 (the most urgent) to 4.
        parent: The key of the task it is a part of, or empty.
        who: The person who claimed it, or empty.
        agent: Their agent, or empty.
        since: When it was claimed, epoch seconds, or 0.
        closed: When it was closed, epoch seconds, or 0.
        attempts: The number of finished attempts.
        failures: How many of them failed.
        waits_for: Its requirements that nothing provides yet, sorted; keys or labels.
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


# The most urgent first, then the oldest; a task without a time counts as old.
_ORDER = "ORDER BY t.priority, m.created, m.key"
# The columns of a `TaskRow`, from a task `t` and its memory `m`.
COLUMNS = (
    "m.id, m.key, m.title, m.created, t.state, t.priority, t.parent, t.who, t.agent, t.since, t.closed, t.attempts,"
    " t.failures"
)
# A memory provides its key and its products: a task once it is closed, another memory unless it is known to be false.
_PROVIDES = (
    "NOT EXISTS (SELECT 1 FROM task k WHERE k.id = p.id AND k.state <> 'closed')"
    " AND NOT EXISTS (SELECT 1 FROM state s WHERE s.ground = ? AND s.fact = p.id AND s.outcome = 'fails'"
    " AND p.kind <> 'task')"
)
_LIVE_P = "p.shadowed = 0 AND p.archived = 0 AND p.superseded = 0"
# Tasks with requirements that nothing provides; retired memories are not waited for. CROSS: only the links of tasks are
# walked, not those of all facts (sqlite.org/optoverview.html).
_WAITS = (
    "FROM task t CROSS JOIN link r ON r.source = t.id WHERE r.relation = 'requires'"
    f" AND NOT EXISTS (SELECT 1 FROM memory p WHERE p.key = r.target AND p.shadowed = 0"
    f" AND (p.archived = 1 OR (p.superseded = 0 AND {_PROVIDES})))"
    " AND NOT EXISTS (SELECT 1 FROM link q JOIN memory p ON p.id = q.source"
    f" WHERE q.relation = 'produces' AND q.target = r.target AND {_LIVE_P} AND {_PROVIDES})"
    # A memory provides what it supersedes.
    " AND NOT EXISTS (SELECT 1 FROM link q JOIN memory p ON p.id = q.source"
    f" WHERE q.relation = 'supersedes' AND q.target = r.target AND {_LIVE_P} AND {_PROVIDES})"
)


def worker_of(git: Git, agent: str) -> Worker:
    """Return the current worker: the person as git names them, and the agent if one is set."""
    return Worker(display(unicodedata.normalize("NFC", git.identity()[0])), agent)


def list_tasks(
    catalog: Catalog,
    ground: int | None,
    *,
    states: Sequence[str] = (),
    parent: str = "",
    worker: Worker | None = None,
    everything: bool = False,
) -> list[TaskRow]:
    """Return tasks by priority, then age, with what they wait for.

    Args:
        catalog: The catalog.
        ground: The ground of HEAD, or None.
        states: Only these states; empty for all but closed ones.
        parent: Only the parts of this task.
        worker: Only those that this worker has claimed.
        everything: Include closed ones.
    """
    parts, values = [state.LIVE], list[str]()
    if states:
        parts.append(f"t.state IN ({','.join('?' * len(states))})")
        values += states
    elif not everything:
        parts.append(f"t.state <> '{CLOSED}'")
    if parent:
        parts.append("t.parent = ?")
        values.append(parent)
    if worker is not None:
        parts.append("t.who = ? AND t.agent = ? AND t.state = 'claimed'")
        values += [worker.who, worker.agent]
    condition = " AND ".join(parts)
    rows = catalog.rows(f"SELECT {COLUMNS} FROM task t JOIN memory m ON m.id = t.id WHERE {condition} {_ORDER}", values)
    waits = waiting_for(catalog, ground)
    return [TaskRow(*(*row, waits.get(row[0], ()))) for row in rows]


def ready(catalog: Catalog, ground: int | None) -> list[TaskRow]:
    """Return the tasks that can be started: open, with all requirements provided; most urgent, then oldest first."""
    # One statement: with 5,000 tasks, reading the waiting ones as well takes twice the time (measured).
    rows = catalog.rows(
        f"SELECT {COLUMNS} FROM task t JOIN memory m ON m.id = t.id WHERE t.state = '{OPEN}' AND {state.LIVE}"
        f" AND t.id NOT IN (SELECT t.id {_WAITS} AND t.state = '{OPEN}') {_ORDER}",
        (ground or 0,) * 3,
    )
    return [TaskRow(*row) for row in rows]


def waiting_for(catalog: Catalog, ground: int | None) -> Mapping[int, tuple[str, ...]]:
    """Return the unprovided requirements by task, sorted; tasks that wait for nothing are left out.

    A task also waits for a name that no memory has, and for a fact that failed.
    """
    rows = catalog.rows(
        f"SELECT t.id, r.target {_WAITS} AND t.state <> '{CLOSED}' ORDER BY r.target", (ground or 0,) * 3
    )
    targets_by_number: dict[int, list[str]] = {}
    for number, target in rows:
        targets_by_number.setdefault(number, []).append(target)
    return {number: tuple(targets) for number, targets in targets_by_number.items()}


def waits_of(catalog: Catalog, ground: int | None, key: str) -> tuple[str, ...]:
    """Return the requirements of one task that nothing provides yet, sorted."""
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
    """Return title and state (empty if it is not a task) of live memories, by key."""
    rows = catalog.each(
        f"SELECT m.key, m.title, coalesce(t.state, '') FROM memory m LEFT JOIN task t ON t.id = m.id"
        f" WHERE {state.LIVE} AND m.key IN ({{}})",
        sorted(set(keys)),
    )
    return {key: (title, its) for key, title, its in rows}


def requirements(catalog: Catalog, ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the requirements of each memory by its number, sorted."""
    found: dict[int, list[str]] = {}
    rows = catalog.each(
        "SELECT source, target FROM link WHERE relation = 'requires' AND source IN ({}) ORDER BY source, target", ids
    )
    for number, target in rows:
        found.setdefault(number, []).append(target)
    return found
