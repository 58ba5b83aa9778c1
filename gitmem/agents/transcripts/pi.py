"""pi's sessions: JSON lines that form a tree, read in file order.

Source: ``docs/session-format.md`` of ``@earendil-works/pi-coding-agent`` (version 3 of the format).
"""

from __future__ import annotations

from gitmem.agents.transcripts import turns as read
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SHELLS = ("bash",)
EDITORS = ("edit", "write")


def turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns of a session's lines."""
    calls: dict[str, Turn] = {}
    for record in records:
        if record.get("type") != "message":
            continue
        message = read.table(record.get("message"))
        role, content = message.get("role"), message.get("content")
        if role == "user" and (said := read.join_texts(content).strip()):
            yield Turn(read.PROMPT, said)
        elif role == "assistant":
            if said := read.join_texts(content).strip():
                yield Turn(read.SAID, said)
            for block in read.tables(content):
                call = _call(block)
                if call is not None:
                    calls[read.text(block.get("id"), 200)] = call
        elif role == "toolResult":
            known = calls.pop(read.text(message.get("toolCallId"), 200), None)
            failed = message.get("isError")
            if known is not None:
                output = read.tail(read.join_texts(content))
                yield replace(known, output=output, failed=failed if isinstance(failed, bool) else None)
    yield from calls.values()


def _call(block: Mapping[str, Any]) -> Turn | None:
    if block.get("type") != "toolCall":
        return None
    return read.tool_turn(block.get("name"), read.table(block.get("arguments")), SHELLS, EDITORS)
