"""Stamp everything in a folder, in order to detect changes and undo them."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

from gitmem.verify.sandbox.removal import remove_tree

# The state of a file: mode, inode, size, times of content and inode in ns; of a folder: mode, and its extended
# attributes as this process's hash.
Stamp = tuple[int, ...]


def stamp_tree(top: Path) -> dict[str, Stamp]:
    """Return a stamp of everything in a folder, and of the folder itself as ``.``, by path; links are not followed.

    A folder's stamp consists of its mode and its extended attributes: a default ACL determines the modes of new files
    (acl(5)). Its content is stamped separately. A folder that cannot be read is made readable first.

    Raises:
        NotADirectoryError: It is no longer a folder, but perhaps a link to one.
    """
    stamps: dict[str, Stamp] = {".": (top.lstat().st_mode, _attributes(top))}
    if not stat.S_ISDIR(stamps["."][0]):
        raise NotADirectoryError(f"{top} was replaced")
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        for entry in _list_opened(top / folder):
            path = folder + entry.name
            info = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                stamps[path] = (info.st_mode, _attributes(entry.path))
                waiting.append(path + "/")
            else:
                stamps[path] = (info.st_mode, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
    return stamps


def _attributes(folder: str | Path) -> int:
    if sys.platform != "linux":
        return 0
    try:
        names = os.listxattr(folder, follow_symlinks=False)
        return hash(tuple((name, os.getxattr(folder, name, follow_symlinks=False)) for name in sorted(names)))
    except OSError:
        return 0  # a file system without extended attributes


def _list_opened(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except PermissionError:
        folder.chmod(0o700)
    with os.scandir(folder) as entries:
        return list(entries)


def undo(top: Path, before: dict[str, Stamp], after: dict[str, Stamp]) -> None:
    """Remove what was added or changed in a folder and restore the modes of folders; deleted files stay deleted.

    Args:
        top: The folder.
        before: The stamps before the changes.
        after: The stamps now.

    Raises:
        OSError: A change cannot be undone: a folder has other extended attributes.
    """
    for path in sorted(after):
        if before.get(path) == after[path]:
            continue
        place = top / path
        is_folder = stat.S_ISDIR(after[path][0])
        if is_folder and path in before and stat.S_ISDIR(before[path][0]):
            if before[path][1:] != after[path][1:]:
                raise OSError(errno.EPERM, f"the attributes of {place} were changed")
            place.chmod(stat.S_IMODE(before[path][0]))
        elif is_folder:
            remove_tree(str(place))
        else:
            place.unlink(missing_ok=True)
