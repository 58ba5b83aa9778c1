"""The code tree's memories as a store to write to: it reads like the project's store, and writes to the work tree."""

from __future__ import annotations

import os

from gitmem.repository.open_store import OpenStore
from gitmem.store.code_folder import CODE_FOLDER
from gitmem.store.view.state import has_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.policy import Policy
    from gitmem.repository import OpenRepository
    from gitmem.store.local import LocalState
    from gitmem.verify.session import Session
    from gitmem.write.writer import Writer


class InTree(OpenStore):
    """The memories of the code tree, for writing; reading returns the project's."""

    is_in_tree = True

    def __init__(self, repository: OpenRepository, *, makes_room: bool = False) -> None:
        if makes_room:
            _make_room(repository)
        super().__init__(
            repository.git,
            repository.config,
            repository.store,
            clock=lambda: repository.now,
            progress=None,
            notices=repository.notices,
            author=repository.author,
        )
        self._opened = repository

    @property
    def local(self) -> LocalState:
        """Return the local state of this clone."""
        return self._opened.local

    def tree(self) -> str:
        """Return the tree ``.memory`` of HEAD, or an empty string."""
        return self._opened.tree()

    def catalog(self, tip: str | None = None) -> Catalog:
        """Return the project's catalog."""
        return self._opened.catalog(tip)

    def policy(self) -> Policy:
        """Return the project's policy."""
        return self._opened.policy()

    def writer(self) -> Writer:
        """Return a writer of files in the work tree."""
        from gitmem.write.code_tree import TreeWriter

        writer = TreeWriter(
            self.git,
            self.policy(),
            author=self.author(),
            now=self.now,
            lock_timeout_s=self.config.lock_timeout_s,
        )
        writer.said.beside = lambda: self.catalog() if self._opened.has_store() else None
        return writer

    def has_file(self, key: str) -> bool:
        """Return whether the work tree now has a file with this key."""
        from gitmem.errors import RefusedError
        from gitmem.write.place import find_known

        try:
            return find_known(self.writer().catalog_at(None), key) is not None
        except RefusedError:
            return False  # it is a view, or not a folder

    def text_of(self, key: str) -> str:
        """Return the text of a memory's file in the work tree now."""
        from gitmem.write.place import need_known

        writer = self.writer()
        catalog = writer.catalog_at(None)
        return writer.text_of(catalog, need_known(catalog, key))

    def keep_verdicts(self, verdicts: Sequence[Verdict], session: Session | None = None) -> None:
        """Store verdicts in this clone: the files that they are about are not committed yet."""
        self.local.add_verdicts(verdicts)


def _make_room(repository: OpenRepository) -> None:
    """Move a view that is where the code's memories belong, with its unsaved edits, and report its new folder.

    Raises:
        RefusedError: It cannot be moved.
    """
    git = repository.git
    if git.repository.top is None or not has_one(git.repository.state):
        return
    from gitmem.store.view import worktree  # 20 ms, only if there is a view

    with worktree.lock(git, "in-tree", repository.config.lock_timeout_s):
        view = worktree.find(git)
        if view is None or os.path.realpath(view.path) != os.path.realpath(
            os.path.join(git.repository.top, CODE_FOLDER)
        ):
            return
        worktree.move(git, view, os.path.join(git.repository.top, worktree.BESIDE))
    repository.notices.append(
        f"the view of the memory branch is in {worktree.BESIDE}/ now: {CODE_FOLDER}/ is a folder of the code"
    )
