"""The life of a task: open, claimed, closed; every attempt is kept, also the one that failed. Pure.

A task that failed is open again and its attempts say why (the beans document, "Attempt Tracking"). The attempt that is
under way stands in ``claimed``, those that ended in ``attempts``, which only grows at its end: two clones that both added
one merge by uniting the lists.
"""

from __future__ import annotations

from gitmem.document.edit import REMOVE
from gitmem.document.fields import CLAIMED, CLOSED, OPEN, TASK, format_time
from gitmem.document.format import format_field
from gitmem.errors import RefusedError, TaskError
from gitmem.frozen import frozen
from gitmem.model import FAILED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.errors import GitmemError
    from gitmem.model import Document, Verdict

# How an attempt ended; ``working`` is the one that has not.
WORKING, DONE, RELEASED = "working", "done", "released"
# What a note may hold, and all attempts together: the frontmatter has room for 8 KiB (`document.split`). The oldest
# attempts go first; the history of the file still has them.
NOTE_BYTES = 1000
ATTEMPTS_BYTES = 5 * 1024


@frozen
class Worker:
    """Who works on a task: the person as git names them, and the agent where one is set."""

    who: str
    agent: str = ""

    def __str__(self) -> str:
        """Return both, for people."""
        return f"{self.who} (agent {self.agent})" if self.agent else self.who

    def fields(self) -> dict[str, str]:
        """Return both as the frontmatter has them."""
        return {"who": self.who, **({"agent": self.agent} if self.agent else {})}


@frozen
class Attempt:
    """One attempt at a task.

    Attributes:
        num: Which one, from 1.
        outcome: ``working``, ``done``, ``failed`` or ``released``.
        who: The person.
        agent: The agent, or empty.
        when: When it began, RFC 3339; empty where that is not known.
        ended: When it ended, or empty.
        notes: What is worth knowing about it, or empty.
    """

    num: int
    outcome: str
    who: str
    agent: str = ""
    when: str = ""
    ended: str = ""
    notes: str = ""

    @property
    def worker(self) -> Worker:
        """Return whose attempt it is."""
        return Worker(self.who, self.agent)


@frozen
class Task:
    """A task as its file says it.

    Attributes:
        key: Its key.
        state: ``open``, ``claimed`` or ``closed``.
        attempts: The attempts that ended, the oldest first.
        held: The attempt under way, or None.
        closed: How it was closed (``when``, ``who``, ``agent``, ``reason``, ``forced``); empty while it is not.
    """

    key: str
    state: str
    attempts: tuple[Attempt, ...]
    held: Attempt | None
    closed: Mapping[str, Any]

    @property
    def next_num(self) -> int:
        """Return the number of the attempt that is begun next."""
        # Attempts of two clones may share a number after a merge, and the oldest ones may be gone.
        return 1 + max((attempt.num for attempt in self.attempts), default=0)

    @property
    def told(self) -> tuple[Attempt, ...]:
        """Return every attempt for whoever takes the task up: the failed ones first, each group the newest first."""
        newest = self.attempts[::-1]
        failed = tuple(attempt for attempt in newest if attempt.outcome == FAILED)
        return (*failed, *(attempt for attempt in newest if attempt.outcome != FAILED))


@frozen
class Gate:
    """What a task's check says of closing it now.

    Attributes:
        verdict: Its verdict where it holds; None where it does not, or where there is no check.
        refusal: Why it is not passed, or None.
        notices: What the person should know.
    """

    verdict: Verdict | None
    refusal: GitmemError | None = None
    notices: tuple[str, ...] = ()


def task_of(document: Document) -> Task:
    """Return the task that a memory is.

    Raises:
        TaskError: It is no task, or was retired.
    """
    if document.fields.get("retired"):
        raise TaskError(f"{document.key} was retired", hint=f"gitmem show {document.key}")
    return task_shown(document.key, document.kind, document.fields)


