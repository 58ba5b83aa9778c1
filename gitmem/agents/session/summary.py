"""Summarize a session at its end and before its client compacts it.

A hook only records a request, since the end of a session has a second or two; a background process reads the
transcript. The summary's data is stored, so that a second pass adds to the first, and the memory stays one.
"""

from __future__ import annotations

import os

from gitmem.agents.capture.source import place_of, source_fields
from gitmem.agents.capture.state import commits_at_end
from gitmem.agents.capture.turns import capture
from gitmem.agents.clients import has_transcripts
from gitmem.agents.event import END, Event
from gitmem.agents.session.model_summary import ask_model
from gitmem.agents.session.places import read_table
from gitmem.agents.session.rule_summary import distil, format_summary, from_dict, merge, title_of
from gitmem.agents.session.topics import workplace_of
from gitmem.agents.transcripts import ledger
from gitmem.agents.transcripts.harvest import harvest, start
from gitmem.agents.transcripts.read import read_transcript
from gitmem.commands.capture.keep import keep
from gitmem.config import home
from gitmem.document.times import format_time
from gitmem.errors import BusyError, ConflictError, GitmemError, NotFoundError
from gitmem.frozen import fields_of, frozen
from gitmem.store.state.plain_files import has_overdue_captures
from gitmem.store.state.spool import Spool
from gitmem.system import discard, make_folder
from gitmem.system.atomic_write import write_synced
from gitmem.text import display, format_json
from gitmem.text.home_paths import shorten
from gitmem.write.new_memory import NewMemory
from gitmem.write.place import find_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gitmem.agents.session.rule_summary import Summary
    from gitmem.repository import OpenRepository

KIND = "session"
FOLDER = "summaries"
ASKED, KEPT = "asked", "kept"
# A request that is older than the lifetime of its summary (three days) is dropped.
GIVEN_UP_S = 3 * 86_400
# Sessions whose summary data is stored, the latest ones. Our choice.
SESSIONS_KEPT = 200
FILE_LIMIT = 256 * 1024
PLACES = 8
# The longest path (PATH_MAX of Linux).
TEXT_LIMIT = 4_096


@frozen
class _Request:
    """A request for a summary.

    Attributes:
        event: An event of the session.
        at: The time of the request, epoch seconds.
        branch: The branch of the code at that time, or empty.
        workspace: The work tree, as git names it (``main``, ``worktree-NAME``).
        is_over: Whether the session is over, so that all captures are committed; not if it was resumed and ends
            again, nor if its client never reported an end.
    """

    event: Event
    at: int
    branch: str
    workspace: str
    is_over: bool = True


# The fields of an event that a request stores.
_EVENT_FIELDS = ("client", "session", "folder", "transcript", "agent_type")


def ask_for(repository: OpenRepository, session: str) -> Event:
    """Request a summary of a session, running or over; without a name, of the latest one.

    Raises:
        NotFoundError: This clone has no such session with a transcript that gitmem can read.
    """
    for entry in ledger.entries(repository.git.repository.state):
        fields = entry.fields
        fits = fields["session"] == session if session else ledger.extent_of(entry.transcript) >= 0
        if fits and not fields["agent"] and has_transcripts(fields["client"]):
            _request(repository, _Request(entry.event(END), repository.now, fields["branch"], fields["workspace"]))
            return entry.event(END)
    message = f"the session {session} has no transcript here" if session else "no session here has a transcript"
    raise NotFoundError(message, hint='gitmem session log shows sessions; to save what matters: gitmem remember "…"')


def waits(state_folder: str) -> bool:
    """Return whether a requested summary has not been made yet."""
    return any(True for _ in _requests(state_folder))


def finish(repository: OpenRepository) -> list[str]:
    """Harvest the transcripts, write the summaries that are due, and return the keys of those written.

    Raises:
        GitmemError: One of them failed; the others were written.
    """
    written, failed, is_over = [], None, False
    for left in harvest(repository, capture):
        if has_transcripts(left.fields["client"]):
            about = (left.at, left.fields["branch"], left.fields["workspace"])
            _request(repository, _Request(left.event(END), *about, is_over=False))
    for path in list(_requests(repository.git.repository.state)):
        try:
            request = _take(path)
            key = _finish_one(repository, request) if request is not None else ""
            written += [key] if key else []
            is_over = is_over or (request is not None and request.is_over)
        except (BusyError, ConflictError):
            raise  # the request stays, for the next time
        except GitmemError as err:
            failed = err
        discard(f"{path}.doing")
    _sweep(repository.git.repository.state)
    if is_over or has_overdue_captures(repository.git.repository.state):
        repository.writer()  # commits pending captures first: one commit for everything that a session captured
    if failed is not None:
        raise failed
    return written


def key_of(repository: OpenRepository, event: Event) -> str:
    """Return the key of a session's summary, one per session of a client: the former one if a memory has it."""
    key = f"{event.client}-{_hashed(event)}"
    former = f"{KIND}-{key}"
    return former if find_known(repository.catalog(), former) is not None else key


def _hashed(event: Event) -> str:
    from hashlib import sha256  # 3 ms (measured), only here

    named = f"{event.client}\0{(event.session or event.transcript)[:TEXT_LIMIT]}"
    return sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def request_summary(repository: OpenRepository, event: Event) -> bool:
    """Request a summary at the end of a session or before its compaction, and start the process that makes it.

    Returns:
        Whether one will be made, which also commits the captures of a session that is over. Not for sub-agents, nor
        for clients whose transcripts cannot be read: each end would fail.
    """
    ledger.enter(repository, event)
    if not event.transcript or event.agent or not has_transcripts(event.client) or not repository.has_store():
        return False
    place = workplace_of(repository)
    is_over = event.name == END and commits_at_end(repository, event.session)
    _request(repository, _Request(event, repository.now, place.branch, place.workspace, is_over))
    start(repository)
    return True


