"""What the tests of capture share: events of an agent that works in a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conftest import git

from gitmem.agents.event import EDIT, RESPONSE, SHELL, TOOL, Edit, Event
from gitmem.memory import Memory

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def ran(repo: Path, command: str, *, failed: bool | None = False, output: str = "", **changed: Any) -> Event:
    """Return the event of a command that was run."""
    values = {"client": "claude-code", "session": "s1", "folder": str(repo)} | changed
    return Event(name=TOOL, tool=SHELL, command=command, failed=failed, output=output, **values)


def edited(repo: Path, path: str, after: str = "", **changed: Any) -> Event:
    """Return the event of a file that was written, which is there as it says."""
    values = {"client": "claude-code", "session": "s1", "folder": str(repo)} | changed
    return Event(name=TOOL, tool=EDIT, edits=(Edit(str(repo / path), "", after),), failed=False, **values)


def wrote(repo: Path, path: str, text: str, **changed: Any) -> Event:
    """Write a file, and return the event of it."""
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    (repo / path).write_text(text, encoding="utf-8")
    return edited(repo, path, text, **changed)


def message_event(repo: Path, response: str, **changed: Any) -> Event:
    """Return the event of what an agent said."""
    values = {"client": "claude-code", "session": "s1", "folder": str(repo)} | changed
    return Event(name=RESPONSE, response=response, **values)


def captured_memories(memory: Memory) -> dict[str, dict[str, Any]]:
    """Return what is on the branch after all that was captured was written: the shown memory by key."""
    memory.captures.drain()
    if memory.repository.find_tip() is None:
        return {}
    listed = git(memory.repository.git.repository.work_tree, "ls-tree", "-r", "--name-only", "refs/heads/memory")
    keys = [Path(path).stem for path in listed.splitlines() if path.endswith(".md") and "/" in path]
    return {key: memory.show(key).document for key in keys}


def refusals(memory: Memory) -> list[str]:
    """Return why something was not captured, as doctor tells it."""
    return [p.message for p in memory.doctor(fix=False).problems if p.code == "capture-refused"]
