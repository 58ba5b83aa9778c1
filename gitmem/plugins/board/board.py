"""A board computed from its entries: which are live, which signals are open, what a final report must mention. Pure.

The order in which entries arrived does not matter: two clones with the same entries see the same board.
"""

from __future__ import annotations

from collections import Counter

from gitmem.errors import AmbiguousKeyError, NotFoundError
from gitmem.frozen import frozen
from gitmem.plugins.board.entry import (
    ADDRESSES,
    CLOSING,
    CONTRADICTION,
    CONTRADICTS,
    OF,
    RELATIONS,
    SEVERITIES,
    SIGNAL,
    SUPERSEDES,
    WAIVER,
    WAIVES,
    is_id,
)
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.plugins.board.entry import Entry, EntryPlace

OPEN, ANSWERED, WAIVED = "open", "answered", "waived"
# Dotfiles: "gate exits non-zero while critical/high signals are open".
BLOCKING = ("critical", "high")


@frozen
class Signal:
    """An open question, its answers and its waivers.

    Attributes:
        entry: The question.
        answers: The live entries that address it, oldest first.
        waivers: Its live waivers, oldest first.
    """

    entry: Entry
    answers: tuple[Entry, ...]
    waivers: tuple[Entry, ...]

    @property
    def state(self) -> str:
        """Return ``answered``, ``waived`` or ``open``."""
        return ANSWERED if self.answers else WAIVED if self.waivers else OPEN

    @property
    def blocks(self) -> bool:
        """Return whether it closes the gate."""
        return self.state == OPEN and self.entry.severity in BLOCKING


@frozen
class RequiredEntry:
    """An entry that the final report must mention, and why."""

    entry: Entry
    why: str


@frozen
class Board:
    """A board.

    Attributes:
        run: Its name.
        entries: All entries, by time, then number.
        names: The short name of each by its id; with the id appended if two clones gave one name to two entries.
        links: Every link as ids (entry, relation, target), including those of link entries.
        superseded: The ids of superseded entries.
        signals: The signals, the most severe first, then the oldest.
        problems: Files that are not valid entries: path and reason.
        commit: The commit that it was read from.
    """

    run: str
    entries: tuple[Entry, ...]
    names: Mapping[str, str]
    links: tuple[tuple[str, str, str], ...]
    superseded: frozenset[str]
    signals: tuple[Signal, ...]
    problems: tuple[tuple[str, str], ...] = ()
    commit: str = ""

    @property
    def is_closed(self) -> bool:
        """Return whether the run is over."""
        return any(entry.type == CLOSING for entry in self.entries)

    @property
    def live(self) -> tuple[Entry, ...]:
        """Return the entries that are not superseded."""
        return tuple(entry for entry in self.entries if entry.id not in self.superseded)

    @property
    def closing_signals(self) -> tuple[Signal, ...]:
        """Return the signals that close the gate."""
        return tuple(signal for signal in self.signals if signal.blocks)

    def name_of(self, id: str) -> str:
        """Return the short name of an entry; an unknown id is returned as it is."""
        return self.names.get(id, id)

    def list_required(self) -> tuple[RequiredEntry, ...]:
        """Return the entries that the final report must mention, in board order.

        Dotfiles: "when must-surface entries, contradictions, or open/waived signals are not detected".
        """
        live = {entry.id: entry for entry in self.live}
        why = {entry.id: "must surface" for entry in live.values() if entry.must_surface}
        why |= {entry.id: "a contradiction" for entry in live.values() if entry.type == CONTRADICTION}
        for one, relation, other in self.links:
            if relation == CONTRADICTS and one in live and other in live:
                why.setdefault(one, f"contradicts {self.name_of(other)}")
                why.setdefault(other, f"contradicted by {self.name_of(one)}")
        why |= {signal.entry.id: f"{signal.state} signal" for signal in self.signals if signal.state != ANSWERED}
        return tuple(RequiredEntry(entry, why[entry.id]) for entry in self.entries if entry.id in why)


