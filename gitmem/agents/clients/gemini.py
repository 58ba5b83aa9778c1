"""Gemini CLI: the JSON of its hooks, and the answers that it accepts. Standard output must be JSON and nothing else.

The answer to ``SessionStart`` is placed before the first prompt that ``BeforeAgent`` reports, and is lost when the
session is resumed; the answer to ``BeforeAgent`` stays in the history. ``PreCompress`` fires before each request,
whether anything is compressed or not, and when a person types ``/compress``.

Source: ``packages/core/src/hooks/types.ts`` of gemini-cli (August 2026) and payloads of version 0.61.0.

Its transcripts ("chats") are JSON lines since 2026, before that one object over many lines. A message is written again
as it grows, so the last one with an identifier counts; ``$rewindTo`` removes everything from that message on. Source:
``packages/core/src/services/chatRecordingTypes.ts`` and ``chatRecordingService.ts``.
"""

from __future__ import annotations

import re

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import END_S, GEMINI, PROMPT_S, Client, ClientEvent, Moved, Obstacle
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
    "SessionStart": happened.START,
    "BeforeAgent": happened.PROMPT,
    "AfterTool": happened.TOOL,
    "AfterAgent": happened.STOP,
    "PreCompress": happened.COMPACT,
    "SessionEnd": happened.END,
}
SHELL = "run_shell_command"
EDITORS = ("write_file", "replace", "edit")
# Those that search have had two names.
READERS = ("read_file", "read_many_files", "glob", "grep_search", "search_file_content")
SETTINGS = ".gemini/settings.json"
CLIENT = Client(
    "Gemini CLI",
    (SETTINGS, SETTINGS),
    (
        ClientEvent("SessionStart"),
        ClientEvent("BeforeAgent", timeout_s=PROMPT_S),
        ClientEvent("AfterTool", "|".join((SHELL, *READERS, *EDITORS))),
        ClientEvent("AfterAgent"),
        ClientEvent("PreCompress", "manual"),
        ClientEvent("SessionEnd", timeout_s=END_S),
    ),
    documents=("GEMINI.md",),
    commands=(".gemini/commands", ".gemini/commands"),
    instructions="GEMINI.md",
    mcp=(SETTINGS, SETTINGS),
    found=((".gemini", "GEMINI.md"), (".gemini",)),
    note="Gemini CLI reads a project's settings and hooks only in a folder that you trust: start it here and type "
    "/permissions, or set GEMINI_CLI_TRUST_WORKSPACE=true",
    hook_form=GEMINI,
    command_form=GEMINI,
    obstacles=(
        Obstacle(
            SETTINGS,
            ("hooksConfig", "enabled"),
            value=False,
            message="hooksConfig.enabled is false in .gemini/settings.json: no hook runs",
        ),
    ),
    aliases=("gemini-cli",),
    variables=("GEMINI_CLI",),  # and none with the session's name
    programs=("gemini", "gemini-cli"),
    instructions_setting=(SETTINGS, "context", "fileName"),
    memories=((("GEMINI.md", "instructions"),), ()),
    shells=(SHELL,),
    editors=EDITORS,
    readers=READERS,
    sessions=(".gemini",),
    moved_by=(Moved("GEMINI_CLI_HOME", ".gemini", ".gemini"),),
    # chats/SESSION/AGENT.jsonl (0.61.0).
    agents_beside=True,
    # It puts the context of a start before the first prompt, unless that is a slash command (0.61.0), and forgets it
    # when the session is resumed.
    starts_at_prompt=True,
    forgets_start=True,
)
# Follows the command's own output, which may contain such a line as well; only failures have one (seen with 0.61.0).
_EXIT = re.compile(r".*^Exit Code: (\d+)", re.MULTILINE | re.DOTALL)
# The command's own output, without the lines that Gemini CLI adds.
_PRINTED = re.compile(
    r"(?:<untrusted_context>\n)?Output: (.*?)((?:\n(?:Exit Code|Signal|Process Group PGID): \d+)*)"
    r"(?:\n</untrusted_context>)?\s*",
    re.DOTALL,
)
# Text that the client and hooks put before the prompt.
ADDED = re.compile(r"<(session_context|hook_context)>.*?(?:</\1>|\Z)\s*", re.DOTALL)
CREATED = "Successfully created"


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here."""
    what = EVENTS.get(read.name(payload, "hook_event_name") or named, "")
    trigger = read.name(payload, "trigger")
    if not what or (what == happened.COMPACT and trigger == "auto"):
        return None
    tool_name, tool_input = read.name(payload, "tool_name"), read.table(payload, "tool_input")
    answered = read.table(payload, "tool_response")
    output = read.output(answered)
    printed = _PRINTED.fullmatch(output) if tool_name == SHELL else None
    source = trigger or read.name(payload, "source", "reason")
    return Event(
        "gemini",
        what,
        session=read.name(payload, "session_id"),
        folder=read.text(payload, "cwd"),
        source=source,
        prompt=ADDED.sub("", read.text(payload, "prompt")).strip(),
        **read.tool_fields(tool_name, tool_input, shells=(SHELL,), editors=EDITORS, readers=READERS),
        edits=read.edits(tool_input, is_new=output.startswith(CREATED)) if tool_name in EDITORS else (),
        output=printed[1] if printed else output,
        failed=_has_failed(tool_name, answered, output) if what == happened.TOOL else None,
        response=read.text(payload, "prompt_response"),
        transcript=read.text(payload, "transcript_path"),
        is_again=payload.get("stop_hook_active") is True,
    )


def _has_failed(tool_name: str, answered: Mapping[str, Any], output: str) -> bool | None:
    if answered.get("error"):
        return True
    ended = _EXIT.match(output) if tool_name == SHELL else None
    if ended:
        return ended[1] != "0"
    return False if tool_name == SHELL and "\nProcess Group PGID: " in output else None


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    if not text or event.name not in (happened.START, happened.PROMPT, happened.TOOL):
        return SILENT
    hook = next(hook for hook, what in EVENTS.items() if what == event.name)
    return format_json({"hookSpecificOutput": {"hookEventName": hook, "additionalContext": text}})


_EXIT_LINE = re.compile(r"^Exit Code: (\d{1,10})", re.MULTILINE)


def read_turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns of a chat's messages."""
    messages: dict[str, tuple[Turn, ...]] = {}
    for record in records:
        back = record.get("$rewindTo")
        if isinstance(back, str):
            names = list(messages)
            for name in names[names.index(back) :] if back in messages else names:
                del messages[name]
            continue
        many = record.get("messages") or turns.table(record.get("$set")).get("messages")
        if isinstance(many, list):
            messages.clear()
            found = [entry for entry in many if isinstance(entry, dict)]
        else:
            found = [record]  # type: ignore[list-item]
        for message in found:
            if named := turns.text(message.get("id"), 200):
                messages[named] = tuple(_message(message))
    for group in messages.values():
        yield from group


