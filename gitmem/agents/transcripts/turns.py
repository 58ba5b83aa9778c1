"""The turns of a transcript, in one form for every client, and functions that read values for them. Pure."""

from __future__ import annotations

from gitmem.agents import payload
from gitmem.frozen import frozen
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

# The kinds of turns.
PROMPT = "prompt"
SAID = "said"
COMMAND = "command"
EDIT = "edit"
TODOS = "todos"

# Characters read of a message: a long answer may state its decisions anywhere.
TEXT_LIMIT = 20_000
# A comment may be a whole here document.
COMMAND_LIMIT = 20_000
# Of a command's output, the end is read: it shows the result.
OUTPUT_LIMIT = 4_000
PATCH_LIMIT = 200_000
PATH_LIMIT = 1_000
MANY = 200
# What names a file in a patch of OpenAI's models, and where such a patch is in the arguments of an editor.
PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
PATCHES = ("patchText", "input", "patch")
# How Codex, Copilot and Gemini CLI write an exit status into a command's output.
EXIT = r'(?:Process exited with code|^Exit [Cc]ode:|"exit_code":|<exited with exit code)\s{0,4}(-?\d{1,10})'


@frozen
class Turn:
    """One action of a person, an agent or a tool.

    Attributes:
        what: ``PROMPT``, ``SAID`` (by the agent), ``COMMAND``, ``EDIT`` or ``TODOS``.
        text: The message, or the command.
        output: The end of a command's output.
        failed: Whether the command or edit failed; None if unknown, or still running.
        files: The changed files, as the client names them.
        todos: The whole to-do list at that time: each text, and whether it is done.
    """

    what: str
    text: str = ""
    output: str = ""
    failed: bool | None = None
    files: tuple[str, ...] = ()
    todos: tuple[tuple[str, bool], ...] = ()


def text(value: object, limit: int = TEXT_LIMIT) -> str:
    """Return a value that is a text, at most *limit* characters of it and encodable as UTF-8; else an empty one."""
    return value[:limit].encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def tail(value: object, limit: int = OUTPUT_LIMIT) -> str:
    """Return the end of a value that is a text; else an empty one."""
    return text(value[-limit:], limit) if isinstance(value, str) else ""


def table(value: object) -> Mapping[str, Any]:
    """Return a value that is a JSON object; else an empty one."""
    return value if isinstance(value, dict) else {}


def parse_table(written: object) -> Mapping[str, Any]:
    """Return a JSON object, or the one in a text; else an empty one."""
    try:
        return table(parse_json(written)) if isinstance(written, str | bytes) else table(written)
    except (ValueError, RecursionError):
        return {}


def tables(value: object) -> list[Mapping[str, Any]]:
    """Return the objects in a value that is a list; else an empty list."""
    return [entry for entry in value[:MANY] if isinstance(entry, dict)] if isinstance(value, list) else []


def join_texts(parts: object, limit: int = TEXT_LIMIT) -> str:
    """Return the texts of a message: a text, one part with a ``text``, or a list of such parts."""
    if isinstance(parts, dict):
        parts = [parts]
    if isinstance(parts, list):
        texts = (part if isinstance(part, str) else table(part).get("text") for part in parts[:MANY])
        return text("\n".join(text for text in texts if isinstance(text, str)), limit)
    return text(parts, limit)


def tool_turn(name: object, given: Mapping[str, Any], shells: Collection[str], editors: Collection[str]) -> Turn | None:
    """Return the turn of a tool's call: a command or the edit of a file; None for any other tool."""
    if name in shells:
        command = payload.text(given, "command", limit=COMMAND_LIMIT).strip()
        return Turn(COMMAND, command) if command else None
    if name not in editors:
        return None
    path = payload.text(given, *payload.PATHS, limit=PATH_LIMIT)
    files = (path,) if path else patched_files(payload.text(given, *PATCHES, limit=PATCH_LIMIT))
    return Turn(EDIT, files=files) if files else None


def patched_files(patch: str) -> tuple[str, ...]:
    """Return the files that a patch of OpenAI's models names, each once."""
    lines = [line.rstrip() for line in patch.splitlines() if line.startswith(PATCHED)]
    return tuple(dict.fromkeys(line.partition(": ")[2][:PATH_LIMIT] for line in lines))[:MANY]


def todos(value: object, *names: str) -> Turn:
    """Return the turn for a to-do list, whose texts are in the first of some fields that exists."""
    found = [
        (
            next((text(table.get(name), PATH_LIMIT) for name in names if table.get(name)), ""),
            is_done(table.get("status")),
        )
        for table in tables(value)
    ]
    return Turn(TODOS, todos=tuple(todo for todo in found if todo[0]))


def is_done(status: object) -> bool:
    """Return whether a to-do item is done, by the words that clients use for it."""
    return status in ("completed", "done", "cancelled", "deleted")


def exit_status(output: str) -> int | None:
    """Return the exit status at the start or end of a command's output; None if it has none."""
    import re  # 5 ms, and hooks that read a client's table do not need it

    match = re.search(EXIT, output[-2000:], re.MULTILINE) or re.search(EXIT, output[:2000], re.MULTILINE)
    return int(match[1]) if match else None
