"""What a search node stores of each memory, in one file that grows at its end: an index names the place of each record.

A record has two parts: the scorer's, read for each candidate, and the shown one, read for each hit. The file's
pages are in the system's cache, so that nothing has to be held. A record of a memory that changed or went is erased,
since someone may have purged it. Its room stays empty until the index is made again: a server that starts does so if
most of the file is empty.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
import threading
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from gitmem.errors import GitmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "records"
_HEAD = b"gitmem hub records\n"
# The sizes of its two parts, and the checksum of each with them: a program reads the first that trusts it, and a wrong
# size would erase others. They are 0 for an erased record.
_BEGIN, _SIZES = struct.Struct("<IIII"), struct.Struct("<II")


class Records:
    """The file of a folder, for the one process that writes it."""

    def __init__(self, folder: Path) -> None:
        """Open the file, or make an empty one."""
        (folder / NAME).touch(0o600)
        self._file = (folder / NAME).open("r+b")
        self.damage = threading.Event()
        self.free = 0  # bytes that were erased, as far as the caller counts those of earlier processes
        self.size = self._file.seek(0, os.SEEK_END)
        if not self.size:
            self.size += self._file.write(_HEAD)
            self._file.flush()

    def append(self, scored: bytes, shown: bytes) -> int:
        """Store a record, and return its place; ``flush`` completes it."""
        at = self.size
        self.size += self._file.write(_begin(scored, shown) + scored + shown)
        return at

    def flush(self) -> None:
        """Bring all records to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def erase(self, places: Iterable[int]) -> None:
        """Overwrite the records at some places, except those that are damaged; call ``flush`` before."""
        number, view = self._file.fileno(), self.view()
        for at in places:
            with suppress(GitmemError):  # its damage is noted
                if view.scored(at) is not None:
                    size, more, *_ = _BEGIN.unpack(os.pread(number, _BEGIN.size, at))
                    self.free += os.pwrite(number, _BEGIN.pack(size, more, 0, 0) + bytes(size + more), at)
        os.fsync(number)

    def recover(self, size: int, places: Iterable[int]) -> None:
        """Erase all after a size, and the records at some places: what a process that was killed has left half done.

        The index may name records after that size; they are erased ones then. No view may be in use.
        """
        os.ftruncate(self._file.fileno(), size)
        os.ftruncate(self._file.fileno(), self.size)  # with zeros
        self.free += self.size - size
        self.erase(places)

    def view(self) -> RecordView:
        """Return what can be read until now."""
        return RecordView(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ), self.damage)

    def close(self) -> None:
        """Close the file; views can still be read."""
        self._file.close()


class RecordView:
    """The records up to some time; threads may share it."""

    def __init__(self, mapped: mmap.mmap, damage: threading.Event) -> None:
        """Read a file that is mapped into memory, and set an event if it is damaged."""
        self._mapped, self._damage = mapped, damage

    def scored(self, at: int) -> bytes | None:
        """Return what the scorer needs of the record at a place; None if it was erased.

        Raises:
            GitmemError: The file is damaged there.
        """
        return self._part(at, 0)

    def shown(self, at: int) -> bytes | None:
        """Return what is shown of the record at a place; None if it was erased.

        Raises:
            GitmemError: The file is damaged there.
        """
        return self._part(at, 1)

    def _part(self, at: int, number: int) -> bytes | None:
        if not 0 < at <= len(self._mapped) - _BEGIN.size:
            raise self.damaged()
        size, more, *sums = _BEGIN.unpack_from(self._mapped, at)
        start = at + _BEGIN.size + (size if number else 0)
        end = start + (more if number else size)
        part = self._mapped[start:end]
        if len(part) == end - start and (crc32(part, crc32(self._mapped[at : at + _SIZES.size])) or 1) == sums[number]:
            return part
        if not any(_BEGIN.unpack_from(self._mapped, at)[2:]):  # after it was copied
            return None
        raise self.damaged()

    def damaged(self) -> GitmemError:
        """Return the error of a damaged file, which is to be made again."""
        self._damage.set()
        return GitmemError("the index of this server is damaged; it is being made again")


def _begin(scored: bytes, shown: bytes) -> bytes:
    sizes = _SIZES.pack(len(scored), len(shown))
    return sizes + _SIZES.pack(*(crc32(part, crc32(sizes)) or 1 for part in (scored, shown)))


def is_whole(folder: Path, size: int) -> bool:
    """Return whether the file of a folder has at least so many bytes, and is one of records.

    Only its owner and its group may be able to write it: ``marshal`` lets whoever writes it take over the program that
    reads it.
    """
    try:
        with (folder / NAME).open("rb") as file:
            found = (folder.lstat(), os.fstat(file.fileno()))
            is_own = all(info.st_uid == os.geteuid() and not info.st_mode & stat.S_IWOTH for info in found)
            return is_own and file.read(len(_HEAD)) == _HEAD and file.seek(0, os.SEEK_END) >= size > 0
    except OSError:
        return False
