"""The worklog of a topic: what tools did, a compact line of JSON each, trimmed as it is written (E2).

Commands are other people's text: they are cut, their hidden characters are spelt out and their secrets are replaced
before they are kept. What a tool printed is not kept, but for the last line of a failure.
"""

from __future__ import annotations

import os

from gitmem.agents import event as what
from gitmem.agents.session.places import append, read_lines
from gitmem.agents.session.topics import place_of, topic_of
from gitmem.text.sanitize import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.agents.session.topics import Topic
    from gitmem.repository.repository import OpenRepository

# Some 500 entries; half of it stays when it is trimmed. A choice of ours.
WORKLOG_BYTES = 64 * 1024
# A command or a line of output is read up to the first, and kept up to the second; of one edit, so many files.
READ_CHARS, KEPT_CHARS, KEPT_FILES = 4000, 300, 20


def record(memory: OpenRepository, event: Event) -> None:
    """Add what a tool did to the worklog of the active topic.

    Raises:
        BusyError: The worklog is being written all the time.
        OSError: The disk does not allow it.
    """
    repository = memory.git.repository
    topic = topic_of(place_of(repository, memory.git.read_head()[0]), event.session)
    top = repository.top or ""
    entry: dict[str, Any] = {"at": memory.now, "tool": event.tool}
    if event.tool == what.SHELL:
        entry["did"] = _line(event.command)
    elif event.tool == what.EDIT:
        entry["did"] = [_path(edit.path, top) for edit in event.edits[:KEPT_FILES]]
        if len(event.edits) > KEPT_FILES:
            entry["more"] = len(event.edits) - KEPT_FILES
    else:
        entry["did"] = _line(event.tool_name)
    if event.failed is not None:
        entry["failed"] = event.failed
    if event.failed:
        entry["said"] = _last(event.output)
    if event.agent:
        entry["agent"] = _line(event.agent_type or event.agent)
    append(topic.worklog_path, entry, limit=WORKLOG_BYTES)


def _line(text: str) -> str:
    """Return a text as one clean line without secrets."""
    line = " ".join(text[: 4 * READ_CHARS].split())
    if len(line) > READ_CHARS:  # half a secret would not be known for one
        line = line[:READ_CHARS].rpartition(" ")[0] or line[:READ_CHARS]
    line = display(redact(line))
    return line if len(line) <= KEPT_CHARS else f"{line[: KEPT_CHARS - 1]}…"


def _last(output: str) -> str:
    """Return the last line that a tool printed; of a very long one its end, without the word that the cut is in."""
    lines = redact(output).strip().splitlines() or [""]
    line = lines[-1]
    return _line(line if len(line) <= READ_CHARS else line[-READ_CHARS:].partition(" ")[2])


def _path(path: str, top: str) -> str:
    inside = os.path.relpath(path, top) if top and os.path.isabs(path) and path.startswith(f"{top}{os.sep}") else path
    # Name by name: together they are long, and what is long is read with patterns that take 5 ms to load (measured).
    return os.sep.join(_line(name) for name in inside[:READ_CHARS].split(os.sep))[:READ_CHARS]


def tail(topic: Topic, count: int) -> list[str]:
    """Return the last things that a topic's tools did, the oldest first, a line each; edits and commands alone."""
    entries = read_lines(topic.worklog_path, WORKLOG_BYTES)
    lines = [line for entry in entries if (line := line_of(entry))]
    return lines[-count:] if count else []


def line_of(entry: dict[str, Any]) -> str:
    """Return one entry as a line; empty for what is not a command and no edit, or is damaged."""
    did, more = entry.get("did"), entry.get("more")
    if entry.get("tool") == what.EDIT and isinstance(did, list) and did:
        return f"edited {', '.join(map(str, did))}" + (f" and {more} more" if more else "")
    if entry.get("tool") == what.SHELL and isinstance(did, str) and did:
        failed = entry.get("failed")
        end = f" → failed: {entry.get('said') or 'no output'}" if failed else " → ok" if failed is False else ""
        return f"ran {did}{end}"
    return ""


def counts(entries: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return how many entries of each kind of tool there are, by name."""
    found: dict[str, int] = {}
    for entry in entries:
        name = str(entry.get("tool") or what.OTHER)
        found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))
