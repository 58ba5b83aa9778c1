"""The summary of a session, before its harness forgets most of it and at its end (C4, D2).

A hook only notes that one is wanted: the end of a session has a second or two. A process behind it reads the
transcript. What was seen of a session is kept, so that a second look adds to the first one, and the memory is one.
"""

from __future__ import annotations

import os
import time

from gitmem.agents.event import END, Event
from gitmem.agents.session.model_summary import better
from gitmem.agents.session.rule_summary import distil, format_summary, from_dict, merged, title_of, to_dict
from gitmem.agents.transcripts import ledger
from gitmem.agents.transcripts.harvest import harvest
from gitmem.agents.transcripts.read import read_transcript
from gitmem.agents.transcripts.source import HARNESSES
from gitmem.commands.capture.keep import keep
from gitmem.config import home
from gitmem.errors import BusyError, ConflictError, GitmemError, NotFoundError
from gitmem.frozen import frozen
from gitmem.store import background
from gitmem.store.spool import Spool
from gitmem.system.file_lock import make_folder
from gitmem.text.home_paths import shorten
from gitmem.text.json_values import format_json, parse_json
from gitmem.text.sanitize import display
from gitmem.write.place import find_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.agents.session.rule_summary import Summary
    from gitmem.agents.transcripts.turns import Turn
    from gitmem.repository.repository import OpenRepository

KIND = "session"
WORK = "summary"
FOLDER = "summaries"
ASKED, KEPT = "asked", "kept"
# A request that could not be done for as long as its summary would count (D5: three days) is of no use any more.
GIVEN_UP_S = 3 * 86_400
# Sessions of which is kept what was seen, the latest ones. A choice of ours.
SESSIONS_KEPT = 200
FILE_LIMIT = 256 * 1024
PLACES = 8
# No path is longer (PATH_MAX of Linux).
TEXT_LIMIT = 4_096


@frozen
class SummaryTools:
    """What the rooms beside this one do for a summary.

    Attributes:
        take: Keeps what turns of a transcript teach (``agents.capture.turns.capture``).
        by: Returns what is kept of who captured something (``agents.capture.source.captured_by``).
        is_worth: Tells whether a text says anything (``commands.capture.quality.says_something``).
    """

    take: Callable[[OpenRepository, Event, Sequence[Turn]], None]
    by: Callable[[OpenRepository, Event], Mapping[str, str]]
    is_worth: Callable[[str], bool]


@frozen
class _Asked:
    """A request.

    Attributes:
        event: The session, as an event of it.
        at: When it was asked for, epoch seconds.
        branch: The branch of the code then, or empty.
        workspace: The work tree, as git names it (``main``, ``worktree-NAME``).
        is_over: Whether the session is over: then all that was captured is committed.
    """

    event: Event
    at: int
    branch: str
    workspace: str
    is_over: bool = True


# The fields of an event that a request keeps.
_TOLD = ("harness", "session", "folder", "transcript", "agent_type")


def compacting(memory: OpenRepository, event: Event) -> str:
    """Ask for a summary before a session is compacted; nothing is told to the agent."""
    _ask(memory, event)
    return ""


def ended(memory: OpenRepository, event: Event) -> bool:
    """Ask for a summary at the end of a session; tell whether there will be one, which commits what was captured."""
    return _ask(memory, event)


def ask_for(memory: OpenRepository, session: str) -> Event:
    """Ask for a summary of a session that is under way, or over; without a name, of the one heard of last.

    Raises:
        NotFoundError: No such session of this clone has a transcript that gitmem reads.
    """
    for entry in ledger.entries(memory.git.repository.state):
        fields = entry.fields
        fits = fields["session"] == session if session else ledger.extent_of(entry.transcript) >= 0
        if fits and not fields["agent"] and fields["harness"] in HARNESSES:
            values: dict[str, Any] = {name: fields[name] for name in _TOLD[1:]}
            event = Event(fields["harness"], END, **values)
            _request(memory, _Asked(event, memory.now, fields["branch"], fields["workspace"]))
            return event
    message = f"the session {session} has no transcript here" if session else "no session here has a transcript"
    raise NotFoundError(message, hint='gitmem session log shows sessions; to save what matters: gitmem remember "…"')


