"""Where an installation writes: a project's work tree, the person's home folder, or a folder of its own.

Files are written whole or not at all, keep their mode, and links are followed only where they stay inside a project:
what came with the code may lead anywhere.
"""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.commands.install.pieces import FileRefusedError
from gitmem.config import home, variable
from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.system import atomic_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git.binary import Git

# Settings are small; what is larger is something else.
SIZE_LIMIT = 4_194_304
# Where harnesses look in place of folders below the home folder, where these variables are set.
MOVED = {
    ".claude": "CLAUDE_CONFIG_DIR",
    ".codex": "CODEX_HOME",
    ".copilot": "COPILOT_HOME",
    ".config": "XDG_CONFIG_HOME",
    ".pi/agent": "PI_CODING_AGENT_DIR",
}
BOM = "\ufeff"


@frozen
class InstallFolder:
    """A folder that files are written below.

    Attributes:
        root: The folder, absolute.
        git: The repository whose work tree it is; None for the home folder and folders of their own.
    """

    root: Path
    git: Git | None = None

    def find(self, path: str) -> Path:
        """Return the file that a path means, links followed.

        Raises:
            RefusedError: A link of the project leads out of it.
        """
        there = self.root / path
        if self.git is None:
            for folder, name in MOVED.items():
                if path.startswith(f"{folder}/") and variable(name).startswith("/"):
                    there = Path(variable(name)) / path.removeprefix(f"{folder}/")
            return Path(os.path.realpath(there))
        real = Path(os.path.realpath(there))
        inside = real.is_relative_to(self.root.resolve())
        if not inside or real.is_relative_to(self.git.repository.common_dir.resolve()):
            raise FileRefusedError("leads out of the project through a link; nothing was written")
        return real

    def describe(self, paths: Iterable[Path], *, taken: bool) -> dict[Path, str]:
        """Return whose each file is: what a person has to do about what is written, or *taken* away."""
        if self.git is None:
            return dict.fromkeys(paths, "not in a repository: yours only")
        names = {os.path.relpath(path, self.root.resolve()): path for path in paths}
        tracked = self._listed("ls-files", "-z", "--", *(f":(literal){name}" for name in names))
        ignored = self._listed("check-ignore", "-z", "--stdin", input=os.fsencode("\0".join(names)))
        values = {}
        for name, path in names.items():
            mine = "git ignores it: yours only" if name in ignored else "" if taken else "commit it to share it"
            values[path] = "git tracks it: commit the change" if name in tracked else mine
        return values

    def _listed(self, *args: str, input: bytes | None = None) -> set[str]:
        assert self.git is not None
        top = str(self.root)
        done = self.git.run(f"--work-tree={top}", "-C", top, *args, input=input, check=False)
        return set(os.fsdecode(done.stdout).split("\0"))


def of_project(git: Git) -> InstallFolder:
    """Return the place of a project.

    Raises:
        GitmemError: There is no work tree.
    """
    if git.repository.work_tree is None:
        raise GitmemError("this repository has no work tree to install into", hint="gitmem install --user HARNESS")
    return InstallFolder(git.repository.work_tree, git)


def of_person() -> InstallFolder:
    """Return the place of the person's own settings."""
    return InstallFolder(Path(home()))


def read(path: Path) -> str | None:
    """Return what a file says, None if there is none.

    Raises:
        RefusedError: It cannot be read, is not UTF-8, or is too large.
    """
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise FileRefusedError("is too large, and was not changed")
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as err:
        raise FileRefusedError(f"cannot be read: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise FileRefusedError("is not UTF-8, and was not changed") from err


def need_writable(path: Path) -> None:
    """Raise RefusedError where a file, or the folder that it will be in, may not be written to."""
    if path.exists() and not path.stat().st_mode & 0o222:
        raise FileRefusedError(f"is read-only, and was not changed: chmod u+w '{path}', then try again")
    there = path.parent
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise FileRefusedError(f"was not changed: {there} is not writable")


def write(path: Path, text: str) -> None:
    """Put a text in the place of a file, whole, with the mode that the file had; folders on the way are made.

    Raises:
        GitmemError: It cannot be written; the file is as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o7777 if path.exists() else None
        atomic_write.write(path, text.encode("utf-8", "surrogateescape"), mode=mode)
    except OSError as err:
        raise GitmemError(f"cannot write {path}: {err.strerror}") from err


def remove(path: Path, root: Path) -> None:
    """Remove a file and the folders above it that are empty then, up to a root.

    Raises:
        GitmemError: It cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as err:
        raise GitmemError(f"{path} cannot be removed: {err.strerror}") from err
    for folder in path.parents:
        if folder == root or not folder.is_relative_to(root) or any(folder.iterdir()):
            break
        folder.rmdir()


def remove_empty(folder: Path) -> None:
    """Remove a folder where nothing is in it."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
