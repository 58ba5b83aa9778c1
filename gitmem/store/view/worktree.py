"""Create the view, find it after a move or a copy, and remove it.

``.memory/`` is a linked worktree, detached at the commit that it shows: for people to read and edit, never
authoritative.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager, suppress

from gitmem.errors import ConflictError, GitmemError, ProcessError, RefusedError
from gitmem.frozen import replace
from gitmem.git import Git, worktrees
from gitmem.git.branches import refuse_unreadable
from gitmem.git.repository import Repository, discover, read_own
from gitmem.store.state.empty_files import note_empty, was_empty
from gitmem.store.state.write_lock import WriteLock, clear_stale_lock, is_worked_in
from gitmem.store.view import repair
from gitmem.store.view.state import FILE_NAME, View, load
from gitmem.system import make_folder
from gitmem.system import remove as unlink
from gitmem.system.atomic_write import write_durably

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

DEFAULT = ".memory"
# The view's folder in a repository whose code tree already has memories in ``.memory``.
BESIDE = ".memory-branch"
LOCK = "view.lock"
KEPT_REFS = "refs/gitmem/kept/"
# The view's lines in ``info/exclude``, and the special characters in a pattern there.
COMMENT = "# gitmem's view of the memory; `gitmem view --remove` takes this out"
SPECIAL = "\\*?[]!# "
# The conditions of a view's folder.
WHOLE, GONE, UNLINKED, FOREIGN = "whole", "gone", "unlinked", "foreign"


def save(git: Git, view: View) -> None:
    """Record the state of the view, atomically and durably.

    A folder beside the repository's own is stored relative to it, so it can move or be copied with the repository.
    """
    base = os.path.dirname(git.repository.common)
    path = os.path.relpath(view.path, base) if f"{view.path}/".startswith(f"{base}/") else view.path
    make_folder(git.repository.state)
    known = {name: getattr(view, name) for name in ("name", "shown", "held", "toward", "asked")}
    text = json.dumps({"path": path, **known})
    write_durably(os.path.join(git.repository.state, FILE_NAME), text.encode("ascii") + b"\n")


@contextmanager
def lock(git: Git, command: str, timeout_s: float) -> Iterator[None]:
    """Hold the lock on the view, so that one process writes its files at a time; first remove stale leftovers."""
    with WriteLock(git.repository.state, command=command, timeout_s=timeout_s, name=LOCK) as held:
        view = load(git.repository)
        if view is not None:
            head, index = locks_of(git, view)
            clear_stale_lock(head, held.crashed)
            # `git commit` holds this lock while the person's editor is open.
            if is_locked(git, view) and not is_worked_in(view.path):
                clear_stale_lock(index, held.crashed)
        held.renew()
        yield


def condition(git: Git, view: View) -> str:
    """Return the condition of the view's folder.

    ``GONE``: it does not exist, or is no longer a worktree. ``UNLINKED``: the repository was moved or copied with it,
    or its registration was pruned; do not write through a copy, whose link still names the original. ``FOREIGN``: it
    belongs to another repository.
    """
    target, admin = worktrees.admin_of(view.path), view.admin(git)
    if os.path.islink(view.path) or not os.path.isdir(view.path) or not os.path.lexists(f"{view.path}/.git"):
        return GONE
    if os.path.realpath(target) == os.path.realpath(admin):
        is_whole = os.path.isfile(os.path.join(admin, "HEAD")) and _is_named(view.path, admin)
        return WHOLE if is_whole else UNLINKED
    is_like_ours = os.path.basename(os.path.dirname(target)) == "worktrees" and os.path.basename(target) == view.name
    return UNLINKED if is_like_ours and not _is_named(view.path, target) else FOREIGN


def _is_named(path: str, admin: str) -> bool:
    return os.path.realpath(worktrees.place_of(admin)) == os.path.realpath(path)


def find(git: Git) -> View | None:
    """Return a usable view or None: relink it after a move or a copy, and forget it if it is gone.

    Raises:
        ConflictError: Its folder belongs to another repository.
    """
    view = load(git.repository)
    if view is None:
        return None
    repair.mend(git, view)
    state = condition(git, view)
    if state == GONE:
        moved = replace(view, path=worktrees.place_of(view.admin(git)) or view.path)
        if moved.path == view.path or condition(git, moved) != WHOLE:
            forget(git, view)
            return None
        save(git, moved)  # by `git worktree move`
        return moved
    if state == FOREIGN:
        raise ConflictError(
            f"the view's folder {view.path} now belongs to another repository, and is left alone",
            hint="unlink it here: gitmem view --remove; then create another one: gitmem view PATH",
        )
    return view if state == WHOLE else relink(git, view)


def relink(git: Git, view: View) -> View:
    """Make folder and repository refer to each other again after a move or a copy, without changing the files."""
    admin = view.admin(git)
    if os.path.isfile(os.path.join(admin, "HEAD")):
        worktrees.link(view.path, admin)
        return view
    # The registration was pruned. It is recreated beside the folder, since that must be empty for it, and moved.
    beside = f"{view.path}.gitmem-{os.getpid()}"
    name = worktrees.register(git, beside, view.shown)
    fresh = replace(view, name=name)
    worktrees.link(view.path, fresh.admin(git))
    shutil.rmtree(beside)
    save(git, fresh)
    return fresh


def make(git: Git, path: str, commit: str) -> View:
    """Register a view at a new or empty folder; it shows nothing yet.

    Raises:
        RefusedError: The folder cannot be used.
    """
    repair.clear(git, path, commit)
    view = _recover(git, path, commit)
    if view is None:
        view = View(path, _register(git, path, commit), "", {}, (commit,))
    save(git, view)
    _exclude(git, path, add=True)
    return view


def _register(git: Git, path: str, commit: str) -> str:
    """Register a view with git and return its name; the plan is recorded first, so that it survives a power cut."""
    try:
        refuse_place(git, path)
        save(git, View(path, "", "", {}))
        return worktrees.register(git, path, commit)
    except GitmemError:
        _drop_state(git)
        raise


def _recover(git: Git, path: str, tip: str) -> View | None:
    """Return the view at an existing folder whose state is not (or no longer) recorded.

    Its creation was interrupted, or the local state was deleted. The origin of a file that differs is unknown, so it
    counts as a person's.
    """
    admin = worktrees.admin_of(path)
    if os.path.dirname(admin) != os.path.join(git.repository.common, "worktrees") or not _is_named(path, admin):
        return None
    view = View(path, os.path.basename(admin), "", {})
    if os.listdir(path) == [".git"]:
        return view
    head = head_of(git, view)
    shown = git.merge_base(head, tip) if head else None
    if not shown:
        return None
    with suppress(ProcessError):
        changed = worktrees.list_changed(view.git(git))
        return replace(view, shown=shown, held={name: "" for tag, name in changed if tag == "C"})
    return None


def refuse_place(git: Git, path: str) -> None:
    """Refuse a folder that cannot be used for a view.

    Raises:
        RefusedError: It is inside .git, has other content, or belongs to the code.
    """
    common, real = os.path.realpath(git.repository.common), os.path.realpath(path)
    if f"{real}/".startswith(f"{common}/"):
        raise RefusedError(
            f"{path} is inside the repository's own folder", hint="choose another folder: gitmem view PATH"
        )
    refuse_tracked(git, path)
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path) or os.listdir(path)):
        raise RefusedError(
            f"{path} already exists and is not empty", hint="move it away, or choose another folder: gitmem view PATH"
        )


def refuse_tracked(git: Git, path: str) -> None:
    """Refuse a folder in which the code has files, in its last commit or index: they are not edits of a view.

    Raises:
        RefusedError: It has files of the code.
    """
    if list_tracked(git, path):
        raise RefusedError(
            f"{os.path.relpath(path, worktrees.find_top(git, path))} belongs to the code: files in it are memories "
            "of the code tree",
            hint="show the branch in another folder: gitmem view PATH; if there is already a view, first remove it: "
            "gitmem view --remove (which keeps the code's files)",
        )


def list_tracked(git: Git, path: str) -> set[str]:
    """Return the files of the code in a folder, in its last commit or index, relative to the folder."""
    top = worktrees.find_top(git, path)
    inside = os.path.relpath(path, top) if top else ".."
    if inside.startswith(".."):
        return set()
    main = Git(discover(top) if _is_linked(top) else Repository(git.repository.common, git.repository.common, top))
    where = (f"--work-tree={top}", "-C", top, "--literal-pathspecs")
    questions = (("ls-files", "-z"), ("ls-tree", "-r", "-z", "--name-only", "HEAD"))
    lines = (main.run(*where, *question, "--", inside, check=False).stdout for question in questions)
    return {os.path.relpath(os.fsdecode(name), inside) for names in lines for name in names.split(b"\0") if name}


def _is_linked(top: str) -> bool:
    """Return whether a work tree is one of a bare repository's, with an index of its own."""
    return os.path.basename(os.path.dirname(worktrees.admin_of(top))) == "worktrees"


