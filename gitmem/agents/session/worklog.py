"""The worklog of a topic: what tools did, one compact line of JSON each, trimmed as it is written.

Commands are untrusted text: they are truncated, hidden characters are spelled out, and secrets are replaced before they
are written. Of a command's output, only the last line of a failure is stored.
"""

from __future__ import annotations

import os

from gitmem.agents import event as what
from gitmem.agents.session.places import append, read_lines
from gitmem.agents.session.topics import topic_of, workplace_of
from gitmem.text import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.agents.session.topics import Topic
    from gitmem.repository import OpenRepository

# About 500 entries; trimming drops half of them. Our choice.
WORKLOG_BYTES = 64 * 1024
# The most characters read and the most stored of a command or a line of output; the most files of one edit.
READ_CHARS, KEPT_CHARS, KEPT_FILES = 4000, 300, 20


def record(repository: OpenRepository, event: Event) -> None:
    """Add what a tool did to the worklog of the active topic.

    Raises:
        BusyError: Timed out waiting for other writers of the worklog.
        OSError: The worklog cannot be written.
    """
    topic = topic_of(workplace_of(repository), event.session)
    top = repository.git.repository.top or ""
    entry: dict[str, Any] = {"at": repository.now, "tool": event.tool}
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
    if len(line) > READ_CHARS:  # half a secret would not be recognized
        line = line[:READ_CHARS].rpartition(" ")[0] or line[:READ_CHARS]
    line = display(redact(line))
    return line if len(line) <= KEPT_CHARS else f"{line[: KEPT_CHARS - 1]}…"


def _last(output: str) -> str:
    """Return the last line of a tool's output; of a very long line its end, without the word at the cut."""
    lines = redact(output).strip().splitlines() or [""]
    line = lines[-1]
    return _line(line if len(line) <= READ_CHARS else line[-READ_CHARS:].partition(" ")[2])


def _path(path: str, top: str) -> str:
    inside = os.path.relpath(path, top) if top and os.path.isabs(path) and path.startswith(f"{top}{os.sep}") else path
    # One by one: joined they are long, and long texts are searched with patterns that take 5 ms to load (measured).
    return os.sep.join(_line(name) for name in inside[:READ_CHARS].split(os.sep))[:READ_CHARS]


def tail(topic: Topic, count: int) -> list[str]:
    """Return a topic's last commands and edits, oldest first, one line each."""
    entries = read_lines(topic.worklog_path, WORKLOG_BYTES)
    lines = [line for entry in entries if (line := line_of(entry))]
    return lines[-count:] if count else []


def line_of(entry: dict[str, Any]) -> str:
    """Return one entry as a line; empty if it is damaged, or neither a command nor an edit."""
    did, more = entry.get("did"), entry.get("more")
    if entry.get("tool") == what.EDIT and isinstance(did, list) and did:
        return f"edited {', '.join(map(str, did))}" + (f" and {more} more" if more else "")
    if entry.get("tool") == what.SHELL and isinstance(did, str) and did:
        failed = entry.get("failed")
        end = f" → failed: {entry.get('said') or 'no output'}" if failed else " → ok" if failed is False else ""
        return f"ran {did}{end}"
    return ""


def counts(entries: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return the number of entries of each kind of tool, by name."""
    totals: dict[str, int] = {}
    for entry in entries:
        name = str(entry.get("tool") or what.OTHER)
        totals[name] = totals.get(name, 0) + 1
    return dict(sorted(totals.items()))