def waits(state_folder: str) -> bool:
    """Return whether a summary is wanted and missing."""
    return any(True for _ in _requests(state_folder))


def finish(memory: OpenRepository, given: SummaryTools) -> list[str]:
    """Harvest the transcripts, make the summaries that are due, and return the keys of those that were written.

    Raises:
        GitmemError: One of them could not be made; the others were.
    """
    written, failed, is_over = [], None, False
    for left in harvest(memory, given.take):
        if left.event.harness in HARNESSES:
            _request(memory, _Asked(left.event, left.at, left.branch, left.workspace))
    for path in list(_requests(memory.git.repository.state)):
        try:
            request = _take(path)
            key = _finish_one(memory, given, request) if request is not None else ""
            written += [key] if key else []
            is_over = is_over or (request is not None and request.is_over)
        except (BusyError, ConflictError):
            raise  # the request stays, for the next time
        except GitmemError as err:
            failed = err
        _remove(f"{path}.doing")
    _sweep(memory.git.repository.state)
    if is_over:
        memory.writer()  # which commits what waits first: one commit for all that a session captured
    if failed is not None:
        raise failed
    return written


def key_of(event: Event) -> str:
    """Return the key of a session's summary: one for each session of a harness."""
    return f"{KIND}-{event.harness}-{_hashed(event)}"


def _hashed(event: Event) -> str:
    from hashlib import sha256  # 3 ms (measured), and only here

    named = f"{event.harness}\0{(event.session or event.transcript)[:TEXT_LIMIT]}"
    return sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _ask(memory: OpenRepository, event: Event) -> bool:
    """Note durably that a summary is wanted, and start the process that makes it; tell whether it was.

    None is of a sub-agent, nor of a harness whose transcripts are not read: asking would fail at every end.
    """
    ledger.enter(memory, event)
    if not event.transcript or event.agent or event.harness not in HARNESSES or not memory.has_store():
        return False
    branch = memory.git.read_head()[0].removeprefix("refs/heads/")
    _request(memory, _Asked(event, memory.now, branch, _workspace(memory), event.name == END))
    repository = memory.git.repository
    background.start(repository.state, repository.top or repository.git, WORK)
    return True


def _request(memory: OpenRepository, asked: _Asked) -> None:
    """Note durably that a summary is wanted."""
    fields: dict[str, Any] = {name: getattr(asked.event, name)[:TEXT_LIMIT] for name in _TOLD}
    fields |= {"at": asked.at, "workspace": asked.workspace, "branch": asked.branch, "is_over": asked.is_over}
    path = os.path.join(memory.git.repository.state, FOLDER, ASKED, f"{_hashed(asked.event)}.json")
    _write(path, format_json(fields, is_ascii=True))


def _workspace(memory: OpenRepository) -> str:
    repository = memory.git.repository
    return "main" if repository.git == repository.common else f"worktree-{os.path.basename(repository.git)}"


def _finish_one(memory: OpenRepository, given: SummaryTools, request: _Asked) -> str:
    """Write the summary of one session; returns its key, empty where there is nothing worth keeping.

    Raises:
        GitmemError: The transcript cannot be read; a model that is set up failed, and the summary is one by rules.
    """
    event, state = request.event, memory.git.repository.state
    if memory.now - request.at > GIVEN_UP_S:
        return ""
    found = read_transcript(event.transcript, event.session)
    place = _Place(memory.git.repository.top or "", event.folder)
    kept = os.path.join(state, FOLDER, KEPT, f"{_hashed(event)}.json")
    # What people write to an agent is not for everyone who reads the memory, unless the policy says so.
    with_prompts = memory.policy().session.prompts
    seen = distil(found.turns, place_of=place.of, is_worth=given.is_worth, with_prompts=with_prompts)
    summary = merged(from_dict(_read(kept)), seen)
    known = find_known(memory.catalog(), key_of(event))
    if not summary.has_content or (known is not None and known.archived):  # nothing to say, or somebody put it away
        return ""
    _write(kept, format_json(to_dict(summary), is_ascii=True))
    where = f"on branch {display(request.branch)}" if request.branch else "on no branch"
    text, failed = format_summary(summary, f"A session of {event.harness} {where}."), None
    try:
        text = better(memory.config, found.turns, text, folder=state) or text
    except GitmemError as err:
        failed = err
    _store(memory, request, summary, text, given.by(memory, event))
    if failed is not None:
        raise failed
    return key_of(event)


