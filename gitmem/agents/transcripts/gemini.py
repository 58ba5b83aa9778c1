"""Gemini CLI's chats: JSON lines since 2026, before that one object over many lines.

A message is written again as it grows, so the last one with an identifier counts; ``$rewindTo`` removes everything from
that message on. Source: ``packages/core/src/services/chatRecordingTypes.ts`` and ``chatRecordingService.ts``.
"""

from __future__ import annotations

import re

from gitmem.agents.clients.gemini import ADDED
from gitmem.agents.transcripts import turns as read
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SHELLS = ("run_shell_command",)
EDITORS = ("write_file", "replace", "edit")
_EXIT = re.compile(r"^Exit Code: (\d{1,10})", re.MULTILINE)


def turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns of a chat's messages."""
    messages: dict[str, tuple[Turn, ...]] = {}
    for record in records:
        back = record.get("$rewindTo")
        if isinstance(back, str):
            names = list(messages)
            for name in names[names.index(back) :] if back in messages else names:
                del messages[name]
            continue
        many = record.get("messages") or read.table(record.get("$set")).get("messages")
        if isinstance(many, list):
            messages.clear()
            found = [one for one in many if isinstance(one, dict)]
        else:
            found = [record]  # type: ignore[list-item]
        for message in found:
            if named := read.text(message.get("id"), 200):
                messages[named] = tuple(_message(message))
    for said in messages.values():
        yield from said


def _message(message: Mapping[str, Any]) -> Iterator[Turn]:
    what = message.get("type")
    if what == "user":
        said = read.join_texts(message.get("displayContent")) or read.join_texts(message.get("content"))
        said = ADDED.sub("", said).strip()
        if said:
            yield Turn(read.PROMPT, said)
    elif what == "gemini":
        for call in read.tables(message.get("toolCalls")):
            yield from _call(call)
        if said := read.join_texts(message.get("content")).strip():
            yield Turn(read.SAID, said)


def _call(call: Mapping[str, Any]) -> Iterator[Turn]:
    name, given, status = call.get("name"), read.table(call.get("args")), call.get("status")
    failed = {"success": False, "error": True}.get(status) if isinstance(status, str) else None
    if turn := read.tool_turn(name, given, SHELLS, EDITORS):
        output = _output(call)
        ended = _EXIT.search(output) if name in SHELLS else None
        yield replace(turn, output=output, failed=ended[1] != "0" if ended else failed)
    elif name == "write_todos" and not failed:
        yield read.todos(given.get("todos"), "description")


def _output(call: Mapping[str, Any]) -> str:
    result = call.get("result")
    if isinstance(result, str):
        return read.tail(result)
    answers = (read.table(read.table(one.get("functionResponse")).get("response")) for one in read.tables(result))
    found = (answer.get("output") or answer.get("error") for answer in answers)
    said = "\n".join(one for one in found if isinstance(one, str))
    return read.tail(said or call.get("resultDisplay"))
