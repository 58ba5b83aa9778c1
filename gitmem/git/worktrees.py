"""A linked worktree that shows a commit: register it, update its index and list its changes, without a checkout.

It uses the git binary: GitPython takes 107 ms to import (measured) and would start the same program without the
safeguards of ``binary.SAFE``.
"""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.git import Git
from gitmem.git.branches import WORKTREE_FILES, refuse_unreadable
from gitmem.git.git import parse_changes
from gitmem.git.repository import Repository, refuse_special
from gitmem.system import process, read_file
from gitmem.system.atomic_write import sync_files, sync_folder, write_durably

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.git.git import TreeChange

# Settings, besides filters, that could change bytes between a file and its blob (gitattributes(5)).
UNCHANGED_BYTES = ("-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null", "-c", "core.fileMode=false")


@frozen
class PathVersion:
    """One path in two states; mode zeros and an empty name in a state that lacks it.

    Attributes:
        path: The path.
        old_mode: Mode before.
        old: Blob before, or empty.
        mode: Mode after.
        new: Blob after, or empty.
    """

    path: str
    old_mode: str
    old: str
    mode: str
    new: str


def at(git: Git, name: str, path: str) -> Git:
    """Return the git binary bound to the linked worktree with this registered name and path.

    Raises:
        NoRepositoryError: One of its files is a pipe or a device.
    """
    common = git.repository.common
    admin = os.path.join(common, "worktrees", name)
    refuse_special(os.path.join(admin, file) for file in (*WORKTREE_FILES, "index"))
    return Git(Repository(admin, common, path))


def register(git: Git, path: str, commit: str) -> str:
    """Register a linked worktree at an empty or new folder, detached at a commit, without files; return its name.

    git does not fsync the files that it writes for this, so they are synced here.

    Raises:
        ProcessError: git failed.
    """
    refuse_unreadable(git)
    git.run("worktree", "add", "--quiet", "--detach", "--no-checkout", "--", path, commit)
    admin = admin_of(path)
    sync_files([f"{path}/.git", *(os.path.join(admin, name) for name in (*WORKTREE_FILES, "logs/HEAD"))])
    for folder in (os.path.dirname(path), os.path.dirname(admin), git.repository.common):
        sync_folder(folder)
    return os.path.basename(admin)


def admin_of(path: str) -> str:
    """Return the git directory that a worktree's ``.git`` file names, absolute; empty if it does not exist."""
    text = _first_line(os.path.join(path, ".git"))
    target = text.removeprefix("gitdir: ")
    return os.path.normpath(os.path.join(path, target)) if target != text else ""


def place_of(admin: str) -> str:
    """Return the folder that a linked worktree's git directory names, absolute; empty if it names none."""
    text = _first_line(os.path.join(admin, "gitdir"))
    return os.path.dirname(os.path.normpath(os.path.join(admin, text))) if text else ""


def link(path: str, admin: str) -> None:
    """Make a folder and a git directory refer to each other, as ``git worktree repair`` does."""
    write_durably(os.path.join(admin, "gitdir"), os.fsencode(f"{path}/.git\n"))
    write_durably(f"{path}/.git", os.fsencode(f"gitdir: {admin}\n"))


def _first_line(path: str) -> str:
    return os.fsdecode(read_file(path)).rstrip("\n").strip("\0")  # zeros, as a power failure may leave them


def find_main(git: Git) -> str:
    """Return the top of the main work tree, or an empty string if the repository is bare."""
    repository = git.repository
    if repository.git == repository.common:
        return repository.top or ""
    refuse_unreadable(git)
    first = os.fsdecode(git.run("worktree", "list", "--porcelain", "-z").stdout).split("\0\0", 1)[0].split("\0")
    return "" if "bare" in first else first[0].removeprefix("worktree ")


def find_top(git: Git, path: str) -> str:
    """Return the top of the main work tree; of a bare repository, that of the linked one around a folder, or empty."""
    if main := find_main(git):
        return main
    refuse_unreadable(git)
    real = os.path.realpath(path)
    listed = os.fsdecode(git.run("worktree", "list", "--porcelain", "-z").stdout).split("\0")
    tops = [line.removeprefix("worktree ") for line in listed if line.startswith("worktree ")]
    around = [top for top in tops if real.startswith(f"{os.path.realpath(top)}/")]
    return next((top for top in around if os.path.lexists(os.path.join(top, ".git"))), "")


