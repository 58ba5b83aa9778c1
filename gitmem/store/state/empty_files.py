"""Which files and folders were there and empty before gitmem wrote into them, so that they are left as they were.

Once gitmem's own lines are removed, nothing else shows whether the file was made for them.
"""

from __future__ import annotations

import os

from gitmem.system import append_file, read_file

NOTE = "was-empty"


def note_empty(state: str, *paths: str | os.PathLike[str]) -> None:
    """Note those of some files and folders that exist and are empty.

    Args:
        state: The repository's folder of local state.
        paths: The files about to be written or created.
    """
    note_kept(state, *(path for path in paths if _is_empty(os.path.realpath(path))))


def note_kept(state: str, *paths: str | os.PathLike[str]) -> None:
    """Note files and folders that stay, even if nothing else is left in them."""
    new, known = [os.path.realpath(path) for path in paths], _read(state)
    if lines := [path for path in new if path not in known and "\n" not in path]:
        append_file(os.path.join(state, NOTE), os.fsencode("".join(f"{path}\n" for path in lines)))


def was_empty(state: str, path: str | os.PathLike[str]) -> bool:
    """Return whether a file or folder was there before, and empty, or with nothing to lose."""
    return os.path.realpath(path) in _read(state)


def _is_empty(path: str) -> bool:
    try:
        return not os.listdir(path) if os.path.isdir(path) else os.path.getsize(path) == 0
    except OSError:
        return False


def _read(state: str) -> frozenset[str]:
    if not state:  # a person's own settings, outside of every repository
        return frozenset()
    return frozenset(os.fsdecode(read_file(os.path.join(state, NOTE))).split("\n"))
