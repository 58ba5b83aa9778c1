"""Make private commits from a copy of an index, with objects in a separate folder.

The user's index, objects, refs and work tree are not touched.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from gitmem.git import Git
from gitmem.git.git import FALLBACK_IDENTITY, quote_path
from gitmem.system import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Settings that would make git write outside of its copy of the index, or refuse a file (git-config(1)).
OWN_INDEX_ONLY = ("-c", "core.splitIndex=false", "-c", "core.untrackedCache=false", "-c", "core.safecrlf=false")


class Apart:
    """A copy of an index, and a folder for the objects made from it.

    Attributes:
        objects: The folder of the objects.
    """

    def __init__(self, git: Git, folder: Path, index: Path, *, options: Sequence[str] = ()) -> None:
        """Copy an index.

        Args:
            git: The repository.
            folder: Where the copy and the objects go.
            index: The index; it need not exist.
            options: More options of git, before its command.
        """
        self.objects = folder / "objects"
        self._git = git
        self._index = folder / "index"
        self._options = (*OWN_INDEX_ONLY, *options)
        (self.objects / "info").mkdir(parents=True)
        if index.is_file():
            # Keep the time: git assumes that a file is unchanged if it is older than the index and its status is the
            # same.
            shutil.copy2(index, self._index)

    def commit(self, parent: str | None, message: str) -> str:
        """Commit the present content of the copy and return the commit.

        Raises:
            ProcessError: git cannot read it, or it contains an unfinished merge.
        """
        tree = self.run("write-tree", "--missing-ok").stdout.decode("ascii").strip()
        name, email = FALLBACK_IDENTITY
        identity = ("-c", f"user.name={name}", "-c", f"user.email={email}")
        behind = ("-p", parent) if parent else ()
        commit = self.run(*identity, "commit-tree", tree, *behind, "-m", message)
        return commit.stdout.decode("ascii").strip()

    def run(self, *args: str, input: bytes | None = None) -> process.ProcessResult:
        """Run git on the copy, reading the user's objects and writing to ours."""
        env = self._git.environment() | {
            "GIT_INDEX_FILE": str(self._index),
            "GIT_OBJECT_DIRECTORY": str(self.objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_path(self._git.repository.common_dir / "objects"),
        }
        top = self._git.repository.top
        where = ("-C", top, f"--work-tree={top}") if top else ()
        return process.run(self._git.argv(*where, *self._options, *args), env=env, input=input)