def list_sides(git: Git, old: str, new: str) -> list[PathVersion]:
    """Return the differences between two tree-ishes with both sides; equal folders are not read.

    Raises:
        ProcessError: One of them cannot be read.
    """
    return [_path_version(change) for change in git.diff_trees(old, new)]


def _path_version(change: TreeChange) -> PathVersion:
    before, after = (oid if oid.strip("0") else "" for oid in (change.old_oid, change.oid))
    return PathVersion(change.path, change.old_mode, before, change.mode, after)


def list_index(view: Git) -> list[tuple[str, str, str]]:
    """Return mode, blob and path of every entry of the index.

    Raises:
        ProcessError: The index is damaged.
    """
    result = _inside(view, "ls-files", "-s", "-z")
    entries = []
    for line in result.stdout.split(b"\0"):
        if line:
            head, _, path = line.partition(b"\t")
            mode, oid, _ = head.decode("ascii").split(" ")
            entries.append((mode, oid, os.fsdecode(path)))
    return entries


def list_changed(view: Git) -> list[tuple[str, str]]:
    """Return the differences between index and files as tag and path: ``C`` changed, ``R`` removed, ``?`` unknown.

    Raises:
        ProcessError: The index is damaged.
        NoRepositoryError: A pipe is in the place of a folder's ``.gitattributes``.
    """
    _refuse_pipes_below(view)
    result = _inside(view, *view.without_filters(), "ls-files", "-t", "-z", "-m", "-d", "-o")
    tagged = [(os.fsdecode(item[:1]), os.fsdecode(item[2:])) for item in result.stdout.split(b"\0") if item]
    removed = {path for tag, path in tagged if tag == "R"}
    return [(tag, path) for tag, path in tagged if tag != "C" or path not in removed]


def list_staged(view: Git, commit: str) -> list[PathVersion]:
    """Return the differences between the index and a commit: the changes that a user staged."""
    raw = _inside(view, "diff-index", "--cached", "--raw", "-z", "--no-renames", commit).stdout
    return list(map(_path_version, parse_changes(raw.split(b"\0"))))


def update_index(view: Git, entries: Iterable[tuple[str, str, str]], removed: Iterable[str], *, length: int) -> None:
    """Add entries (mode, blob, path) to the index and remove others, without reading any file.

    Args:
        view: The worktree.
        entries: The entries to add or replace.
        removed: The paths to remove.
        length: The number of hex digits of the repository's object names.

    Raises:
        ProcessError: It is locked or damaged.
    """
    zeros = "0" * length
    lines = [f"{mode} {oid}\t{path}" for mode, oid, path in entries]
    lines += [f"0 {zeros}\t{path}" for path in removed]
    if lines:
        text = b"".join(os.fsencode(line) + b"\0" for line in lines)
        _inside(view, "update-index", "--add", "--replace", "-z", "--index-info", input=text)


def hide(view: Git, paths: Sequence[str]) -> None:
    """Mark entries of the index as absent on disk, not deleted (skip-worktree, git-update-index(1))."""
    if paths:
        text = b"".join(os.fsencode(path) + b"\0" for path in paths)
        _inside(view, "update-index", "--skip-worktree", "-z", "--stdin", input=text)


def remember_times(view: Git) -> None:
    """Record the files' times in the index, so that unchanged files need not be read again."""
    _refuse_pipes_below(view)
    _inside(view, *view.without_filters(), "update-index", "-q", "--refresh", check=False)


def move_head(view: Git, commit: str) -> None:
    """Detach HEAD at a commit, without changing files or the index."""
    view.run("update-ref", "--no-deref", "-m", "gitmem: show", "HEAD", commit, durable=True)


def _refuse_pipes_below(view: Git) -> None:
    assert view.repository.top is not None, "a view has files"
    refuse_special(os.path.join(folder, ".gitattributes") for folder, _, _ in os.walk(view.repository.top))


def _inside(view: Git, *args: str, input: bytes | None = None, check: bool = True) -> process.ProcessResult:
    top = view.repository.top
    assert top is not None, "a view has files"
    argv = view.argv(f"--work-tree={top}", "-C", top, *UNCHANGED_BYTES, *args, durable=True)
    return process.run(argv, env=view.environment(), input=input, check=check)
