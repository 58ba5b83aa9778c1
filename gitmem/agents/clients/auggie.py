"""Auggie, the command line of Augment: hooks arranged like those of Claude Code, with names of their own.

A payload has ``conversation_id`` and ``workspace_roots``, a tool's ``tool_output`` or ``tool_error``, and the changed
files with their old and new text. Timeouts are milliseconds. There is no event for sub-agents or compaction, and no
transcript; the last message comes with ``Stop`` only if a hook's metadata asks for the conversation, which ours does
not.

Source: the hook modules of ``@augmentcode/auggie`` 0.36.0; not run, because it needs an account.
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import AUGGIE, END_S, PROMPT_S, Client, ClientEvent
from gitmem.agents.event import Edit, Event
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SILENT = ""
EVENTS = {
    "SessionStart": happened.START,
    "PromptSubmit": happened.PROMPT,
    "PostToolUse": happened.TOOL,
    "Stop": happened.STOP,
    "SessionEnd": happened.END,
}
SHELL = "launch-process"
EDITORS = ("str-replace-editor", "save-file", "remove-files", "apply_patch")
READER = "view"
SETTINGS = ".augment/settings.json"
CLIENT = Client(
    "Auggie",
    (SETTINGS, SETTINGS),
    (
        ClientEvent("SessionStart"),
        ClientEvent("PromptSubmit", timeout_s=PROMPT_S),
        ClientEvent("PostToolUse", "|".join((SHELL, READER, *EDITORS))),
        ClientEvent("Stop"),
        ClientEvent("SessionEnd", timeout_s=END_S),
    ),
    # Source: docs.augmentcode.com/cli/rules
    documents=("AGENTS.md", "CLAUDE.md", "/.augment-guidelines", ".augment/rules/*.md"),
    mcp=("", SETTINGS),
    found=((".augment", ".augment-guidelines"), (".augment",)),
    hook_form=AUGGIE,
    variables=("AUGMENT_AGENT",),
    programs=("auggie",),
    shells=(SHELL,),
    editors=EDITORS,
    readers=(READER,),
)
# The events whose answer names the event; the others read a context at the top level.
EVENT_NAMES = {happened.START: "SessionStart", happened.TOOL: "PostToolUse"}


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here."""
    what = EVENTS.get(read.name(payload, "hook_event_name") or named, "")
    if not what:
        return None
    tool_name, tool_input = read.name(payload, "tool_name"), read.table(payload, "tool_input")
    roots = payload.get("workspace_roots")
    error = read.text(payload, "tool_error")
    is_tool = what == happened.TOOL
    return Event(
        "auggie",
        what,
        session=read.name(payload, "conversation_id"),
        folder=roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else "",
        source=happened.STARTUP if what == happened.START else read.name(payload, "agent_stop_cause"),
        prompt=read.text(payload, "user_prompt") if what == happened.PROMPT else "",
        **read.tool_fields(tool_name, tool_input, shells=(SHELL,), editors=EDITORS, readers=(READER,)),
        edits=_edits(payload) if tool_name in EDITORS else (),
        output=(error[-read.OUTPUT_LIMIT :] or read.output(payload.get("tool_output"))) if is_tool else "",
        # The tool reports no error if its command exits with another status than 0.
        failed=True if error else None,
    )


def _edits(payload: Mapping[str, Any]) -> tuple[Edit, ...]:
    many = payload.get("file_changes")
    edits = [edit for edit in many[: read.EDITS_AT_MOST] if isinstance(edit, dict)] if isinstance(many, list) else []
    return tuple(
        Edit(
            path,
            read.text(edit, "oldContent"),
            read.text(edit, "content"),
            is_new=edit.get("changeType") == "create",
            is_gone=edit.get("changeType") == "delete",
        )
        for edit in edits
        if (path := read.text(edit, "path"))
    )


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    if not text or event.name not in (*EVENT_NAMES, happened.PROMPT):
        return SILENT
    if event.name == happened.PROMPT:
        return format_json({"additionalContext": text})
    return format_json({"hookSpecificOutput": {"hookEventName": EVENT_NAMES[event.name], "additionalContext": text}})
