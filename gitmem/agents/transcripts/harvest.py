"""Harvest transcripts for learnings that no hook captured: in the background, a bounded number at a time.

A stop of an agent and the end of a session request it, and so does the next start, for sessions that never ended. A
transcript is read again only after it has grown, and each text is captured once (``agents.capture.marks``).
"""

from __future__ import annotations

import os

from gitmem.agents.clients import find_table, has_transcripts
from gitmem.agents.event import RESPONSE, Event
from gitmem.agents.transcripts import ledger
from gitmem.agents.transcripts.source import DATABASE, UnreadableError, open_own
from gitmem.errors import BusyError, suppress
from gitmem.frozen import replace
from gitmem.store.state import background
from gitmem.text.marker_words import may_mark_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitmem.agents.transcripts.ledger import LedgerEntry
    from gitmem.agents.transcripts.turns import Turn
    from gitmem.repository import OpenRepository

    Take = Callable[[OpenRepository, Event, Sequence[Turn]], None]

WORK = "summary"
# The most transcripts per run, and sub-agents per session. Our choices: the next start reads the others.
AT_MOST = 20
AGENTS_AT_MOST = 50
# A session without an end gets its summary after this silence: until then it may continue.
SILENT_S = 300
FORGOTTEN_S = 7 * 86_400
# A stop searches at most this much of the new part of the transcript for words that mark a learning.
LOOK_BYTES = 4 << 20


def look_for_learnings(repository: OpenRepository, event: Event) -> None:
    """Request a harvest if the transcript of an event has learnings that no hook captured."""
    ledger.enter(repository, event)
    if not has_transcripts(event.client) or not event.transcript:
        return
    path = ledger.path_of(repository.git.repository.state, event)
    known = next((entry for entry in ledger.entries(repository.git.repository.state) if entry.path == path), None)
    if known is not None and _marks_a_learning(known):
        start(repository)


def start(repository: OpenRepository) -> None:
    """Start the background process that harvests."""
    paths = repository.git.repository
    background.start(paths.state, paths.top or paths.git, WORK)


def is_due(repository: OpenRepository) -> bool:
    """Return whether a session left unread text, judging by file sizes alone, since each start asks."""
    return any(entry.is_unread or entry.has_ended for entry in ledger.entries(repository.git.repository.state))


def harvest(repository: OpenRepository, take: Take) -> list[LedgerEntry]:
    """Save what no hook captured from the transcripts of all sessions; return the sessions that never ended.

    Args:
        repository: The store.
        take: Captures from turns (``agents.capture.turns.capture``).
    """
    from gitmem.agents.transcripts.read import read_transcript  # 12 ms, and a start and a stop do not need it

    entries = ledger.entries(repository.git.repository.state)
    left: list[LedgerEntry] = []
    for entry in [entry for entry in entries if entry.is_unread][:AT_MOST]:
        extent = ledger.extent_of(entry.transcript)
        try:
            for event, path in _transcripts(entry):
                with suppress(UnreadableError):
                    take(repository, event, read_transcript(path, event.session))
        except BusyError:
            continue  # the next start reads it
        ledger.mark(entry, read=extent, summarized=entry.summarized)
    for entry in ledger.entries(repository.git.repository.state):
        silent = repository.now - _last_write(entry)
        if entry.has_ended or ledger.extent_of(entry.transcript) < 0 or silent > FORGOTTEN_S:
            if not entry.is_unread:
                ledger.remove(entry)
        elif silent > SILENT_S and not entry.fields["agent"] and entry.summarized != entry.read:
            ledger.mark(entry, read=entry.read, summarized=entry.read)
            left.append(replace(entry, at=_last_write(entry)))
    for entry in ledger.entries(repository.git.repository.state)[ledger.ENTRIES_AT_MOST :]:
        ledger.remove(entry)
    return left


def _transcripts(entry: LedgerEntry) -> Iterator[tuple[Event, str]]:
    """Yield a session's transcript and those of its sub-agents, which some clients store beside it."""
    event = entry.event(RESPONSE)
    yield event, entry.transcript
    table = find_table(event.client)
    if table is not None and table.agents_beside:
        is_name = event.session.replace("-", "").isalnum()
        folder = os.path.join(os.path.dirname(entry.transcript), event.session if is_name else "subagents")
    else:
        folder = os.path.join(entry.transcript.rpartition(".")[0], "subagents")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    except OSError:
        return
    for name in names[-AGENTS_AT_MOST:]:
        agent = name.removeprefix("agent-").removesuffix(".jsonl")
        yield (
            Event(event.client, RESPONSE, session=event.session, folder=event.folder, agent=agent),
            os.path.join(folder, name),
        )


def _last_write(entry: LedgerEntry) -> int:
    try:
        return ledger.write_time_ns(entry.transcript) // 10**9
    except (OSError, ValueError):
        return entry.at


def _marks_a_learning(entry: LedgerEntry) -> bool:
    """Return whether the unread part of a transcript marks a learning; databases are not searched."""
    if entry.transcript.endswith(DATABASE):
        return entry.is_unread
    try:
        fd = open_own(entry.transcript)
    except UnreadableError:
        return False
    try:
        size = os.fstat(fd).st_size
        os.lseek(fd, max(entry.read, 0, size - LOOK_BYTES) if entry.read <= size else 0, os.SEEK_SET)
        content = os.read(fd, LOOK_BYTES)
    except OSError:
        return False
    finally:
        os.close(fd)
    return may_mark_bytes(content)
