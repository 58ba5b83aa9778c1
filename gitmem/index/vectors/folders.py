"""The folders of a store's vectors, one for each model, and the lock for writing them. Loads nothing heavy."""

from __future__ import annotations

import os
from _blake2 import blake2b  # `hashlib` loads OpenSSL as well: 4 ms (measured)

from gitmem.errors import BusyError
from gitmem.system import make_folder
from gitmem.system.file_lock import try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "vectors"
# The version of how memories are split into pieces (``embed.pieces``): vectors made with another one are rebuilt.
CUT = 3
_NAME, _DIGITS = 16, frozenset("0123456789abcdef")


def folder_of(state_folder: str | os.PathLike[str], model: str) -> str:
    """Return the folder of a model's vectors in a store's state folder."""
    return os.path.join(state_folder, FOLDER, blake2b(model.encode(), digest_size=8).hexdigest())


def size_of(folder: str) -> int:
    """Return the total size of the files in a folder, in bytes."""
    with os.scandir(folder) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)


def discard(folder: str) -> None:
    """Delete the folder of a model, or whatever has its name; call it under the lock."""
    if os.path.islink(folder) or os.path.isfile(folder):
        os.unlink(folder)
    elif os.path.isdir(folder):
        from shutil import rmtree

        rmtree(folder)


def list_others(state_folder: str | os.PathLike[str], models: Iterable[str]) -> list[str]:
    """Return the folders of vectors of all other models, sorted.

    They may be deleted, so links are not followed, and folders that gitmem would not name like that are left out.
    """
    base = os.path.join(state_folder, FOLDER)
    if os.path.islink(base) or not os.path.isdir(base):
        return []
    own = {os.path.basename(folder_of(state_folder, model)) for model in models}
    with os.scandir(base) as entries:
        others = [entry for entry in entries if _is_ours(entry.name) and entry.is_dir(follow_symlinks=False)]
    return sorted(other.path for other in others if other.name not in own)


def _is_ours(name: str) -> bool:
    return len(name) == _NAME and _DIGITS.issuperset(name)


class VectorsLock:
    """The lock for writing a store's vectors, as a context manager; it is released when the process ends.

    Raises (on entering):
        BusyError: Another process is writing them.
        OSError: The disk cannot be written to.
    """

    def __init__(self, state_folder: str | os.PathLike[str]) -> None:
        self._folder = os.path.join(state_folder, FOLDER)
        self._held = -1

    def __enter__(self) -> None:
        if os.path.islink(self._folder) or os.path.isfile(self._folder):
            # Vectors are derived data and can be deleted; the target of a link must not be touched.
            os.unlink(self._folder)
        make_folder(self._folder)
        held = try_lock(os.path.join(self._folder, "lock"))
        if held is None:
            raise BusyError("another process is embedding this store's memories", hint="wait until it has finished")
        self._held = held

    def __exit__(self, *_: object) -> None:
        os.close(self._held)
