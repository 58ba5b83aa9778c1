"""What a search node stores of each memory, in one file that only grows: an index names the place of each record.

A record has two parts: what the scorer needs, read for each candidate, and what is shown, read for each hit. Processes
share the file's pages in the system's cache, so that nothing has to be held by each. Records of memories that changed
stay until the index is made again.
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path
from zlib import crc32

NAME = "records"
_HEAD = b"gitmem hub records\n"
# The sizes of its two parts and the checksum of the first, which a program reads that trusts it.
_SIZES = struct.Struct("<III")


class Records:
    """The file of a folder, for the one process that writes it."""

    def __init__(self, folder: Path) -> None:
        """Open the file, or make an empty one."""
        self._file = (folder / NAME).open("a+b")
        self.size = self._file.seek(0, os.SEEK_END)
        if not self.size:
            self.size += self._file.write(_HEAD)
            self._file.flush()

    def append(self, scored: bytes, shown: bytes) -> int:
        """Store a record, and return its place; ``flush`` completes it."""
        at = self.size
        self.size += self._file.write(_SIZES.pack(len(scored), len(shown), crc32(scored)) + scored + shown)
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

    def scored(self, at: int) -> bytes:
        """Return what the scorer needs of the record at a place.

        Raises:
            ValueError: The file is damaged there.
        """
        size, _, checksum = _SIZES.unpack_from(self._mapped, at)
        start = at + _SIZES.size
        part = self._mapped[start : start + size]
        if crc32(part) != checksum:
            raise ValueError(f"the record at {at} is damaged")
        return part

    def shown(self, at: int) -> bytes:
        """Return what is shown of the record at a place."""
        size, more, _ = _SIZES.unpack_from(self._mapped, at)
        start = at + _SIZES.size + size
        return self._mapped[start : start + more]


def is_whole(folder: Path, size: int) -> bool:
    """Return whether the file of a folder has at least so many bytes, and is one of records."""
    try:
        with (folder / NAME).open("rb") as file:
            return file.read(len(_HEAD)) == _HEAD and file.seek(0, os.SEEK_END) >= size > 0
    except OSError:
        return False
