"""The folders in which a store's vectors lie, one for each model, and the right to write them. Loads nothing heavy."""

from __future__ import annotations

import os
import shutil
from hashlib import blake2b

from gitmem.errors import BusyError
from gitmem.locks import try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "vectors"


def folder_of(state_folder: str | os.PathLike[str], model: str) -> str:
    """Return the folder of a model's vectors in a store's state folder."""
    return os.path.join(state_folder, FOLDER, blake2b(model.encode(), digest_size=8).hexdigest())


def size_of(folder: str) -> int:
    """Return the bytes of the files in a folder."""
    with os.scandir(folder) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)


def discard(folder: str) -> None:
    """Delete the folder of a model, or whatever is in its place; call it under the lock."""
    if os.path.islink(folder) or os.path.isfile(folder):
        os.unlink(folder)
    elif os.path.isdir(folder):
        shutil.rmtree(folder)


def list_others(state_folder: str | os.PathLike[str], models: Iterable[str]) -> list[str]:
    """Return the folders of vectors that are of none of these models, sorted."""
    base = os.path.join(state_folder, FOLDER)
    own = {os.path.basename(folder_of(state_folder, model)) for model in models}
    names = sorted(os.listdir(base)) if os.path.isdir(base) else []
    return [os.path.join(base, name) for name in names if name not in own and os.path.isdir(os.path.join(base, name))]


class Writing:
    """The right to write a store's vectors, of one process at a time, as a context manager; it ends with the process.

    Raises (on entering):
        BusyError: Another process writes them.
        OSError: The disk cannot be written to.
    """

    def __init__(self, state_folder: str | os.PathLike[str]) -> None:
        self._folder = os.path.join(state_folder, FOLDER)
        self._held = -1

    def __enter__(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        held = try_lock(os.path.join(self._folder, "lock"))
        if held is None:
            raise BusyError("another process embeds this store's memories now", hint="wait for it")
        self._held = held

    def __exit__(self, *_: object) -> None:
        os.close(self._held)