def default_path(git: Git) -> str:
    """Return the default folder of the view: in the main work tree, or in this one of a bare repository.

    Raises:
        RefusedError: The repository is bare, and this is not one of its work trees.
    """
    top = worktrees.find_main(git) or git.repository.top
    if not top:
        raise RefusedError("a bare repository has no work tree to show the view in", hint="gitmem view PATH")
    return os.path.join(top, DEFAULT)


def move(git: Git, view: View, path: str) -> View:
    """Move a view to another folder, including a person's changes, and return it.

    Raises:
        RefusedError: The folder cannot be used, or the code has files in the view's folder as well.
        ConflictError: Another git process is writing the view.
    """
    refuse_tracked(git, view.path)
    refuse_locked(git, view)
    refuse_place(git, path)
    _exclude(git, path, add=True)
    refuse_unreadable(git)
    git.run("worktree", "move", "--force", "--force", "--", view.path, path)
    moved = replace(view, path=path)
    save(git, moved)
    _exclude(git, view.path, add=False)
    return moved


def forget(git: Git, view: View) -> None:
    """Forget a view whose folder is gone; a commit that a person made there is kept under a ref."""
    admin = view.admin(git)
    if _is_named(view.path, admin):
        head = head_of(git, view)
        if head and head != view.shown and os.path.isdir(admin):
            keep(git, head)
        shutil.rmtree(admin, ignore_errors=True)
        with suppress(OSError):  # git does the same with the last one
            os.rmdir(os.path.dirname(admin))
    _drop_state(git)


