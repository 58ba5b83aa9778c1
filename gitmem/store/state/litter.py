"""Remove leftovers of killed processes: half-written files in the state folder, and crash reports of fast-import.

A file is a leftover if it has a temporary name and is older than any write takes.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import suppress

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
    removed = []
    for path, age_s in (*_half_written(git.repository.state, DEPTH), *_reports(git.repository.common, ref)):
        if age_s > (AGE_S if path.endswith(SUFFIX) else report_age_s):
            with suppress(OSError):
                os.unlink(path)
                removed.append(path)
    return removed


def _half_written(folder: str, depth: int) -> Iterator[tuple[str, float]]:
    """Yield the half-written files below a folder, with their ages; links are not followed."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and depth > 1:
                yield from _half_written(entry.path, depth - 1)
            elif entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False):
                yield entry.path, time.time() - entry.stat(follow_symlinks=False).st_mtime


def _reports(git_dir: str, ref: str) -> Iterator[tuple[str, float]]:
    """Yield the crash reports about a memory branch, with their ages."""
    with suppress(OSError), os.scandir(git_dir) as entries:
        for entry in entries:
            if entry.name.startswith(REPORT) and entry.is_file(follow_symlinks=False) and _is_ours(entry.path, ref):
                yield entry.path, time.time() - entry.stat(follow_symlinks=False).st_mtime


def _is_ours(report: str, ref: str) -> bool:
    """Return whether a report names a branch of gitmem, or none (the stream was empty, or the disk full)."""
    with suppress(OSError), open(report, "rb") as file:
        text = file.read(REPORT_READ)
        commands = text.partition(b"Most Recent Commands")[2].partition(b"Active Branch")[0].split(b"\n")[2:]
        is_empty = [line.strip(b"* ") for line in commands if line.strip()] == [b"feature done"]
        return is_empty or not text or any(name.encode() in text for name in (f"{ref}\n", *OURS))
    return False
