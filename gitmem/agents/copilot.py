"""GitHub Copilot: the command line's hooks, and those of VS Code, which are shaped like Claude Code's.

Payloads of camelCase events name no event: the command line does (``gitmem hook copilot postToolUse``). What
``sessionStart`` and ``userPromptSubmitted`` print is ignored there; instructions and MCP bring the memory instead.

Source: GitHub's documentation of hooks; not run.
"""

from __future__ import annotations

import json

from gitmem import event as happened
from gitmem.agents import payload as read
from gitmem.event import Edit, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SILENT = ""
EVENTS = {
    "sessionStart": happened.START,
    "userPromptSubmitted": happened.PROMPT,
    "userPromptSubmit": happened.PROMPT,
    "postToolUse": happened.TOOL,
    "postToolUseFailure": happened.TOOL,
    "agentStop": happened.STOP,
    "stop": happened.STOP,
    "subagentStop": happened.SUBAGENT_STOP,
    "preCompact": happened.COMPACT,
    "sessionEnd": happened.END,
}
SHELLS = ("bash", "powershell")
EDITORS = ("edit", "create", "write")
SOURCES = {"new": happened.STARTUP}
# VS Code honours these; the command line ignores them without harm.
HOOKS = {happened.START: "SessionStart", happened.PROMPT: "UserPromptSubmit", happened.TOOL: "PostToolUse"}


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return what a hook was told, or None where it is nothing that matters here."""
    hook = read.name(payload, "hook_event_name") or named
    hook = hook[:1].lower() + hook[1:]
    what = EVENTS.get(hook, "")
    if not what:
        return None
    tool_name = read.name(payload, "toolName", "tool_name")
    given = read.table(payload, "toolArgs", "tool_input")
    answered = read.table(payload, "toolResult", "tool_result", "tool_response")
    error = read.text(payload, "error")
    source = read.name(payload, "source", "trigger", "reason", "stopReason")
    kind = happened.SHELL if tool_name in SHELLS else happened.EDIT if tool_name in EDITORS else happened.OTHER
    return Event(
        "copilot",
        what,
        session=read.name(payload, "sessionId", "session_id"),
        folder=read.text(payload, "cwd"),
        source=SOURCES.get(source, source),
        prompt=read.text(payload, "prompt", "initialPrompt"),
        tool=kind if tool_name else "",
        tool_name=tool_name,
        call=read.name(payload, "tool_use_id", "toolCallId"),
        command=read.text(given, "command") if tool_name in SHELLS else "",
        edits=_edits(tool_name, given),
        output=error or read.text(answered, "textResultForLlm", "text_result_for_llm", limit=read.OUTPUT_LIMIT),
        failed=_failed(hook, answered) if what == happened.TOOL else None,
        response=read.text(payload, "last_assistant_message", "lastAssistantMessage"),
        transcript=read.text(payload, "transcriptPath", "transcript_path"),
        agent=read.name(payload, "agentId", "agent_id"),
        agent_type=read.name(payload, "agentType", "agent_type", "agentName"),
        is_again=payload.get("stop_hook_active") is True,
    )


def _edits(tool_name: str, given: Mapping[str, Any]) -> tuple[Edit, ...]:
    path = read.text(given, "path", "file_path", "filePath")
    if tool_name not in EDITORS or not path:
        return ()
    before, after = read.text(given, "old_str", "old_string"), read.text(given, "new_str", "new_string", "file_text")
    return (Edit(path, before, after, is_new=tool_name == "create"),)


def _failed(hook: str, answered: Mapping[str, Any]) -> bool | None:
    if hook == "postToolUseFailure":
        return True
    ended = read.name(answered, "resultType", "result_type")
    return ended != "success" if ended else None


def answer(event: Event, text: str) -> str:
    """Return what is printed so that the agent is told a text."""
    if not text:
        return SILENT
    if event.name in HOOKS:
        told = {"hookSpecificOutput": {"hookEventName": HOOKS[event.name], "additionalContext": text}}
        return json.dumps(told, ensure_ascii=True)
    if event.name == happened.SUBAGENT_STOP:
        return json.dumps({"decision": "block", "reason": text}, ensure_ascii=True)
    return SILENT
