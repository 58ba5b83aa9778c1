"""OpenCode's sessions: rows of an SQLite database, read without changing it.

Source: the tables ``message`` and ``part`` of OpenCode's ``opencode.db`` (since 1.2), whose columns ``data`` have the
JSON of ``Message`` and ``Part`` in the types of ``@opencode-ai/sdk``.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

from gitmem.agents.transcripts import turns as read
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SHELLS = ("bash",)
EDITORS = ("edit", "write", "patch", "apply_patch")
# The most parts read per session, the latest ones; and how long to wait for another writer.
PARTS_AT_MOST = 20_000
PATIENCE_S = 1.0
FAILED = {"completed": False, "error": True}


def records(path: str, session: str) -> list[dict[str, Any]]:
    """Return the parts of a session, oldest first, each with the role of its message.

    Raises:
        sqlite3.Error: It is locked, or not a database of OpenCode.
    """
    asked = (
        "SELECT m.data, p.data FROM part p JOIN message m ON m.id = p.message_id WHERE p.session_id = ?"
        " ORDER BY p.time_created DESC, p.id DESC LIMIT ?"
    )
    with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=PATIENCE_S)) as opened:
        rows = opened.execute(asked, (session, PARTS_AT_MOST)).fetchall()
    return [
        {"role": read.parse_table(message).get("role"), "part": read.parse_table(part)}
        for message, part in reversed(rows)
    ]


def turns(found: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns of a session's parts."""
    for record in found:
        part, role = read.table(record.get("part")), record.get("role")
        if part.get("type") == "text" and part.get("synthetic") is not True:
            said = read.text(part.get("text")).strip()
            if said and role in ("user", "assistant"):
                yield Turn(read.SAID if role == "assistant" else read.PROMPT, said)
        elif part.get("type") == "tool":
            yield from _tool_turns(part.get("tool"), read.table(part.get("state")))


def _tool_turns(name: object, state: Mapping[str, Any]) -> Iterator[Turn]:
    given, output = read.table(state.get("input")), read.tail(state.get("output") or state.get("error"))
    status = state.get("status")
    failed = FAILED.get(status) if isinstance(status, str) else None
    if turn := read.tool_turn(name, given, SHELLS, EDITORS):
        ended = read.table(state.get("metadata")).get("exit") if name in SHELLS else None
        yield replace(turn, output=output, failed=ended != 0 if isinstance(ended, int) else failed)
    elif name == "todowrite" and not failed:
        yield read.todos(given.get("todos"), "content")
