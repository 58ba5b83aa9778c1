"""What the tests of sessions share: events, and what a session is told, without its fence."""

from __future__ import annotations

import json

from gitmem.agents.event import EDIT, PROMPT, SHELL, START, STARTUP, TOOL, Edit, Event
from gitmem.agents.session.topics import Workplace


def started(session: str = "s1", source: str = STARTUP, **fields) -> Event:
    return Event("claude-code", START, session=session, source=source, **fields)


def prompt_event(prompt: str, session: str = "s1", **fields) -> Event:
    return Event("claude-code", PROMPT, session=session, prompt=prompt, **fields)


def ran(command: str, *, failed: bool | None = False, output: str = "", session: str = "s1") -> Event:
    return Event(
        "claude-code", TOOL, session=session, tool=SHELL, tool_name="Bash", command=command, failed=failed,
        output=output,
    )  # fmt: skip


def edited(*paths: str, session: str = "s1") -> Event:
    edits = tuple(Edit(path) for path in paths)
    return Event("claude-code", TOOL, session=session, tool=EDIT, tool_name="Edit", edits=edits)


def place(folder, branch: str = "main") -> Workplace:
    return Workplace("main", branch, str(folder / "sessions"))


def lines(path) -> list[dict]:
    """Return the entries of a file of JSON lines; every line must be whole."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]