def _message(message: Mapping[str, Any]) -> Iterator[Turn]:
    what = message.get("type")
    if what == "user":
        text = turns.join_texts(message.get("displayContent")) or turns.join_texts(message.get("content"))
        text = ADDED.sub("", text).strip()
        if text:
            yield Turn(turns.PROMPT, text)
    elif what == "gemini":
        for call in turns.tables(message.get("toolCalls")):
            yield from _call(call)
        if text := turns.join_texts(message.get("content")).strip():
            yield Turn(turns.SAID, text)


def _call(call: Mapping[str, Any]) -> Iterator[Turn]:
    name, arguments, status = call.get("name"), turns.table(call.get("args")), call.get("status")
    failed = {"success": False, "error": True}.get(status) if isinstance(status, str) else None
    if turn := turns.tool_turn(name, arguments, (SHELL,), EDITORS):
        output = _output(call)
        ended = _EXIT_LINE.search(output) if name == SHELL else None
        yield replace(turn, output=output, failed=ended[1] != "0" if ended else failed)
    elif name == "write_todos" and not failed:
        yield turns.todos(arguments.get("todos"), "description")


def _output(call: Mapping[str, Any]) -> str:
    result = call.get("result")
    if isinstance(result, str):
        return turns.tail(result)
    answers = (
        turns.table(turns.table(table.get("functionResponse")).get("response")) for table in turns.tables(result)
    )
    texts = (answer.get("output") or answer.get("error") for answer in answers)
    text = "\n".join(text for text in texts if isinstance(text, str))
    return turns.tail(text or call.get("resultDisplay"))


def is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a record is from a chat of Gemini CLI."""
    if "projectHash" in record or "$set" in record or "messages" in record or record.get("type") == "gemini":
        return True
    # A message of the older format, without the object around it.
    return record.get("type") == "user" and "content" in record and "id" in record
