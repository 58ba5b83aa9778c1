"""Read what a harness tells on standard input: bounded in size and time, whatever the other end does."""

from __future__ import annotations

import os
import select
from time import monotonic
from zlib import crc32

from gitmem.frozen import frozen
from gitmem.store.hook_log import UnusableError
from gitmem.text.json_values import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Bytes that are parsed. A file of a megabyte that is written arrives three times (text, answer, original).
PARSED_AT_MOST = 4 * 1024 * 1024
# Bytes that are read and thrown away beyond that, so that a harness that still writes meets no closed pipe.
READ_AT_MOST = 256 * 1024 * 1024
CHUNK = 1024 * 1024
# How long a harness may take to write it, and how long an object that looks complete is waited on for its end: some
# programs never close the pipe.
PATIENCE_S = 3.0
PATIENCE_AT_END_S = 0.2


@frozen
class HookInput:
    """What stood on standard input.

    Attributes:
        content: At most one byte more than what is parsed.
        size: Bytes that were read.
        is_whole: Whether the other end closed it or it looks complete.
    """

    content: bytes
    size: int
    is_whole: bool

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was told."""
        return not self.content.strip()

    @property
    def mark(self) -> str:
        """Return what two calls with the same payload have in common, in 18 letters and digits at most."""
        return f"{crc32(self.content):08x}{self.size:x}"

    def payload(self) -> dict[str, Any]:
        """Return the JSON object.

        Raises:
            UnusableError: It is none, or too large; the error does not repeat any of it.
        """
        if self.size > PARSED_AT_MOST:
            raise UnusableError(f"the payload is larger than {PARSED_AT_MOST} bytes and was ignored")
        try:
            # Nearly every text is good enough: a byte that is not UTF-8 must not cost the event.
            found = parse_json(self.content.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            how = "" if self.is_whole else ", and its end did not come in time"
            raise UnusableError(f"the payload is not a JSON object ({self.size} bytes{how})")
        return found


def read_input(fd: int) -> HookInput:
    """Return what a descriptor brings until its end, or until nothing more comes; nothing from a terminal.

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
