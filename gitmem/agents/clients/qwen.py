"""Qwen Code: hooks shaped like those of Claude Code, with the tools of Gemini CLI.

It reports a prompt twice, as sent to the model and as typed (``submitted_prompt``), and an empty prompt after each
tool, which is ignored. A tool's answer is ``{llmContent, returnDisplay}``; a command's has a line for each
stream, and a command that fails arrives as ``PostToolUseFailure``. Timeouts are seconds, and milliseconds if they are
large.

Source: payloads and transcripts of version 0.24.4, which was run, and its hook runner.

Its transcripts ("chats") are JSON lines, one for each message: its parts are texts, calls of tools and their answers.
"""

from __future__ import annotations

import re

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import END_S, PROMPT_S, QWEN, Client, ClientEvent, Moved, Obstacle
from gitmem.agents.clients import claude_code
from gitmem.agents.transcripts import turns
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from gitmem.agents.event import Event

SILENT = ""
SHELL = "run_shell_command"
EDITORS = ("edit", "write_file", "notebook_edit")
READERS = ("read_file", "read_many_files", "glob", "grep_search")
DISPATCHERS = ("agent", "task")
SETTINGS = ".qwen/settings.json"
TOOLS = "|".join((SHELL, *READERS, *EDITORS))
CLIENT = Client(
    "Qwen Code",
    (SETTINGS, SETTINGS),
    (
        ClientEvent("SessionStart"),
        ClientEvent("UserPromptSubmit", timeout_s=PROMPT_S),
        ClientEvent("PreToolUse", "|".join(DISPATCHERS)),
        ClientEvent("PostToolUse", TOOLS),
        ClientEvent("PostToolUseFailure", TOOLS),
        *map(ClientEvent, ("Stop", "SubagentStart", "SubagentStop", "PreCompact")),
        ClientEvent("SessionEnd", timeout_s=END_S),
    ),
    # Source: the default of context.fileName in Qwen Code
    documents=("QWEN.md", "AGENTS.md"),
    commands=(".qwen/commands", ".qwen/commands"),
    mcp=(SETTINGS, SETTINGS),
    found=((".qwen", "QWEN.md"), (".qwen",)),
    command_form=QWEN,
    obstacles=(
        Obstacle(
            SETTINGS,
            ("disableAllHooks",),
            value=True,
            message="disableAllHooks is set in .qwen/settings.json: no hook runs",
        ),
    ),
    aliases=("qwen-code",),
    variables=("QWEN_CODE",),
    programs=("qwen", "qwen-code"),
    shells=(SHELL,),
    editors=EDITORS,
    readers=READERS,
    sessions=(".qwen",),
    moved_by=(Moved("QWEN_HOME", ".qwen"),),
)
# A command's own output, without the lines that the tool adds.
_PRINTED = re.compile(r"(?:Command: .*?\n)?(?:Directory: [^\n]*\n)?Output: (.*?)\nError: (.*?)\nExit Code: ", re.DOTALL)
_ENDED = re.compile(r"^Exit Code: (\d{1,10})", re.MULTILINE)
NONE = "(none)"
CREATED = "Successfully created"
# Text that hooks put behind the prompt.
ADDED = re.compile(r"<qwen:user-prompt-submit-context>.*?(?:</qwen:user-prompt-submit-context>|\Z)\s*", re.DOTALL)


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here."""
    event = claude_code.parse_as("qwen", CLIENT, payload, named, DISPATCHERS)
    if event is None:
        return None
    if event.name == happened.PROMPT:
        typed = read.text(payload, "submitted_prompt", "prompt")
        return replace(event, prompt=typed) if typed.strip() else None
    if event.tool == happened.SHELL:
        return replace(event, output=printed(event.output))
    if event.tool == happened.EDIT and len(event.edits) == 1:
        is_new = read.output(payload.get("tool_response")).startswith(CREATED)
        return replace(event, edits=(replace(event.edits[0], is_new=is_new),))
    return event


def printed(output: str) -> str:
    """Return what a command printed, from the answer of the tool."""
    match = _PRINTED.match(output)
    return "\n".join(part for part in match.groups() if part != NONE) if match else output


answer = claude_code.answer


def read_turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns of a chat's messages."""
    calls: dict[str, Turn] = {}
    for record in records:
        parts = turns.tables(turns.table(record.get("message")).get("parts"))
        what = record.get("type")
        if what == "user" and record.get("provenance", "real_user") == "real_user":
            shown = turns.text(turns.table(record.get("systemPayload")).get("displayText"))
            if text := ADDED.sub("", shown or turns.join_texts(parts)).strip():
                yield Turn(turns.PROMPT, text)
        elif what == "assistant":
            if text := turns.join_texts([part for part in parts if part.get("thought") is not True]).strip():
                yield Turn(turns.SAID, text)
            for call in (turns.table(part.get("functionCall")) for part in parts):
                if turn := turns.tool_turn(call.get("name"), turns.table(call.get("args")), (SHELL,), EDITORS):
                    calls[turns.text(call.get("id"), 200)] = turn
        elif what == "tool_result":
            for result in (turns.table(part.get("functionResponse")) for part in parts):
                known = calls.pop(turns.text(result.get("id"), 200), None)
                if known is not None:
                    yield _with_result(known, turns.table(result.get("response")))
    yield from calls.values()


def _with_result(call: Turn, response: Mapping[str, Any]) -> Turn:
    error = response.get("error")
    output = turns.tail(error or response.get("output"))
    ended = _ENDED.search(output) if call.what == turns.COMMAND else None
    failed = ended[1] != "0" if ended else bool(error)
    return replace(call, output=printed(output) if ended else output, failed=failed)


def is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a record is from a chat of Qwen Code."""
    return "provenance" in record and "sessionId" in record
