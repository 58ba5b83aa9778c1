"""Codex CLI: hooks shaped like those of Claude Code, with a patch for edits and no exit status.

Source: the JSON schemas of Codex 0.169.0 (an unknown field in an answer makes the hook fail) and payloads of it.

Its transcripts ("rollouts") are JSON lines with a ``payload`` each. Source: files of version 0.169.0, and
``exec_command``, ``shell`` and ``local_shell_call`` of earlier ones.
"""

from __future__ import annotations

import re

from gitmem.agents import event as happened
from gitmem.agents import payload as read
from gitmem.agents.client import CODEX, END_S, PROMPT_S, Client, ClientEvent, Moved, Obstacle
from gitmem.agents.clients import claude_code
from gitmem.agents.event import Edit, Event
from gitmem.agents.transcripts import turns
from gitmem.agents.transcripts.turns import Turn
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SILENT = ""
PATCH = "apply_patch"
SHELLS = ("exec_command", "shell", "shell_command", "local_shell", "container.exec")
CONFIG = ".codex/config.toml"
CLIENT = Client(
    "Codex",
    (".codex/hooks.json", ".codex/hooks.json"),
    (
        ClientEvent("SessionStart"),
        ClientEvent("UserPromptSubmit", timeout_s=PROMPT_S),
        ClientEvent("PostToolUse", "Bash|apply_patch"),
        *map(ClientEvent, ("Stop", "SubagentStart", "SubagentStop", "PreCompact")),
        ClientEvent("SessionEnd", timeout_s=END_S),
    ),
    # Source: developers.openai.com/codex/guides/agents-md
    documents=("AGENTS.md", "AGENTS.override.md"),
    limit_bytes=32 * 1024,  # project_doc_max_bytes
    mcp=(CONFIG, CONFIG),
    found=((".codex",), (".codex",)),
    note="Codex skips hooks until you trust them: start it here and review them with /hooks",
    server_form=CODEX,
    obstacles=(
        Obstacle(
            CONFIG,
            ("hooks",),
            value=None,
            message="Codex also has [hooks] in config.toml, and warns about hooks in two places: move them to "
            "hooks.json",
        ),
        Obstacle(
            CONFIG,
            ("features", "hooks"),
            value=False,
            message="features.hooks is false in .codex/config.toml: no hook runs",
        ),
    ),
    variables=("CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"),
    session_variable="CODEX_THREAD_ID",  # seen with 0.169.0
    programs=("codex",),
    memories=((), ((".codex/AGENTS.md", "instructions"), (".codex/memories", "Codex"))),
    shells=SHELLS,
    editors=(PATCH,),
    sessions=(".codex",),
    moved_by=(Moved("CODEX_HOME", ".codex"),),
)
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
    edits: list[Edit] = []
    removed: list[str] = []
    added: list[str] = []

    def close() -> None:
        if edits:
            edits[-1] = replace(edits[-1], before="\n".join(removed), after="\n".join(added))
        removed.clear()
        added.clear()

    for line in patch.splitlines():
        if begins := _FILE.fullmatch(line.rstrip()):
            close()
            if len(edits) == read.EDITS_AT_MOST:
                return tuple(edits)
            edits.append(Edit(begins[2], is_new=begins[1] == "Add", is_gone=begins[1] == "Delete"))
        elif edits and (moved := _MOVED.fullmatch(line.rstrip())):
            edits[-1] = replace(edits[-1], path=moved[1])
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("-"):
            removed.append(line[1:])
    close()
    return tuple(edits)


def answer(event: Event, text: str) -> str:
    """Return the output that adds a text to the agent's context."""
    # Exactly the fields of Claude Code: the schemas of Codex reject unknown ones.
    return claude_code.answer(replace(event, failed=None), text)


PLAN = "update_plan"
# Text recorded as the user's that is not.
TAGS = (
    *("<environment_context>", "<user_instructions>", "<hook_prompt", "<turn_aborted>", "<user_shell_command>"),
    *("<permissions", "<collaboration_mode>", "<INSTRUCTIONS>", "# AGENTS.md instructions", "<skill>"),
)
_LOGIN = ("-lc", "-c", "-l")


def read_turns(records: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """Yield the turns of a rollout's lines."""
    calls: dict[str, Turn] = {}
    for record in records:
        payload = turns.table(record.get("payload"))
        what = payload.get("type")
        if record.get("type") == "event_msg":
            yield from _file_changes(turns.table(payload.get("item")))
        elif record.get("type") != "response_item":
            continue
        elif what == "message":
            yield from _message(payload)
        elif what in ("function_call", "custom_tool_call", "local_shell_call"):
            call = _call(payload)
            if call is not None and call.what == turns.TODOS:
                yield call
            elif call is not None:
                calls[turns.text(payload.get("call_id") or payload.get("id"), 200)] = call
        elif what in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            known = calls.pop(turns.text(payload.get("call_id"), 200), None)
            if known is not None:
                yield _with_result(known, payload.get("output"))
    yield from calls.values()


def _message(payload: Mapping[str, Any]) -> Iterator[Turn]:
    text = turns.join_texts(payload.get("content")).strip()
    if text and payload.get("role") == "user" and not text.startswith(TAGS):
        yield Turn(turns.PROMPT, text)
    elif text and payload.get("role") == "assistant":
        yield Turn(turns.SAID, text)


def _file_changes(item: Mapping[str, Any]) -> Iterator[Turn]:
    """Yield the files of a change that Codex itself records, also of a patch inside a shell command."""
    files = turns.table(item.get("changes"))
    if item.get("type") == "FileChange" and files:
        names = tuple(turns.text(name, turns.PATH_LIMIT) for name in list(files)[: turns.MANY])
        yield Turn(turns.EDIT, files=names, failed=item.get("status") == "failed")


def _call(payload: Mapping[str, Any]) -> Turn | None:
    name = payload.get("name")
    arguments = turns.table(payload.get("action")) or turns.parse_table(payload.get("arguments"))
    if name == PLAN:
        return turns.todos(arguments.get("plan"), "step")
    if name == PATCH:
        patch = payload.get("input") if isinstance(payload.get("input"), str) else arguments.get("input")
        files = turns.patched_files(turns.text(patch, turns.PATCH_LIMIT))
        return Turn(turns.EDIT, files=files) if files else None
    if name in SHELLS or payload.get("type") == "local_shell_call":
        command = _command(arguments.get("cmd") or arguments.get("command"))
        return Turn(turns.COMMAND, command) if command else None
    return None


def _command(given: object) -> str:
    """Return a command as it would be typed: the script given to a shell, else its words."""
    if isinstance(given, list):
        words = [word for word in given[: turns.MANY] if isinstance(word, str)]
        given = words[2] if len(words) == 3 and words[1] in _LOGIN else " ".join(words)
    return turns.text(given, turns.COMMAND_LIMIT).strip()


def _with_result(call: Turn, output: object) -> Turn:
    if isinstance(output, dict):
        output = output.get("output") or output.get("content")
    text = output if isinstance(output, str) else turns.join_texts(output)
    status = turns.exit_status(text)
    failed = status != 0 if status is not None else None
    return replace(call, output=turns.tail(text), failed=failed)


def is_record(record: Mapping[str, Any]) -> bool:
    """Return whether a record is from a rollout of Codex."""
    return "payload" in record
