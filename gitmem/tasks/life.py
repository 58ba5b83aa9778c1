"""The life of a task: open, claimed, closed; every attempt is recorded, including failed ones. Pure.

A task that failed is open again, and its attempts say why (as in Beans). The current attempt
is in ``claimed``, finished ones are in ``attempts``, which is only appended to, so that two clones that each added one
merge by uniting the lists.
"""

from __future__ import annotations

from gitmem.document.edit import REMOVE
from gitmem.document.format import format_field
from gitmem.document.times import format_time
from gitmem.errors import RefusedError, TaskError
from gitmem.model import CLAIMED, CLOSED, FAILED, OPEN
from gitmem.tasks.task import DONE, RELEASED, WORKING, Attempt, Task, Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The longest note, and the size of all attempts together: the frontmatter has room for 8 KiB (`document.split`). The
# oldest attempts are dropped first; the file's history still has them.
NOTE_BYTES = 1000
ATTEMPTS_BYTES = 5 * 1024


def claim(task: Task, worker: Worker, *, now: int, note: str) -> dict[str, Any]:
    """Return the changed fields for starting an attempt.

    Raises:
        TaskError: It is claimed or closed.
    """
    if task.state == CLOSED:
        raise TaskError(
            f"{task.key} is closed{_closed_by(task)}",
            hint=f"if it is not done after all: gitmem task close {task.key} --failed --note WHY",
        )
    if task.state == CLAIMED:
        raise _claimed_error(task, worker, f"release it on their behalf: gitmem task release {task.key} --force")
    claimed = {"num": task.next_num, **worker.fields(), "when": format_time(now)} | _note("notes", note)
    return {"state": CLAIMED, "claimed": claimed}


def release(task: Task, worker: Worker, *, now: int, note: str, force: bool) -> dict[str, Any]:
    """Return the changed fields for releasing a task.

    Raises:
        TaskError: It is not claimed, or it is claimed by someone else and not forced.
    """
    if task.state != CLAIMED:
        raise TaskError(f"{task.key} is {task.state} and not claimed by anyone", hint=f"gitmem task show {task.key}")
    if not force:
        refuse_held(task, worker, f"gitmem task release {task.key} --force")
    return {"state": OPEN, "claimed": REMOVE, "attempts": _finish(task, worker, RELEASED, now=now, note=note)}


def fail(task: Task, worker: Worker, *, now: int, note: str) -> dict[str, Any]:
    """Return the changed fields for ending an attempt as failed, which opens the task again, even a closed one.

    Raises:
        TaskError: It is claimed by someone else.
    """
    refuse_held(task, worker, f"gitmem task release {task.key} --force")
    attempts = _finish(task, worker, FAILED, now=now, note=note)
    return {"state": OPEN, "claimed": REMOVE, "closed": REMOVE, "attempts": attempts}


def close(task: Task, worker: Worker, *, now: int, reason: str, forced: bool) -> dict[str, Any]:
    """Return the changed fields for closing a task; the caller checks its gate first.

    Raises:
        TaskError: It is already closed, or claimed by someone else and not forced.
    """
    refuse_closing(task, worker, forced=forced)
    closed: dict[str, Any] = {"when": format_time(now), **worker.fields(), **_note("reason", reason)}
    closed |= {"forced": True} if forced else {}
    attempts = _finish(task, worker, DONE, now=now, note=reason)
    return {"state": CLOSED, "claimed": REMOVE, "closed": closed, "attempts": attempts}


def refuse_closing(task: Task, worker: Worker, *, forced: bool) -> None:
    """Refuse to close a closed task, or one claimed by someone else unless forced.

    Raises:
        TaskError: It is closed, or claimed by someone else.
    """
    if task.state == CLOSED:
        raise TaskError(f"{task.key} is already closed{_closed_by(task)}", hint=f"gitmem task show {task.key}")
    if not forced:
        refuse_held(task, worker, f"gitmem task close {task.key} --force --reason WHY")


def refuse_held(task: Task, worker: Worker, way: str) -> None:
    """Refuse a task claimed by someone else.

    Raises:
        TaskError: It is; the message says by whom and since when.
    """
    if task.held is not None and not worker.acts_for(task.held.worker):
        raise _claimed_error(task, worker, f"do it anyway: {way}")


def _claimed_error(task: Task, worker: Worker, way: str) -> TaskError:
    held = task.held
    if held is None:
        return TaskError(f"{task.key} is claimed, but its file does not say by whom", hint=way)
    about = f"since {held.when or 'an unknown time'}, attempt {held.num}"
    if held.worker == worker:
        return TaskError(
            f"you have already claimed {task.key}, {about}",
            hint="if that was another session of yours, leave it the task; otherwise continue: gitmem task show "
            f"{task.key}",
        )
    return TaskError(f"{task.key} is claimed by {held.worker}, {about}", hint=way)


def _closed_by(task: Task) -> str:
    who = Worker(str(task.closed.get("who") or ""), str(task.closed.get("agent") or ""))
    since = f" since {task.closed['when']}" if task.closed.get("when") else ""
    return since + (f", by {who}" if who.who else "")


def _finish(task: Task, worker: Worker, outcome: str, *, now: int, note: str) -> list[dict[str, Any]]:
    """Return the attempts, with the one that ends now; without a claim, an unannounced one is added."""
    held = task.held or Attempt(task.next_num, WORKING, worker.who, worker.agent)
    notes = "; ".join(dict.fromkeys(part for part in (held.notes, note.strip()) if part))
    _refuse_long(notes)
    ended = Attempt(held.num, outcome, held.who, held.agent, held.when, format_time(now), notes)
    listed = [_attempt_fields(attempt) for attempt in (*task.attempts, ended)]
    while len(listed) > 1 and len(format_field("attempts", listed).encode("utf-8", "replace")) > ATTEMPTS_BYTES:
        del listed[0]
    return listed


def _attempt_fields(attempt: Attempt) -> dict[str, Any]:
    values = {
        "num": attempt.num,
        "outcome": attempt.outcome,
        **attempt.worker.fields(),
        "when": attempt.when,
        "ended": attempt.ended,
        "notes": attempt.notes,
    }
    return {name: value for name, value in values.items() if value != ""}


def _note(name: str, text: str) -> dict[str, str]:
    _refuse_long(text.strip())
    return {name: text.strip()} if text.strip() else {}


def _refuse_long(text: str) -> None:
    if len(text.encode("utf-8", "replace")) > NOTE_BYTES:
        raise RefusedError(
            f"the note of an attempt can have at most {NOTE_BYTES} bytes",
            hint='record a longer text as a memory: gitmem remember "…" --task KEY',
        )
