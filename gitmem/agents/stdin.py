"""Read a client's payload from standard input, bounded in size and time."""

from __future__ import annotations

import os
import select
from time import monotonic
from zlib import crc32

from gitmem.frozen import frozen
from gitmem.store.state.hook_log import UnusableError
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The most bytes parsed. A written file of a megabyte arrives three times (text, answer, original).
PARSED_AT_MOST = 4 * 1024 * 1024
# The most bytes read and discarded beyond that, so that a client that still writes does not get a broken pipe.
READ_AT_MOST = 256 * 1024 * 1024
CHUNK = 1024 * 1024
# How long to wait for a client to write it, and how long to wait for the end after an object that looks complete: some
# programs never close the pipe.
PATIENCE_S = 3.0
PATIENCE_AT_END_S = 0.2
# A byte order mark at the beginning, as some programs on Windows write it.
BOM = b"\xef\xbb\xbf"


@frozen
class HookInput:
    """The payload on standard input.

    Attributes:
        content: The bytes, at most one more than are parsed.
        size: The number of bytes read.
        is_whole: Whether the other end closed the pipe or the object looks complete.
    """

    content: bytes
    size: int
    is_whole: bool

    @property
    def is_empty(self) -> bool:
        """Return whether there was no input."""
        return not self.content.strip()

    @property
    def mark(self) -> str:
        """Return an identifier of the payload, the same for equal payloads: at most 18 letters and digits."""
        return f"{crc32(self.content):08x}{self.size:x}"

    def payload(self) -> dict[str, Any]:
        """Return the JSON object.

        Raises:
            UnusableError: It is not a JSON object, or too large; the message quotes none of it.
        """
        if self.size > PARSED_AT_MOST:
            raise UnusableError(f"the payload is larger than {PARSED_AT_MOST} bytes and was ignored")
        try:
            # Decode leniently: a byte that is not UTF-8 must not cost the event.
            table = parse_json(self.content.removeprefix(BOM).decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            table = None
        if not isinstance(table, dict):
            how = "" if self.is_whole else ", and it did not end in time"
            raise UnusableError(f"the payload is not a JSON object ({self.size} bytes{how})")
        return table


def read_input(fd: int) -> HookInput:
    """Read a descriptor until its end, or until no more arrives; nothing from a terminal or a closed descriptor.

    A descriptor that is closed brings nothing.
    """
    parts: list[bytes] = []
    chunk, size, ends = b"", 0, monotonic() + PATIENCE_S
    try:
        if os.isatty(fd):
            return HookInput(b"", 0, is_whole=True)
        while size < READ_AT_MOST:
            wait = ends - monotonic()
            looks_whole = chunk.rstrip().endswith(b"}")
            if looks_whole:
                wait = min(wait, PATIENCE_AT_END_S)
            if not select.select([fd], [], [], max(wait, 0))[0]:
                return HookInput(b"".join(parts), size, is_whole=looks_whole)
            chunk = os.read(fd, CHUNK)
            if not chunk:
                break
            if size <= PARSED_AT_MOST:
                parts.append(chunk)
            size += len(chunk)
    except (OSError, ValueError):
        pass
    return HookInput(b"".join(parts), size, is_whole=True)
