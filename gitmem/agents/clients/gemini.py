"""Gemini CLI: the JSON of its hooks, and the answers that it accepts. Standard output must be JSON and nothing else.

The answer to ``SessionStart`` is placed before the first prompt that ``BeforeAgent`` reports, and is lost when the
session is resumed; the answer to ``BeforeAgent`` stays in the history. ``PreCompress`` fires before each request,
whether anything is compressed or not, and when a person types ``/compress``.

Source: ``packages/core/src/hooks/types.ts`` of gemini-cli (August 2026) and payloads of version 0.61.0.
"""

from __future__ import annotations

import re

from gitmem.agents import event as happened
from gitmem.agents.clients import payload as read
from gitmem.agents.event import Event
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
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
EDITORS = ("write_file", "replace")
READER = "read_file"
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
    tool_name, given = read.name(payload, "tool_name"), read.table(payload, "tool_input")
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
        **read.tool_fields(tool_name, given, shells=(SHELL,), editors=EDITORS, readers=(READER,)),
        edits=read.edits(given, is_new=output.startswith(CREATED)) if tool_name in EDITORS else (),
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
