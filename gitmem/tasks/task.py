"""A task in its file: its state, who claimed it, and every attempt."""

from __future__ import annotations

from gitmem.errors import TaskError
from gitmem.frozen import frozen
from gitmem.model import CLAIMED, CLOSED, FAILED, OPEN, TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.errors import GitmemError
    from gitmem.model import Document, Verdict

# The outcome of an attempt (or ``failed``); ``working`` is the current one.
WORKING, DONE, RELEASED = "working", "done", "released"


@frozen
class Worker:
    """Someone who works on tasks: the person as git names them, and the agent if one is set."""

    who: str
    agent: str = ""

    def __str__(self) -> str:
        """Return both for display."""
        return f"{self.who} (agent {self.agent})" if self.agent else self.who

    def acts_for(self, holder: Worker) -> bool:
        """Return whether this worker may end an attempt of *holder*: their own, and for a person also their agents'."""
        return self == holder or (self.who == holder.who and not self.agent)

    def fields(self) -> dict[str, str]:
        """Return both as fields of the frontmatter."""
        return {"who": self.who, **({"agent": self.agent} if self.agent else {})}


@frozen
class Attempt:
    """One attempt at a task.

    Attributes:
        num: Its number, from 1.
        outcome: ``working``, ``done``, ``failed`` or ``released``.
        who: The person.
        agent: The agent, or empty.
        when: When it began, RFC 3339; empty if unknown.
        ended: When it ended, or empty.
        notes: Notes on it, or empty.
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
        """Return the attempt's worker."""
        return Worker(self.who, self.agent)


@frozen
class Task:
    """A task as its file describes it.

    Attributes:
        key: Its key.
        state: ``open``, ``claimed`` or ``closed``.
        attempts: The finished attempts, oldest first.
        held: The current attempt, or None.
        closed: How it was closed (``when``, ``who``, ``agent``, ``reason``, ``forced``); empty if it is not closed.
    """

    key: str
    state: str
    attempts: tuple[Attempt, ...]
    held: Attempt | None
    closed: Mapping[str, Any]

    @property
    def next_num(self) -> int:
        """Return the number of the next attempt."""
        # After a merge, attempts of two clones may share a number, and the oldest ones may have been dropped.
        return 1 + max((attempt.num for attempt in self.attempts), default=0)

    @property
    def past_attempts(self) -> tuple[Attempt, ...]:
        """Return every attempt for the next worker: the failed ones first, each group newest first."""
        newest = self.attempts[::-1]
        failed = tuple(attempt for attempt in newest if attempt.outcome == FAILED)
        return (*failed, *(attempt for attempt in newest if attempt.outcome != FAILED))


@frozen
class Gate:
    """The result of a task's check for closing it now.

    Attributes:
        verdict: The verdict if the check holds; None if it does not, or if there is no check.
        refusal: Why the task may not be closed, or None.
        notices: Notices for the person.
        counts: Whether the verdict is committed, because it was made on the default branch.
    """

    verdict: Verdict | None
    refusal: GitmemError | None = None
    notices: tuple[str, ...] = ()
    counts: bool = False


def task_of(document: Document) -> Task:
    """Return the task in a memory.

    Raises:
        TaskError: It is not a task, or was retired.
    """
    if document.fields.get("retired"):
        raise TaskError(f"{document.key} was retired", hint=f"gitmem show {document.key}")
    return parse_task(document.key, document.kind, document.fields)


def parse_task(key: str, kind: str, fields: Mapping[str, Any]) -> Task:
    """Return the task in a memory, also a retired one.

    Raises:
        TaskError: It is not a task.
    """
    if kind != TASK:
        raise TaskError(f"{key} is a {kind}, not a task", hint=f"make it one: gitmem edit {key} --kind task")
    return task_from(key, fields)


def task_from(key: str, fields: Mapping[str, Any]) -> Task:
    """Return the task in a frontmatter of kind ``task``."""
    state = str(fields.get("state") or OPEN)
    ended = [_attempt(entry, DONE) for entry in fields.get("attempts") or ()]
    claimed = fields.get("claimed")
    held = _attempt(claimed, WORKING) if state == CLAIMED and isinstance(claimed, dict) else None
    closed = fields.get("closed")
    return Task(key, state, tuple(ended), held, closed if state == CLOSED and isinstance(closed, dict) else {})


def _attempt(entry: Mapping[str, Any], outcome: str) -> Attempt:
    texts = {name: str(entry.get(name) or "") for name in ("who", "agent", "when", "ended", "notes")}
    return Attempt(entry["num"], str(entry.get("outcome") or outcome), **texts)
