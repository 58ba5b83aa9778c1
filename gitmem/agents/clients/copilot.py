"""GitHub Copilot: the hooks of its command line, and those of VS Code, which are shaped like those of Claude Code.

Payloads of camelCase events do not name the event: the command line does (``gitmem hook copilot postToolUse``). Copilot
reads ``additionalContext`` at the top level of an answer; VS Code, whose payloads name the event, reads it where Claude
Code does.

Source: payloads of Copilot CLI 1.0.102, GitHub's documentation of hooks, and for VS Code only that.

Its transcripts are ``events.jsonl``, a JSON line for each event. Source: the schema of session events in
``@github/copilot-sdk`` 1.0.14. Older versions leave fields out.
"""

from __future__ import annotations

import os
import re

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import CLAUDE, COPILOT, END_S, PROMPT_S, Client, ClientEvent, Moved
from gitmem.agents.clients import claude_code, codex
from gitmem.agents.event import Edit, Event
from gitmem.agents.transcripts import turns
from gitmem.agents.transcripts.turns import Turn
from gitmem.config import home, variable
from gitmem.frozen import replace
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SILENT = ""
EVENTS = {
    "sessionStart": happened.START,
    "userPromptSubmitted": happened.PROMPT,
    "userPromptSubmit": happened.PROMPT,
    "preToolUse": happened.DISPATCH,
    "postToolUse": happened.TOOL,
    "postToolUseFailure": happened.TOOL,
    "agentStop": happened.STOP,
    "stop": happened.STOP,
    "subagentStart": happened.SUBAGENT_START,
    "subagentStop": happened.SUBAGENT_STOP,
    "preCompact": happened.COMPACT,
    "sessionEnd": happened.END,
}
SHELLS = ("bash", "powershell", "shell", "local_shell", "runTerminalCommand", "run_in_terminal")
# Models of OpenAI get this editor instead, whose only argument is the patch (seen with 1.0.102).
PATCH = "apply_patch"
EDITORS = (
    *(PATCH, "edit", "create", "write", "str_replace_editor", "editFiles", "create_file"),
    *("replace_string_in_file", "insert_edit_into_file"),
)
READERS = ("view", "read_file", "grep", "rg", "glob")
# The tools that start a sub-agent, whose own start does not name its task (seen with 1.0.102).
DISPATCHERS = ("task", "runSubagent")
CREATORS = ("create", "create_file")
CLIENT = Client(
    "GitHub Copilot",
    (".github/hooks/gitmem.json", ".copilot/hooks/gitmem.json"),
    (
        ClientEvent("sessionStart"),
        ClientEvent("userPromptSubmitted", timeout_s=PROMPT_S),
        ClientEvent("preToolUse", "task"),
        *map(ClientEvent, ("postToolUse", "postToolUseFailure")),
        *map(ClientEvent, ("agentStop", "subagentStart", "subagentStop", "preCompact")),
        ClientEvent("sessionEnd", timeout_s=END_S),
    ),
    # Source: docs.github.com, Adding repository custom instructions for GitHub Copilot
    documents=(
        ".github/copilot-instructions.md",
        ".github/instructions/*.instructions.md",
        *("AGENTS.md", "/CLAUDE.md", "/GEMINI.md"),
    ),
    commands=(".github/prompts", ""),
    instructions=".github/copilot-instructions.md",
    mcp=(".vscode/mcp.json", ".copilot/mcp-config.json"),
    found=((".github/copilot-instructions.md", ".github/hooks", ".github/prompts"), (".copilot",)),
    note="Copilot runs a project's hooks in a folder that you trust; with -p, pass --trust-folder or set "
    "COPILOT_ALLOW_ALL=true",
    hook_form=COPILOT,
    command_form=COPILOT,
    server_form=COPILOT,
    aliases=("copilot-cli",),
    variables=(*("COPILOT_CLI", "COPILOT_AGENT_SESSION_ID", "COPILOT_AGENT_JOB_ID", "COPILOT_AGENT_CALLBACK_URL"),),
    session_variable="COPILOT_AGENT_SESSION_ID",  # seen with 1.0.102
    programs=("copilot",),
    other_servers=(".mcp.json", CLAUDE),  # its command line reads this one, VS Code the other
    documents_on_demand=(
        *(".github/instructions/*.md", ".github/prompts/*.md", ".github/chatmodes/*.md", ".github/agents/*.md"),
    ),
    memories=(
        (
            (".github/instructions", "instructions of Copilot"),
            (".github/copilot-instructions.md", "instructions"),
        ),
        (),
    ),
    shells=SHELLS,
    editors=EDITORS,
    readers=READERS,
    sessions=(".copilot",),
    moved_by=(Moved("COPILOT_HOME", ".copilot"),),
    forgets_start=True,
)
# The last line of a command's output (seen with 1.0.102); the tool reports success even if the command failed.
_ENDED = re.compile(r"\n?<(?:shellId: \d+ completed|exited) with exit code (-?\d+)>\s*\Z")
FAILED = {"success": False, "failure": True}
# A resumed session is shown the answer to its new start, which replaces the first one.
SOURCES = {"new": happened.STARTUP, "resume": happened.STARTUP}
# Fields that only the payload of one event has; the first match counts.
GUESSED = {
    "toolResult": "postToolUse",
    "initialPrompt": "sessionStart",
    "stopReason": "agentStop",
    "customInstructions": "preCompact",
    "prompt": "userPromptSubmitted",
    "reason": "sessionEnd",
    "error": "postToolUseFailure",
    "source": "sessionStart",
}


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here."""
    hook = read.name(payload, "hook_event_name", "hookEventName") or named or _guess_event(payload)
    hook = hook[:1].lower() + hook[1:]
    what = EVENTS.get(hook, "")
    if not what:
        return None
    tool_name = read.name(payload, "toolName", "tool_name")
    tool_input = read.table(payload, "toolArgs", "tool_input")
    if what == happened.DISPATCH and tool_name not in DISPATCHERS:
        return None
    about = tool_input if what == happened.DISPATCH else payload
    answered = read.table(payload, "toolResult", "tool_result", "tool_response")
    error = read.text(payload, "error") or read.text(read.table(payload, "error"), "message")
    source = read.name(payload, "source", "trigger", "reason", "stopReason")
    session = read.name(payload, "sessionId", "session_id")
    output = error[-read.OUTPUT_LIMIT :] or read.output(answered or payload.get("tool_response"))
    ended = _ENDED.search(output) if tool_name in SHELLS else None
    return Event(
        "copilot",
        what,
        session=session,
        folder=read.text(payload, "cwd"),
        source=SOURCES.get(source, source),
        prompt=read.text(about, "prompt", "initialPrompt", "initial_prompt"),
        **read.tool_fields(tool_name, tool_input, shells=SHELLS, editors=EDITORS, readers=READERS),
        edits=_edits(tool_name, tool_input) or codex.edits_of(_patch_of(tool_name, payload)),
        output=output[: ended.start()] if ended else output,
        failed=_has_failed(hook, answered, ended) if what == happened.TOOL else None,
        response=read.text(payload, "last_assistant_message", "lastAssistantMessage"),
        transcript=read.text(payload, "transcriptPath", "transcript_path") or _transcript(session),
        agent=read.name(payload, "agentId", "agent_id"),
        agent_type=read.name(about, "agentType", "agent_type", "agentName"),
        is_again=payload.get("stop_hook_active") is True,
        hook=read.name(payload, "hook_event_name", "hookEventName"),
    )


def _transcript(session: str) -> str:
    """Return the path of the session's transcript, which not every payload names; empty if it does not exist."""
    if not all(char.isalnum() or char in "-_" for char in session) or not session:
        return ""
    folder = variable("COPILOT_HOME") or os.path.join(home(), ".copilot")
    path = os.path.join(folder, "session-state", session, "events.jsonl")
    return path if os.path.isdir(os.path.dirname(path)) else ""