def _request(repository: OpenRepository, asked: _Request) -> None:
    """Durably record a request."""
    fields: dict[str, Any] = {name: getattr(asked.event, name)[:TEXT_LIMIT] for name in _EVENT_FIELDS}
    path = os.path.join(repository.git.repository.state, FOLDER, ASKED, f"{_hashed(asked.event)}.json")
    is_over = asked.is_over or read_table(path, FILE_LIMIT).get("is_over") is True  # an end that is still waiting
    fields |= {"at": asked.at, "workspace": asked.workspace, "branch": asked.branch, "is_over": is_over}
    _write(path, fields)


def _finish_one(repository: OpenRepository, request: _Request) -> str:
    """Write the summary of one session and return its key; empty if there is nothing worth saving.

    Raises:
        GitmemError: The transcript cannot be read; or the model failed, and the summary was made by rules.
    """
    event, state = request.event, repository.git.repository.state
    if repository.now - request.at > GIVEN_UP_S:
        return ""
    turns = read_transcript(event.transcript, event.session)
    summary_path = os.path.join(state, FOLDER, KEPT, f"{_hashed(event)}.json")
    # Prompts are not meant for everyone who reads the memory, unless the policy includes them.
    with_prompts = repository.policy().session.prompts
    seen = distil(turns, place_of=lambda path: place_of(repository, event, path), with_prompts=with_prompts)
    summary = merge(from_dict(read_table(summary_path, FILE_LIMIT)), seen)
    key = key_of(repository, event)
    known = find_known(repository.catalog(), key)
    if not summary.has_content or (known is not None and known.archived):  # nothing to say, or the memory was retired
        return ""
    _write(summary_path, fields_of(summary))
    where = f"on branch {display(request.branch)}" if request.branch else "on no branch"
    text, failed = format_summary(summary, f"A session of {event.client} {where}."), None
    try:
        text = ask_model(repository.config, turns, text, folder=state) or text
    except GitmemError as err:
        failed = err
    _store(repository, request, summary, text, key)
    if failed is not None:
        raise failed
    return key


def _store(repository: OpenRepository, request: _Request, summary: Summary, text: str, key: str) -> None:
    """Put a summary among the pending captures, replacing an uncommitted one of the same session."""
    path = os.path.join(repository.git.repository.state, FOLDER, KEPT, f"{_hashed(request.event)}.waiting")
    before = read_table(path, FILE_LIMIT).get("name")
    options = {
        "tags": [KIND, request.event.client],
        "paths": _places(summary.files),
        # The time to live begins with the last event.
        "created": format_time(request.at),
        "branch": display(request.branch),
        "workspace": display(request.workspace),
    }
    top = repository.git.repository.top or ""
    name = keep(
        repository,
        NewMemory(
            shorten(text, top=top, home=home()), options, shorten(title_of(summary), top=top, home=home()), KIND, key
        ),
        by={**source_fields(repository, request.event), "agent": request.event.client},
    )
    _write(path, {"name": name})
    if isinstance(before, str):
        Spool(repository.git.repository.state).remove([before])


def _places(files: Sequence[str]) -> list[str]:
    """Return the latest files as globs; names that would be read as patterns are left out."""
    plain = [name for name in files if name.isprintable() and not set(name) & set("*?[]{}\\:!")]
    return sorted(plain[-PLACES:])


def _requests(state_folder: str) -> Iterator[str]:
    """Yield the requests, oldest first, including those that a killed process had claimed."""
    folder = os.path.join(state_folder, FOLDER, ASKED)
    try:
        names = {name.removesuffix(".doing") for name in os.listdir(folder) if name.endswith((".json", ".json.doing"))}
    except OSError:
        return
    for name in sorted(names):
        yield os.path.join(folder, name)


def _take(path: str) -> _Request | None:
    """Claim a request and return it, leaving a newer one in place; None if it is damaged."""
    if os.path.exists(path):  # otherwise a killed process had claimed it
        os.replace(path, f"{path}.doing")
    table = read_table(f"{path}.doing", FILE_LIMIT)
    table.setdefault("client", table.get(ledger.FORMER_FIELD))
    fits = all(isinstance(table.get(name), str) for name in (*_EVENT_FIELDS, "branch", "workspace"))
    if not fits or type(at := table.get("at")) is not int:
        return None
    values = {name: table[name] for name in _EVENT_FIELDS[1:]}
    is_over = table.get("is_over") is not False
    return _Request(Event(table["client"], END, **values), at, table["branch"], table["workspace"], is_over)


def _write(path: str, values: dict[str, Any]) -> None:
    """Write a file atomically and durably.

    Raises:
        OSError: The file cannot be written.
    """
    make_folder(os.path.dirname(path))
    fresh = f"{path}.{os.getpid()}.new"
    write_synced(fresh, format_json(values, is_ascii=True).encode("ascii"))
    os.replace(fresh, path)


def _sweep(state_folder: str) -> None:
    """Remove the data of all but the latest sessions, and leftovers of killed processes."""
    folder = os.path.join(state_folder, FOLDER, KEPT)
    try:
        info = sorted(((entry.stat().st_mtime, entry.path) for entry in os.scandir(folder)), reverse=True)
    except OSError:
        return
    for _, path in info[SESSIONS_KEPT:]:
        discard(path)
