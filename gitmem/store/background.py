"""Work that goes on behind a command: started detached, one run at a time, at most one more waiting, never in the way.

Whoever wants a job done notes where in the work's list of requests, and then starts a process unless there is a mark
that one is on its way or at work. That one takes its mark away and looks at the list once more before it ends: whoever
saw the mark had noted the request before that look. So no request is lost, and fifty of them cost two runs. A process
that finds the work running goes away at once.
"""

from __future__ import annotations

import os
import sys
import time

from gitmem.config import git_environment, variable
from gitmem.errors import NoRepositoryError
from gitmem.system import process
from gitmem.system.file_lock import make_folder, open_private, try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Set to `off`, nothing is started behind a command: what would have been done is done by the next read.
SWITCH = "GITMEM_BACKGROUND"
FOLDER = "background"
LOG = "log"
# A traceback is 3 KB: the last hundred failures, twice.
LOG_LIMIT = 262_144
# A mark of this age is of a process that died, or of one that is long at work: another one is started, and goes away if
# the lock is held. No start takes as long.
MARK_S = 5.0


def start(state_folder: str | os.PathLike[str], where: str | os.PathLike[str], what: str) -> None:
    """Let ``gitmem background WHAT`` run in a process of its own, and return at once.

    Costs a shell's start, a fifth of a bare Python's (measured); never raises: what is not done behind a command is
    done by whoever needs it next.

    Args:
        state_folder: The repository's state folder.
        where: The work tree, or the git directory of a bare repository, that the work is for.
        what: The work, a row of ``cli.background``'s table.
    """
    if variable(SWITCH) == "off" or not sys.executable:
        return
    folder = os.path.join(state_folder, FOLDER)
    if not _ask(folder, where, what) or _is_marked(folder, what):
        return
    _write(_mark(folder, what), "")
    # -P: a folder `gitmem` where the work is must not take our place.
    argv = [sys.executable, "-P", "-m", "gitmem", "background", what]
    process.start_detached(argv, cwd=where, env=git_environment(), log=os.path.join(folder, LOG))


def turns(state_folder: str | os.PathLike[str], where: str | os.PathLike[str], what: str) -> Iterator[WorkRun]:
    """Ask for a job, and yield a turn for each place that it is wanted at, until nobody wants it any more.

    Yields nothing where another process does it: that one takes the request over. Nor on a disk that cannot be
    written to, where no work would have a result.
    """
    folder = os.path.join(state_folder, FOLDER)
    if not _ask(folder, where, what):
        return
    _rotate(os.path.join(folder, LOG))
    while os.path.exists(_requests(folder, what)):
        lock = _lock(folder, what)
        if lock is None:
            return
        try:
            for place in _take(folder, what):
                _write(_mark(folder, what), "")
                yield WorkRun(folder, what, place)
        finally:
            os.close(lock)
            _remove(_mark(folder, what))


class WorkRun:
    """One run of a job at one place, as a context manager that keeps how it went.

    Attributes:
        where: The work tree or git directory it is for.
    """

    def __init__(self, folder: str, what: str, where: str) -> None:
        self._path = os.path.join(folder, f"{what}.failed")
        self.where = where

    def __enter__(self) -> WorkRun:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: object) -> bool:
        """Note a failure for ``doctor``, or that it went well; a place that is gone needs nothing done."""
        if isinstance(value, NoRepositoryError):
            return True
        if value is None:
            _remove(self._path)
        elif isinstance(value, Exception):
            _write(self._path, f"{self.where}: {' '.join(str(value).split()) or type(value).__name__}")
        return False


def list_failures(state_folder: str | os.PathLike[str]) -> list[tuple[str, str, float]]:
    """Return the works whose last run failed: name, what it said, and when (epoch seconds); sorted by name."""
    folder = os.path.join(state_folder, FOLDER)
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        what, suffix = os.path.splitext(name)
        if suffix == ".failed":
            try:
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    found.append((what, file.read(4000), os.fstat(file.fileno()).st_mtime))
            except FileNotFoundError:
                continue  # it went well just now
    return found


def _requests(folder: str, what: str) -> str:
    return os.path.join(folder, f"{what}.asked")


def _mark(folder: str, what: str) -> str:
    return os.path.join(folder, f"{what}.started")


def _ask(folder: str, where: str | os.PathLike[str], what: str) -> bool:
    """Note that a job is wanted; tell whether that could be noted."""
    line = os.fsencode(os.path.abspath(where)) + b"\0"
    path = _requests(folder, what)
    try:
        make_folder(folder)
        while not _append(path, line):
            continue  # the list was taken between opening and writing, and may have been read by then
    except OSError:
        return False
    return True


def _append(path: str, line: bytes) -> bool:
    """Append to a file, and tell whether it still has its name afterwards."""
    fd = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(fd, line)  # appended whole: POSIX.1-2017, write(), O_APPEND
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False
    finally:
        os.close(fd)


def _is_marked(folder: str, what: str) -> bool:
    """Return whether a process is on its way or at work that will look at the list of requests again."""
    try:
        marked = os.stat(_mark(folder, what)).st_mtime
    except OSError:
        return False
    return abs(time.time() - marked) < MARK_S


def _take(folder: str, what: str) -> list[str]:
    """Return the places a job is wanted at, each once, and take them off the list; call it under the lock."""
    taken = os.path.join(folder, f"{what}.doing")
    try:
        os.replace(_requests(folder, what), taken)
        with open(taken, "rb") as file:
            places = file.read().split(b"\0")[:-1]
        os.unlink(taken)
    except FileNotFoundError:
        return []
    return [os.fsdecode(place) for place in dict.fromkeys(places)]


def _lock(folder: str, what: str) -> int | None:
    """Return the open file that holds a job's lock, or None where another process holds it."""
    try:
        return try_lock(os.path.join(folder, f"{what}.lock"))
    except OSError:
        return None


def _rotate(log: str) -> None:
    try:
        if os.stat(log).st_size > LOG_LIMIT:
            os.replace(log, f"{log}.1")
    except OSError:
        return


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")
    except OSError:
        return  # a full disk: the log says the same where it can


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
