"""Note which memories of other teams are read, before they are answered, in batches: a row costs as much as a read.

Rows wait for less than a second while the database takes them. Once it has refused some, or until it has taken the
first ones, each read writes its own rows, and fails if that fails: nothing is read that cannot be noted.
"""

from __future__ import annotations

import threading
from time import monotonic, time

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitmem.hub.identity import Identity

# How long rows wait for others, and at most: rows that have waited longer are a sign that they cannot be written.
EACH_S, LATE_S = 0.2, 1.0
# Rows that may wait.
WAITING_AT_MOST = 10_000


@frozen
class Read:
    """A row of ``hub.audit``: memories of one repository that an identity has read, their keys in *detail*."""

    at: float
    identity: str
    action: str
    repository: int
    detail: str


def foreign_reads(
    identity: Identity, action: str, reads: Mapping[int, Sequence[str]], teams: Mapping[int, str]
) -> list[Read]:
    """Return the rows for what an identity reads of other teams' repositories.

    Args:
        identity: Who reads.
        action: What they do.
        reads: The keys that are read, by repository.
        teams: The team of each of these repositories; empty if it has none.
    """
    foreign = [number for number in sorted(reads) if teams.get(number, "") not in identity.principals]
    return [Read(time(), identity.name, action, number, " ".join(reads[number])) for number in foreign]


class AuditLog:
    """Writes rows, those of all readers together."""

    def __init__(self, write: Callable[[Sequence[Read]], None]) -> None:
        """Write rows with a function, which raises a GitmemError if it cannot."""
        self._write = write
        self._waiting: list[Read] = []
        self._since = 0.0
        self._works = False
        self._lock, self._wake, self._stop = threading.Lock(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="audit", daemon=True)

    def open(self) -> None:
        """Begin to write in batches."""
        self._thread.start()

    def note(self, rows: Sequence[Read]) -> None:
        """Note reads that are about to be answered.

        Raises:
            GitmemError: They cannot be written.
        """
        if not rows or self._has_queued(rows):
            return
        self._write(rows)
        self._works = True
        self._wake.set()  # for what could not be written before

    def _has_queued(self, rows: Sequence[Read]) -> bool:
        """Queue rows unless the database may not take them; return whether they were queued."""
        with self._lock:
            now = monotonic()
            if not self._waiting:
                self._since = now
            is_late = now - self._since > LATE_S or len(self._waiting) + len(rows) > WAITING_AT_MOST
            if not self._works or is_late or self._stop.is_set() or not self._thread.is_alive():
                return False
            self._waiting += rows
        self._wake.set()
        return True

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._stop.wait(EACH_S if self._works else LATE_S)
            self._wake.clear()
            self._flush()

    def _flush(self) -> None:
        """Write the rows that wait; those that cannot be written wait for the next time."""
        with self._lock:
            rows, self._waiting = self._waiting, []
        if not rows:
            return
        try:
            self._write(rows)
        except Exception:  # noqa: BLE001 - whatever it is, the rows stay, and reads stop until some can be written
            with self._lock:
                self._works = False
                self._waiting = [*rows, *self._waiting]
            self._wake.set()

    def close(self) -> int:
        """Write what waits, and stop; return how many rows could not be written."""
        self._stop.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._flush()
        return len(self._waiting)
