"""Print to an agent: everything that is not gitmem's own words goes inside the fence, as in hooks and MCP.

The text of a command is held until it ends, because a fence is one block: text by others between two fences would read
as gitmem's own. JSON is printed as it is: its strings are data to its reader.
"""

from __future__ import annotations

import os
import stat

from gitmem.text.own import is_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

# What a piece of output is: own words, text by others, or data that is printed as it is.
OWN, FOREIGN, DATA = "own", "foreign", "data"


class FencedStream:
    """A stream that an agent reads: it keeps what is written until ``flush``."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._source = "the output of gitmem"
        self._pieces: list[tuple[str, str]] = []
        self.is_file = _is_regular_file(stream)

    def name(self, command: str) -> None:
        """Name the command in the source line of the fence."""
        self._source = f"the output of gitmem {command} in this repository"

    def isatty(self) -> bool:
        """Return False: an agent's terminal gets the same text as a pipe."""
        return False

    def fileno(self) -> int:
        """Return the descriptor of the stream."""
        return self._stream.fileno()

    def write(self, text: str) -> int:
        """Keep text by others."""
        self._pieces.append((FOREIGN, text))
        return len(text)

    def write_own(self, text: str) -> None:
        """Keep own words, or text that is already fenced."""
        self._pieces.append((OWN, text))

    def write_data(self, text: str) -> None:
        """Keep data that is written as it is."""
        self._pieces.append((DATA, text))

    def drop(self) -> None:
        """Forget what is kept."""
        self._pieces = []

    def flush(self) -> None:
        """Write what is kept, fenced, and flush the stream."""
        pieces, self._pieces = self._pieces, []
        run: list[tuple[str, str]] = []
        for kind, text in pieces:
            if kind != DATA:
                run.append((kind, text))
                continue
            self._write_run(run)
            run = []
            self._stream.write(text)
        self._write_run(run)
        self._stream.flush()

    def _write_run(self, pieces: list[tuple[str, str]]) -> None:
        """Write text: own words at its start and end as they are, the rest as one block."""
        kinds = [FOREIGN if kind == FOREIGN and not _is_plain(text) else OWN for kind, text in pieces]
        first = kinds.index(FOREIGN) if FOREIGN in kinds else len(pieces)
        last = len(kinds) - kinds[::-1].index(FOREIGN) if FOREIGN in kinds else first
        # Next to text by others, a word that only happens to be a slug is one of theirs.
        while first and pieces[first - 1][0] == FOREIGN and first < last:
            first -= 1
        while last < len(pieces) and pieces[last][0] == FOREIGN and first < last:
            last += 1
        self._stream.write("".join(text for _, text in pieces[:first]))
        block = "".join(text for _, text in pieces[first:last]).rstrip("\n")
        if block:
            from gitmem.text.fence import fence_text

            self._stream.write(f"{fence_text(block, source=self._source)}\n")
        self._stream.write("".join(text for _, text in pieces[last:]))


def _is_plain(text: str) -> bool:
    """Return whether a line is nothing but a slug."""
    return not (line := text.rstrip("\n")) or is_slug(line)


def _is_regular_file(stream: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False