def _guess_event(payload: Mapping[str, Any]) -> str:
    """Return the event by its fields, for payloads and installed commands that do not name it."""
    return next((hook for field, hook in GUESSED.items() if field in payload), "")


def _edits(tool_name: str, given: Mapping[str, Any]) -> tuple[Edit, ...]:
    if tool_name not in EDITORS:
        return ()
    many = given.get("files")
    files = many[: read.EDITS_AT_MOST] if isinstance(many, list) else ()
    named = tuple(Edit(file) for file in files if isinstance(file, str) and file)
    return read.edits(given, is_new=tool_name in CREATORS) or named


def _patch_of(tool_name: str, payload: Mapping[str, Any]) -> str:
    """Return the patch of the editor of OpenAI's models, which is all of its arguments or one of them."""
    if tool_name != PATCH:
        return ""
    return read.text(read.table(payload, "toolArgs", "tool_input"), "input", "patch") or read.text(
        payload, "toolArgs", "tool_input"
    )


def _has_failed(hook: str, answered: Mapping[str, Any], ended: re.Match[str] | None) -> bool | None:
    if hook == "postToolUseFailure":
        return True
    if ended:
        return ended[1] != "0"
    return FAILED.get(read.name(answered, "resultType", "result_type"))


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    if text and event.name in claude_code.INJECTED and not event.hook:
        return format_json({"additionalContext": text})
    # VS Code reads what Claude Code does.
    return claude_code.answer(replace(event, failed=None), text)


def read_turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns in a session's events, including those of sub-agents, marked as theirs."""
    calls: dict[str, Turn] = {}
    for record in records:
        what, data = record.get("type"), turns.table(record.get("data"))
        if what == "user.message" and (text := turns.text(data.get("content")).strip()):
            yield Turn(turns.PROMPT, text)
        elif what == "assistant.message" and (text := turns.text(data.get("content")).strip()):
            yield Turn(turns.SAID, text)
        elif what == "tool.execution_start":
            call = _call(data)
            if call is not None:
                calls[turns.text(data.get("toolCallId"), 200)] = call
        elif what == "tool.execution_complete":
            known = calls.pop(turns.text(data.get("toolCallId"), 200), None)
            if known is not None:
                yield _with_result(known, data)
    yield from calls.values()


def _call(data: Mapping[str, Any]) -> Turn | None:
    if data.get("toolName") == PATCH:
        files = turns.patched_files(turns.text(data.get("arguments"), turns.PATCH_LIMIT))
        return Turn(turns.EDIT, files=files) if files else None
    arguments = turns.parse_table(data.get("arguments"))
    # An editor has commands as well.
    return (
        None
        if arguments.get("command") == "view"
        else turns.tool_turn(data.get("toolName"), arguments, SHELLS, EDITORS)
    )


def _with_result(call: Turn, data: Mapping[str, Any]) -> Turn:
    output = turns.tail(turns.table(data.get("result")).get("content"))
    failed = not data["success"] if isinstance(data.get("success"), bool) else None
    if call.what == turns.COMMAND and (ended := _ENDED.search(output)):
        return replace(call, output=output[: ended.start()], failed=ended[1] != "0")
    return replace(call, output=output, failed=failed)


def is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a record is from a session of Copilot."""
    return isinstance(record.get("data"), dict) and "." in str(record.get("type"))
