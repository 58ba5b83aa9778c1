"""Remember the tasks for which sub-agents are dispatched, and show a sub-agent what helps with its own.

Claude Code does not name the task in the payload of a sub-agent's start: the call of the tool that dispatches it comes
just before, and names it (seen with 2.1.332). If several are dispatched at once, each type takes its tasks in order.
"""

from __future__ import annotations

import os

from gitmem.agents.session import log, topics
from gitmem.agents.session.places import change_table, file_name
from gitmem.errors import suppress
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

# The most dispatched tasks that wait for their sub-agents, and how much is kept of each.
WAITING_AT_MOST, TASK_CHARS, SIZE_LIMIT = 20, 4000, 256 * 1024


def remember_task(repository: OpenRepository, event: Event) -> None:
    """Remember the task that a sub-agent is about to be dispatched for; a disk error only costs the recall."""
    if not event.session or not event.prompt.strip():
        return
    task = {"type": event.agent_type, "task": redact(event.prompt[:TASK_CHARS])}

    def note(kept: dict[str, Any]) -> None:
        kept["waiting"] = [*_waiting(kept), task][-WAITING_AT_MOST:]

    with suppress(OSError):
        change_table(_path(repository, event), note, limit=SIZE_LIMIT)


def take_task(repository: OpenRepository, event: Event) -> str:
    """Return the task of a sub-agent that starts, and forget it; empty if it is not known."""
    path = _path(repository, event)
    if event.prompt or not event.session or not os.path.exists(path):
        return event.prompt
    tasks: list[str] = []

    def note(kept: dict[str, Any]) -> None:
        waiting = _waiting(kept)
        mine = next((task for task in waiting if task["type"] == event.agent_type), None)
        if mine is not None:
            waiting.remove(mine)
            tasks.append(mine["task"])
        kept.clear()
        kept |= {"waiting": waiting} if waiting else {}

    with suppress(OSError):
        change_table(path, note, limit=SIZE_LIMIT)
    return tasks[0] if tasks else ""


def _waiting(kept: dict[str, Any]) -> list[dict[str, str]]:
    waiting = kept.get("waiting")
    whole = [task for task in waiting if isinstance(task, dict)] if isinstance(waiting, list) else []
    return [task for task in whole if isinstance(task.get("type"), str) and isinstance(task.get("task"), str)]


def _path(repository: OpenRepository, event: Event) -> str:
    place = topics.workplace_of(repository)
    return os.path.join(place.root, log.SHOWN, f"{file_name(event.session)}{log.TASKS}")
