"""Allow one verify job of a repository at a time, and record the result of the last one.

The kernel's lock on a file in the common git directory is shared by all work trees of a repository, and released when a
job is killed. Correctness does not depend on it, since verdicts of any writer are merged: it avoids running every check
twice.
"""

from __future__ import annotations

import os
import time

from gitmem.document.times import format_time
from gitmem.errors import BusyError, suppress
from gitmem.frozen import fields_of, frozen, replace
from gitmem.git.git import plausible
from gitmem.system import make_folder, only_regular, write_text
from gitmem.system.file_lock import try_lock
from gitmem.text import format_json, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LOCK = "verify.lock"
NOTE = "verify-job.json"
# Seconds between a waiting job's attempts to lock; a check takes longer.
POLL_S = 0.05
# Characters of a problem that are recorded.
SAID = 300


@frozen
class Job:
    """The record of a verify job.

    Attributes:
        started: Epoch seconds.
        pid: Its process ID.
        ended: Epoch seconds; 0 while it runs, or if it was killed.
        commit: The code commit that it judged, or empty.
        due: How many facts were due.
        failed: How many of them failed.
        unchecked: How many could not be checked, or were skipped.
        problem: Why it did not finish, on one line, or empty.
        is_scheduled: Whether a schedule started it, not a person.
    """

    started: int
    pid: int = 0
    ended: int = 0
    commit: str = ""
    due: int = 0
    failed: int = 0
    unchecked: int = 0
    problem: str = ""
    is_scheduled: bool = False


class JobRun:
    """A context manager that holds the lock of a verify job, and records the job's result when it ends.

    Attributes:
        job: The record that is written.
    """

    def __init__(
        self,
        folder: str,
        *,
        clock: Callable[[], float],
        is_scheduled: bool,
        wait_s: float,
        report: Callable[[str], None],
    ) -> None:
        """Store the settings; the lock is taken on entry.

        Args:
            folder: The repository's state folder.
            clock: Returns epoch seconds.
            is_scheduled: Whether a schedule started the job, not a person.
            wait_s: How long to wait for another job.
            report: Called once if it has to wait for another job.
        """
        self._folder = folder
        self._wait_s = wait_s
        self._report = report
        self._fd: int | None = None
        self._clock = clock
        self.job = Job(0, os.getpid(), is_scheduled=is_scheduled)

    def __enter__(self) -> JobRun:
        """Wait for the lock.

        Raises:
            BusyError: Another job is still running.
        """
        try:
            make_folder(self._folder)
            self._fd = self._acquire()
        except OSError:
            return self  # a read-only disk: nothing can be recorded there, so two jobs cannot interfere
        self.job = replace(self.job, started=plausible(self._clock()))
        self._hold(f"{os.getpid()} {self.job.started}")
        self._note()
        return self

    def _hold(self, who: str) -> None:
        assert self._fd is not None
        try:
            os.ftruncate(self._fd, 0)
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.write(self._fd, who.encode())
        except OSError:
            return  # a full disk: the holder is only needed for messages; the kernel keeps the lock

    def _acquire(self) -> int:
        path = os.path.join(self._folder, LOCK)
        deadline, is_reported = time.monotonic() + self._wait_s, False
        while True:
            fd = try_lock(path)
            if fd is not None:
                return fd
            if time.monotonic() >= deadline:
                raise BusyError(
                    f"another verify job of this repository is running{_holder(path)}",
                    hint="wait for it, or check only one fact: gitmem verify KEY",
                )
            if not is_reported:
                is_reported = True
                self._report(f"waiting for another verify job of this repository{_holder(path)}")
            time.sleep(POLL_S)

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: object) -> None:
        """Record the result and release the lock."""
        if self._fd is None:
            return
        problem = ""
        if kind is not None:
            problem = (
                "interrupted" if issubclass(kind, KeyboardInterrupt) else " ".join(str(value).split()) or kind.__name__
            )
        self.job = replace(self.job, ended=plausible(self._clock()), problem=problem[:SAID])
        self._note()
        self._hold("")
        os.close(self._fd)
        self._fd = None

    def _note(self) -> None:
        with suppress(OSError):  # a full disk: only `status` needs the record
            write_text(os.path.join(self._folder, NOTE), format_json(fields_of(self.job), is_ascii=True))


def _holder(path: str) -> str:
    """Describe the holder of the lock, if it recorded itself; else return an empty string."""
    try:
        with open(path, encoding="ascii", errors="replace", opener=only_regular) as file:
            pid, since = map(int, file.read(100).split())
    except (OSError, ValueError):
        return ""
    return f" (process {pid}, since {format_time(since)})"


def is_running(job: Job) -> bool:
    """Return whether a job without an end is still running and was not killed."""
    if job.ended or job.pid <= 0:
        return False
    try:
        os.kill(job.pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def last_job(folder: str) -> Job | None:
    """Return the record of the last job; None if there is none or it is damaged."""
    try:
        with open(os.path.join(folder, NOTE), encoding="utf-8", opener=only_regular) as file:
            table = parse_json(file.read(10_000))
        job = Job(**table)
        fits = all(type(value) is type(getattr(Job(0), name)) for name, value in table.items())
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return job if fits else None
