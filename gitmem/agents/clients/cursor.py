"""Cursor: the JSON of its hooks, and the answers that it accepts.

It also runs the hooks in Claude Code's settings, with its own payloads, so one event may arrive twice (``agents.hook``
counts it once). Empty output counts as a failed hook, so an empty table is printed instead.

Source: the hooks module of ``@cursor/sdk`` 1.0.32; not run.
"""

from __future__ import annotations

import os

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import CURSOR, END_S, PROMPT_S, Client, ClientEvent
from gitmem.agents.clients import claude_code
from gitmem.agents.event import Event
from gitmem.frozen import replace
from gitmem.system import only_regular
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.agents.event import Edit

SILENT = "{}"
SETTINGS = ".cursor/hooks.json"
# The text in them that calls gitmem, and how much of a file is read.
CALL = b"hook cursor"
SETTINGS_LIMIT = 262_144
ROOTS_AT_MOST = 20
EVENTS = {
    "sessionStart": happened.START,
    "beforeSubmitPrompt": happened.PROMPT,
    "postToolUse": happened.TOOL,
    "postToolUseFailure": happened.TOOL,
    "afterShellExecution": happened.TOOL,
    "afterFileEdit": happened.TOOL,
    "afterAgentResponse": happened.RESPONSE,
    "stop": happened.STOP,
    "subagentStart": happened.SUBAGENT_START,
    "subagentStop": happened.SUBAGENT_STOP,
    "preCompact": happened.COMPACT,
    "sessionEnd": happened.END,
}
# The hooks of Claude Code's settings that it runs under a name of its own.
CLAUDES = {"UserPromptSubmit": "beforeSubmitPrompt"}
SHELLS = ("Shell", "Bash")
READERS = ("Read", "Grep")
CLIENT = Client(
    "Cursor",
    (SETTINGS, SETTINGS),
    (
        ClientEvent("sessionStart"),
        ClientEvent("beforeSubmitPrompt", timeout_s=PROMPT_S),
        ClientEvent("postToolUse", "Shell|Read|Grep"),
        ClientEvent("postToolUseFailure", "Shell"),
        *map(ClientEvent, ("afterFileEdit", "afterAgentResponse")),
        *map(ClientEvent, ("stop", "subagentStart", "subagentStop", "preCompact")),
        ClientEvent("sessionEnd", timeout_s=END_S),
    ),
    # Source: cursor.com/docs/context/rules
    documents=("AGENTS.md", ".cursor/rules/*.md*", "/.cursorrules"),
    commands=(".cursor/commands", ".cursor/commands"),
    mcp=(".cursor/mcp.json", ".cursor/mcp.json"),
    found=((".cursor",), (".cursor",)),
    hook_form=CURSOR,
    command_form=CURSOR,
    variables=("CURSOR_AGENT",),
    programs=("cursor-agent",),
    runs_hooks_of="claude-code",
    memories=(((".cursor/rules", "rules of Cursor"),), ()),
    shells=SHELLS,
    readers=READERS,
)


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here."""
    hook = read.name(payload, "hook_event_name") or named
    hook = CLAUDES.get(hook, hook[:1].lower() + hook[1:])
    what = EVENTS.get(hook, "")
    if not what:
        return None
    tool_name, tool_input = read.name(payload, "tool_name"), read.table(payload, "tool_input")
    is_shell = hook == "afterShellExecution" or tool_name in SHELLS
    edits = _edits(hook, tool_name, tool_input, payload)
    kind = happened.SHELL if is_shell else happened.EDIT if edits else happened.OTHER
    kind = happened.READ if tool_name in READERS else kind
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    failed = hook == "postToolUseFailure"
    return Event(
        "cursor",
        what,
        session=read.name(payload, "session_id", "conversation_id"),
        folder=read.text(payload, "cwd") or root,
        # It reports no source: a session that starts is new.
        source=happened.STARTUP if what == happened.START else read.name(payload, "trigger", "reason", "status"),
        prompt=read.text(payload, "prompt") or (read.text(payload, "task") if what == happened.SUBAGENT_START else ""),
        tool=kind if what == happened.TOOL else "",
        tool_name=tool_name or (hook if what == happened.TOOL else ""),
        command=read.text(payload, "command") or read.text(tool_input, "command") if is_shell else "",
        edits=edits,
        path=read.text(tool_input, *read.PATHS) if tool_name in READERS else "",
        output=read.text(payload, "error_message") if failed else "" if edits else read.output(_output_of(payload)),
        # `afterShellExecution` does not report the exit status.
        failed=None
        if payload.get("is_interrupt") is True
        else {"postToolUse": False, "postToolUseFailure": True}.get(hook),
        response=read.text(payload, "text", "summary"),
        transcript=read.text(payload, "agent_transcript_path", "transcript_path"),
        agent=read.name(payload, "subagent_id"),
        agent_type=read.name(payload, "subagent_type"),
        is_again=bool(payload.get("loop_count")),
    )


def _output_of(payload: Mapping[str, Any]) -> object:
    """Return a tool's output: a plain text, or a JSON table in a string."""
    return read.table(payload, "tool_output") or read.text(payload, "output", "tool_output")


def _edits(hook: str, tool_name: str, given: Mapping[str, Any], payload: Mapping[str, Any]) -> tuple[Edit, ...]:
    if hook != "afterFileEdit":
        return claude_code.edits_of(tool_name, given, payload)
    edits = read.edits(payload) if isinstance(payload.get("edits"), list) else ()
    # A new file is reported as one edit of an empty text.
    return (replace(edits[0], is_new=True),) if len(edits) == 1 and not edits[0].before else edits


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    if not text:
        return SILENT
    if event.name in (happened.START, happened.TOOL, happened.SUBAGENT_START):
        return format_json({"additional_context": text})
    if event.name == happened.PROMPT:
        return format_json({"continue": True, "additional_context": text})
    return format_json({"followup_message": text}) if event.name == happened.SUBAGENT_STOP else SILENT


def has_own_hooks(payload: Mapping[str, Any], person: str) -> bool:
    """Return whether Cursor's own hooks call gitmem as well, in its workspaces or in the person's settings.

    Args:
        payload: The JSON from standard input.
        person: The person's home folder.
    """
    roots = payload.get("workspace_roots")
    folders = [root for root in roots if isinstance(root, str)] if isinstance(roots, list) else []
    return any(_calls_us(os.path.join(folder, *SETTINGS.split("/"))) for folder in [*folders[:ROOTS_AT_MOST], person])


def _calls_us(path: str) -> bool:
    try:
        with open(path, "rb", opener=only_regular) as file:
            return CALL in file.read(SETTINGS_LIMIT)
    except (OSError, ValueError):
        return False