def _drop_state(git: Git) -> None:
    unlink(os.path.join(git.repository.state, FILE_NAME))


def remove(git: Git, view: View, kept: Collection[str] = ()) -> None:
    """Delete the view's folder and all of its data. The caller has checked that nothing in it is unsaved.

    Args:
        git: The repository.
        view: The view.
        kept: Files of the code in that folder, which stay.
    """
    _exclude(git, view.path, add=False)
    if not kept:
        refuse_unreadable(git)
        git.run("worktree", "remove", "--force", "--force", "--", view.path)
        _drop_state(git)
        return
    for folder, _, names in os.walk(view.path, topdown=False):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, view.path) not in kept:
                os.unlink(path)
        with suppress(OSError):  # it contains files of the code
            os.rmdir(folder)
    forget(git, view)


def _exclude(git: Git, path: str, *, add: bool) -> None:
    top = worktrees.find_top(git, path)
    inside = os.path.relpath(path, top) if top else ".."
    if inside.startswith(".."):
        return
    (exclude if add else include)(git.repository.common, inside, git.repository.state)


def exclude(common: str, inside: str, state: str) -> None:
    """Make git status ignore a folder of the main work tree, given relative to it: with lines in ``info/exclude``.

    That file is local to this clone and shared by its worktrees (gitignore(5)). The lines go first, so the rest stays
    byte for byte the same, with or without a final line feed.

    Args:
        common: The common git directory.
        inside: The folder.
        state: The folder of local state, to note there that the file or its folder was empty.
    """
    text = _read_exclude(common)
    if pattern_of(inside) not in text.split("\n"):
        note_empty(state, _exclude_file(common), os.path.dirname(_exclude_file(common)))
        _write_exclude(common, _lines_for(inside) + text)


def include(common: str, inside: str, state: str) -> None:
    """Undo ``exclude``, even if the person moved the lines; every other line stays."""
    text = _read_exclude(common)
    remaining = f"\n{text}".replace(f"\n{_lines_for(inside)}", "\n").replace(f"\n{pattern_of(inside)}\n", "\n")[1:]
    if remaining != text and (remaining or was_empty(state, _exclude_file(common))):
        _write_exclude(common, remaining)
    elif remaining != text:
        os.unlink(_exclude_file(common))
        if not was_empty(state, folder := os.path.dirname(_exclude_file(common))):
            with suppress(OSError):  # it contains other files
                os.rmdir(folder)


def _lines_for(inside: str) -> str:
    return f"{COMMENT}\n{pattern_of(inside)}\n"


def pattern_of(inside: str) -> str:
    """Return the pattern that matches this folder and no other."""
    return "/" + "".join(f"\\{char}" if char in SPECIAL else char for char in inside) + "/"


def _exclude_file(common: str) -> str:
    return os.path.realpath(os.path.join(common, "info", "exclude"))


def _read_exclude(common: str) -> str:
    try:
        return read_own(_exclude_file(common)).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""


def _write_exclude(common: str, text: str) -> None:
    path = _exclude_file(common)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.gitmem", "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.gitmem", path)


def head_of(git: Git, view: View) -> str:
    """Return the commit of the view's HEAD, or an empty string."""
    result = view.git(git).run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False)
    return result.stdout.decode("ascii", "replace").strip()


def keep(git: Git, commit: str) -> str:
    """Keep a commit that a person made in the view under a ref of its own, and return the ref."""
    ref = f"{KEPT_REFS}{commit[:16]}"
    git.run("update-ref", "-m", "gitmem: found in the view", ref, commit, durable=True)
    return ref


def is_locked(git: Git, view: View) -> bool:
    """Return whether another git process is writing the view's index, or died while doing so."""
    return os.path.exists(lock_of(git, view))


def lock_of(git: Git, view: View) -> str:
    """Return the lock file of the view's index."""
    return os.path.join(view.admin(git), "index.lock")


def locks_of(git: Git, view: View) -> tuple[str, str]:
    """Return the lock files of the view's HEAD and index."""
    return os.path.join(view.admin(git), "HEAD.lock"), lock_of(git, view)


def refuse_locked(git: Git, view: View) -> None:
    """Refuse to touch a view that another git process is writing.

    Raises:
        ConflictError: It is locked.
    """
    if is_locked(git, view):
        raise ConflictError(
            f"the view {view.path} is locked by another git process, or by one that died: {lock_of(git, view)}",
            hint="try again; gitmem doctor --fix removes a stale lock file",
        )