def task_shown(key: str, kind: str, fields: Mapping[str, Any]) -> Task:
    """Return the task that a memory is, also a retired one.

    Raises:
        TaskError: It is no task.
    """
    if kind != TASK:
        raise TaskError(f"{key} is a {kind} and no task", hint=f"make it one: gitmem edit {key} --kind task")
    return task_from(key, fields)


def task_from(key: str, fields: Mapping[str, Any]) -> Task:
    """Return the task that a frontmatter of kind ``task`` describes."""
    state = str(fields.get("state") or OPEN)
    ended = [_attempt(entry, DONE) for entry in fields.get("attempts") or ()]
    claimed = fields.get("claimed")
    held = _attempt(claimed, WORKING) if state == CLAIMED and isinstance(claimed, dict) else None
    closed = fields.get("closed")
    return Task(key, state, tuple(ended), held, closed if state == CLOSED and isinstance(closed, dict) else {})


def _attempt(entry: Mapping[str, Any], outcome: str) -> Attempt:
    texts = {name: str(entry.get(name) or "") for name in ("who", "agent", "when", "ended", "notes")}
    return Attempt(entry["num"], str(entry.get("outcome") or outcome), **texts)


def claim(task: Task, worker: Worker, *, now: int, note: str) -> dict[str, Any]:
    """Return the changes of fields that start an attempt.

    Raises:
        TaskError: Somebody holds it, or it is closed.
    """
    if task.state == CLOSED:
        raise TaskError(
            f"{task.key} is closed{_closed_by(task)}",
            hint=f"it is not done after all? gitmem task close {task.key} --failed --note WHY",
        )
    if task.state == CLAIMED:
        raise _held(task, worker, f"take it away from them: gitmem task release {task.key} --force")
    claimed = {"num": task.next_num, **worker.fields(), "when": format_time(now)} | _note("notes", note)
    return {"state": CLAIMED, "claimed": claimed}


def release(task: Task, worker: Worker, *, now: int, note: str, force: bool) -> dict[str, Any]:
    """Return the changes of fields that give a task back.

    Raises:
        TaskError: Nobody holds it, or somebody else does and it is not forced.
    """
    if task.state != CLAIMED:
        raise TaskError(f"{task.key} is {task.state}: nobody holds it", hint=f"gitmem task show {task.key}")
    if not force:
        refuse_held(task, worker, f"gitmem task release {task.key} --force")
    return {"state": OPEN, "claimed": REMOVE, "attempts": _ended(task, worker, RELEASED, now=now, note=note)}


def fail(task: Task, worker: Worker, *, now: int, note: str) -> dict[str, Any]:
    """Return the changes of fields that end an attempt as failed and open the task again, a closed one too.

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
        raise TaskError(f"{task.key} is closed already{_closed_by(task)}", hint=f"gitmem task show {task.key}")
    if not forced:
        refuse_held(task, worker, f"gitmem task close {task.key} --force --reason WHY")


def refuse_held(task: Task, worker: Worker, way: str) -> None:
    """Refuse a task that somebody else holds.

    Raises:
        TaskError: Somebody does; it says who and since when.
    """
    if task.held is not None and task.held.worker != worker:
        raise _held(task, worker, f"do it all the same: {way}")


def _held(task: Task, worker: Worker, way: str) -> TaskError:
    held = task.held
    if held is None:
        return TaskError(f"{task.key} is claimed, and its file does not say by whom", hint=way)
    about = f"since {held.when or 'an unknown time'}, attempt {held.num}"
    if held.worker == worker:
        return TaskError(
            f"{task.key} is claimed by you already, {about}",
            hint=f"if that is another session of yours, leave it to it; else go on: gitmem task show {task.key}",
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
            f"a note of an attempt has at most {NOTE_BYTES} bytes",
            hint='keep the whole story as a memory: gitmem remember "…" --task KEY',
        )
