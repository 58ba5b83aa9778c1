"""Restore or remove files of a view that a power cut left blank: names reached the disk, contents did not.

git does not sync the files that it writes for a worktree. Only blank files are changed here, those of its git directory
that git cannot use, and pipes and devices, for which git would wait forever.
"""

from __future__ import annotations

import os
import re
import shutil
import time

from gitmem.errors import suppress
from gitmem.git import worktrees
from gitmem.git.branches import WORKTREE_FILES
from gitmem.git.repository import is_oid
from gitmem.store.state.write_lock import FRESH_S
from gitmem.system import list_names, only_regular
from gitmem.system.atomic_write import write_durably

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git
    from gitmem.store.view.state import View

# No file examined here has more relevant content; a larger log of HEAD is left as it is.
READ_LIMIT = 1_000_000


def is_blank(path: str) -> bool:
    """Return whether a file exists and contains only zeros and white space."""
    return _read(path).strip(b"\0\n ") == b"" and os.path.isfile(path) and not os.path.islink(path)


def is_useless(path: str) -> bool:
    """Return whether something exists that has no content: a blank file, a pipe, a device."""
    return is_blank(path) or (os.path.lexists(path) and not os.path.islink(path) and not _is_file_or_folder(path))


def _is_file_or_folder(path: str) -> bool:
    return os.path.isfile(path) or os.path.isdir(path)


def mend(git: Git, view: View) -> None:
    """Restore the blank files of a known view, in its folder and in its git directory."""
    _mend(git, view.admin(git), view.path, view.shown or next(iter(view.toward), ""))


def clear(git: Git, path: str, commit: str) -> None:
    """Complete or remove the remains of an unknown view at *path*; *commit* is the tip."""
    folder = os.path.join(git.repository.common, "worktrees")
    admins = [os.path.join(folder, name) for name in list_names(folder) if _is_like(name, os.path.basename(path))]
    if not os.path.lexists(f"{path}/.git"):
        for admin in admins:
            _remove_unmade(admin, path)
        return
    mine = [admin for admin in admins if _may_lead(admin, path)]
    if mine:
        _mend(git, mine[0], path, commit)
    elif (is_useless(f"{path}/.git") or _is_astray(folder, path)) and os.listdir(path) == [".git"]:
        os.unlink(f"{path}/.git")


def _mend(git: Git, admin: str, path: str, commit: str) -> None:
    """Restore the blank files of a view's git directory, and its link; HEAD is *commit* unless its log has one."""
    if not os.path.isdir(admin):
        return
    known = {"commondir": "../..", "gitdir": f"{path}/.git"}
    for name in [name for name in WORKTREE_FILES if _is_lost(os.path.join(admin, name))]:
        if text := known.get(name) or _last_commit(git, admin) or commit:
            place = os.path.join(admin, name)
            if os.path.isdir(place) and not os.path.islink(place):
                os.rename(place, f"{place}.gitmem-{os.getpid()}")
            write_durably(place, os.fsencode(f"{text}\n"))
    if is_useless(f"{path}/.git"):
        write_durably(f"{path}/.git", os.fsencode(f"gitdir: {admin}\n"))
    for name in ("index", "logs/HEAD"):
        if is_useless(os.path.join(admin, name)):
            os.unlink(os.path.join(admin, name))
    _mend_log(os.path.join(admin, "logs", "HEAD"))


def _may_lead(admin: str, path: str) -> bool:
    """Return whether a git directory and the link in a folder name each other, as far as they name anything."""
    place, target = worktrees.place_of(admin), worktrees.admin_of(path)
    is_ours = not place or os.path.realpath(place) == os.path.realpath(path)
    return is_ours and (target == admin or is_useless(f"{path}/.git"))


def _remove_unmade(admin: str, path: str) -> None:
    """Remove a git directory that git did not finish, and that no folder leads to."""
    place = worktrees.place_of(admin)
    is_unmade = any(_is_lost(os.path.join(admin, name)) for name in WORKTREE_FILES)
    if is_unmade and place in ("", path) and time.time() - os.stat(admin).st_mtime > FRESH_S:
        shutil.rmtree(admin, ignore_errors=True)


def _is_astray(folder: str, path: str) -> bool:
    """Return whether the link in a folder leads to a removed git directory of this repository."""
    target = worktrees.admin_of(path)
    return os.path.dirname(target) == folder and not os.path.lexists(target)


def _is_lost(path: str) -> bool:
    """Return whether a file of ``WORKTREE_FILES`` is not there, or has nothing that git accepts: it then reads none."""
    if not os.path.isfile(path) or is_useless(path):
        return True
    text, name = os.fsdecode(_read(path)).rstrip("\n"), os.path.basename(path)
    if name == "HEAD":
        return not is_oid(text) and not text.startswith("ref: refs/")
    return name == "commondir" and not os.path.isdir(os.path.join(os.path.dirname(path), text))


def _is_like(name: str, base: str) -> bool:
    """Return whether git may have given a worktree of a folder this name: characters replaced, a number appended."""
    plain, other = (re.sub(r"[^A-Za-z0-9]", "-", text) for text in (name, base))
    return plain.startswith(other) and plain[len(other) :].strip("0123456789") == ""


def _last_commit(git: Git, admin: str) -> str:
    """Return the last existing commit in the log of HEAD, or an empty string."""
    lines = [
        line.split(" ", 2) for line in _read(os.path.join(admin, "logs", "HEAD")).decode("utf-8", "replace").split("\n")
    ]
    names = [words[1] for words in lines if len(words) == 3 and is_oid(words[1])]
    return names[-1] if names and git.has(names[-1], "commit") else ""


def _mend_log(path: str) -> None:
    """Remove lines from a log that never reached the disk: git fsck would report them."""
    content = _read(path)
    if b"\0" in content and len(content) < READ_LIMIT:
        whole = [line for line in content.split(b"\n") if line and b"\0" not in line]
        write_durably(path, b"".join(line + b"\n" for line in whole))


def _read(path: str) -> bytes:
    with suppress(OSError), open(path, "rb", opener=only_regular) as file:
        return file.read(READ_LIMIT)
    return b""
