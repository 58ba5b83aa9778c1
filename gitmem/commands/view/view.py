"""The commands for the view: create, update, inspect, repair, remove.

The branch is authoritative. A file in the folder is either the branch's, or a person's; the latter is never
overwritten: it is saved (`save`), or it stays.
"""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

from gitmem.errors import ConflictError, NoRepositoryError, NotFoundError, ProcessError, RefusedError
from gitmem.frozen import replace
from gitmem.model import Problem
from gitmem.store.state.write_lock import STALE_AFTER_S, is_held
from gitmem.store.view import refresh
from gitmem.store.view import state as viewpoint
from gitmem.store.view import worktree as views
from gitmem.store.view.state import View
from gitmem.system import command_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from typing import Any

    from gitmem.git import Git
    from gitmem.repository import OpenRepository
    from gitmem.store.view.refresh import Merge


# A larger view is only created and updated on request (gitmem view).
UNASKED_AT_MOST = 20_000
SAVE_OR_MOVE = "gitmem save; move away files that are not memories"


def make(repository: OpenRepository, merge: Merge, path: str = "", *, unasked: bool = False) -> View:
    """Create the view, at a given or the default folder, or update the existing one to the branch's tip.

    Args:
        repository: The memory.
        merge: Merges a commit that was made in the view into the branch.
        path: The folder; empty for the default one.
        unasked: Whether it is created automatically: then a large one is not.

    Raises:
        RefusedError: There is another view, or the folder cannot be used.
    """
    repository.need_store()
    path = os.path.abspath(path) if path else ""
    with _lock(repository, "view"):
        view = views.find(repository.git)
        if view is not None and path and os.path.realpath(path) != os.path.realpath(view.path):
            raise RefusedError(
                f"the view already exists at {view.path}",
                hint=f"remove it first: gitmem view --remove, then gitmem view {shlex.quote(path)}",
            )
        if view is None:
            if repository.git.read_ref(repository.ref) is None:
                repository.notices.append("the view shows the memory of the remote: gitmem init makes it yours")
            if unasked and (count := len(repository.git.list_tree(repository.tip()))) > UNASKED_AT_MOST:
                raise RefusedError(f"it would have {count} files; gitmem view creates it anyway")
            view = views.make(repository.git, path or views.default_path(repository.git), repository.tip())
        return refresh.bring(
            repository.git, replace(_with_index(repository, view), asked=not unasked), repository.tip, merge
        )


def follow(repository: OpenRepository, merge: Merge) -> None:
    """Update the view, if there is one, to the branch's tip after a write; commits made in it are merged first.

    A view that has grown past ``UNASKED_AT_MOST`` is not updated until the next ``gitmem view``.
    """
    if not viewpoint.has_one(repository.git.repository.state) or repository.find_tip() is None:
        return
    with _lock(repository, "view"):
        view = views.find(repository.git)
        if view is None and (planned := viewpoint.load_planned(repository.git.repository)):
            view = views.make(repository.git, planned, repository.need_store())
        if view is not None and not _is_outgrown(repository, view):
            refresh.bring(repository.git, view, repository.need_store, merge)


def _is_outgrown(repository: OpenRepository, view: View) -> bool:
    """Return whether the branch has too many memories for an automatic update."""
    if view.asked:
        return False
    count: int = repository.catalog().row("SELECT count(*) FROM memory")[0]
    return count > UNASKED_AT_MOST


def remove(repository: OpenRepository) -> str:
    """Remove the view and return its folder; refuse if anything in it is unsaved.

    Raises:
        NotFoundError: There is none.
        ConflictError: Something in it is unsaved.
    """
    git = repository.git
    with _lock(repository, "view"):
        view = viewpoint.load(git.repository)
        if view is None:
            raise NotFoundError("there is no view", hint="create one: gitmem view")
        if views.condition(git, view) in (views.GONE, views.FOREIGN):
            views.forget(git, view)
            return view.path
        view = views.find(git)
        assert view is not None, "it is there"
        head = views.head_of(git, view)
        if head not in (view.shown, "") and not git.is_ancestor(head, repository.tip()):
            raise ConflictError(f"{view.path} contains an unsaved commit", hint="gitmem save")
        code = views.list_tracked(git, view.path)
        if view.shown and (unsaved := [path for _, path in refresh.list_unsaved(git, view) if path not in code]):
            listed = ", ".join(unsaved[:5])
            raise ConflictError(
                f"{len(unsaved)} file(s) in {view.path} are not saved: {listed}",
                hint="move them away: the code also has files in that folder" if code else SAVE_OR_MOVE,
            )
        views.remove(git, view, code)
        return view.path


