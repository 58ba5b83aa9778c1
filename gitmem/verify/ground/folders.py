"""Folders of the user's work tree that a check sees besides the commit: ``.venv``, ``node_modules`` and others.

Folders of dependencies are found by name; the policy names the others. Since the policy comes with the memory branch,
its names are untrusted: a folder must be in the work tree, be ignored by git there, and contain nothing that the judged
commit tracks, and no parent may be a link. A check never changes the user's folder: it sees it under an overlay,
read-only, mirrored or as a copy (``mirror``).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from gitmem.config import home
from gitmem.frozen import frozen
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git import Git

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
        is_linked: Whether a ground without mounts only mirrors it (``mirror``).
        is_named: Whether the policy names it: then a check does not run without it.
    """

    name: str
    place: Path
    is_linked: bool = False
    is_named: bool = True

    @property
    def top(self) -> Path:
        """Return the work tree."""
        return self.place.parents[self.name.count("/")]

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
    folders = tuple(LentFolder(name, top / name) for name in names if not whys[name])
    return folders, tuple(f"{display(name)}: {whys[name]}" for name in names if whys[name])


def list_ignored(git: Git) -> tuple[str, ...]:
    """Return the folders of the work tree that git ignores, by path, without subfolders of others."""
    top = git.repository.work_tree
    if top is None:
        return ()
    where = ("-C", str(top.resolve()), f"--work-tree={top.resolve()}")
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    ignored: list[str] = []
    for name in sorted(os.fsdecode(git.run(*where, *words, check=False).stdout).split("\0")):
        # git lists subfolders too where the folder's own .gitignore ignores them, as in environments of uv.
        if name.endswith("/") and not (ignored and name.startswith(ignored[-1])):
            ignored.append(name)
    return tuple(name.removesuffix("/") for name in ignored[:MOST_IGNORED])


def dependencies_of(ignored: Sequence[str]) -> tuple[str, ...]:
    """Return the ignored folders that contain dependencies."""
    return tuple(name for name in ignored if not set(DEPENDENCIES).isdisjoint(name.split("/")))[:MOST_DEPENDENCIES]


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
    # With a slash: then the folder's own .gitignore counts, which tools write into environments (`*`).
    stdin = b"".join(os.fsencode(name) + b"/\0" for name in names)
    where = ("-C", str(top), f"--work-tree={top}")
    result = git.run(*where, "check-ignore", "--no-index", "-z", "--stdin", input=stdin, check=False) if names else None
    return {name.removesuffix("/") for name in os.fsdecode(result.stdout).split("\0")} if result else set()


def _why_taken(git: Git, commit: str, name: str) -> str:
    """Return why a folder conflicts with a commit, which must not track it and may have only folders as its parents."""
    parts = name.split("/")
    paths = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
    stdin = "".join(f"{commit}:{path}\n" for path in paths)
    output = git.run("cat-file", "--batch-check=%(objecttype)", input=os.fsencode(stdin)).stdout.split(b"\n")
    kinds = dict(zip(paths, output, strict=False))
    if not kinds[name].endswith(b" missing"):
        return "git tracks it"
    files = [path for path in paths if kinds[path] == b"blob"]
    return f"{files[0]} is not a folder in the code" if files else ""
