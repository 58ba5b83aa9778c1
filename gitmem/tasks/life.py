"""The life of a task: open, claimed, closed; every attempt is kept, also the one that failed. Pure.

A task that failed is open again and its attempts say why (the beans document, "Attempt Tracking"). The attempt that is
under way is in ``claimed``, those that ended in ``attempts``, which only grows at its end: two clones that each
added one merge by uniting the lists.
"""

from __future__ import annotations

from gitmem.document.edit import REMOVE
from gitmem.document.fields import CLAIMED, CLOSED, OPEN, format_time
from gitmem.document.format import format_field
from gitmem.errors import RefusedError, TaskError
from gitmem.model import FAILED
from gitmem.tasks.task import DONE, RELEASED, WORKING, Attempt, Task, Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What a note may hold, and all attempts together: the frontmatter has room for 8 KiB (`document.split`). The oldest
# attempts go first; the history of the file still has them.
NOTE_BYTES = 1000
ATTEMPTS_BYTES = 5 * 1024


def claim(task: Task, worker: Worker, *, now: int, note: str) -> dict[str, Any]:
    """Return the changes of fields that start an attempt.

    Raises:
        TaskError: Somebody holds it, or it is closed.
    """
    if task.state == CLOSED:
        raise TaskError(
            f"{task.key} is closed{_closed_by(task)}",
            hint=f"if it is not done after all: gitmem task close {task.key} --failed --note WHY",
        )
    if task.state == CLAIMED:
        raise _held(task, worker, f"release it on their behalf: gitmem task release {task.key} --force")
    claimed = {"num": task.next_num, **worker.fields(), "when": format_time(now)} | _note("notes", note)
    return {"state": CLAIMED, "claimed": claimed}


def release(task: Task, worker: Worker, *, now: int, note: str, force: bool) -> dict[str, Any]:
    """Return the changes of fields that give a task back.

    Raises:
        TaskError: Nobody holds it, or somebody else does and it is not forced.
    """
    if task.state != CLAIMED:
        raise TaskError(f"{task.key} is {task.state} and not claimed by anyone", hint=f"gitmem task show {task.key}")
    if not force:
        refuse_held(task, worker, f"gitmem task release {task.key} --force")
    return {"state": OPEN, "claimed": REMOVE, "attempts": _ended(task, worker, RELEASED, now=now, note=note)}


def fail(task: Task, worker: Worker, *, now: int, note: str) -> dict[str, Any]:
    """Return the changes of fields that end an attempt as failed and open the task again, a closed one as well.

    Raises:
        TaskError: Somebody else holds it.
    """
    refuse_held(task, worker, f"gitmem task release {task.key} --force")
    attempts = _ended(task, worker, FAILED, now=now, note=note)
    return {"state": OPEN, "claimed": REMOVE, "closed": REMOVE, "attempts": attempts}


def close(task: Task, worker: Worker, *, now: int, reason: str, forced: bool) -> dict[str, Any]:
    """Return the changes of fields that close a task; whether its gate holds is asked before.

    Raises:
        TaskError: It is closed already, or somebody else holds it and it is not forced.
    """
    refuse_closing(task, worker, forced=forced)
    closed: dict[str, Any] = {"when": format_time(now), **worker.fields(), **_note("reason", reason)}
    closed |= {"forced": True} if forced else {}
    attempts = _ended(task, worker, DONE, now=now, note=reason)
    return {"state": CLOSED, "claimed": REMOVE, "closed": closed, "attempts": attempts}


def refuse_closing(task: Task, worker: Worker, *, forced: bool) -> None:
    """Refuse to close what is closed, and what somebody else holds unless it is forced.

    Raises:
        TaskError: It is so.
    """
    if task.state == CLOSED:
        raise TaskError(f"{task.key} is already closed{_closed_by(task)}", hint=f"gitmem task show {task.key}")
    if not forced:
        refuse_held(task, worker, f"gitmem task close {task.key} --force --reason WHY")


def refuse_held(task: Task, worker: Worker, way: str) -> None:
    """Refuse a task that somebody else holds.

    Raises:
        TaskError: Somebody does; it says who and since when.
    """
    if task.held is not None and not worker.acts_for(task.held.worker):
        raise _held(task, worker, f"do it anyway: {way}")


def _held(task: Task, worker: Worker, way: str) -> TaskError:
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


def _ended(task: Task, worker: Worker, outcome: str, *, now: int, note: str) -> list[dict[str, Any]]:
    """Return the attempts with the one that ends now; without a claim it is one that nobody had announced."""
    held = task.held or Attempt(task.next_num, WORKING, worker.who, worker.agent)
    said = "; ".join(dict.fromkeys(part for part in (held.notes, note.strip()) if part))
    _refuse_long(said)
    ended = Attempt(held.num, outcome, held.who, held.agent, held.when, format_time(now), said)
    listed = [_written(attempt) for attempt in (*task.attempts, ended)]
    while len(listed) > 1 and len(format_field("attempts", listed).encode("utf-8", "replace")) > ATTEMPTS_BYTES:
        del listed[0]
    return listed


def _written(attempt: Attempt) -> dict[str, Any]:
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
