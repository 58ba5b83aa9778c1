"""GitHub Copilot's sessions: ``events.jsonl``, a JSON line for each event.

Source: the schema of session events in ``@github/copilot-sdk`` 1.0.14. Older versions leave fields out.
"""

from __future__ import annotations

from gitmem.agents.transcripts import turns as read
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SHELLS = ("bash", "powershell", "shell", "local_shell")
EDITORS = ("edit", "create", "write", "str_replace_editor")


def turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns in a session's events, including those of sub-agents, marked as theirs."""
    calls: dict[str, Turn] = {}
    for record in records:
        what, data = record.get("type"), read.table(record.get("data"))
        if what == "user.message" and (said := read.text(data.get("content")).strip()):
            yield Turn(read.PROMPT, said)
        elif what == "assistant.message" and (said := read.text(data.get("content")).strip()):
            yield Turn(read.SAID, said)
        elif what == "tool.execution_start":
            call = _call(data)
            if call is not None:
                calls[read.text(data.get("toolCallId"), 200)] = call
        elif what == "tool.execution_complete":
            known = calls.pop(read.text(data.get("toolCallId"), 200), None)
            if known is not None:
                yield _with_result(known, data)
    yield from calls.values()


def _call(data: Mapping[str, Any]) -> Turn | None:
    given = read.parse_table(data.get("arguments"))
    # An editor has commands as well.
    return None if given.get("command") == "view" else read.tool_turn(data.get("toolName"), given, SHELLS, EDITORS)


def _with_result(call: Turn, data: Mapping[str, Any]) -> Turn:
    output = read.tail(read.table(data.get("result")).get("content"))
    failed = not data["success"] if isinstance(data.get("success"), bool) else None
    status = read.exit_status(output) if call.what == read.COMMAND else None
    return replace(call, output=output, failed=status != 0 if status is not None else failed)
