"""pi: the events that our thin extension forwards, and the answers that it expects.

The extension prints each event of pi unchanged, with ``cwd`` and ``sessionId`` added, and returns the ``context`` of
the answer as a message of its own.

Source: the documentation shipped in ``@earendil-works/pi-coding-agent`` 1.5.2.
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents.clients import payload as read
from gitmem.agents.event import Event
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SILENT = "{}"
EVENTS = {
    "session_start": happened.START,
    "before_agent_start": happened.PROMPT,
    "tool_result": happened.TOOL,
    "agent_end": happened.STOP,
    "session_before_compact": happened.COMPACT,
    "session_shutdown": happened.END,
}
EDITORS = ("edit", "write")
SOURCES = {"new": happened.STARTUP, "reload": happened.RESUME, "fork": happened.RESUME}


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in the extension's payload; None if it does not matter here."""
    what = EVENTS.get(read.name(payload, "type") or named, "")
    if not what or (what == happened.PROMPT and payload.get("messageType") == "custom"):
        return None
    tool_name, given = read.name(payload, "toolName"), read.table(payload, "input")
    reason = read.name(payload, "reason")
    failed = payload.get("isError")
    return Event(
        "pi",
        what,
        session=read.name(payload, "sessionId"),
        folder=read.text(payload, "cwd") or read.text(read.table(payload, "systemPromptOptions"), "cwd"),
        source=SOURCES.get(reason, reason),
        prompt=read.text(payload, "prompt"),
        **read.tool_fields(tool_name, given, shells=("bash",), editors=EDITORS, readers=("read",)),
        edits=read.edits(given) if tool_name in EDITORS else (),
        output=read.output(payload.get("content")),
        failed=failed if isinstance(failed, bool) and what == happened.TOOL else None,
        response=_last_message(payload.get("messages")),
        transcript=read.text(payload, "sessionFile"),
    )


def _last_message(messages: object) -> str:
    if not isinstance(messages, list):
        return ""
    said = (one for one in reversed(messages) if isinstance(one, dict) and one.get("role") == "assistant")
    last = next(said, {})
    return read.text(last, "content") or read.output(last.get("content"))


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    fit = event.name in (happened.START, happened.PROMPT, happened.TOOL)
    return format_json({"context": text}) if text and fit else SILENT
