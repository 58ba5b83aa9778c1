"""Which texts of a session were captured, by what they say: none is taken from its transcript again.

A hook sees an agent's last words, and a transcript has all of them: what both have is one text. A session's texts are
lines of a small file; several hooks may add to it at once.
"""

from __future__ import annotations

import os
from zlib import crc32

from gitmem.agents.capture.state import session_file
from gitmem.system.file_lock import make_folder, open_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository.repository import OpenRepository

SUFFIX = ".texts"
# Some 10,000 texts.
SIZE_LIMIT = 256 * 1024


def is_captured(memory: OpenRepository, session: str, text: str) -> bool:
    """Return whether a text of a session was captured, or seen and refused."""
    path = _path(memory, session)
    try:
        with open(path, "rb") as file:
            return _mark(text) in file.read(SIZE_LIMIT).split(b"\n")
    except OSError:
        return False


def note(memory: OpenRepository, session: str, text: str) -> None:
    """Note that a text of a session was captured; a session without a name has no transcript either."""
    path = _path(memory, session)
    if not path:
        return
    try:
        make_folder(os.path.dirname(path))
        fd = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(fd, _mark(text) + b"\n")  # appended whole: POSIX.1-2017, write(), O_APPEND
        finally:
            os.close(fd)
    except OSError:
        return  # it is looked at again, and its key says that it is known


def _path(memory: OpenRepository, session: str) -> str:
    path = session_file(memory, session)
    return f"{path}{SUFFIX}" if path else ""


def _mark(text: str) -> bytes:
    content = " ".join(text.split()).encode("utf-8", "replace")
    return b"%08x%x" % (crc32(content), len(content))
