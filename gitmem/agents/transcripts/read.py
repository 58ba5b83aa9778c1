"""Read a transcript: detect which client wrote it, and return its turns within bounds of time and memory."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from itertools import chain, islice

from gitmem.agents.clients import CLIENTS, load
from gitmem.agents.transcripts.source import DATABASE, UnreadableError, iter_records, open_own, roots_of
from gitmem.errors import BusyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import ModuleType
    from typing import Any

    from gitmem.agents.transcripts.turns import Turn

# The most turns kept: of more, the first and the last ones.
FIRST = 1_000
LAST = 10_000
# Records searched to detect the format; records of the client may precede the first message.
LOOKED_AT = 50


def read_transcript(path: str, session: str = "") -> tuple[Turn, ...]:
    """Return the turns in a session's file, in any of the known formats.

    Args:
        path: The file.
        session: The session, if the file is a database with several.

    Raises:
        UnreadableError: The file may not be read (``source.open_own``), or its format is unknown.
        BusyError: The database is locked.
    """
    fd = open_own(path)
    try:
        if path.endswith(DATABASE):
            module = _database_client(path)
            return first_and_last(module.read_turns(module.records(path, session)))
        return first_and_last(_turns(iter_records(fd)))
    except sqlite3.Error as err:
        if getattr(err, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BusyError(
                "the transcript is locked by its client", hint="try again when the client has stopped"
            ) from err
        raise UnreadableError("the transcript cannot be read: not a database with sessions") from err
    except OSError as err:
        raise UnreadableError(f"the transcript cannot be read: {err.strerror}") from err
    finally:
        os.close(fd)


def _database_client(path: str) -> ModuleType:
    """Return the module of the client whose database this is, by its folder."""
    real = os.path.realpath(path)
    for module in map(load, CLIENTS):
        if hasattr(module, "records") and any(real.startswith(root + os.sep) for root in roots_of(module.CLIENT)):
            return module
    raise UnreadableError("the transcript has an unknown format")


def first_and_last(turns: Iterator[Turn], *, first: int = FIRST, last: int = LAST) -> tuple[Turn, ...]:
    """Return the turns; if there are too many, the first and the last ones."""
    return (*islice(turns, first), *deque(turns, maxlen=last))


def _turns(records: Iterator[dict[str, Any]]) -> Iterator[Turn]:
    seen: list[dict[str, Any]] = []
    for record in records:
        seen.append(record)
        reader = reader_of(record)
        if reader is not None:
            return reader(chain(seen, records))
        if len(seen) == LOOKED_AT:
            break
    if not seen:
        return iter(())
    raise UnreadableError("the transcript has an unknown format")


def reader_of(record: Mapping[str, Any]) -> Callable[[Iterable[Mapping[str, Any]]], Iterator[Turn]] | None:
    """Return the reader for a transcript that contains this record; None if the record does not identify the client."""
    for module in map(load, CLIENTS):
        if hasattr(module, "is_record") and module.is_record(record):
            return module.read_turns  # type: ignore[no-any-return]
    return None
