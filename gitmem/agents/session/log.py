"""The retrieval log: what each session was shown, when and for what, hence what it has seen already.

One file of JSON lines per session, trimmed as it is written. It holds keys and statuses, never a memory's text.
"""

from __future__ import annotations

import os

from gitmem.agents.event import COMPACT, PROMPT, RESUME, START
from gitmem.agents.session.places import append, file_name, read_lines, read_text, unescape_name
from gitmem.agents.session.topics import topic_of, workplace_of
from gitmem.errors import BusyError
from gitmem.frozen import frozen, replace
from gitmem.store.state import plain_files
from gitmem.system import discard, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.agents.session.topics import Workplace
    from gitmem.repository import OpenRepository

SHOWN = "shown"
# The events that bring memories into a session's context; a session's own writes are logged as seen, but not counted.
BROUGHT = (START, PROMPT)
# The commands that write a whole memory, and how many lines of their output may begin with its key.
WRITERS = tuple(f"gitmem {name} " for name in ("remember", "fact", "decide", "post-work", "supersede", "task add"))
LINES_AT_MOST = 50
SUFFIX = ".jsonl"
HELD = ".start"
TASKS = ".tasks"
HELD_BYTES = 64 * 1024
# About 200 entries of ten keys; older ones may be shown again. Our choice.
SESSION_BYTES = 64 * 1024
# The most sessions with a log, the latest ones. Our choice.
SESSIONS_KEPT = 200


def _path(place: Workplace, session: str) -> str:
    return os.path.join(place.root, SHOWN, f"{file_name(session)}{SUFFIX}")


def entries_of(place: Workplace, session: str) -> list[dict[str, Any]]:
    """Return what a session was shown, oldest first; empty for a session without a name."""
    return read_lines(_path(place, session), SESSION_BYTES) if session else []


def statuses_in_context(entries: Sequence[Mapping[str, Any]], *, whole: bool = False) -> dict[str, str]:
    """Return the memories in a session's context, with the status that each had when it was shown.

    Memories shown before the context was cleared or compacted are left out.

    Args:
        entries: The session's log.
        whole: Leave out memories that were only partly shown.
    """
    seen: dict[str, str] = {}
    for entry in entries:
        what = entry.get("event")
        if what == COMPACT or (what == START and entry.get("source") != RESUME):
            seen = {}
        shown, cut = entry.get("shown"), entry.get("cut")
        left_out = cut if whole and isinstance(cut, list) else ()
        if isinstance(shown, dict):
            seen |= {str(key): str(status) for key, status in shown.items() if key not in left_out}
    return seen


def shown_since_start(entries: Sequence[Mapping[str, Any]]) -> tuple[dict[str, str], set[str]]:
    """Return what an agent was shown in full since its context last began, and the files whose memories were shown.

    Resuming counts as a beginning: no client promises that what hooks added comes back with the conversation.

    Args:
        entries: The session's log.

    Returns:
        Memories with the status that each had when it was shown; files as paths in the work tree.
    """
    begins = (at for at, entry in enumerate(entries) if entry.get("event") in (START, COMPACT))
    recent = entries[max(begins, default=0) :]
    files = {str(file) for entry in recent for file in entry.get("files") or ()}
    return statuses_in_context(recent, whole=True), files


def last_start(place: Workplace, session: str) -> tuple[int, frozenset[str]]:
    """Return when the latest other session in this work tree started, and the keys that it was shown then.

    The time is in epoch seconds; 0 if there was no other session.
    """
    for name in sessions(place):
        if name == session:
            continue
        here = {"event": START, "workspace": place.workspace, "agent": None}
        for entry in entries_of(place, name):
            if all(entry.get(key) == value for key, value in here.items()):
                shown = entry.get("shown")
                return int(entry.get("at") or 0), frozenset(shown if isinstance(shown, dict) else ())
    return 0, frozenset()


def own_context(event: Event) -> Event:
    """Return the event with a session of its own for a sub-agent, which has a context of its own."""
    return replace(event, session=f"{event.session}-{event.agent}") if event.agent and event.session else event


def last_event_time(place: Workplace, session: str) -> float:
    """Return when something of a session was last recorded, in epoch seconds; 0.0 if nothing was."""
    topic = topic_of(place, session)
    return max(map(_time_of, (_path(place, session), topic.worklog_path)))


