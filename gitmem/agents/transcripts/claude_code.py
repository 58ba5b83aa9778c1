"""Claude Code's transcripts: JSON lines, one for each block of a message.

Source: files of version 2.1.330. The format is undocumented and changes, so unknown records are skipped.
"""

from __future__ import annotations

from gitmem.agents.transcripts import turns as read
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SHELLS = ("Bash",)
EDITORS = ("Edit", "Write", "NotebookEdit", "MultiEdit")
# Text recorded as the user's that is not: command output, notices of the client.
TAGS = (
    *("<command-", "<local-command-", "<system-reminder>", "<task-notification", "<bash-", "<user-memory-input"),
    *("[Request interrupted", "Caveat: The messages below"),
)
# A tool result that the person refused, and one of a command that continues in the background.
UNDECIDED = ("The user doesn't want to", "[Request interrupted", "Command running in background")


def turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns in a transcript's lines; those of a sub-agent only if the file is its own."""
    is_agents: bool | None = None
    calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
    tasks: dict[str, dict[str, Any]] = {}
    for record in records:
        content = read.table(record.get("message")).get("content")
        if is_agents is None and record.get("type") in ("user", "assistant"):
            is_agents = record.get("isSidechain") is True
        if record.get("isSidechain") is True and not is_agents:
            continue
        if record.get("type") == "assistant":
            yield from _read_reply(content, calls)
        elif record.get("type") == "user":
            answers = [one for one in read.tables(content) if one.get("type") == "tool_result"]
            if answers:
                for answer in answers:
                    yield from _tool_turns(answer, calls, tasks, read.table(record.get("toolUseResult")))
            elif (said := _prompt(record, content)) and not said.startswith(TAGS):
                yield Turn(read.PROMPT, said)
    for name, given in calls.values():
        yield from _turn(name, given, "", failed=None)


def _prompt(record: Mapping[str, Any], content: object) -> str:
    if record.get("isMeta") is True or record.get("isCompactSummary") is True or "toolUseResult" in record:
        return ""
    return read.join_texts(content).strip()


def _read_reply(content: object, calls: dict[str, tuple[str, Mapping[str, Any]]]) -> Iterator[Turn]:
    """Yield the agent's messages, and hold its tool calls until their results come."""
    if isinstance(content, str) and content.strip():
        yield Turn(read.SAID, read.text(content))
    for block in read.tables(content):
        if block.get("type") == "text" and (said := read.text(block.get("text")).strip()):
            yield Turn(read.SAID, said)
        elif block.get("type") == "tool_use" and isinstance(block.get("name"), str):
            calls[read.text(block.get("id"), 200)] = (block["name"], read.table(block.get("input")))


def _tool_turns(
    answer: Mapping[str, Any],
    calls: dict[str, tuple[str, Mapping[str, Any]]],
    tasks: dict[str, dict[str, Any]],
    result: Mapping[str, Any],
) -> Iterator[Turn]:
    name, given = calls.pop(read.text(answer.get("tool_use_id"), 200), ("", {}))
    content = answer.get("content")
    output = read.tail(content if isinstance(content, str) else read.join_texts(content))
    failed: bool | None = answer.get("is_error") is True
    if output.startswith(UNDECIDED) or result.get("interrupted") is True:
        failed = None
    if name in ("TaskCreate", "TaskUpdate") and not failed:
        _note_task(name, given, tasks, result)
        yield read.todos(list(tasks.values()), "subject")
        return
    yield from _turn(name, given, output, failed=failed)


def _turn(name: str, given: Mapping[str, Any], output: str, *, failed: bool | None) -> Iterator[Turn]:
    if call := read.tool_turn(name, given, SHELLS, EDITORS):
        yield replace(call, output=output, failed=failed)
    elif name == "TodoWrite" and not failed:
        yield read.todos(given.get("todos"), "content")


def _note_task(
    name: str, given: Mapping[str, Any], tasks: dict[str, dict[str, Any]], result: Mapping[str, Any]
) -> None:
    if name == "TaskCreate":
        made = str(read.table(result.get("task")).get("id") or len(tasks) + 1)
        tasks[made] = {"subject": given.get("subject"), "status": "pending"}
    elif (number := str(given.get("taskId"))) in tasks:
        tasks[number] |= {field: given[field] for field in ("subject", "status") if field in given}
