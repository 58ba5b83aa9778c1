"""A session's marks: which of its texts were captured (by content), and about which files it was shown something.

A hook sees an agent's last message, and the transcript has all of them: a text found in both is captured once. The
marks of a session are lines of a small file, which several hooks may append to at once.
"""

from __future__ import annotations

from binascii import crc32

from gitmem.agents.capture.state import session_file
from gitmem.errors import suppress
from gitmem.system import append_file, only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository

SUFFIX = ".marks"
# About 10,000 marks.
SIZE_LIMIT = 256 * 1024


def is_marked(repository: OpenRepository, session: str, text: str) -> bool:
    """Return whether a text is marked as captured in this session."""
    path = _path(repository, session)
    try:
        with open(path, "rb", opener=only_regular) as file:
            return _line_of(text) in file.read(SIZE_LIMIT).split(b"\n")
    except OSError:
        return False


def mark(repository: OpenRepository, session: str, text: str) -> None:
    """Mark a text of a session; a no-op for a session without a name, which has no transcript."""
    path = _path(repository, session)
    if not path:
        return
    with suppress(OSError):  # It is then looked at again, and its key shows that it is known.
        append_file(path, _line_of(text) + b"\n")


def _path(repository: OpenRepository, session: str) -> str:
    path = session_file(repository, session)
    return f"{path}{SUFFIX}" if path else ""


def _line_of(text: str) -> bytes:
    content = " ".join(text.split()).encode("utf-8", "replace")
    return b"%08x%x" % (crc32(content), len(content))
