"""What a search node stores of each memory, in one file that only grows: an index names the place of each record.

A record has two parts: what the scorer needs, read for each candidate, and what is shown, read for each hit. The file's
pages are in the system's cache, so that nothing has to be held. A record of a memory that changed or went is erased,
since someone may have purged it; its room stays empty until the index is made again.
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "records"
_HEAD = b"gitmem hub records\n"
# The sizes of its two parts and the checksum of the first, which a program reads that trusts it; 0 for an erased one.
_SIZES = struct.Struct("<III")


class Records:
    """The file of a folder, for the one process that writes it."""

    def __init__(self, folder: Path) -> None:
        """Open the file, or make an empty one."""
        (folder / NAME).touch(0o600)
        self._file = (folder / NAME).open("r+b")
        self.size = self._file.seek(0, os.SEEK_END)
        if not self.size:
            self.size += self._file.write(_HEAD)
            self._file.flush()

    def append(self, scored: bytes, shown: bytes) -> int:
        """Store a record, and return its place; ``flush`` completes it."""
        at = self.size
        self.size += self._file.write(_SIZES.pack(len(scored), len(shown), _checksum(scored)) + scored + shown)
        return at

    def flush(self) -> None:
        """Bring all records to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def erase(self, places: Iterable[int]) -> None:
        """Overwrite the records at some places; call ``flush`` before."""
        number = self._file.fileno()
        for at in places:
            size, more, _ = _SIZES.unpack(os.pread(number, _SIZES.size, at))
            os.pwrite(number, _SIZES.pack(size, more, 0) + bytes(size + more), at)

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

    def scored(self, at: int) -> bytes | None:
        """Return what the scorer needs of the record at a place; None if it was erased.

        Raises:
            ValueError: The file is damaged there.
        """
        size, _, checksum = _SIZES.unpack_from(self._mapped, at)
        if not checksum:
            return None
        start = at + _SIZES.size
        part = self._mapped[start : start + size]
        if _checksum(part) == checksum:
            return part
        if self.shown(at) is None:  # just now
            return None
        raise ValueError(f"the record at {at} is damaged")

    def shown(self, at: int) -> bytes | None:
        """Return what is shown of the record at a place; None if it was erased."""
        size, more, _ = _SIZES.unpack_from(self._mapped, at)
        start = at + _SIZES.size + size
        part = self._mapped[start : start + more]
        return part if _SIZES.unpack_from(self._mapped, at)[-1] else None  # after it was copied


def _checksum(part: bytes) -> int:
    return crc32(part) or 1


def is_whole(folder: Path, size: int) -> bool:
    """Return whether the file of a folder has at least so many bytes, and is one of records."""
    try:
        with (folder / NAME).open("rb") as file:
            return file.read(len(_HEAD)) == _HEAD and file.seek(0, os.SEEK_END) >= size > 0
    except OSError:
        return False
