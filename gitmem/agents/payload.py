"""Read values from a client's JSON; a missing, mistyped or oversized value becomes a harmless one."""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents.event import Edit
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# The most characters read of a text, such as a prompt with a pasted log, or a patch. A memory may have far less (64
# KB).
TEXT_LIMIT = 200_000
# Of a tool's output, the end is read: it shows the result.
OUTPUT_LIMIT = 20_000
# The name of a session, a tool or a call.
NAME_LIMIT = 200
EDITS_AT_MOST = 200
PARTS_AT_MOST = 200
# The fields in which clients and MCP put a tool's output.
OUTPUTS = ("stdout", "stderr", "llmContent", "textResultForLlm", "text_result_for_llm", "text", "content")
# The arguments in which clients name a tool's file, and the text before and after an edit.
PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file")
# Those in which they name a folder to search, and lists of files or globs to read.
FOLDERS = ("dir_path", "directory", "folder", "target_directory")
FILES = ("paths", "include", "files", "file_paths", "filePaths", "absolute_paths")
# The most files of one reading.
FILES_AT_MOST = 20
OLD_TEXTS = ("old_string", "oldString", "old_str", "oldText")
AFTER = ("new_string", "newString", "new_str", "newText", "new_source", "content", "contents", "file_text", "code")


def text(table: Mapping[str, Any], *names: str, limit: int = TEXT_LIMIT) -> str:
    """Return the first of some fields that holds a text, at most *limit* characters of it; else empty."""
    for name in names:
        value = table.get(name)
        if isinstance(value, str) and value:
            return value[:limit].encode("utf-8", "replace").decode("utf-8")
    return ""


def name(table: Mapping[str, Any], *names: str) -> str:
    """Return the first of some fields that holds a short text."""
    return text(table, *names, limit=NAME_LIMIT)


def output(value: object) -> str:
    """Return the end of a tool's output: a text, or the texts in a table or list of a known form."""
    joined = _texts_in(value, depth=3)[-OUTPUT_LIMIT:]
    return joined.encode("utf-8", "replace").decode("utf-8")


def _texts_in(value: object, depth: int) -> str:
    """Return the texts in a value of a known form, one per line, down to *depth*."""
    if isinstance(value, str):
        return value[-OUTPUT_LIMIT:]
    parts: list[object] = []
    if isinstance(value, dict) and depth:
        parts = [value[key] for key in OUTPUTS if key in value]
    elif isinstance(value, list) and depth:
        parts = [part for part in value[-PARTS_AT_MOST:] if isinstance(part, dict)]
    return "\n".join(filter(None, (_texts_in(part, depth - 1) for part in parts)))


def tool_fields(
    tool_name: str, given: Mapping[str, Any], *, shells: Sequence[str], editors: Sequence[str], readers: Sequence[str]
) -> dict[str, Any]:
    """Return the fields of an event about a tool: its kind and name, and the command that it ran or the file it read.

    Args:
        tool_name: The tool; empty if the event is about none.
        given: Its arguments.
        shells: The tools that run a command.
        editors: The tools that change files.
        readers: The tools that read files, or search a file or folder.
    """
    kinds = {happened.SHELL: shells, happened.EDIT: editors, happened.READ: readers}
    kind = next((kind for kind, tools in kinds.items() if tool_name in tools), happened.OTHER) if tool_name else ""
    return {
        "tool": kind,
        "tool_name": tool_name,
        "command": text(given, "command") if kind == happened.SHELL else "",
        "path": _place(tool_name, given) if kind == happened.READ else "",
        "paths": _files(given) if kind == happened.READ else (),
    }


def _place(tool_name: str, given: Mapping[str, Any]) -> str:
    """Return the file or folder that a tool reads or searches; of a search for names, the folder of its glob."""
    if place := text(given, *PATHS, *FOLDERS):
        return place
    before, wildcard, _ = text(given, "pattern").partition("*") if "glob" in tool_name.lower() else ("", "", "")
    return before.rpartition("/")[0] if wildcard else before


def _files(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the files and globs in a tool's lists of them: texts, or tables with a path."""
    many = [
        entry for field in FILES if isinstance(listed := given.get(field), list) for entry in listed[:FILES_AT_MOST]
    ]
    tables = [entry if isinstance(entry, dict) else {"path": entry} for entry in many]
    return tuple(filter(None, (text(table, *PATHS) for table in tables)))


def edits(given: Mapping[str, Any], *, is_new: bool = False) -> tuple[Edit, ...]:
    """Return the edits in the arguments of a tool that changes one file: one, or those in its list of edits."""
    path, many = text(given, *PATHS), given.get("edits")
    if not path:
        return ()
    if isinstance(many, list):
        parts = [part for part in many if isinstance(part, dict)][:EDITS_AT_MOST]
        return tuple(Edit(path, text(part, *OLD_TEXTS), text(part, *AFTER)) for part in parts)
    return (Edit(path, text(given, *OLD_TEXTS), text(given, *AFTER), is_new),)


def table(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the first of some fields that holds a table or a table as JSON text; else an empty one."""
    for field in names:
        value = values.get(field)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = _decode(value)
        if isinstance(value, dict):
            return value
    return {}


def _decode(written: str) -> object:
    try:
        return parse_json(written)
    except (ValueError, RecursionError):
        return None
