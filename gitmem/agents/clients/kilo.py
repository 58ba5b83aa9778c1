"""Kilo Code's command line, a fork of OpenCode that runs the same plugin from a folder of its own.

Source: runs of ``@kilocode/cli`` 7.7.9, with a plugin that recorded its hooks, and with ours. Its sessions are in
a database, which is read like that of OpenCode.
"""

from __future__ import annotations

import os

from gitmem.agents.client import Client, Moved
from gitmem.agents.clients import opencode
from gitmem.config import home, variable
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.agents.event import Event

SILENT = opencode.SILENT
CLIENT = Client(
    "Kilo Code",
    documents=("AGENTS.md", ".kilocode/rules/*.md"),
    plugin=(".kilo/plugins/gitmem.ts", ".config/kilo/plugins/gitmem.ts"),
    found=((".kilo", ".kilocode"), (".config/kilo",)),
    variables=("KILO",),
    fork_of="opencode",
    shells=opencode.SHELLS,
    editors=opencode.EDITORS,
    readers=opencode.READERS,
    sessions=(".local/share/kilo",),
    moved_by=(
        Moved("XDG_DATA_HOME", ".local/share/kilo", "kilo"),
        Moved("XDG_CONFIG_HOME", ".config/kilo", "kilo"),
    ),
)


def parse(payload: Mapping[str, Any], named: str) -> Event | None:
    """Return the event in the plugin's payload; None if it does not matter here."""
    event = opencode.parse(payload, named)
    return replace(event, client="kilo", transcript=_transcript()) if event is not None else None


def _transcript() -> str:
    """Return the database with Kilo's sessions; empty if there is none."""
    base = variable("XDG_DATA_HOME") or os.path.join(home(), ".local", "share")
    path = os.path.join(base, "kilo", "kilo.db")
    return path if os.path.exists(path) else ""


answer = opencode.answer
read_turns = opencode.read_turns
records = opencode.records
