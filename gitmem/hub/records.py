"""What a search node stores of each memory, in one file that only grows: an index names the place of each record.

A record is two texts: what the scorer needs, read for each candidate, and what is shown, read for each hit. Processes
share the file's pages in the system's cache, so that nothing has to be held by each. Records of memories that changed
stay until the index is made again.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

NAME = "records"
_HEAD = b"gitmem hub records\n"
# PostgreSQL has no text with it, and JSON escapes it.
_END = b"\0"


class Records:
    """The file of a folder, for the one process that writes it."""

    def __init__(self, folder: Path) -> None:
        """Open the file, or make an empty one."""
        self._file = (folder / NAME).open("a+b")
        self.size = self._file.seek(0, os.SEEK_END)
        if not self.size:
            self.size += self._file.write(_HEAD)
            self._file.flush()

    def append(self, scored: str, shown: str) -> int:
        """Store a record, and return its place; ``flush`` completes it."""
        at = self.size
        self.size += self._file.write(b"".join((scored.encode(), _END, shown.encode(), _END)))
        return at

    def flush(self) -> None:
        """Bring all records to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def view(self) -> RecordView:
        """Return what can be read until now."""
        return RecordView(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ))

    def close(self) -> None:
        """Close the file; views can still be read."""
        self._file.close()


class RecordView:
    """The records up to some time; threads may share it."""

    def __init__(self, mapped: mmap.mmap) -> None:
        """Read a file that is mapped into memory."""
        self._mapped = mapped

    def scored(self, at: int) -> str:
        """Return what the scorer needs of the record at a place."""
        return self._mapped[at : self._mapped.find(_END, at)].decode()

    def shown(self, at: int) -> str:
        """Return what is shown of the record at a place."""
        start = self._mapped.find(_END, at) + 1
        return self._mapped[start : self._mapped.find(_END, start)].decode()


def is_whole(folder: Path, size: int) -> bool:
    """Return whether the file of a folder has at least so many bytes, and is one of records."""
    try:
        with (folder / NAME).open("rb") as file:
            return file.read(len(_HEAD)) == _HEAD and file.seek(0, os.SEEK_END) >= size > 0
    except OSError:
        return False