def describe(repository: OpenRepository) -> dict[str, Any] | None:
    """Return the view's folder, its commit and its unsaved changes; None if there is none. Changes nothing."""
    git = repository.git
    view = viewpoint.load(git.repository)
    if view is None:
        return None
    state = views.condition(git, view)
    table: dict[str, Any] = {"path": view.path, "commit": view.shown, "state": state, "unsaved": [], "held": []}
    if state != views.WHOLE or not view.shown:
        return table
    try:
        unsaved = [path for _, path in refresh.list_unsaved(git, view)]
        if unsaved:
            view = viewpoint.load(git.repository) or view
            unsaved = refresh.without_ours(git, view, unsaved)
        code = views.list_tracked(git, view.path) if unsaved else ()
        table["unsaved"] = [path for path in unsaved if path not in code]
        table["held"] = sorted(view.held)
        table["committed"] = refresh.read_head(git, view, repository.tip()).found
        table["outgrown"] = view.shown != repository.tip() and _is_outgrown(repository, view)
    except ProcessError as err:
        table["state"] = "damaged"
        table["because"] = err.stderr.strip().split("\n")[0] or err.message
    except NoRepositoryError as err:
        table["state"] = "damaged"
        table["because"] = err.message
    except ConflictError as err:
        table["state"] = "elsewhere"
        table["because"] = err.message
    return table


def examine(repository: OpenRepository, merge: Merge, *, fix: bool) -> tuple[list[Problem], list[str]]:
    """Return the view's problems, and the repairs made; a person's edits are never lost."""
    view = viewpoint.load(repository.git.repository)
    if view is None or repository.find_tip() is None:
        return [], []
    fixed: list[str] = []
    for lock in map(Path, views.locks_of(repository.git, view)):
        problem = _lock_problem(lock, fix, fixed)
        if problem is not None:
            return [problem], fixed
    state = describe(repository) or {}
    if fix and state["state"] in REPAIRED:
        with _lock(repository, "doctor"):
            usable = views.find(repository.git)
            if usable is not None:
                refresh.bring(repository.git, _with_index(repository, usable), repository.tip, merge)
        fixed.append(REPAIRED[state["state"]].format(view.path))
        state = describe(repository) or {}
    return _problems(repository.git, view, state), fixed


def _lock_problem(lock: Path, fix: bool, fixed: list[str]) -> Problem | None:
    """Return the problem with a lock file of git in the view; if it is stale and a repair is wanted, remove it."""
    if not lock.exists():
        return None
    age = time.time() - lock.stat().st_mtime
    if age < STALE_AFTER_S or is_held(lock):
        message = "another git process is writing the view"
        return Problem("view-locked", str(lock), message, severity="warning")
    if not fix:
        message = f"a stale lock file of the view, {age:.0f} s old"
        return Problem("view-locked", str(lock), message, hint="gitmem doctor --fix")
    lock.unlink()
    fixed.append(f"removed a stale lock file ({age:.0f} s old): {lock}")
    return None


# The repairable conditions of a view, with the message for each.
REPAIRED = {
    views.UNLINKED: "linked the view {} to this repository again",
    views.GONE: "removed the record of the view {}, whose folder is gone",
    "damaged": "rebuilt the index of the view {}",
}


def _problems(git: Git, view: View, found: Mapping[str, Any]) -> list[Problem]:
    state = found.get("state", views.WHOLE)
    if state == views.GONE:
        message = "the folder of the view is gone"
        return [Problem("view-gone", view.path, message, hint="create it again: gitmem view", severity="warning")]
    if state == views.UNLINKED:
        message = "the view was moved or copied with its repository, and is not linked to this one yet"
        return [Problem("view-broken", view.path, message, hint="gitmem view")]
    if state == views.FOREIGN:
        message = "the folder of the view belongs to another repository"
        return [Problem("view-broken", view.path, message, hint="gitmem view --remove, then gitmem view PATH")]
    if state != views.WHOLE:
        back = command_of("git", "-C", view.path, "switch", "--detach", view.shown[:12])
        hint = "gitmem doctor --fix" if state == "damaged" else back
        return [Problem("view-broken", view.path, str(found.get("because", "")), hint=hint)]
    try:
        views.refuse_tracked(git, view.path)
    except RefusedError as err:
        return [Problem("view-tracked", view.path, err.message, hint=err.hint)]
    return [
        Problem(
            "view-behind", path, "it changed here and on the branch; your file was left unchanged", hint="gitmem save",
            severity="warning",
        )
        for path in found.get("held", ())
    ]  # fmt: skip


def _with_index(repository: OpenRepository, view: View) -> View:
    """Delete a damaged index: its content is in the commit that the view shows."""
    try:
        if view.shown:
            refresh.list_unsaved(repository.git, view)
    except ProcessError:
        views.refuse_locked(repository.git, view)
        Path(view.admin(repository.git), "index").unlink(missing_ok=True)
    return view


def _lock(repository: OpenRepository, command: str) -> AbstractContextManager[None]:
    return views.lock(repository.git, command, repository.config.lock_timeout_s)
