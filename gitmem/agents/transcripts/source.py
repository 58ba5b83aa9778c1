"""Open transcript files safely, and read whole lines within bounds.

The path comes from a hook's payload, so it is untrusted: only regular files of this user are read, and only in the
folders where clients store their sessions. Never a device, a pipe or a link that leads elsewhere.
"""

from __future__ import annotations

import errno
import os
import stat

from gitmem.agents import clients
from gitmem.agents.session.places import parse_table
from gitmem.config import home, variable
from gitmem.errors import GitmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitmem.agents.client import Client, Moved

DATABASE = ".db"
SUFFIXES = (".jsonl", ".json", DATABASE)
# The first prompt is at the beginning, and the rest of what matters is at the end: two hours of work are about 5 MB of
# JSON lines. Our choices; a line with a picture has 1 MB or more.
HEAD_BYTES = 1 << 20
TAIL_BYTES = 16 << 20
LINE_BYTES = 4 << 20
CHUNK = 1 << 18
# Windows lacks these flags, and such links and pipes.
_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")


class UnreadableError(GitmemError):
    """The transcript cannot be read; the message says why, and quotes none of it."""


def roots() -> list[str]:
    """Return the folders in which transcripts are read, with links resolved."""
    return [root for table in clients.tables().values() for root in roots_of(table)]


def roots_of(table: Client) -> list[str]:
    """Return the folders in which a client's transcripts are read, with links resolved."""
    named = [os.path.join(home(), folder) for folder in table.sessions]
    named += [os.path.join(variable(moved.variable), moved.below) for moved in _moved(table)]
    return [os.path.realpath(folder) for folder in named if os.path.isabs(folder)]


def open_own(path: str) -> int:
    """Open a file that may be read as a transcript.

    Raises:
        UnreadableError: It may not be read, or cannot be opened.
    """
    if not os.path.isabs(path) or "\0" in path or not path.endswith(SUFFIXES):
        raise UnreadableError("the transcript must be given as the absolute path of a .jsonl, .json or .db file")
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    if not any(root != os.path.sep and real.startswith(root + os.path.sep) for root in roots()):
        raise UnreadableError(
            "the transcript is not in a folder where a client keeps its sessions",
            hint=_allowed_folders(),
        )
    flags = os.O_RDONLY
    for flag in _FLAGS:
        flags |= getattr(os, flag, 0)
    try:
        fd = os.open(real, flags)
    except OSError as err:
        why = "it is a link" if err.errno == errno.ELOOP else err.strerror
        raise UnreadableError(f"the transcript cannot be read: {why}") from err
    about = os.fstat(fd)
    if not stat.S_ISREG(about.st_mode):
        os.close(fd)
        raise UnreadableError("the transcript is not a regular file")
    if hasattr(os, "geteuid") and about.st_uid != os.geteuid():
        os.close(fd)
        raise UnreadableError("the transcript belongs to another user")
    return fd


def _allowed_folders() -> str:
    tables = clients.tables().values()
    folders = ", ".join(f"~/{folder}" for table in tables for folder in table.sessions)
    moved = ", ".join(dict.fromkeys(moved.variable for table in tables for moved in _moved(table)))
    return f"allowed folders: {folders}, or those set by {moved}"


def _moved(table: Client) -> list[Moved]:
    """Return the variables that move a client's folders with sessions."""
    return [
        moved
        for moved in table.moved_by
        if any(f"{moved.folder}/".startswith(f"{folder}/") for folder in table.sessions)
    ]


def iter_records(
    fd: int, *, head: int = HEAD_BYTES, rest: int = TAIL_BYTES, line: int = LINE_BYTES
) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in an open file: one per line, or the elements of the list in one object over many lines.

    Lines written meanwhile are not seen; lines that are damaged or too long are skipped.

    Args:
        fd: The file.
        head: The bytes read at the beginning of a large file.
        rest: The bytes read at its end.
        line: The longest line read, in bytes.
    """
    is_spread = None
    block, size = [b""], 0
    for text in _iter_lines(fd, os.fstat(fd).st_size, head, rest, line):
        bare = text.strip(b"\0\r\t ")
        if is_spread is None and bare:
            is_spread = bare == b"{"
        if not is_spread:
            yield from _parse(bare)
        elif not text:  # The preceding lines do not belong to the next object.
            block, size = [b""], 0
        elif bare == b"{" and text.startswith(_INSIDE):
            block, size = [text], len(text)
        elif block[0] and size <= line:
            block.append(text)
            size += len(text)
            if bare in (b"}", b"},") and text.startswith(_INSIDE):
                yield from _parse(b"\n".join(block).rstrip(b"\r, "))
                block, size = [b""], 0


def _parse(text: bytes) -> Iterator[dict[str, Any]]:
    if table := parse_table(text.decode("utf-8", "replace")):
        yield table


def _iter_lines(fd: int, size: int, head: int, rest: int, line: int) -> Iterator[bytes]:
    """Yield whole lines without line feeds; an empty one marks a gap."""
    for start, end in [(0, size)] if size <= head + rest else [(0, head), (size - rest, size)]:
        is_cut = start > 0  # The line begins before the gap.
        held = b""
        at = start
        while at < end:
            os.lseek(fd, at, os.SEEK_SET)
            chunk = os.read(fd, min(CHUNK, end - at))
            if not chunk:
                break  # It was truncated.
            at += len(chunk)
            *lines, held = (held + chunk).split(b"\n")
            for one in lines:
                if not is_cut and len(one) <= line:
                    yield one or b" "
                is_cut = False
            if len(held) > line:
                held, is_cut = b"", True
        if held and not is_cut and end == size:
            yield held
        yield b""


# How `JSON.stringify(…, null, 2)` indents a list element in an object, as in Gemini CLI's older files.
_INSIDE = (b"    {", b"    }")
