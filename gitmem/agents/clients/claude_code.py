"""Claude Code: the JSON of its hooks, and the answers that it accepts.

Source: the hooks reference of Claude Code and payloads of version 2.1.330. A command that fails arrives as
``PostToolUseFailure``; plain text on standard output would be injected at some events and not at others, so answers are
always JSON.
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

    from gitmem.agents.event import Edit

SILENT = ""
EVENTS = {
    "SessionStart": happened.START,
    "UserPromptSubmit": happened.PROMPT,
    "PostToolUse": happened.TOOL,
    "PostToolUseFailure": happened.TOOL,
    "Stop": happened.STOP,
    "SubagentStart": happened.SUBAGENT_START,
    "SubagentStop": happened.SUBAGENT_STOP,
    "PreCompact": happened.COMPACT,
    "SessionEnd": happened.END,
}
SHELLS = ("Bash",)
EDITORS = ("Edit", "Write", "NotebookEdit", "MultiEdit")
READERS = ("Read", "NotebookRead")
# The tools that start a sub-agent.
DISPATCHERS = ("Agent", "Task")
# A forked session continues with the context of the original.
SOURCES = {"fork": happened.RESUME}
# The events whose answer may carry context, by their names in an answer.
INJECTED = {
    happened.START: "SessionStart",
    happened.PROMPT: "UserPromptSubmit",
    happened.TOOL: "PostToolUse",
    happened.SUBAGENT_START: "SubagentStart",
}


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here.

    Args:
        payload: The JSON from standard input.
        named: The event named on the command line, for payloads that do not name it.
    """
    hook = read.name(payload, "hook_event_name") or named
    what = EVENTS.get(hook, "")
    agent_type = read.name(payload, "agent_type")
    # Compaction runs agents without a type whose transcripts do not exist (seen with 2.1.330).
    if not what or (what in (happened.SUBAGENT_START, happened.SUBAGENT_STOP) and not agent_type):
        return None
    source = read.name(payload, "source", "trigger", "reason")
    tool_name, given = read.name(payload, "tool_name"), read.table(payload, "tool_input")
    error = read.text(payload, "error")
    return Event(
        "claude-code",
        what,
        session=read.name(payload, "session_id"),
        folder=read.text(payload, "cwd"),
        source=SOURCES.get(source, source),
        prompt=read.text(given if tool_name in DISPATCHERS else payload, "prompt"),
        **read.tool_fields(tool_name, given, shells=SHELLS, editors=EDITORS, readers=READERS),
        edits=edits_of(tool_name, given, payload),
        # An editor's answer is the file.
        output=error[-read.OUTPUT_LIMIT :]
        if error or tool_name in EDITORS or tool_name in READERS
        else read.output(payload.get("tool_response")),
        failed=_has_failed(hook, given, payload) if what == happened.TOOL else None,
        response=read.text(payload, "last_assistant_message"),
        transcript=read.text(payload, "agent_transcript_path", "transcript_path"),
        agent=read.name(payload, "agent_id"),
        agent_type=agent_type,
        is_again=payload.get("stop_hook_active") is True,
    )


def _has_failed(hook: str, given: Mapping[str, Any], payload: Mapping[str, Any]) -> bool | None:
    """Return whether a tool failed; None if a person interrupted it, or it still runs."""
    is_open = payload.get("is_interrupt") is True or given.get("run_in_background") is True
    if is_open or read.table(payload, "tool_response").get("interrupted") is True:
        return None
    return hook == "PostToolUseFailure"


def edits_of(tool_name: str, given: Mapping[str, Any], payload: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Return the files that a tool of Claude Code changed."""
    is_new = read.table(payload, "tool_response").get("type") == "create"
    return read.edits(given, is_new=is_new) if tool_name in EDITORS else ()


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    if not text:
        return SILENT
    if event.name in INJECTED:
        hook = "PostToolUseFailure" if event.failed else INJECTED[event.name]
        values = {"hookSpecificOutput": {"hookEventName": hook, "additionalContext": text}}
        return format_json(values)
    if event.name == happened.SUBAGENT_STOP:
        return format_json({"decision": "block", "reason": text})
    return SILENT