def _store(memory: OpenRepository, request: _Asked, summary: Summary, text: str, by: Mapping[str, str]) -> None:
    """Put a summary among the captured texts, in place of one of the same session that is not committed yet."""
    path = os.path.join(memory.git.repository.state, FOLDER, KEPT, f"{_hashed(request.event)}.waiting")
    before = _read(path).get("name")
    options = {
        "tags": [KIND, request.event.harness],
        "paths": _places(summary.files),
        # The time to live begins with what happened last.
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(request.at)),
        "branch": display(request.branch),
        "workspace": display(request.workspace),
    }
    key = key_of(request.event)
    top = memory.git.repository.top or ""
    name = keep(
        memory,
        shorten(text, top=top, home=home()),
        title=shorten(title_of(summary), top=top, home=home()),
        kind=KIND,
        key=key,
        once=False,
        options=options,
        by={**by, "agent": request.event.harness},
    )
    _write(path, format_json({"name": name}, is_ascii=True))
    if isinstance(before, str):
        Spool(memory.git.repository.state).remove([before])


def _places(files: Sequence[str]) -> list[str]:
    """Return the latest files as globs; what would be read as a pattern is left out."""
    plain = [name for name in files if name.isprintable() and not set(name) & set("*?[]{}\\:!")]
    return sorted(plain[-PLACES:])


class _Place:
    """Where the files of a session lie."""

    def __init__(self, top: str, folder: str) -> None:
        self._top = os.path.realpath(top) if top else ""
        self._folder = folder or top

    def of(self, path: str) -> str:
        """Return a file's path in the work tree, with ``/``; empty for one outside of it, or in git's own folder."""
        if not self._top or not path or "\0" in path:
            return ""
        whole = os.path.normpath(os.path.join(self._folder, path))
        for found in (whole, os.path.realpath(whole)):
            inside = os.path.relpath(found, self._top).replace(os.sep, "/")
            if inside.split("/")[0] not in ("..", ".git", "."):
                return inside
        return ""


def _requests(state_folder: str) -> Iterator[str]:
    """Yield the requests, also those that a killed process had taken, the oldest first."""
    folder = os.path.join(state_folder, FOLDER, ASKED)
    try:
        names = {name.removesuffix(".doing") for name in os.listdir(folder) if name.endswith((".json", ".json.doing"))}
    except OSError:
        return
    for name in sorted(names):
        yield os.path.join(folder, name)


def _take(path: str) -> _Asked | None:
    """Take a request and return it; one that comes meanwhile stays. None where it is damaged."""
    if os.path.exists(path):  # else a process that was killed had taken it
        os.replace(path, f"{path}.doing")
    found = _read(f"{path}.doing")
    fits = all(isinstance(found.get(name), str) for name in (*_TOLD, "branch", "workspace"))
    if not fits or type(at := found.get("at")) is not int:
        return None
    values = {name: found[name] for name in _TOLD[1:]}
    is_over = found.get("is_over") is not False
    return _Asked(Event(found["harness"], END, **values), at, found["branch"], found["workspace"], is_over)


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            found = parse_json(file.read(FILE_LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: str, text: str) -> None:
    """Put a text in place of a file, durably, whole or not at all.

    Raises:
        OSError: The disk does not allow it.
    """
    make_folder(os.path.dirname(path))
    fresh = f"{path}.{os.getpid()}.new"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _sweep(state_folder: str) -> None:
    """Remove what is kept of all but the latest sessions, and what killed processes left."""
    folder = os.path.join(state_folder, FOLDER, KEPT)
    try:
        found = sorted(((entry.stat().st_mtime, entry.path) for entry in os.scandir(folder)), reverse=True)
    except OSError:
        return
    for _, path in found[SESSIONS_KEPT:]:
        _remove(path)
