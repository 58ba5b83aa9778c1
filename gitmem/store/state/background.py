"""Background jobs: started detached, one run at a time and at most one waiting, so that no command is held up.

To request a job, a process adds the place to the job's list of requests, then starts a worker unless a mark says that
one is starting or running. The worker removes the mark and checks the list once more before it ends; a process that saw
the mark had added its request before that check. So no request is lost, and fifty requests cost two runs. A worker that
finds another one running exits at once.
"""

from __future__ import annotations

import os
import sys
import time

from gitmem.config import git_environment, variable
from gitmem.errors import NoRepositoryError
from gitmem.system import discard, make_folder, only_regular, open_private, process, read_file
from gitmem.system.file_lock import try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# If set to `off`, no background jobs are started; the next read does their work.
SWITCH = "GITMEM_BACKGROUND"
FOLDER = "background"
LOG = "log"
# A traceback is 3 KB: room for the last hundred failures, twice.
LOG_LIMIT = 262_144
# An older mark is from a process that died or has run for long: another one is started, and exits if the lock is held.
# No start takes this long.
MARK_S = 5.0


def start(state_folder: str | os.PathLike[str], where: str | os.PathLike[str], what: str) -> None:
    """Start ``gitmem background WHAT`` in a process of its own, and return at once.

    Costs the start of a shell, a fifth of a bare Python's (measured); never raises: work that is not done in the
    background is done by the next command that needs it.

    Args:
        state_folder: The repository's state folder.
        where: The work tree, or the git directory of a bare repository, that the job is for.
        what: The job, a row of ``cli.background``'s table.
    """
    if variable(SWITCH) == "off" or not sys.executable:
        return
    folder = os.path.join(state_folder, FOLDER)
    if not _ask(folder, where, what) or _is_marked(folder, what):
        return
    _write(_mark(folder, what), "")
    start_command(state_folder, where, "background", what)


def start_command(state_folder: str | os.PathLike[str], where: str | os.PathLike[str], *arguments: str) -> bool:
    """Start ``gitmem ARGUMENTS`` in a process of its own, and return at once; its output is appended to the log.

    Returns:
        Whether background processes are allowed here.
    """
    folder = os.path.join(state_folder, FOLDER)
    if variable(SWITCH) == "off" or not sys.executable:
        return False
    make_folder(folder)
    # -P: a folder `gitmem` in the working directory must not be imported instead of this package.
    argv = [sys.executable, "-P", "-m", "gitmem", *arguments]
    process.start_detached(argv, cwd=where, env=git_environment(), log=os.path.join(folder, LOG))
    return True


def turns(state_folder: str | os.PathLike[str], where: str | os.PathLike[str], what: str) -> Iterator[WorkRun]:
    """Request a job, and yield a turn for each requested place until no requests are left.

    Yields nothing if another process runs the job, which then handles the request; nor on a read-only disk, where the
    job would have no result.
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
            discard(_mark(folder, what))


class WorkRun:
    """One run of a job at one place, as a context manager that records the outcome.

    Attributes:
        where: The work tree or git directory it is for.
    """

    def __init__(self, folder: str, what: str, where: str) -> None:
        self._path = os.path.join(folder, f"{what}.failed")
        self.where = where

    def __enter__(self) -> WorkRun:
        """Begin the run."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: object) -> bool:
        """Record a failure for ``doctor``, or the success; a place that is gone needs neither."""
        if isinstance(value, NoRepositoryError):
            return True
        if value is None:
            discard(self._path)
        elif isinstance(value, Exception):
            _write(self._path, f"{self.where}: {' '.join(str(value).split()) or type(value).__name__}")
        return False


def list_failures(state_folder: str | os.PathLike[str]) -> list[tuple[str, str, float]]:
    """Return the jobs whose last run failed: name, message, and time (epoch seconds), sorted by name."""
    folder = os.path.join(state_folder, FOLDER)
    failures = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        what, suffix = os.path.splitext(name)
        if suffix == ".failed":
            try:
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace", opener=only_regular) as file:
                    reason = file.read(4000) or "the reason could not be written: the disk was full"
                    failures.append((what, reason, os.fstat(file.fileno()).st_mtime))
            except FileNotFoundError:
                continue  # it succeeded just now
    return failures


def _requests(folder: str, what: str) -> str:
    return os.path.join(folder, f"{what}.asked")


def _mark(folder: str, what: str) -> str:
    return os.path.join(folder, f"{what}.started")


def _ask(folder: str, where: str | os.PathLike[str], what: str) -> bool:
    """Add a request for a job; return whether it could be recorded."""
    line = os.fsencode(os.path.abspath(where)) + b"\0"
    path = _requests(folder, what)
    try:
        make_folder(folder)
        while not _append(path, line):
            continue  # between opening and writing, the list was claimed and perhaps already read
    except OSError:
        return False
    return True


def _append(path: str, line: bytes) -> bool:
    """Append to a file; return whether the file still has its name afterwards."""
    fd = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(fd, line)  # atomic: POSIX.1-2017, write(), O_APPEND
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False
    finally:
        os.close(fd)


def _is_marked(folder: str, what: str) -> bool:
    """Return whether a process is starting or running that will check the list of requests again."""
    try:
        marked = os.stat(_mark(folder, what)).st_mtime
    except OSError:
        return False
    return abs(time.time() - marked) < MARK_S


def _take(folder: str, what: str) -> list[str]:
    """Claim the requests: return each place once, and empty the list. Call it under the lock."""
    path = os.path.join(folder, f"{what}.doing")
    try:
        os.replace(_requests(folder, what), path)
        places = read_file(path).split(b"\0")[:-1]
        os.unlink(path)
    except FileNotFoundError:
        return []
    return [os.fsdecode(place) for place in dict.fromkeys(places)]


def _lock(folder: str, what: str) -> int | None:
    """Return the open file that holds a job's lock; None if another process holds it."""
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
        with open(path, "w", encoding="utf-8", errors="replace", opener=only_regular) as file:
            file.write(text + "\n")
    except OSError:
        return  # a full disk: the log has the same message, if it could be written
