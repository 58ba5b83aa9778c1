"""Tasks in a session's context: current work, earlier failures there, and recently closed tasks."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.index.catalog import state
from gitmem.model import FAILED
from gitmem.recall.work import path_overlap
from gitmem.tasks.query import COLUMNS, TaskRow, worker_of
from gitmem.tasks.task import task_from
from gitmem.text import parse_json
from gitmem.text.globs import without_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.tasks.task import Task, Worker

# The most failed attempts shown per task, newest first: three show what keeps failing.
FAILURES = 3
# Other open tasks whose last failure is shown, for the agent that claims one next.
OTHERS = 5
# How close a task's paths must be to the current ones: they share half of the folders of the shorter path.
NEAR = 0.5


@frozen
class ClaimedTask:
    """A claimed task, with its attempts and its paths."""

    row: TaskRow
    task: Task
    paths: tuple[str, ...]


@frozen
class FailedAttempt:
    """One failed attempt.

    Attributes:
        key: The task.
        title: Its title.
        num: The attempt's number.
        notes: What went wrong, or empty.
    """

    key: str
    title: str
    num: int
    notes: str


# CROSS JOIN keeps SQLite from reading every memory (measured at 10,000 of them, 2,000 tasks: 9 ms against 0.1).
_FROM = "FROM task t CROSS JOIN memory m ON m.id = t.id"


def is_anything_held(catalog: Catalog) -> bool:
    """Return whether any task is claimed."""
    return catalog.row(f"SELECT 1 {_FROM} WHERE t.state = 'claimed' AND {state.LIVE} LIMIT 1") is not None


def list_own(catalog: Catalog, git: Git, agent: str) -> list[ClaimedTask]:
    """Return the current worker's claimed tasks; git is asked for the person's name only if any task is claimed."""
    return list_claimed(catalog, worker_of(git, agent)) if is_anything_held(catalog) else []


def list_claimed(catalog: Catalog, worker: Worker) -> list[ClaimedTask]:
    """Return a worker's claimed tasks, by priority, then oldest claim first."""
    rows = catalog.rows(
        f"SELECT {COLUMNS}, x.paths {_FROM} JOIN text x ON x.id = t.id WHERE t.state = 'claimed' AND t.who = ?"
        f" AND t.agent = ? AND {state.LIVE} ORDER BY t.priority, t.since, m.key",
        (worker.who, worker.agent),
    )
    claimed = [(TaskRow(*row), paths) for *row, paths in rows]
    tasks = _tasks(catalog, [row for row, _ in claimed])
    return [ClaimedTask(row, tasks[row.id], _places(paths)) for row, paths in claimed]


def list_claimed_by_others(catalog: Catalog, own: Sequence[str]) -> list[TaskRow]:
    """Return the tasks claimed by others, by priority, then latest claim first."""
    rows = catalog.rows(
        f"SELECT {COLUMNS} {_FROM} WHERE t.state = 'claimed' AND {state.LIVE} ORDER BY t.priority, t.since DESC, m.key"
    )
    return [row for row in (TaskRow(*row) for row in rows) if row.key not in own]


def _places(paths: str) -> tuple[str, ...]:
    return tuple(map(without_lines, parse_json(paths)))


def failures(
    catalog: Catalog, held: Iterable[ClaimedTask], working: Sequence[str], *, now: int, others: int = OTHERS
) -> list[FailedAttempt]:
    """Return failed attempts: of claimed tasks, then of tasks about these paths, then of other open tasks.

    Each group newest first; at most *others* other tasks, with the last attempt of each.
    """
    mine = list(held)
    near = []
    if working:
        rows = catalog.rows(
            f"SELECT {COLUMNS}, x.paths {_FROM} JOIN text x ON x.id = t.id WHERE t.failures > 0 AND x.paths <> '[]'"
            f" AND {state.LIVE} AND (m.expires IS NULL OR m.expires > ?) ORDER BY m.updated DESC, m.key",
            (now,),
        )
        known = {claimed.row.id for claimed in mine}
        for *row, paths in rows:
            if row[0] not in known and path_overlap(_places(paths), working) >= NEAR:
                near.append(TaskRow(*row))
    known = {claimed.row.id for claimed in mine} | {row.id for row in near}
    rows = catalog.rows(
        f"SELECT {COLUMNS} {_FROM} WHERE t.failures > 0 AND t.state <> 'closed' AND {state.LIVE}"
        " ORDER BY m.updated DESC, m.key LIMIT ?",
        (others + len(known),),
    )
    rest = [row for row in (TaskRow(*row) for row in rows) if row.id not in known][:others]
    tasks = _tasks(catalog, [*near, *rest])
    pairs = [
        *((claimed.row, claimed.task, FAILURES) for claimed in mine),
        *((row, tasks[row.id], FAILURES) for row in near),
    ]
    return [
        FailedAttempt(row.key, row.title, attempt.num, attempt.notes)
        for row, task, most in (*pairs, *((row, tasks[row.id], 1) for row in rest))
        for attempt in [attempt for attempt in task.past_attempts if attempt.outcome == FAILED][:most]
    ]


def list_closed(catalog: Catalog, since: int, *, now: int, limit: int) -> list[tuple[TaskRow, str]]:
    """Return the tasks closed for the given reasons since a time, latest first."""
    rows = catalog.rows(
        f"SELECT {COLUMNS} {_FROM} WHERE t.closed > ? AND {state.LIVE} AND (m.expires IS NULL OR m.expires > ?)"
        " ORDER BY t.closed DESC, m.key LIMIT ?",
        (since, now, limit),
    )
    closed = [TaskRow(*row) for row in rows]
    tasks = _tasks(catalog, closed)
    return [(row, str(tasks[row.id].closed.get("reason") or "")) for row in closed]


def count_closed(catalog: Catalog, since: int, *, now: int) -> int:
    """Return how many tasks were closed since a time."""
    condition = f"t.closed > ? AND {state.LIVE} AND (m.expires IS NULL OR m.expires > ?)"
    return int(catalog.row(f"SELECT count(*) {_FROM} WHERE {condition}", (since, now))[0])


def _tasks(catalog: Catalog, rows: Sequence[TaskRow]) -> Mapping[int, Task]:
    keys = {row.id: row.key for row in rows}
    read = catalog.each("SELECT id, fields FROM text WHERE id IN ({})", keys)
    return {number: task_from(keys[number], parse_json(fields)) for number, fields in read}
