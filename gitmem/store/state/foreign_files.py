"""Remove what gitmem never puts into its state folder: links, FIFOs, sockets and devices.

A folder from elsewhere can hold ``gitmem/at -> /home/ana`` or ``gitmem/catalog.sqlite -> /home/ana/notes.sqlite``:
cleaning up or writing through such a link would destroy files outside the repository. They go before anything else is
opened: only the entry itself, relative to a folder that was opened without following links (open(2), O_NOFOLLOW).
"""

from __future__ import annotations

import os

from gitmem.errors import UnwritableError
from gitmem.system import CLOSE_ON_EXEC, NO_FOLLOW, ONLY_FOLDER, command_of, command_to_move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


# gitmem's own folders are nested at most five deep (a session's archived topics); deeper ones are never opened.
DEPTH = 8


# Scratch clones contain the code's own links; clones are created and removed without following them.
CLONES = "ground"


def remove_links(*state_folders: str) -> None:
    """Remove every entry of these folders and their subfolders that is neither a file nor a folder.

    Raises:
        UnwritableError: An entry cannot be removed, or a folder cannot be listed; nothing may be opened there.
    """
    for folder in state_folders:
        for place, name, parent in _links_in(folder):
            try:
                os.unlink(name, dir_fd=parent)
            except FileNotFoundError:
                continue  # another process removed it
            except OSError as err:
                message = f"cannot remove {place}, which is a link or a special file: {err.strerror}"
                raise UnwritableError(message, hint=f"remove it: {command_of('rm', place)}") from err


def has_links(state_folder: str) -> bool:
    """Return whether a state folder has an entry that is neither a file nor a folder, or cannot be listed."""
    try:
        return any(True for _ in _links_in(state_folder))
    except UnwritableError:
        return True


def describe_misplaced(*state_folders: str) -> str:
    """Return what to do about a file in the place of one of these folders; empty if there is none."""
    for folder in state_folders:
        if os.path.lexists(folder) and not os.path.isdir(folder):
            why = "is not a folder, so every command reads all memories again and records nothing in this clone"
            return f"{folder} {why}; move it: {command_to_move(folder)}"
    return ""


def _links_in(folder: str) -> Iterator[tuple[str, str, int]]:
    """Yield the path of each such entry, its name, and its open folder."""
    if os.scandir in os.supports_fd:  # not on Windows, where unpacking creates no links without a privilege
        yield from _below(folder, folder, None, DEPTH)


def _below(path: str, name: str, parent: int | None, depth: int) -> Iterator[tuple[str, str, int]]:
    try:
        opened = os.open(name, os.O_RDONLY | ONLY_FOLDER | NO_FOLLOW | CLOSE_ON_EXEC, dir_fd=parent)
    except PermissionError as err:
        if not os.access(name, os.X_OK, dir_fd=parent):
            return  # then nothing in it can be opened either
        message = f"{path} cannot be listed: {err.strerror}"
        raise UnwritableError(message, hint=f"check its contents, then: {command_of('chmod', '700', path)}") from err
    except OSError:
        return  # it does not exist, or is a file
    try:
        with os.scandir(opened) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if depth and (parent is None or os.path.basename(path) != CLONES):
                        yield from _below(f"{path}/{entry.name}", entry.name, opened, depth - 1)
                elif not entry.is_file(follow_symlinks=False):
                    yield f"{path}/{entry.name}", entry.name, opened
    finally:
        os.close(opened)
