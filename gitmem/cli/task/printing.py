"""Print a task in a list, and format it as JSON."""

from __future__ import annotations

from gitmem.cli.memory_rows import ListedMemory, row_parts, widths_of
from gitmem.cli.output import Output
from gitmem.document.times import format_time
from gitmem.index.catalog import short_ids
from gitmem.statuses import TASK_MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.memory import Memory
    from gitmem.tasks.query import TaskRow
    from gitmem.tasks.task import Attempt

# The styles of ``cli.output`` for facts in a corresponding state.
STYLES = {"open": "bold", "claimed": "yellow", "closed": "green"}


def as_table(row: TaskRow) -> dict[str, Any]:
    """Return a task as documented JSON."""
    claimed = {"who": row.who, "agent": row.agent, "when": _time(row.since)} if row.state == "claimed" else None
    return {
        "key": row.key,
        "title": row.title,
        "state": row.state,
        "priority": row.priority,
        "parent": row.parent,
        "created": _time(row.created),
        "claimed": claimed,
        "closed": _time(row.closed),
        "attempts": row.attempts,
        "failures": row.failures,
        "waits_for": list(row.waits_for),
    }


def attempt_line(attempt: Attempt) -> str:
    """Format an attempt as one line."""
    about = ", ".join(part for part in (str(attempt.worker), attempt.ended or attempt.when) if part)
    message = f"attempt {attempt.num} {attempt.outcome}" + (f" ({about})" if about else "")
    return f"{message}: {' '.join(attempt.notes.split())}" if attempt.notes else message


def _time(epoch_s: int) -> str:
    return format_time(epoch_s) if epoch_s else ""


def print_rows(memory: Memory, rows: Sequence[TaskRow], out: Output) -> None:
    """Print tasks: a row each on a terminal, tab-separated cells in a pipe."""
    if not out.is_terminal:
        for row in rows:
            out.row(row.key, str(row.priority), row.state, _holder(row), row.title)
        return
    ids = short_ids(memory.repository.catalog(), [row.key for row in rows]) if rows else {}
    listed = [_row(row, ids.get(row.key, "")) for row in rows]
    widths = widths_of(listed, out.width)
    for row, shown in zip(rows, listed, strict=True):
        out.line(*row_parts(shown, widths, now=memory.repository.now))
        if about := _about(row):
            out.line("  ", ("; ".join(about), "dim"))


def _row(row: TaskRow, short_id: str) -> ListedMemory:
    state = f"P{row.priority} {TASK_MARKS[row.state]} {row.state}"
    return ListedMemory(row.title, "", state, STYLES[row.state], row.created, short_id, row.key)


def _holder(row: TaskRow) -> str:
    return f"{row.who}/{row.agent}" if row.agent else row.who


def _about(row: TaskRow) -> list[str]:
    parts = [f"claimed by {_holder(row)}"] if row.state == "claimed" else []
    parts += [f"{row.failures} failed"] if row.failures else []
    parts += [f"waits for {', '.join(row.waits_for)}"] if row.waits_for else []
    return parts
