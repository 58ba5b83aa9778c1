"""Folders of the user's work tree that a check sees besides the commit: ``.venv``, ``node_modules`` and others.

Folders of dependencies are found by name; the policy names the others. Since the policy comes with the memory branch,
its names are untrusted: a folder must be in the work tree, be ignored by git there, and contain nothing that the judged
commit tracks, and no parent may be a link. A check never changes the user's folder: it sees it under an overlay,
read-only, or as a copy.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from gitmem.config import home
from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git import Git

# Limits of what is copied for each running check if overlays do not work; chosen by us. A file takes 1 ms (measured).
COPY_BYTES = 1 << 30
COPY_FILES = 20_000
# Folders that package managers install dependencies into, at any depth.
DEPENDENCIES = ("node_modules", ".venv", "venv", "vendor")
# Limits of the number of such folders, above that of any project, and of all ignored folders.
MOST_DEPENDENCIES, MOST_IGNORED = 50, 500
# The folders of Python environments at the top that are added to a check's PATH.
ENVIRONMENTS = (".venv", "venv")
# This file marks a Python environment, whose programs contain its own path (PEP 405).
TIED = "pyvenv.cfg"


@frozen
class LentFolder:
    """A folder of the work tree that a check sees.

    Attributes:
        name: Its path in the work tree, with ``/``.
        place: Its real path.
    """

    name: str
    place: Path

    @property
    def is_tied(self) -> bool:
        """Return whether the folder only works at its own path."""
        return (self.place / TIED).is_file()


def find_folders(git: Git, commit: str, names: Sequence[str]) -> tuple[tuple[LentFolder, ...], tuple[str, ...]]:
    """Return the folders that checks of a commit may see, and for each other folder a line with the reason."""
    top = git.repository.work_tree
    if top is None:
        return (), tuple(f"{name}: there is no work tree" for name in names)
    top = top.resolve()
    if home() and Path(home()).resolve().is_relative_to(top):
        return (), tuple(f"{name}: the work tree is a home folder" for name in names)
    whys = {name: _why_not_there(top, name) for name in names}
    there = [name for name in names if not whys[name]]
    ignored = _list_ignored(git, top, there)
    whys |= {name: "git does not ignore it here" for name in there if name not in ignored}
    whys |= {name: why for name in there if not whys[name] and (why := _why_taken(git, commit, name))}
    found = tuple(LentFolder(name, top / name) for name in names if not whys[name])
    return found, tuple(f"{display(name)}: {whys[name]}" for name in names if whys[name])


def list_ignored(git: Git) -> tuple[str, ...]:
    """Return the folders of the work tree that git ignores, by path, without subfolders of others."""
    top = git.repository.work_tree
    if top is None:
        return ()
    where = ("-C", str(top.resolve()), f"--work-tree={top.resolve()}")
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    found = os.fsdecode(git.run(*where, *words, check=False).stdout).split("\0")
    return tuple(sorted(name.removesuffix("/") for name in found if name.endswith("/"))[:MOST_IGNORED])


def dependencies_of(ignored: Sequence[str]) -> tuple[str, ...]:
    """Return the ignored folders that contain dependencies."""
    return tuple(name for name in ignored if name.rpartition("/")[2] in DEPENDENCIES)[:MOST_DEPENDENCIES]


def _why_not_there(top: Path, name: str) -> str:
    at = top
    for part in name.split("/"):
        at /= part
        try:
            mode = at.lstat().st_mode
        except OSError:
            return "it is not in this work tree"
        if not stat.S_ISDIR(mode):
            return "it is a link" if stat.S_ISLNK(mode) else "it is not a folder"
    return "" if os.access(at, os.R_OK | os.X_OK) else "it cannot be read"


def _list_ignored(git: Git, top: Path, names: Sequence[str]) -> set[str]:
    asked = b"".join(os.fsencode(name) + b"\0" for name in names)
    where = ("-C", str(top), f"--work-tree={top}")
    done = git.run(*where, "check-ignore", "--no-index", "-z", "--stdin", input=asked, check=False) if names else None
    return set(os.fsdecode(done.stdout).split("\0")) if done else set()


def _why_taken(git: Git, commit: str, name: str) -> str:
    """Return why a folder conflicts with a commit, which must not track it and may have only folders as its parents."""
    parts = name.split("/")
    paths = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
    asked = "".join(f"{commit}:{path}\n" for path in paths)
    found = git.run("cat-file", "--batch-check=%(objecttype)", input=os.fsencode(asked)).stdout.split(b"\n")
    kinds = dict(zip(paths, found, strict=False))
    if not kinds[name].endswith(b" missing"):
        return "git tracks it"
    files = [path for path in paths if kinds[path] == b"blob"]
    return f"{files[0]} is not a folder in the code" if files else ""


def copy_folders(folders: Sequence[LentFolder], ground: Path) -> None:
    """Copy folders into a ground. Links are copied as links; anything but files, folders and links is left out.

    Raises:
        GitmemError: They are too large to copy.
        OSError: They cannot be read or written.
    """
    left = [COPY_FILES, COPY_BYTES]
    for lent in folders:
        waiting = [(lent.place, ground / lent.name)]
        while waiting:
            source, target = waiting.pop()
            target.mkdir(parents=True)
            with os.scandir(source) as entries:
                waiting += [found for entry in entries if (found := _copy(entry, target / entry.name, left))]
            if min(left) < 0:
                raise GitmemError(
                    f"{lent.name} is too large to be copied for a check: more than {COPY_FILES} files or"
                    f" {COPY_BYTES >> 30} GiB",
                    hint=(
                        "install bubblewrap with overlay support to avoid the copy, or create it in the policy's setup"
                    ),
                )


def _copy(entry: os.DirEntry[str], target: Path, left: list[int]) -> tuple[Path, Path] | None:
    """Copy one entry and subtract it from *left*; a folder is not copied but returned with its target."""
    left[0] -= 1
    if entry.is_symlink():
        target.symlink_to(os.readlink(entry.path))  # noqa: PTH115 - a DirEntry has a string
    elif entry.is_dir(follow_symlinks=False):
        return Path(entry.path), target
    elif entry.is_file(follow_symlinks=False):
        left[1] -= entry.stat(follow_symlinks=False).st_size
        if min(left) >= 0:
            shutil.copy2(entry.path, target, follow_symlinks=False)  # with its time: Python's caches depend on it
    return None
