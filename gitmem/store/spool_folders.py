"""The folders and file names of the spool: light enough for every command at start.

If nothing was ever captured, looking costs microseconds.
"""

from __future__ import annotations

import os

from gitmem.config import second_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "spool"
WAITING = "waiting"
REFUSED = "refused"
SUFFIX = ".json"


def folders_of(state_folder: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the folder of a spool, and its fallback."""
    return os.path.join(state_folder, FOLDER), os.path.join(second_place(state_folder), FOLDER)


def waiting_in(state_folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of the waiting entries, oldest first; costs microseconds if there never were any."""
    return tuple(names_of(folders_of(state_folder), WAITING))


def counts(state_folder: str | os.PathLike[str]) -> dict[str, int]:
    """Return how many entries wait, and how many were set aside."""
    return {name: len(names_of(folders_of(state_folder), name)) for name in (WAITING, REFUSED)}


def names_of(folders: Iterable[str], inside: str) -> list[str]:
    """Return the names of the entries in a folder of each of some spools, oldest first."""
    return sorted(name for folder in folders for name in names_in(os.path.join(folder, inside)))


def names_in(folder: str) -> list[str]:
    """Return the names of the entries in one folder, oldest first; none if it cannot be read."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except OSError:
        return []  # nothing was ever captured here, or not by this user
