"""Find the view and the caller's location: light enough for every command at start.

The state of the view is a small local file; if it is lost, the folder is examined instead.
"""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.git import Git
from gitmem.git.repository import Repository, discover, is_oid
from gitmem.system import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE_NAME = "view.json"


@frozen
class View:
    """The recorded state of the view.

    Attributes:
        path: Its folder, absolute.
        name: Its name in ``.git/worktrees``.
        shown: The commit that its files show; empty before the first refresh.
        held: Files that both a person and the branch changed, with the blob that the person's version was made
            from; empty if there was none.
        toward: Commits that an interrupted refresh was updating the files to.
    """

    path: str
    name: str
    shown: str
    held: dict[str, str]
    toward: tuple[str, ...] = ()
    asked: bool = False

    def admin(self, git: Git) -> str:
        """Return its git directory."""
        return os.path.join(git.repository.common, "worktrees", self.name)

    def git(self, git: Git) -> Git:
        """Return the git binary bound to it."""
        from gitmem.git import worktrees

        return worktrees.at(git, self.name, self.path)


def has_one(state: str) -> bool:
    """Return whether a view was created here; costs one look at the disk."""
    return os.path.exists(os.path.join(state, FILE_NAME))


def load(paths: Repository) -> View | None:
    """Return the view, or None if there is none (or its state is unreadable)."""
    view = _read(paths)
    return view if view is not None and view.name else None


def load_planned(paths: Repository) -> str:
    """Return the folder of a view whose creation was interrupted before git knew it, or an empty string."""
    view = _read(paths)
    return view.path if view is not None and not view.name else ""


def _read(paths: Repository) -> View | None:
    if not has_one(paths.state):
        return None
    import json  # 1 ms, only if there is a view

    try:
        table: Any = json.loads(read_file(os.path.join(paths.state, FILE_NAME)))
        base = os.path.dirname(paths.common)
        path = os.path.normpath(os.path.join(base, str(table["path"])))
        held = {str(name): str(oid) for name, oid in table["held"].items()}
        name = str(table["name"])
        toward = tuple(str(commit) for commit in table.get("toward", ()))
        view = View(path, name, str(table["shown"]), held, toward, asked=table.get("asked") is True)
        is_sound = "/" not in name and name != ".." and "\0" not in f"{path}{name}"
        is_sound = is_sound and all(is_oid(oid) for oid in (*toward, *held.values(), view.shown) if oid)
        return view if is_sound else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def outside(paths: Repository) -> Repository:
    """Return the repository as seen from its main work tree if the caller is inside the view.

    The view's HEAD is a commit of the memory, which has no code to check facts against.
    """
    if paths.git == paths.common or paths.top is None:
        return paths
    view = load(paths)
    if view is None or os.path.realpath(view.path) != os.path.realpath(paths.top):
        return paths
    from gitmem.git import worktrees

    top = worktrees.find_top(Git(paths), view.path)
    return discover(top) if top else Repository(paths.common, paths.common, None)