def board_of(
    run: str, entries: Iterable[Entry], *, problems: Sequence[tuple[str, str]] = (), commit: str = ""
) -> Board:
    """Return the board made of entries, in any order; duplicates count once."""
    ordered = sorted(entries, key=lambda entry: (entry.at, entry.type == CLOSING, entry.number, entry.name, entry.id))
    unique = list({entry.id: entry for entry in reversed(ordered)}.values())[::-1]
    links = _links_of(unique)
    superseded = _list_superseded(unique, links)
    live = {entry.id: entry for entry in unique if entry.id not in superseded}
    found = (_signal_of(entry, live, links) for entry in unique if entry.type == SIGNAL)
    signals = sorted(found, key=lambda signal: SEVERITIES.index(signal.entry.severity))
    counts = Counter(entry.name for entry in unique)
    names = {entry.id: entry.name if counts[entry.name] == 1 else f"{entry.name}-{entry.id}" for entry in unique}
    return Board(run, tuple(unique), names, links, superseded, tuple(signals), tuple(problems), commit)


def _links_of(entries: Sequence[Entry]) -> tuple[tuple[str, str, str], ...]:
    links = []
    for entry in entries:
        subjects = entry.links.get(OF, (entry.id,))
        pairs = ((relation, other) for relation in (*RELATIONS, WAIVES) for other in entry.links.get(relation, ()))
        links += [(subject, relation, other) for relation, other in pairs for subject in subjects]
    return tuple(dict.fromkeys(links))


def _list_superseded(entries: Sequence[Entry], links: Sequence[tuple[str, str, str]]) -> frozenset[str]:
    """Return the replaced entries: never signals, which are answered or waived, nor entries that replace each other."""
    signals = {entry.id for entry in entries if entry.type == SIGNAL}
    known = {entry.id for entry in entries}
    newer: dict[str, set[str]] = {}
    for one, relation, other in links:
        if relation == SUPERSEDES and other not in signals and one in known:
            newer.setdefault(other, set()).add(one)
    return frozenset(
        old for old, those in newer.items() if any(not _leads_to(newer, newer_key, old) for newer_key in those)
    )


def _leads_to(newer: Mapping[str, set[str]], start: str, goal: str) -> bool:
    """Return whether following replacements from *start* leads to *goal*."""
    seen, waiting = set[str](), [start]
    while waiting:
        key = waiting.pop()
        if key == goal:
            return True
        if key not in seen:
            seen.add(key)
            waiting += newer.get(key, ())
    return False


def _signal_of(signal: Entry, live: Mapping[str, Entry], links: Sequence[tuple[str, str, str]]) -> Signal:
    def those(relation: str) -> tuple[Entry, ...]:
        ids = dict.fromkeys(one for one, name, other in links if name == relation and other == signal.id)
        return tuple(live[id_] for id_ in ids if id_ in live and id_ != signal.id)

    return Signal(signal, those(ADDRESSES), tuple(entry for entry in those(WAIVES) if entry.type == WAIVER))


def resolve(run: str, typed: str, places: Iterable[EntryPlace]) -> str:
    """Return the id of an entry that a person typed as ``e17``, ``e17-0123456789abcdef`` or the id.

    Raises:
        NotFoundError: There is no such entry.
        AmbiguousKeyError: Two clones gave two entries this short name.
    """
    short, _, name = typed.partition("-")
    all_places = list(places)
    if is_id(typed):
        ids = {place.id for place in all_places if place.id == typed}
    else:
        ids = {place.id for place in all_places if place.name == short and name in ("", place.id)}
    if not ids:
        raise NotFoundError(f"the board {run} has no entry {display(typed)}", hint=f"gitmem board show {run}")
    if len(ids) > 1:
        names = sorted(f"{short}-{id_}" for id_ in ids)
        raise AmbiguousKeyError(
            f"{short} is the name of {len(ids)} entries: {', '.join(names)}", keys=names, hint="use the longer name"
        )
    return ids.pop()
