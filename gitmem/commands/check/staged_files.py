"""Check the staged changes: the index that the next commit is made of, against HEAD.

First git lists what differs, and usually no fact reads any of it. Only if one does, the index becomes a private commit
in a folder of its own, which is then checked like any other change.
"""

from __future__ import annotations

import os

from gitmem.commands.check.change import Trees
from gitmem.errors import GitmemError, NoRepositoryError
from gitmem.git import Git
from gitmem.git.objects import empty_tree
from gitmem.git.staging_area import UNMERGED, diff_index, index_file, list_merged
from gitmem.text import display, list_some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Any

# The most files of an unfinished merge that are named; all are counted.
FILES_SHOWN = 3


class StagedFiles:
    """The staged changes of one work tree, as a context manager: their temporary commit is removed at the end.

    Attributes:
        git: The repository, which knows the commit of the index once there is one.
        head: HEAD's commit, or None if there is none yet.
        trees: HEAD, or the empty tree, and the index.
    """

    def __init__(self, git: Git) -> None:
        """List what is staged.

        Raises:
            NoRepositoryError: There is no index.
            GitmemError: A merge is not finished.
            ProcessError: git cannot read the index.
        """
        self.git = git
        self.head = git.read_head()[1]
        self._index = index_file(git)
        if git.repository.top is None and not os.path.isfile(self._index):
            raise NoRepositoryError("there is no work tree here, so nothing can be staged")
        self._folder: AbstractContextManager[Path] | None = None
        self._commit = ""
        before = self.head or empty_tree(git)
        changes = diff_index(git, before, self._index)
        if unmerged := sorted({change.path for change in changes if change.status == UNMERGED}):
            message = f"there are unmerged files: {list_some([*map(display, unmerged)], FILES_SHOWN)}"
            raise GitmemError(message, hint="resolve the conflicts, then: git add FILE")
        self.trees = Trees(git, before, self.commit, changes)

    def __enter__(self) -> StagedFiles:
        """Return itself."""
        return self

    def __exit__(self, *error: Any) -> None:
        """Remove the folder with the commit, if there is one."""
        if self._folder is not None:
            self._folder.__exit__(*error)

    def commit(self) -> str:
        """Return a commit of the index, on top of HEAD; created on the first call."""
        if not self._commit:
            # Temporary folders, only if a fact reads staged files: 6 ms (measured).
            from pathlib import Path

            from gitmem.verify.ground.private_commits import Apart
            from gitmem.verify.sandbox.temporary import temporary_folder

            self._folder = temporary_folder("gitmem-staged-")
            apart = Apart(self.git, self._folder.__enter__(), Path(self._index))
            self._commit = apart.commit(self.head, "The staged change")
            self.git = self.trees.git = Git(self.git.repository, objects=apart.objects)
        return self._commit

    def against_merged(self) -> list[Trees]:
        """Return the index against each commit being merged; empty if none is."""
        trees = []
        for name in list_merged(self.git):
            commit = self.commit()
            trees.append(Trees(self.git, name, self.commit, self.git.diff_trees(name, commit)))
        return trees
