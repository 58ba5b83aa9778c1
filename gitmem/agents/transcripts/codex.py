"""Codex CLI's rollouts: JSON lines with a ``payload`` each.

Source: files of version 0.169.0, and ``exec_command``, ``shell`` and ``local_shell_call`` of earlier ones.
"""

from __future__ import annotations

import re

from gitmem.agents.transcripts import turns as read
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SHELLS = ("exec_command", "shell", "shell_command", "local_shell", "container.exec")
PATCH = "apply_patch"
PLAN = "update_plan"
# Text recorded as the user's that is not.
TAGS = (
    *("<environment_context>", "<user_instructions>", "<hook_prompt", "<turn_aborted>", "<user_shell_command>"),
    *("<permissions", "<collaboration_mode>", "<INSTRUCTIONS>", "# AGENTS.md instructions", "<skill>"),
)
_FILE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.{1,1000})$", re.MULTILINE)
_LOGIN = ("-lc", "-c", "-l")


def turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns of a rollout's lines."""
    calls: dict[str, Turn] = {}
    for record in records:
        payload = read.table(record.get("payload"))
        what = payload.get("type")
        if record.get("type") == "event_msg":
            yield from _file_changes(read.table(payload.get("item")))
        elif record.get("type") != "response_item":
            continue
        elif what == "message":
            yield from _message(payload)
        elif what in ("function_call", "custom_tool_call", "local_shell_call"):
            call = _call(payload)
            if call is not None and call.what == read.TODOS:
                yield call
            elif call is not None:
                calls[read.text(payload.get("call_id") or payload.get("id"), 200)] = call
        elif what in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            known = calls.pop(read.text(payload.get("call_id"), 200), None)
            if known is not None:
                yield _with_result(known, payload.get("output"))
    yield from calls.values()


def _message(payload: Mapping[str, Any]) -> Iterator[Turn]:
    said = read.join_texts(payload.get("content")).strip()
    if said and payload.get("role") == "user" and not said.startswith(TAGS):
        yield Turn(read.PROMPT, said)
    elif said and payload.get("role") == "assistant":
        yield Turn(read.SAID, said)


def _file_changes(item: Mapping[str, Any]) -> Iterator[Turn]:
    """Yield the files of a change that Codex itself records, also of a patch inside a shell command."""
    files = read.table(item.get("changes"))
    if item.get("type") == "FileChange" and files:
        names = tuple(read.text(name, read.PATH_LIMIT) for name in list(files)[: read.MANY])
        yield Turn(read.EDIT, files=names, failed=item.get("status") == "failed")


def _call(payload: Mapping[str, Any]) -> Turn | None:
    name = payload.get("name")
    given = read.table(payload.get("action")) or read.parse_table(payload.get("arguments"))
    if name == PLAN:
        return read.todos(given.get("plan"), "step")
    if name == PATCH:
        patch = payload.get("input") if isinstance(payload.get("input"), str) else given.get("input")
        files = tuple(dict.fromkeys(_FILE.findall(read.text(patch, read.TEXT_LIMIT * 10))))
        return Turn(read.EDIT, files=files[: read.MANY]) if files else None
    if name in SHELLS or payload.get("type") == "local_shell_call":
        command = _command(given.get("cmd") or given.get("command"))
        return Turn(read.COMMAND, command) if command else None
    return None


def _command(given: object) -> str:
    """Return a command as it would be typed: the script given to a shell, else its words."""
    if isinstance(given, list):
        words = [word for word in given[: read.MANY] if isinstance(word, str)]
        given = words[2] if len(words) == 3 and words[1] in _LOGIN else " ".join(words)
    return read.text(given, read.COMMAND_LIMIT).strip()


def _with_result(call: Turn, output: object) -> Turn:
    if isinstance(output, dict):
        output = output.get("output") or output.get("content")
    said = output if isinstance(output, str) else read.join_texts(output)
    status = read.exit_status(said)
    failed = status != 0 if status is not None else None
    return replace(call, output=read.tail(said), failed=failed)