def _time_of(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


@frozen
class ShownMemories:
    """What a session was shown.

    Attributes:
        keys: The memories' keys with their statuses, in the order shown.
        tip: The commit of the memory branch that was read.
        role: The role that it was chosen for, or empty.
        topic: The active topic.
        query: The query, truncated and without secrets; or empty.
        cut: The keys of the memories that were only partly shown.
        files: The files whose memories were shown.
        tokens: The length of the text.
    """

    keys: Mapping[str, str]
    tip: str
    role: str = ""
    topic: str = ""
    query: str = ""
    cut: Sequence[str] = ()
    files: Sequence[str] = ()
    tokens: int = 0


def keep(place: Workplace, event: Event, shown: ShownMemories, *, now: int) -> None:
    """Log what a session was shown; a session without a name and a disk error are ignored.

    A missing entry only means that a memory may be shown again.

    Args:
        place: The workplace.
        event: What it was shown for.
        shown: What it was shown.
        now: Epoch seconds.
    """
    state = os.path.dirname(place.root)
    if event.name in BROUGHT:
        plain_files.add_count(state, plain_files.STARTS if event.name == START else plain_files.PROMPTS)
        plain_files.add_count(state, plain_files.SHOWN, len(shown.keys))
        plain_files.note_shown_keys(state, now, shown.keys)
    if not event.session:
        return
    entry: dict[str, Any] = {"at": now, "event": event.name, "client": event.client, "source": event.source}
    entry |= {"workspace": place.workspace, "branch": place.branch, "tip": shown.tip, "shown": {**shown.keys}}
    entry |= {"role": shown.role, "topic": shown.topic, "query": shown.query}
    entry |= {"cut": [*shown.cut]} if shown.cut else {}
    entry |= {"files": [*shown.files]} if shown.files else {}
    entry |= {"agent": event.agent} if event.agent else {}
    entry |= {"tokens": shown.tokens} if shown.tokens else {}
    try:
        append(_path(place, event.session), entry, limit=SESSION_BYTES)
    except (BusyError, OSError):
        return


def forget(repository: OpenRepository, event: Event) -> None:
    """Log that a session's context is about to be cleared or compacted: everything may be shown again."""
    place = workplace_of(repository)
    if not entries_of(place, event.session):
        return
    try:
        append(_path(place, event.session), {"at": repository.now, "event": COMPACT}, limit=SESSION_BYTES)
    except (BusyError, OSError):
        return


def log_own_writes(repository: OpenRepository, event: Event) -> bool:
    """Log the memories that the session's own command wrote as shown; return whether it wrote any.

    The command's output has their keys.
    """
    if event.failed or not event.session or not any(writer in event.command for writer in WRITERS):
        return False
    if not repository.has_store():
        return False
    words = {line.split()[0] for line in event.output.splitlines()[:LINES_AT_MOST] if line.strip()}
    catalog = repository.catalog()
    written = {word: "" for word in sorted(words) if catalog.row("SELECT 1 FROM memory WHERE key = ?", (word,))}
    if written:
        place = workplace_of(repository)
        keep(place, event, ShownMemories(written, repository.find_tip() or ""), now=repository.now)
    return bool(written)


def hold(repository: OpenRepository, event: Event, text: str) -> str:
    """Hold the context of a session's start for its first prompt; return what to show now, nothing if held."""
    if not event.session or not text:
        return text
    path = _hold_path(repository, event)
    before = read_text(path, HELD_BYTES) if event.source == RESUME else ""
    try:
        write_text(path, "\n\n".join(filter(None, (before, text))))
    except OSError:
        return text
    return ""


def release(repository: OpenRepository, event: Event) -> str:
    """Return the context held for a session's first prompt, once."""
    path = _hold_path(repository, event)
    text = read_text(path, HELD_BYTES) if event.session else ""
    discard(path)
    return text


def _hold_path(repository: OpenRepository, event: Event) -> str:
    place = workplace_of(repository)
    return os.path.join(place.root, SHOWN, f"{file_name(event.session)}{HELD}")


def sessions(place: Workplace) -> list[str]:
    """Return the sessions that were shown something, latest first."""
    return [unescape_name(name.removesuffix(SUFFIX)) for name in _files(place)]


def _files(place: Workplace) -> list[str]:
    try:
        files = [
            (entry.stat().st_mtime, entry.name)
            for entry in os.scandir(os.path.join(place.root, SHOWN))
            if entry.name.endswith(SUFFIX)
        ]
    except OSError:
        return []
    return [name for _, name in sorted(files, reverse=True)]


def sweep(place: Workplace) -> None:
    """Remove the logs of all but the latest sessions."""
    for name in _files(place)[SESSIONS_KEPT:]:
        path = os.path.join(place.root, SHOWN, name)
        discard(path)
        for beside in (HELD, TASKS):
            discard(f"{path.removesuffix(SUFFIX)}{beside}")
