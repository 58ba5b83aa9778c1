"""Factory's droid: hooks shaped like those of Claude Code, with tools of its own. It does not report failed commands.

Its documentation names ``hooks.json``, and ``settings.json`` where there is no such file; users report that a project's
``hooks.json`` is not read, so ours are in the settings. It does not document its transcripts.

Source: Factory's reference of hooks (November 2026); not run.
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import END_S, PROMPT_S, Client, ClientEvent, Obstacle
from gitmem.agents.clients import claude_code, codex
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.agents.event import Event

SILENT = ""
EVENTS = {
    hook: what
    for hook, what in claude_code.EVENTS.items()
    if hook not in ("PreToolUse", "PostToolUseFailure", "SubagentStart")
}
SHELL = "Execute"
PATCH = "ApplyPatch"
EDITORS = ("Create", "Edit", "MultiEdit", "Write", PATCH)
READERS = ("Read", "Grep", "Glob")
SETTINGS = ".factory/settings.json"
CLIENT = Client(
    "Factory droid",
    (SETTINGS, SETTINGS),
    (
        ClientEvent("SessionStart"),
        ClientEvent("UserPromptSubmit", timeout_s=PROMPT_S),
        ClientEvent("PostToolUse", "|".join((SHELL, *READERS, *EDITORS))),
        *map(ClientEvent, ("Stop", "SubagentStop", "PreCompact")),
        ClientEvent("SessionEnd", timeout_s=END_S),
    ),
    skills=(".factory/skills", ".factory/skills"),
    mcp=(".factory/mcp.json", ".factory/mcp.json"),
    found=((".factory",), (".factory",)),
    obstacles=(
        Obstacle(
            ".factory/hooks.json",
            (),
            value=None,
            message="droid ignores the hooks in settings.json while there is a .factory/hooks.json: move those hooks",
        ),
    ),
    programs=("droid",),  # Factory documents no variable for the commands of its agents
    shells=(SHELL,),
    editors=EDITORS,
    readers=READERS,
)


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in a hook's payload; None if it does not matter here."""
    event = claude_code.parse_as("droid", CLIENT, payload, named)
    if event is None or event.name not in EVENTS.values():
        return None
    if event.tool_name == PATCH:
        patch = read.text(read.table(payload, "tool_input"), "input", "patch", "command")
        event = replace(event, edits=codex.edits_of(patch))
    elif event.tool_name == "Create":
        event = replace(event, edits=tuple(replace(edit, is_new=True) for edit in event.edits))
    return replace(event, failed=None, transcript="") if event.name == happened.TOOL else replace(event, transcript="")


answer = claude_code.answer
