"""The ledger of sessions: their transcripts, how far each was read, and whether the session ended.

A hook enters a session when it first sees its transcript; later events cost one look at a file. So the next start finds
the unread transcripts of sessions that were killed or suspended.
"""

from __future__ import annotations

import os
from zlib import crc32

from gitmem.agents.event import END, Event
from gitmem.agents.session.places import read_table
from gitmem.agents.session.topics import workplace_of
from gitmem.agents.transcripts.source import DATABASE
from gitmem.config import second_place
from gitmem.errors import suppress
from gitmem.frozen import frozen
from gitmem.system import discard, write_text
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.repository import OpenRepository

FOLDER = "ledger"
SUFFIX, READ = ".json", ".read"
FIELDS = ("client", "session", "folder", "transcript", "agent", "agent_type", "branch", "workspace")
# The name of the field ``client`` in files of versions before 28 November 2026.
FORMER_FIELD = "harness"
FIELD_LIMIT = 4_096
ENTRY_BYTES = 64 * 1024
# The most sessions remembered, the latest ones. Our choice.
ENTRIES_AT_MOST = 200


@frozen
class LedgerEntry:
    """A session, or a sub-agent of one, with a transcript of its own.

    Attributes:
        path: The entry's file.
        fields: The ``FIELDS`` as strings.
        at: When it was entered or ended, epoch seconds.
        has_ended: Whether its client reported its end.
        read: The extent of the transcript (``extent_of``) when it was read last; -1 for never.
        summarized: Its extent when its summary was asked for; -1 for never.
    """

    path: str
    fields: dict[str, str]
    at: int
    has_ended: bool
    read: int
    summarized: int

    @property
    def transcript(self) -> str:
        """Return the path of the transcript."""
        return self.fields["transcript"]

    def event(self, name: str) -> Event:
        """Return an event of the session."""
        about: dict[str, Any] = {
            name: value for name, value in self.fields.items() if name not in ("branch", "workspace")
        }
        return Event(name=name, **about)

    @property
    def is_unread(self) -> bool:
        """Return whether the transcript has grown since it was read."""
        return extent_of(self.transcript) not in (self.read, -1)


def enter(repository: OpenRepository, event: Event) -> None:
    """Enter the session of an event, once, and again when it ends; an event without a transcript is ignored."""
    if not event.transcript or not event.session:
        return
    path = path_of(repository.git.repository.state, event)
    has_ended = event.name == END
    other = path_of(second_place(repository.git.repository.state), event)
    if not has_ended and (os.path.exists(path) or os.path.exists(other)):
        return
    place = workplace_of(repository)
    fields = {name: str(getattr(event, name, ""))[:FIELD_LIMIT] for name in FIELDS}
    fields |= {"branch": place.branch, "workspace": place.workspace}
    values = {**fields, "at": repository.now, "has_ended": has_ended}
    if not _write(path, values):
        _write(other, values)


def path_of(state_folder: str, event: Event) -> str:
    """Return the ledger file of an event's session or sub-agent."""
    named = f"{event.client}\0{event.session}\0{event.agent}"[:FIELD_LIMIT]
    return os.path.join(state_folder, FOLDER, f"{crc32(named.encode('utf-8', 'replace')):08x}{SUFFIX}")


def entries(state_folder: str) -> list[LedgerEntry]:
    """Return the sessions in the ledger, latest first."""
    entries = []
    for path in _list_files(state_folder):
        values, read = read_table(path, ENTRY_BYTES), read_table(f"{path}{READ}", ENTRY_BYTES)
        values.setdefault("client", values.get(FORMER_FIELD))
        if all(isinstance(values.get(field), str) for field in FIELDS):
            fields = {field: values[field] for field in FIELDS}
            at, has_ended = _whole_number(values.get("at"), 0), values.get("has_ended") is True
            extents = (_whole_number(read.get(name), -1) for name in ("read", "summarized"))
            entries.append(LedgerEntry(path, fields, at, has_ended, *extents))
    return sorted(entries, key=lambda entry: (-entry.at, entry.path))


def _list_files(state_folder: str) -> list[str]:
    """Return the files of the ledger, also those in the place for a state folder that cannot be written to."""
    files = []
    for folder in (os.path.join(place, FOLDER) for place in (state_folder, second_place(state_folder))):
        with suppress(OSError):
            files += [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(SUFFIX)]
    return files


def mark(entry: LedgerEntry, *, read: int, summarized: int) -> None:
    """Record how far a transcript was read, without touching what its client reports meanwhile."""
    _write(f"{entry.path}{READ}", {"read": read, "summarized": summarized})


def remove(entry: LedgerEntry) -> None:
    """Remove a session from the ledger."""
    for path in (f"{entry.path}{READ}", entry.path):
        discard(path)


def extent_of(transcript: str) -> int:
    """Return a number that changes whenever a transcript grows: its size in bytes; -1 if it is gone.

    For a database it is the time of the last write: new rows also go into free pages, and a journal that is merged is
    rewritten from its start (https://sqlite.org/wal.html, "the WAL file is reset"), so the size need not change.
    """
    try:
        return write_time_ns(transcript) if transcript.endswith(DATABASE) else os.stat(transcript).st_size
    except (OSError, ValueError):
        return -1


def write_time_ns(transcript: str) -> int:
    """Return when a transcript, or the journal of a database, was last written, in nanoseconds.

    Raises:
        OSError: It is gone.
        ValueError: It is not a path.
    """
    at = os.stat(transcript).st_mtime_ns
    try:
        return max(at, os.stat(f"{transcript}-wal").st_mtime_ns) if transcript.endswith(DATABASE) else at
    except OSError:
        return at


def _write(path: str, values: dict[str, Any]) -> bool:
    """Write a file; return whether it was possible."""
    try:
        write_text(path, format_json(values, is_ascii=True))
    except OSError:
        return False  # the next event enters it
    return True


def _whole_number(value: object, default: int) -> int:
    return value if type(value) is int else default
