"""pi: the events that our thin extension forwards, and the answers that it expects.

The extension prints each event of pi unchanged, with ``cwd`` and ``sessionId`` added, and returns the ``context`` of
the answer as a message of its own.

Source: the documentation shipped in ``@earendil-works/pi-coding-agent`` 1.5.2.

Its sessions are JSON lines that form a tree, read in file order. Source: ``docs/session-format.md`` of the package
(version 3 of the format).
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import OPENCODE, Client, Moved
from gitmem.agents.event import Event
from gitmem.agents.transcripts import turns
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
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
SHELLS = ("bash",)
READERS = ("read", "grep", "find")
CLIENT = Client(
    "pi",
    documents=("AGENTS.md", "AGENTS.override.md"),
    fallback="CLAUDE.md",
    plugin=(".pi/extensions/gitmem.ts", ".pi/agent/extensions/gitmem.ts"),
    commands=(".pi/prompts", ".pi/agent/prompts"),
    found=((".pi",), (".pi",)),
    note="pi loads a project's extensions only after you trust that project",
    command_form=OPENCODE,
    variables=("PI_CODING_AGENT",),
    session_variable="PI_SESSION_ID",  # seen with 0.87.1
    shells=SHELLS,
    editors=EDITORS,
    readers=READERS,
    sessions=(".pi",),
    moved_by=(Moved("PI_CODING_AGENT_DIR", ".pi/agent"),),
    forgets_start=True,
)
SOURCES = {"new": happened.STARTUP, "reload": happened.RESUME, "fork": happened.RESUME}


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in the extension's payload; None if it does not matter here."""
    what = EVENTS.get(read.name(payload, "type") or named, "")
    if not what or (what == happened.PROMPT and payload.get("messageType") == "custom"):
        return None
    tool_name, tool_input = read.name(payload, "toolName"), read.table(payload, "input")
    reason = read.name(payload, "reason")
    failed = payload.get("isError")
    return Event(
        "pi",
        what,
        session=read.name(payload, "sessionId"),
        folder=read.text(payload, "cwd") or read.text(read.table(payload, "systemPromptOptions"), "cwd"),
        source=SOURCES.get(reason, reason),
        prompt=read.text(payload, "prompt"),
        **read.tool_fields(tool_name, tool_input, shells=SHELLS, editors=EDITORS, readers=READERS),
        edits=read.edits(tool_input) if tool_name in EDITORS else (),
        output=read.output(payload.get("content")),
        failed=failed if isinstance(failed, bool) and what == happened.TOOL else None,
        response=_last_message(payload.get("messages")),
        transcript=read.text(payload, "sessionFile"),
    )


def _last_message(messages: object) -> str:
    if not isinstance(messages, list):
        return ""
    replies = (
        message for message in reversed(messages) if isinstance(message, dict) and message.get("role") == "assistant"
    )
    last = next(replies, {})
    return read.text(last, "content") or read.output(last.get("content"))


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    fit = event.name in (happened.START, happened.PROMPT, happened.TOOL)
    return format_json({"context": text}) if text and fit else SILENT


def read_turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns of a session's lines."""
    calls: dict[str, Turn] = {}
    for record in records:
        if record.get("type") != "message":
            continue
        message = turns.table(record.get("message"))
        role, content = message.get("role"), message.get("content")
        if role == "user" and (text := turns.join_texts(content).strip()):
            yield Turn(turns.PROMPT, text)
        elif role == "assistant":
            if text := turns.join_texts(content).strip():
                yield Turn(turns.SAID, text)
            for block in turns.tables(content):
                call = _call(block)
                if call is not None:
                    calls[turns.text(block.get("id"), 200)] = call
        elif role == "toolResult":
            known = calls.pop(turns.text(message.get("toolCallId"), 200), None)
            failed = message.get("isError")
            if known is not None:
                output = turns.tail(turns.join_texts(content))
                yield replace(known, output=output, failed=failed if isinstance(failed, bool) else None)
    yield from calls.values()


def _call(block: Mapping[str, Any]) -> Turn | None:
    if block.get("type") != "toolCall":
        return None
    return turns.tool_turn(block.get("name"), turns.table(block.get("arguments")), SHELLS, EDITORS)


def is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a record is from a session of pi."""
    return record.get("type") == "session" or (record.get("type") == "message" and "parentId" in record)
