"""The files with the state of sessions: short texts, and JSON lines that are trimmed as they grow.

Everything is under ``sessions`` in the state folder of the common git directory, never in a folder for temporary files,
which systems empty. Names come from clients and branches; they are escaped so that none can leave
the folder.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import BusyError
from gitmem.system import LARGEST, make_folder, only_regular
from gitmem.system.file_lock import lock, lock_now, open_lock
from gitmem.text import format_json, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

FOLDER = "sessions"
LOCK = ".lock"
# The longest file name on common file systems is 255 bytes (NAME_MAX); an escaped character takes three.
NAME_LIMIT = 120
# How long a writer waits for others, each of which needs a millisecond.
PATIENCE_S = 2.0
POLL_S = 0.002
# The characters that are not escaped. No upper-case letters: some file systems ignore case.
_UNESCAPED = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


def file_name(text: str) -> str:
    """Return a unique file name for a text: not empty, without a leading dot or a separator."""
    spelt = "".join(
        char if char in _UNESCAPED and (at or char != ".") else "".join(f"%{byte:02x}" for byte in _bytes(char))
        for at, char in enumerate(text[: 4 * NAME_LIMIT])
    )
    if len(spelt) <= NAME_LIMIT and len(text) <= NAME_LIMIT:
        return spelt or "%"
    from hashlib import sha256  # 3 ms (measured), only for a name that is too long

    return f"{spelt[:NAME_LIMIT]}%{sha256(_bytes(text)).hexdigest()[:20]}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def unescape_name(name: str) -> str:
    """Return the text of a file name made by ``file_name``, except for a part that was cut."""
    if name == "%":
        return ""
    first, *others = name.split("%")
    return b"".join([_bytes(first), *map(_unescape, others)]).decode("utf-8", "replace")


def _unescape(part: str) -> bytes:
    """Decode what follows a per cent sign: two hex digits for a byte, and the rest unchanged."""
    try:
        byte = bytes.fromhex(part[:2]) if part[:2].isalnum() else b""
    except ValueError:
        byte = b""
    return byte + _bytes(part[2:]) if byte else _bytes(f"%{part}")


def parse_table(text: str | bytes) -> dict[str, Any]:
    """Return a JSON object; empty if the text is not one."""
    try:
        table = parse_json(text)
    except (ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def read_table(path: str, limit: int) -> dict[str, Any]:
    """Return the JSON object in a file; empty if the file is missing, damaged or longer than *limit* bytes."""
    return parse_table(read_text(path, limit))


def change_table(path: str, how: Callable[[dict[str, Any]], None], *, limit: int) -> None:
    """Change the JSON object in a file, one process at a time; an empty or longer one leaves the file empty.

    Raises:
        OSError: The file cannot be written.
    """
    make_folder(os.path.dirname(path))
    fd = open_lock(path)
    try:
        lock(fd)  # held for microseconds; released when the holder dies
        table = parse_table(os.read(fd, limit))
        how(table)
        content = format_json(table, is_ascii=True).encode("ascii") if table else b""
        content = content if len(content) <= limit else b""
        os.lseek(fd, 0, os.SEEK_SET)
        os.write(fd, content)
        os.truncate(fd, len(content))
    finally:
        os.close(fd)


def read_text(path: str, limit: int) -> str:
    """Return the beginning of a text file, at most *limit* bytes; empty if it does not exist."""
    try:
        with open(path, "rb", opener=only_regular) as file:
            return file.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""


def append(path: str, entry: Mapping[str, Any], *, limit: int) -> None:
    """Append a line to a file of JSON lines, and drop the oldest lines if it exceeds *limit* bytes.

    Raises:
        BusyError: Timed out waiting for other writers.
        OSError: The file cannot be written.
    """
    line = format_json(entry, is_ascii=True, is_compact=True).encode("ascii") + b"\n"
    folder = os.path.dirname(path)
    make_folder(folder)
    lock = open_lock(os.path.join(folder, LOCK))
    try:
        _wait_for(lock, path)
        with open(path, "ab+", opener=only_regular) as file:
            size = file.seek(0, os.SEEK_END)
            if size:  # a writer that was killed may have left an incomplete line
                file.seek(size - 1)
                line = line if file.read(1) == b"\n" else b"\n" + line
            file.write(line)
        if size + len(line) > limit:
            _trim(path, limit // 2)
    finally:
        os.close(lock)


def _wait_for(lock: int, path: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not lock_now(lock):
        if time.monotonic() > until:
            raise BusyError(f"{path} is being written by another process", hint="try again")
        time.sleep(POLL_S)


def _trim(path: str, keep: int) -> None:
    """Keep the last whole lines within *keep* bytes; the very last one in any case."""
    with open(path, "rb", opener=only_regular) as file:
        file.seek(max(file.seek(0, os.SEEK_END) - LARGEST, 0))
        lines = file.read().splitlines(keepends=True)
    recent, size = [lines[-1]], len(lines[-1])
    for line in reversed(lines[:-1]):
        size += len(line)
        if size > keep:
            break
        recent.append(line)
    fresh = f"{path}.new"  # of the process that holds the lock
    with open(fresh, "wb") as file:
        file.writelines(reversed(recent))
    os.replace(fresh, path)


def read_lines(path: str, limit: int) -> list[dict[str, Any]]:
    """Return the objects at the end of a file of JSON lines, oldest first; damaged lines are skipped."""
    try:
        with open(path, "rb", opener=only_regular) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - limit))
            content = file.read(limit)
    except OSError:
        return []
    return [entry for line in content.splitlines() if (entry := parse_table(line))]
