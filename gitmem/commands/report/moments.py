"""Moments at which agents were shown memories, and whether they used them. Pure.

A memory counts as used at a moment if its key, one of its paths or one of its commands appears in a later command or
edit of the same topic, or if it was opened, changed or cited after that. That is a sign, not a proof: an agent that
reads a memory and therefore leaves something alone is not seen.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen
from gitmem.text import parse_json
from gitmem.text.globs import matcher, without_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

START, PROMPT, FILE, FAILURE, SUBAGENT = "start", "prompt", "file", "failed command", "sub-agent"
KINDS = (START, PROMPT, FILE, FAILURE, SUBAGENT)
# The most globs of one memory that are compared.
PATHS_AT_MOST = 50
_COMMAND = re.compile(r"`([^`\n]{4,200})`")
_WORD = re.compile(r"[\w./@+-]+")


@frozen
class MomentUse:
    """The moments of one kind.

    Attributes:
        kind: One of ``KINDS``.
        moments: How often memories were shown at one.
        shown: How many memories that were.
        used: How many of these were used afterwards.
        tokens: The length of all that was shown.
    """

    kind: str
    moments: int
    shown: int
    used: int
    tokens: int


@frozen
class MemoryUse:
    """How often one memory was shown and used.

    Attributes:
        key: Of the memory.
        shown: The moments at which it was shown, since it was last changed.
        used: The number of these after which it was used.
    """

    key: str
    shown: int
    used: int


@frozen
class MemoryMarks:
    """What shows that a memory is used.

    Attributes:
        paths: The files that it is about, as globs.
        commands: The commands that it names, with one space between words.
    """

    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


@frozen
class LaterEvent:
    """A command or an edit in a worklog.

    Attributes:
        at: Epoch seconds.
        line: The command; empty for an edit.
        words: Its words, or the paths of the edited files.
    """

    at: int
    line: str
    words: frozenset[str]


def marks_of(text: str, paths: Iterable[str], fields: Mapping[str, Any]) -> MemoryMarks:
    """Return the marks of a memory from its title and body, its paths and references, and its other fields."""
    check = fields.get("verify")
    mapping = check if isinstance(check, dict) else {}
    places = mapping.get("in")
    globs = [*paths, *(places if isinstance(places, list) else [places])]
    commands = [*_COMMAND.findall(text), mapping.get("run")]
    return MemoryMarks(
        tuple(dict.fromkeys(without_lines(glob_) for glob_ in globs if isinstance(glob_, str) and glob_))[
            :PATHS_AT_MOST
        ],
        tuple(
            dict.fromkeys(
                " ".join(command.split()) for command in commands if isinstance(command, str) and " " in command.strip()
            )
        ),
    )


def read_marks(title: str, body: str, paths: str, fields: str) -> MemoryMarks:
    """Return the marks of a memory as the catalog stores it."""
    return marks_of(f"{title}\n{body}", parse_json(paths), parse_json(fields))


def later_events(entries: Iterable[Mapping[str, Any]]) -> tuple[LaterEvent, ...]:
    """Return the commands and edits in a worklog, in its order; damaged entries are left out."""
    events = []
    for entry in entries:
        at, did = entry.get("at"), entry.get("did")
        if not isinstance(at, int):
            continue
        if isinstance(did, list):
            events.append(LaterEvent(at, "", frozenset(text for text in did if isinstance(text, str))))
        elif isinstance(did, str) and entry.get("tool") == "shell":
            line = " ".join(did.split())
            events.append(LaterEvent(at, line, frozenset(_WORD.findall(line))))
    return tuple(events)


def is_used_in(key: str, marks: MemoryMarks, events: Iterable[LaterEvent], at: int) -> bool:
    """Return whether the key, a path or a command of a memory appears in an event after a time."""
    matchers = [matcher(path) for path in marks.paths]
    return any(
        key in event.words
        or any(command in event.line for command in marks.commands)
        or any(fits(word) for fits in matchers for word in event.words)
        for event in events
        if event.at > at
    )


def kind_of(entry: Mapping[str, Any]) -> str:
    """Return the kind of moment in an entry of the retrieval log; empty if nothing was shown at it."""
    what, shown = entry.get("event"), entry.get("shown")
    if not isinstance(shown, dict) or not shown:
        return ""
    if isinstance(what, str) and what.startswith(("subagent", "dispatch")):
        return SUBAGENT
    if what in (START, PROMPT):
        return str(what)
    # What the session wrote itself is logged as known, without a length.
    return ("" if not entry.get("tokens") else FILE if entry.get("files") else FAILURE) if what == "tool" else ""


def moment_use(
    sessions: Mapping[str, Sequence[Mapping[str, Any]]],
    changed: Mapping[str, int],
    is_used: Callable[[str, str, int], bool],
    *,
    since: int,
) -> tuple[tuple[MomentUse, ...], tuple[MemoryUse, ...]]:
    """Return the use of memories by kind of moment, and by memory, most often shown first.

    Args:
        sessions: The entries of the retrieval log, by session.
        changed: When each memory of the project was last changed, by key; others are left out.
        is_used: Whether a session used a memory after a time.
        since: Epoch seconds; earlier moments are left out.
    """
    rows = {kind: [0, 0, 0, 0] for kind in KINDS}
    memories: dict[str, list[int]] = {}
    for session, entries in sessions.items():
        for entry in entries:
            at, kind, size = entry.get("at"), kind_of(entry), entry.get("tokens")
            if not kind or not isinstance(at, int) or at < since:
                continue
            keys = [key for key in entry["shown"] if key in changed]
            uses = {key: is_used(session, key, at) for key in keys}
            counts = (1, len(keys), sum(uses.values()), size if isinstance(size, int) else 0)
            rows[kind] = [before + count for before, count in zip(rows[kind], counts, strict=True)]
            for key in keys:
                if at > changed[key]:
                    shown, used = memories.get(key, (0, 0))
                    memories[key] = [shown + 1, used + uses[key]]
    found = [MemoryUse(key, shown, used) for key, (shown, used) in memories.items()]
    return (
        tuple(MomentUse(kind, *counts) for kind, counts in rows.items()),
        tuple(sorted(found, key=lambda use: (-use.shown, use.used, use.key))),
    )
