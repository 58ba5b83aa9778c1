"""OpenCode: what our thin plugin hands on of the plugin hooks, and what it takes back.

The plugin prints what a hook got as ``{"hook": NAME, "directory": DIR, "input": {...}, "output": {...}}`` and puts the
``context`` of the answer where that hook takes text.

Source: the types of ``@opencode-ai/plugin`` 1.18.33.
"""

from __future__ import annotations

import os

from gitmem.agents import event as happened
from gitmem.agents.event import Edit, Event
from gitmem.agents.harness import codex
from gitmem.agents.harness import payload as read
from gitmem.config import home, variable
from gitmem.text.json_values import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SILENT = "{}"
EVENTS = {
    "experimental.chat.system.transform": happened.START,
    "chat.message": happened.PROMPT,
    "tool.execute.after": happened.TOOL,
    "experimental.text.complete": happened.RESPONSE,
    "experimental.session.compacting": happened.COMPACT,
    "session.idle": happened.STOP,
    "dispose": happened.END,
}
EDITORS = ("edit", "write", "patch", "apply_patch")
READER = "read"


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in the plugin's payload, or None if it does not matter here."""
    given, made = read.table(payload, "input"), read.table(payload, "output")
    inside = read.table(payload, "event")
    what = EVENTS.get(read.name(payload, "hook") or read.name(inside, "type") or named, "")
    session = read.name(given, "sessionID") or read.name(read.table(inside, "properties"), "sessionID")
    # Titles are made by a request without a session: nobody reads what would be told there.
    if not what or not session:
        return None
    tool_name, args = read.name(given, "tool"), read.table(given, "args")
    ended = read.table(made, "metadata").get("exit")
    kind = happened.SHELL if tool_name == "bash" else happened.EDIT if tool_name in EDITORS else happened.OTHER
    kind = happened.READ if tool_name == READER else kind
    return Event(
        "opencode",
        what,
        session=session,
        folder=read.text(payload, "directory"),
        source=happened.STARTUP if what == happened.START else "",
        prompt=read.output(made.get("parts")) if what == happened.PROMPT else "",
        tool=kind if tool_name else "",
        tool_name=tool_name,
        call=read.name(given, "callID"),
        command=read.text(args, "command") if tool_name == "bash" else "",
        edits=_edits(tool_name, args),
        path=read.text(args, "filePath", "file_path") if tool_name == READER else "",
        output=read.output(made.get("output")) if what == happened.TOOL else "",
        failed=ended != 0 if isinstance(ended, int) and what == happened.TOOL else None,
        response=read.text(made, "text") if what == happened.RESPONSE else "",
        transcript=_transcript(),
    )


def _transcript() -> str:
    """Return the database in which OpenCode keeps its sessions; empty where there is none."""
    base = variable("XDG_DATA_HOME") or os.path.join(home(), ".local", "share")
    path = os.path.join(base, "opencode", "opencode.db")
    return path if os.path.exists(path) else ""


def _edits(tool_name: str, args: Mapping[str, Any]) -> tuple[Edit, ...]:
    path = read.text(args, "filePath", "file_path")
    if tool_name not in EDITORS:
        return ()
    if not path:
        return codex.edits_of(read.text(args, "patchText"))
    return (Edit(path, read.text(args, "oldString"), read.text(args, "newString", "content")),)


def answer(event: Event, text: str) -> str:
    """Return the output that puts a text into the agent's context."""
    fit = event.name in (happened.START, happened.PROMPT, happened.TOOL, happened.COMPACT)
    return format_json({"context": text}) if text and fit else SILENT
