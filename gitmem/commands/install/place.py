"""Where an installation writes: a project's work tree, the person's home folder, or a folder of its own.

Files are written atomically and keep their mode; links are followed only if they stay inside a project, since links in
the code may lead anywhere.
"""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.agents.clients import tables
from gitmem.commands.install.pieces import FileRefusedError
from gitmem.config import home, variable
from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.system import atomic_write, command_of, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gitmem.git import Git

# Settings are small; a larger file is something else.
SIZE_LIMIT = 4_194_304
BOM = "\ufeff"
# What a person must do about a new file, and about several.
SHARED, ALL_SHARED = "commit it to share it", "commit these files to share them"
ADD, CHAIN, UPDATE, KEEP, BY_HAND = "add", "chain", "update", "keep", "by hand"
REMOVE, RESTORE, LEAVE = "remove", "restore", "leave"


@frozen
class InstallStep:
    """One step of an installation or a removal: for a file, a hook or a setting.

    Attributes:
        what: ``add``, ``chain`` (beside an existing hook), ``update``, ``keep`` (unchanged), ``by hand``; for a
            removal ``remove``, ``restore`` (the original hook), ``leave`` (not ours).
        path: The file, or the name of the setting.
        about: A line for the person.
        before: Its present text, if it is ours or missing.
        after: Its new text.
    """

    what: str
    path: str
    about: str
    before: str = ""
    after: str = ""


@frozen
class InstallFolder:
    """A folder for files.

    Attributes:
        root: The folder, absolute.
        git: The repository whose work tree it is; None for the home folder and other folders.
    """

    root: Path
    git: Git | None = None

    def find(self, path: str) -> Path:
        """Return the file for a path, links resolved.

        Raises:
            RefusedError: A link in the project leads out of it.
        """
        there = self.root / path
        if self.git is None:
            for moved in [moved for client in tables().values() for moved in client.moved_by]:
                if path.startswith(f"{moved.folder}/") and variable(moved.variable).startswith("/"):
                    there = Path(variable(moved.variable), moved.below, path.removeprefix(f"{moved.folder}/"))
            return Path(os.path.realpath(there))
        real = Path(os.path.realpath(there))
        inside = real.is_relative_to(self.root.resolve())
        if not inside or real.is_relative_to(self.git.repository.common_dir.resolve()):
            raise FileRefusedError("leads out of the project through a link; nothing was written")
        return real

    def describe(self, paths: Iterable[Path], *, is_removal: bool) -> dict[Path, str]:
        """Return what a person must do about each file that is written or removed."""
        if self.git is None:
            return dict.fromkeys(paths, "not in a repository: yours only")
        names = {os.path.relpath(path, self.root.resolve()): path for path in paths}
        tracked = self._read_list("ls-files", "-z", "--", *(f":(literal){name}" for name in names))
        ignored = self._read_list("check-ignore", "-z", "--stdin", input=os.fsencode("\0".join(names)))
        values = {}
        for name, path in names.items():
            mine = "git ignores it: yours only" if name in ignored else "" if is_removal else SHARED
            values[path] = "git tracks it: commit the change" if name in tracked else mine
        return values

    def _read_list(self, *args: str, input: bytes | None = None) -> set[str]:
        assert self.git is not None
        top = str(self.root)
        result = self.git.run(f"--work-tree={top}", "-C", top, *args, input=input, check=False)
        return set(os.fsdecode(result.stdout).split("\0"))


def of_project(git: Git) -> InstallFolder:
    """Return a project's folder.

    Raises:
        GitmemError: There is no work tree.
    """
    if git.repository.work_tree is None:
        raise GitmemError("this repository has no work tree to install into", hint="gitmem install --user CLIENT")
    return InstallFolder(git.repository.work_tree, git)


def of_person() -> InstallFolder:
    """Return the folder of the person's own settings."""
    return InstallFolder(Path(home()))


def read(path: Path) -> str | None:
    """Return the content of a file, None if there is none.

    Raises:
        RefusedError: It cannot be read, is not UTF-8, or is too large.
    """
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise FileRefusedError("is too large, and was not changed")
        return read_regular(path).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as err:
        raise FileRefusedError(f"cannot be read: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise FileRefusedError("is not UTF-8, and was not changed") from err


def need_writable(path: Path) -> None:
    """Refuse a file that cannot be written, or whose folder cannot, with RefusedError."""
    if path.exists() and not path.stat().st_mode & 0o222:
        mend = command_of("chmod", "u+w", str(path))
        raise FileRefusedError(f"is read-only, and was not changed: {mend}, then try again")
    there = path.parent
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise FileRefusedError(f"was not changed: {there} is not writable")


def write(path: Path, text: str) -> None:
    """Write a file atomically, keeping its mode; a new script is executable, missing folders are created.

    Raises:
        GitmemError: It cannot be written; the file is unchanged.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o755 if text.startswith("#!") else None
        atomic_write.write(path, text.encode("utf-8", "surrogateescape"), mode=mode)
    except OSError as err:
        raise GitmemError(f"cannot write {path}: {err.strerror}") from err


def remove(path: Path, root: Path, *, is_kept: Callable[[Path], bool] = lambda _: False) -> None:
    """Remove a file and the empty folders above it, up to a root or a folder to keep.

    Raises:
        GitmemError: It cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as err:
        raise GitmemError(f"{path} cannot be removed: {err.strerror}") from err
    for folder in path.parents:
        if folder == root or is_kept(folder) or not folder.is_relative_to(root) or any(folder.iterdir()):
            break
        folder.rmdir()


def remove_empty(folder: Path) -> None:
    """Remove a folder if it is empty."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
