"""Claude Code: the JSON of its hooks, and the answers that it accepts.

Source: the hooks reference of Claude Code and payloads of version 2.1.330. A command that fails arrives as
``PostToolUseFailure``; plain text on standard output would be injected at some events and not at others, so answers are
always JSON.

Transcripts are JSON lines, one for each block of a message. Source: files of version 2.1.330. The format is
undocumented and changes, so unknown records are skipped.
"""

from __future__ import annotations

import os

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import CLAUDE, END_S, PROMPT_S, Client, ClientEvent, Moved, Obstacle
from gitmem.agents.clients import load
from gitmem.agents.event import Event
from gitmem.agents.transcripts import turns
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.agents.event import Edit

SILENT = ""
EVENTS = {
    "SessionStart": happened.START,
    "UserPromptSubmit": happened.PROMPT,
    "PreToolUse": happened.DISPATCH,
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
READERS = ("Read", "NotebookRead", "Grep", "Glob")
# The tools that start a sub-agent.
DISPATCHERS = ("Agent", "Task")
# The type of a sub-agent that is dispatched without one.
GENERAL = "general-purpose"
# A tool gets an answer before the agent continues; that a sub-agent has ended is only recorded.
TOOLS = "Bash|Edit|Glob|Grep|MultiEdit|NotebookEdit|Read|Write"
CLIENT = Client(
    "Claude Code",
    (".claude/settings.json", ".claude/settings.json"),
    (
        ClientEvent("SessionStart"),
        ClientEvent("UserPromptSubmit", timeout_s=PROMPT_S),
        ClientEvent("PreToolUse", "|".join((*SHELLS, *DISPATCHERS))),
        ClientEvent("PostToolUse", TOOLS),
        ClientEvent("PostToolUse", "|".join(DISPATCHERS), is_async=True),
        ClientEvent("PostToolUseFailure", TOOLS),
        *map(ClientEvent, ("Stop", "SubagentStart", "SubagentStop", "PreCompact")),
        ClientEvent("SessionEnd", timeout_s=END_S),
    ),
    # Source: code.claude.com/docs/en/memory; the fallback was seen with version 2.1.330.
    documents=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules/*.md"),
    fallback="AGENTS.md",
    skills=(".claude/skills", ".claude/skills"),
    commands=(".claude/commands", ".claude/commands"),
    mcp=(".mcp.json", ""),
    found=((".claude", "CLAUDE.md"), (".claude",)),
    command_form=CLAUDE,
    obstacles=(
        Obstacle(
            ".claude/settings.json",
            ("disableAllHooks",),
            value=True,
            message="disableAllHooks is set in .claude/settings.json: no hook runs",
        ),
    ),
    aliases=("claude",),
    variables=("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE"),
    # It also sets variables of which the names change; but people export its settings in their own shells, and its
    # plugins for editors set a port in terminals that people type in.
    variable_prefix="CLAUDE_CODE_",
    own_settings=(
        *("USE_", "SKIP_", "DISABLE_", "ENABLE_", "FORCE_", "MAX_", "AUTO_", "IDE_", "CLIENT_", "OTEL_", "PROXY_"),
        *("DEBUG", "API_KEY_", "OAUTH_", "SUBAGENT_", "EFFORT_", "SHELL", "GIT_BASH_", "HIDE_", "SSE_PORT"),
        *("PLUGIN_", "TMPDIR"),
    ),
    session_variable="CLAUDE_CODE_SESSION_ID",  # seen with 2.1.331
    programs=("claude", "claude-code"),
    documents_on_demand=(".claude/commands/*.md", ".claude/agents/*.md", ".claude/skills/*.md"),
    memories=(
        (
            (".claude/rules", "rules of Claude Code"),
            (".claude/agent-memory", "Claude Code's agents"),
            ("CLAUDE.md", "instructions"),
        ),
        ((".claude/CLAUDE.md", "instructions"),),
    ),
    note_folders=(".claude/memory", ".claude/agent-memory"),
    agent_notes=".claude/agent-memory",
    shells=SHELLS,
    editors=EDITORS,
    readers=READERS,
    sessions=(".claude", ".config/claude"),
    moved_by=(Moved("CLAUDE_CONFIG_DIR", ".claude"),),
)
# A forked session continues with the context of the original.
SOURCES = {"fork": happened.RESUME}
# The events whose answer may carry context, by their names in an answer.
INJECTED = {
    happened.START: "SessionStart",
    happened.PROMPT: "UserPromptSubmit",
    happened.TOOL: "PostToolUse",
    happened.SUBAGENT_START: "SubagentStart",
    happened.COMMAND: "PreToolUse",
}


def sender(payload: Mapping[str, Any]) -> str:
    """Return the client that sent a payload to these hooks: several run those in the settings of Claude Code."""
    path = payload.get("transcript_path")
    if "cursor_version" in payload:
        return "cursor"
    if "turn_id" in payload or (isinstance(path, str) and os.path.basename(path).startswith("rollout-")):
        return "codex"
    if "timestamp" not in payload:
        return "claude-code"
    # VS Code also sends the time; but not every event of Gemini, and not always the session's file.
    is_gemini = "transcript_path" in payload and payload.get("hook_event_name") in load("gemini").EVENTS
    return "gemini" if is_gemini else "copilot"


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here.

    Args:
        payload: The JSON from standard input.
        named: The event named on the command line, for payloads that do not name it.
    """
    return _announced(payload) or parse_as("claude-code", CLIENT, payload, named, DISPATCHERS)


def _announced(payload: Mapping[str, Any]) -> Event | None:
    """Return the event of a command that is about to run, if a memory may warn about it."""
    if payload.get("hook_event_name") != "PreToolUse" or payload.get("tool_name") not in SHELLS:
        return None
    from gitmem.agents.moments.cues import cued_phrases
    from gitmem.agents.moments.recipes import with_recipes
    from gitmem.agents.moments.risk import find_risk

    command, folder = read.text(read.table(payload, "tool_input"), "command"), read.text(payload, "cwd")
    line = with_recipes(folder, command)
    if not find_risk(line) and not cued_phrases(folder, line):
        return None
    return Event(
        "claude-code",
        happened.COMMAND,
        session=read.name(payload, "session_id"),
        folder=folder,
        command=command,
        agent=read.name(payload, "agent_id"),
        agent_type=read.name(payload, "agent_type"),
    )


def parse_as(
    client: str, table: Client, payload: Mapping[str, Any], named: str, dispatchers: Sequence[str] = ()
) -> Event | None:
    """Return the event in a payload of a client whose hooks are shaped like those of Claude Code.

    Args:
        client: Its name.
        table: Its table, with the names of its tools.
        payload: The JSON from standard input.
        named: The event named on the command line.
        dispatchers: The tools that start a sub-agent.
    """
    hook = read.name(payload, "hook_event_name") or named
    what = EVENTS.get(hook, "")
    agent_type = read.name(payload, "agent_type")
    # Compaction runs agents without a type whose transcripts do not exist (seen with 2.1.330).
    if not what or (what in (happened.SUBAGENT_START, happened.SUBAGENT_STOP) and not agent_type):
        return None
    source = read.name(payload, "source", "trigger", "reason")
    tool_name, tool_input = read.name(payload, "tool_name"), read.table(payload, "tool_input")
    if what == happened.DISPATCH:
        if tool_name not in dispatchers:
            return None
        agent_type = read.name(tool_input, "subagent_type") or GENERAL
    error = read.text(payload, "error")
    is_file = tool_name in table.editors or tool_name in table.readers
    return Event(
        client,
        what,
        session=read.name(payload, "session_id"),
        folder=read.text(payload, "cwd"),
        source=SOURCES.get(source, source),
        prompt=read.text(tool_input if tool_name in dispatchers else payload, "prompt"),
        **read.tool_fields(tool_name, tool_input, shells=table.shells, editors=table.editors, readers=table.readers),
        edits=edits_of(tool_name, tool_input, payload, table.editors),
        # An editor's answer is the file.
        output=error[-read.OUTPUT_LIMIT :] if error or is_file else read.output(payload.get("tool_response")),
        failed=_has_failed(hook, tool_input, payload) if what == happened.TOOL else None,
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


def edits_of(
    tool_name: str, given: Mapping[str, Any], payload: Mapping[str, Any], editors: Sequence[str] = EDITORS
) -> tuple[Edit, ...]:
    """Return the files that a tool changed, if it is one of the editors."""
    is_new = read.table(payload, "tool_response").get("type") == "create"
    return read.edits(given, is_new=is_new) if tool_name in editors else ()


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


# Text recorded as the user's that is not: command output, notices of the client.
TAGS = (
    *("<command-", "<local-command-", "<system-reminder>", "<task-notification", "<bash-", "<user-memory-input"),
    *("[Request interrupted", "Caveat: The messages below"),
)
# A tool result that the person refused, and one of a command that continues in the background.
UNDECIDED = ("The user doesn't want to", "[Request interrupted", "Command running in background")


def read_turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns in a transcript's lines; those of a sub-agent only if the file is its own."""
    is_agents: bool | None = None
    calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
    tasks: dict[str, dict[str, Any]] = {}
    for record in records:
        content = turns.table(record.get("message")).get("content")
        if is_agents is None and record.get("type") in ("user", "assistant"):
            is_agents = record.get("isSidechain") is True
        if record.get("isSidechain") is True and not is_agents:
            continue
        if record.get("type") == "assistant":
            yield from _read_reply(content, calls)
        elif record.get("type") == "user":
            answers = [table for table in turns.tables(content) if table.get("type") == "tool_result"]
            if answers:
                for answer in answers:
                    yield from _tool_turns(answer, calls, tasks, turns.table(record.get("toolUseResult")))
            elif (prompt := _prompt(record, content)) and not prompt.startswith(TAGS):
                yield Turn(turns.PROMPT, prompt)
    for name, tool_input in calls.values():
        yield from _turn(name, tool_input, "", failed=None)


def _prompt(record: Mapping[str, Any], content: object) -> str:
    if record.get("isMeta") is True or record.get("isCompactSummary") is True or "toolUseResult" in record:
        return ""
    return turns.join_texts(content).strip()


def _read_reply(content: object, calls: dict[str, tuple[str, Mapping[str, Any]]]) -> Iterator[Turn]:
    """Yield the agent's messages, and hold its tool calls until their results come."""
    if isinstance(content, str) and content.strip():
        yield Turn(turns.SAID, turns.text(content))
    for block in turns.tables(content):
        if block.get("type") == "text" and (reply := turns.text(block.get("text")).strip()):
            yield Turn(turns.SAID, reply)
        elif block.get("type") == "tool_use" and isinstance(block.get("name"), str):
            calls[turns.text(block.get("id"), 200)] = (block["name"], turns.table(block.get("input")))


def _tool_turns(
    answer: Mapping[str, Any],
    calls: dict[str, tuple[str, Mapping[str, Any]]],
    tasks: dict[str, dict[str, Any]],
    result: Mapping[str, Any],
) -> Iterator[Turn]:
    name, tool_input = calls.pop(turns.text(answer.get("tool_use_id"), 200), ("", {}))
    content = answer.get("content")
    output = turns.tail(content if isinstance(content, str) else turns.join_texts(content))
    failed: bool | None = answer.get("is_error") is True
    if output.startswith(UNDECIDED) or result.get("interrupted") is True:
        failed = None
    if name in ("TaskCreate", "TaskUpdate") and not failed:
        _note_task(name, tool_input, tasks, result)
        yield turns.todos(list(tasks.values()), "subject")
        return
    yield from _turn(name, tool_input, output, failed=failed)


def _turn(name: str, given: Mapping[str, Any], output: str, *, failed: bool | None) -> Iterator[Turn]:
    if call := turns.tool_turn(name, given, SHELLS, EDITORS):
        yield replace(call, output=output, failed=failed)
    elif name == "TodoWrite" and not failed:
        yield turns.todos(given.get("todos"), "content")


def _note_task(
    name: str, given: Mapping[str, Any], tasks: dict[str, dict[str, Any]], result: Mapping[str, Any]
) -> None:
    if name == "TaskCreate":
        task_id = str(turns.table(result.get("task")).get("id") or len(tasks) + 1)
        tasks[task_id] = {"subject": given.get("subject"), "status": "pending"}
    elif (number := str(given.get("taskId"))) in tasks:
        tasks[number] |= {field: given[field] for field in ("subject", "status") if field in given}


def is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a record is from a transcript of Claude Code."""
    # Gemini CLI and Qwen Code name the session as well.
    is_own = "parentUuid" in record or "isSidechain" in record or "sessionId" in record
    return is_own and "projectHash" not in record and "provenance" not in record
