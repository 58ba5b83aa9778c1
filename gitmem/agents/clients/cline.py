"""Cline: one executable for each event, which its command line and its extension for VS Code both run.

Their payloads differ: the command line names a tool's result ``tool_result``, and what its session starts with does
not reach the model, so its starts are left alone. The extension sends the fields of Cline's reference.

Source: runs of ``cline`` 3.0.65; for the extension only Cline's reference of hooks (November 2026).
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import CLINE, PROMPT_S, Client, ClientEvent
from gitmem.agents.clients import codex
from gitmem.agents.event import Edit, Event
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SILENT = "{}"
EVENTS = {
    "TaskStart": happened.START,
    "TaskResume": happened.START,
    "UserPromptSubmit": happened.PROMPT,
    "PostToolUse": happened.TOOL,
    "TaskComplete": happened.STOP,
    "PreCompact": happened.COMPACT,
    "TaskCancel": happened.END,
    "SessionShutdown": happened.END,
}
# The names of these events in payloads of the command line, which drops the context of their answers.
DROPPED = ("agent_start", "agent_resume", "prompt_submit")
SHELLS = ("run_commands", "execute_command")
PATCH = "apply_patch"
EDITORS = ("editor", PATCH, "write_to_file", "replace_in_file")
READERS = ("read_files", "read_file", "search_files")
CREATORS = ("write_to_file",)
CLIENT = Client(
    "Cline",
    (".clinerules/hooks", ".cline/hooks"),
    tuple(ClientEvent(name, timeout_s=PROMPT_S) for name in EVENTS),
    documents=("/.clinerules", ".clinerules/*.md", "AGENTS.md"),
    found=((".clinerules", ".cline"), (".cline",)),
    note="Cline's extension for VS Code runs hooks where its settings enable them",
    hook_form=CLINE,
    variables=("CLINE_ACTIVE",),
    programs=("cline",),
    memories=(((".clinerules", "rules of Cline"), ("memory-bank", "Cline's memory bank")), ()),
    shells=SHELLS,
    editors=EDITORS,
    readers=READERS,
)


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here."""
    hook = read.name(payload, "hookName")
    if hook in DROPPED:
        return None
    hook = hook if hook in EVENTS else named
    what = EVENTS.get(hook, "")
    if not what:
        return None
    done = read.table(payload, "tool_result") or read.table(payload, "postToolUse")
    tool_name = read.name(done, "name", "toolName")
    tool_input = _arguments(read.table(done, "input", "parameters"))
    results = _results(done)
    message = read.table(payload, "userPromptSubmit", "taskStart")
    roots = payload.get("workspaceRoots")
    return Event(
        "cline",
        what,
        session=read.name(read.table(payload, "sessionContext"), "rootSessionId") or read.name(payload, "taskId"),
        folder=roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else "",
        source=happened.RESUME if hook == "TaskResume" else happened.STARTUP if what == happened.START else "",
        prompt=read.text(message, "prompt") if what == happened.PROMPT else "",
        **read.tool_fields(tool_name, tool_input, shells=SHELLS, editors=EDITORS, readers=READERS),
        edits=_edits(tool_name, tool_input),
        output=read.output([{"text": read.output(result.get("result") or result.get("error"))} for result in results]),
        failed=any(result.get("success") is False for result in results) if tool_name else None,
        response=read.text(read.table(payload, "turn"), "outputText") if what == happened.STOP else "",
    )


def _arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's arguments with one command and one file, where there are lists of them."""
    commands, files = given.get("commands"), given.get("files")
    arguments = dict(given)
    if isinstance(commands, list):
        arguments["command"] = "\n".join(command for command in commands if isinstance(command, str))
    if isinstance(files, list) and files and isinstance(files[0], dict):
        arguments["path"] = files[0].get("path")
    return arguments


def _results(done: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the results of a tool, each with its text and whether it succeeded."""
    many = done.get("output")
    if isinstance(many, dict):
        many = [many]
    if isinstance(many, list):
        return [part for part in many[: read.PARTS_AT_MOST] if isinstance(part, dict)]
    return [{"result": many or done.get("result"), "success": done.get("success")}]


def _edits(tool_name: str, given: Mapping[str, Any]) -> tuple[Edit, ...]:
    if tool_name not in EDITORS:
        return ()
    if tool_name == PATCH:
        return codex.edits_of(read.text(given, "input"))
    return read.edits(given, is_new=tool_name in CREATORS)


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    if not text or event.name not in (happened.START, happened.PROMPT, happened.TOOL):
        return SILENT
    return format_json({"cancel": False, "contextModification": text})
