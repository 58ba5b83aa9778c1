"""Show folders of the work tree in a ground without a mount: as copies, or mirrored.

A mirrored folder is a real folder in the ground. Files at its top, and of a few folders that package managers write for
the project (``GLUE``), are copied; each package is a link to the folder in the work tree, which a check can only read.
So a mirror costs the same for ten packages of ten thousand files as for ten of one.

Copied scripts, ``*.pth`` files and links that name the work tree name the ground instead: the programs of a virtual
environment and packages installed from the work tree (``pip install -e .``, workspaces) use the commit's files.
"""

from __future__ import annotations

import os
import re
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

from gitmem.errors import GitmemError
from gitmem.system import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.verify.ground.folders import LentFolder

# Limits of what is copied for each running check; chosen by us. A file takes 1 ms (measured).
COPY_BYTES = 1 << 30
COPY_FILES = 20_000
# The folders whose files belong to the project and not to a package, by the name of the folder of dependencies: of
# npm, pnpm and yarn; of composer and others. ``*`` matches within a name.
GLUE = {"node_modules": ("", ".bin", "@*"), "vendor": ("", "bin", "composer")}
# The same for Python environments (sysconfig, scheme ``venv``).
GLUE_OF_ENVIRONMENT = ("", "bin", "lib", "lib/python*", "lib/python*/site-packages")
# Files of such a folder that are larger are linked, and never changed: no script is as large.
GLUE_BYTES = 8 << 20


def lay_folder(lent: LentFolder, ground: Path, seen_at: Path) -> None:
    """Copy or mirror a folder into a ground; anything but files, folders and links is left out.

    Args:
        lent: The folder.
        ground: The ground.
        seen_at: The path at which checks see the ground.

    Raises:
        GitmemError: It is too large to copy.
        OSError: It cannot be read or written.
    """
    _Layer(lent, ground, seen_at).lay()


class _Layer:
    """Lays one folder."""

    def __init__(self, lent: LentFolder, ground: Path, seen_at: Path) -> None:
        self._lent = lent
        self._target = ground / lent.name
        self._seen_at = os.fsencode(seen_at)
        kind = lent.name.rpartition("/")[2]
        self._glue = tuple(path.split("/") for path in (GLUE_OF_ENVIRONMENT if lent.is_tied else GLUE.get(kind, ())))
        # The work tree's path, as a whole: not that of its neighbour `project2`.
        self._own = re.compile(re.escape(os.fsencode(lent.top)) + rb"(?![\w.-])")
        self._files, self._bytes = COPY_FILES, COPY_BYTES

    def lay(self) -> None:
        """Lay the whole folder."""
        waiting = [""]
        while waiting:
            inner = waiting.pop()
            (self._target / inner).mkdir(parents=True)
            with os.scandir(self._lent.place / inner) as entries:
                for entry in entries:
                    below = f"{inner}/{entry.name}" if inner else entry.name
                    if self._lay_entry(entry, below, is_glue=self._is_glue(inner)):
                        waiting.append(below)
            if min(self._files, self._bytes) < 0:
                raise GitmemError(
                    f"{self._lent.name} is too large to be copied for a check: more than {COPY_FILES} files or"
                    f" {COPY_BYTES >> 30} GiB",
                    hint=(
                        "install bubblewrap with overlay support to avoid the copy, or create it in the policy's setup"
                    ),
                )

    def _lay_entry(self, entry: os.DirEntry[str], below: str, *, is_glue: bool) -> bool:
        """Lay one entry; return whether it is a folder whose entries have to be laid."""
        target = self._target / below
        self._files -= 1
        if entry.is_symlink():
            target.symlink_to(os.fsdecode(self._moved(os.fsencode(os.readlink(entry.path)))))  # noqa: PTH115 - a string
        elif entry.is_dir(follow_symlinks=False):
            if not self._lent.is_linked or self._is_glue(below):
                return True
            target.symlink_to(entry.path)
        elif entry.is_file(follow_symlinks=False):
            size = entry.stat(follow_symlinks=False).st_size
            if is_glue and size <= GLUE_BYTES:
                self._copy_glue(Path(entry.path), target)
            elif self._lent.is_linked:
                target.symlink_to(entry.path)
            else:
                self._bytes -= size
                if min(self._files, self._bytes) >= 0:
                    shutil.copy2(entry.path, target, follow_symlinks=False)
        return False

    def _copy_glue(self, source: Path, target: Path) -> None:
        """Copy a file with the ground's path for the work tree's, and its time: Python's caches depend on it."""
        content = read_regular(source)
        self._bytes -= len(content)
        target.write_bytes(content if b"\0" in content else self._moved(content))
        shutil.copystat(source, target)

    def _moved(self, content: bytes) -> bytes:
        return self._own.sub(lambda _: self._seen_at, content)

    def _is_glue(self, inner: str) -> bool:
        parts = inner.split("/")
        return any(len(parts) == len(glue) and all(map(fnmatchcase, parts, glue)) for glue in self._glue)
