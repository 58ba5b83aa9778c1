"""Remove leftovers of killed processes: half-written files, crash reports of fast-import, and unfinished packs.

A file is a leftover if it has a temporary name and is older than any write takes, or if no process has it open. git
itself keeps unfinished packs and objects for two weeks (git-prune(1)); that of a killed import may be large.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import suppress
from gitmem.system import list_names, only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.git import Git

SUFFIX = ".new"
REPORT = "fast_import_crash_"
# Writing a file in the state folder never takes longer.
AGE_S = 3600.0
# git writes such a report at once, when it ends.
REPORT_AGE_S = 60.0
# git opens such a file right after it has made it, and renames or links it right after it has closed it.
UNFINISHED = ("tmp_pack_", "tmp_idx_", "tmp_rev_", "tmp_obj_")
UNFINISHED_AGE_S = 0.5
DEPTH = 3
# The report has the last hundred commands, and the branches (git-fast-import(1), CRASH REPORTS).
REPORT_READ = 262_144
OURS = ("refs/heads/gitmem/", "refs/gitmem/")


def sweep(git: Git, ref: str, *, report_age_s: float = REPORT_AGE_S) -> list[str]:
    """Remove leftovers and return their paths.

    Args:
        git: The repository.
        ref: The branch that gitmem writes; reports about other branches are left alone.
        report_age_s: The age at which a report is a leftover: zero if no other fast-import can be running.
    """
    leftovers = [path for path, age_s in _half_written(git.repository.state, DEPTH) if age_s > AGE_S]
    leftovers += [path for path, age_s in _reports(git.repository.common, ref) if age_s > report_age_s]
    removed = []
    for path in (*leftovers, *_unfinished(git.repository.common)):
        with suppress(OSError):
            os.unlink(path)
            removed.append(path)
    return removed


def list_ref_locks(git: Git) -> list[str]:
    """Return git's lock files of the refs below ``refs/gitmem/``, which only gitmem moves (refs as files)."""
    below = os.walk(os.path.join(git.repository.common, "refs", "gitmem"))
    return [os.path.join(folder, name) for folder, _, names in below for name in names if name.endswith(".lock")]


def _half_written(folder: str, depth: int) -> Iterator[tuple[str, float]]:
    """Yield the half-written files below a folder, with their ages; links are not followed."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and depth > 1:
                yield from _half_written(entry.path, depth - 1)
            elif entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False):
                yield entry.path, time.time() - entry.stat(follow_symlinks=False).st_mtime


def _unfinished(git_dir: str) -> list[str]:
    """Return the packs and objects that git had begun to write when it was killed.

    The person's own git may be writing one now: it has the file open, which only /proc shows; without it, age decides.
    """
    objects = os.path.join(git_dir, "objects")
    unfinished = []
    for folder in list_names(objects):
        if folder == "pack" or len(folder) == 2:
            names = list_names(os.path.join(objects, folder))
            unfinished += [os.path.join(objects, folder, name) for name in names if name.startswith(UNFINISHED)]
    if not unfinished:
        return []
    if not os.path.isdir("/proc/self/fd"):
        return [path for path in unfinished if _age(path) > AGE_S]
    opened = _opened()
    left = [path for path in unfinished if _identity(path) not in opened]
    if left:
        time.sleep(max(0.0, UNFINISHED_AGE_S - min(map(_age, left))))
        opened = _opened()
    return [path for path in left if _identity(path) not in opened]


def _age(path: str) -> float:
    with suppress(OSError):
        return max(0.0, time.time() - os.stat(path, follow_symlinks=False).st_mtime)
    return UNFINISHED_AGE_S


def _identity(path: str) -> tuple[int, int]:
    with suppress(OSError):
        info = os.stat(path)
        return info.st_dev, info.st_ino
    return 0, 0


def _opened() -> set[tuple[int, int]]:
    """Return the files that processes have open, as far as this user may see them."""
    return {
        _identity(f"/proc/{process}/fd/{fd}")
        for process in filter(str.isdigit, list_names("/proc"))
        for fd in list_names(f"/proc/{process}/fd")
    }


def _reports(git_dir: str, ref: str) -> Iterator[tuple[str, float]]:
    """Yield the crash reports about a memory branch, with their ages."""
    with suppress(OSError), os.scandir(git_dir) as entries:
        for entry in entries:
            if entry.name.startswith(REPORT) and entry.is_file(follow_symlinks=False) and _is_ours(entry.path, ref):
                yield entry.path, time.time() - entry.stat(follow_symlinks=False).st_mtime


def _is_ours(report: str, ref: str) -> bool:
    """Return whether a report names a branch of gitmem, or none (the stream was empty, or the disk full)."""
    with suppress(OSError), open(report, "rb", opener=only_regular) as file:
        text = file.read(REPORT_READ)
        commands = text.partition(b"Most Recent Commands")[2].partition(b"Active Branch")[0].split(b"\n")[2:]
        is_empty = [line.strip(b"* ") for line in commands if line.strip()] == [b"feature done"]
        return is_empty or not text or any(name.encode() in text for name in (f"{ref}\n", *OURS))
    return False
