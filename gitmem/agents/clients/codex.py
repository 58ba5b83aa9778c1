"""Codex CLI: hooks shaped like those of Claude Code, with a patch for edits and no exit status.

Source: the JSON schemas of Codex 0.169.0 (an unknown field in an answer makes the hook fail) and payloads of it.
"""

from __future__ import annotations

import re

from gitmem.agents import event as happened
from gitmem.agents.clients import claude_code
from gitmem.agents.clients import payload as read
from gitmem.agents.event import Edit, Event
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SILENT = ""
PATCH = "apply_patch"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVED = re.compile(r"\*\*\* Move to: (.+)")
# The first line of the answer to a patch (seen with 0.169.0); nothing is reported for a shell command.
_EXIT = re.compile(r"Exit code: (\d+)")


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here."""
    event = claude_code.parse(payload, named)
    if event is None:
        return None
    event = replace(event, client="codex")
    if event.name != happened.TOOL:
        return event
    if event.tool_name != PATCH:
        return replace(event, failed=None)
    ended = _EXIT.match(event.output)
    patch = read.text(read.table(payload, "tool_input"), "command")
    return replace(event, tool=happened.EDIT, edits=edits_of(patch), failed=ended[1] != "0" if ended else None)


def edits_of(patch: str) -> tuple[Edit, ...]:
    """Return the files that a patch adds, updates, moves or deletes, in order.

    Source: the envelope ``*** Begin Patch`` of Codex's ``apply_patch``.
    """
    found: list[Edit] = []
    removed: list[str] = []
    added: list[str] = []

    def close() -> None:
        if found:
            found[-1] = replace(found[-1], before="\n".join(removed), after="\n".join(added))
        removed.clear()
        added.clear()

    for line in patch.splitlines():
        if begins := _FILE.fullmatch(line.rstrip()):
            close()
            if len(found) == read.EDITS_AT_MOST:
                return tuple(found)
            found.append(Edit(begins[2], is_new=begins[1] == "Add", is_gone=begins[1] == "Delete"))
        elif found and (moved := _MOVED.fullmatch(line.rstrip())):
            found[-1] = replace(found[-1], path=moved[1])
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("-"):
            removed.append(line[1:])
    close()
    return tuple(found)


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    # Exactly the fields of Claude Code: the schemas of Codex reject unknown ones.
    return claude_code.answer(replace(event, failed=None), text)
