"""One entry of a board: its text, provenance, links and author; and its file format. Pure.

An entry never changes. Its id is a hash of its content, so the boards of two clones merge as sets, and the content of
an id cannot be changed. Later events (an answer, a waiver, a replacement) are entries of their own.
"""

from __future__ import annotations

from gitmem.errors import RefusedError
from gitmem.frozen import fields_of, frozen, replace
from gitmem.text import format_json, parse_json
from gitmem.text.sha256 import sha256
from gitmem.text.slugs import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FORMAT = 1
TEXT_LIMIT, LINE_LIMIT, LISTED = 8_000, 500, 50
# The largest file of an entry: the text and 50 links and sources, at six bytes per character.
FILE_LIMIT = 256 * 1024
ID_DIGITS = 16
# Entries per folder of a board: each commit rewrites the list of its folder.
IN_FOLDER = 100


@frozen
class EntryType:
    """A row of the table of entry types.

    Attributes:
        name: The type.
        letter: The prefix of its number: ``e17``, ``s3``.
        about: A description for people.
        is_posted: Whether `gitmem board post` accepts it; the others have a command of their own.
    """

    name: str
    letter: str
    about: str
    is_posted: bool = False


# Dotfiles, "Run blackboard": "observation|analysis|calculation|strategy|gap|contradiction", and the queue of signals.
_TABLE = (
    EntryType("observation", "e", "something seen, with its source", is_posted=True),
    EntryType("analysis", "e", "a conclusion from other entries", is_posted=True),
    EntryType("calculation", "e", "a result, and how it was reached", is_posted=True),
    EntryType("strategy", "e", "how the run pursues its goal", is_posted=True),
    EntryType("gap", "e", "something the run does not know", is_posted=True),
    EntryType("contradiction", "e", "findings that cannot both hold", is_posted=True),
    EntryType("goal", "e", "what the run is for"),
    EntryType("signal", "s", "an open question"),
    EntryType("answer", "e", "the answer to a signal"),
    EntryType("waiver", "e", "why a signal stays without an answer"),
    EntryType("link", "e", "how two entries relate"),
    EntryType("closing", "c", "the end of the run"),
)
TYPES: dict[str, EntryType] = {row.name: row for row in _TABLE}
POSTED = tuple(row.name for row in _TABLE if row.is_posted)
GOAL, SIGNAL, ANSWER, WAIVER, LINK, CLOSING = "goal", "signal", "answer", "waiver", "link", "closing"
CONTRADICTION = "contradiction"
SEVERITIES = ("critical", "high", "medium", "low")
# Relations between entries: those that people give (with their options), then `waives` (of a waiver) and `of` (of a
# link: the entry that its other relations start from).
RELATIONS = ("supports", "contradicts", "supersedes", "addresses")
SUPPORTS, CONTRADICTS, SUPERSEDES, ADDRESSES = RELATIONS
WAIVES, OF = "waives", "of"
_SOURCES = ("doc", "ref", "evidence")


@frozen
class ClaimSource:
    """The source of an entry's claim.

    Attributes:
        doc: The document or page, or empty.
        ref: The place in it or in the code: ``path:line``, a URL, a commit; or empty.
        evidence: What was observed there: a command's output, a quotation; or empty.
    """

    doc: str = ""
    ref: str = ""
    evidence: str = ""


@frozen
class Entry:
    """One entry of a board.

    Attributes:
        type: Its type, one of ``TYPES``.
        text: Its text; empty only for a link.
        worker: Its author as a slug: an agent, or a person.
        who: The person, as git names them.
        at: When it was posted, epoch seconds.
        links: The ids of other entries by relation, each sorted.
        source: The source of its claim.
        confidence: From 0 to 1, or None.
        severity: The severity of a signal; empty for others.
        must_surface: Whether the final report must mention it.
        number: Its number on the board, from 1; 0 before it is posted.
        id: Its permanent id: a hash of its content without the time.
    """

    type: str
    text: str
    worker: str
    who: str
    at: int
    links: Mapping[str, tuple[str, ...]]
    source: ClaimSource = ClaimSource()
    confidence: float | None = None
    severity: str = ""
    must_surface: bool = False
    number: int = 0
    id: str = ""

    @property
    def name(self) -> str:
        """Return its short name on the board: ``e17``, ``s3``."""
        return f"{TYPES[self.type].letter}{self.number}"


@frozen
class EntryPlace:
    """The parts of an entry's path.

    Attributes:
        letter: The letter of its type.
        number: Its number.
        id: Its id.
    """

    letter: str
    number: int
    id: str

    @property
    def name(self) -> str:
        """Return its short name."""
        return f"{self.letter}{self.number}"


def path_of(letter: str, number: int, id: str) -> str:
    """Return the path of an entry in the tree of a board."""
    return f"entries/{number // IN_FOLDER:04d}/{letter}{number}-{id}.json"


def find_place(path: str) -> EntryPlace | None:
    """Parse an entry's path; None if it is not the path of an entry."""
    name = path.rpartition("/")[2].removesuffix(".json")
    short, _, lasting = name.partition("-")
    letter, digits = short[:1], short[1:]
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 7 and not digits.startswith("0")
    if not is_number or not is_id(lasting) or letter not in {row.letter for row in _TABLE}:
        return None
    place = EntryPlace(letter, int(digits), lasting)
    return place if path == path_of(place.letter, place.number, place.id) else None


def is_id(text: str) -> bool:
    """Return whether a text has the form of an entry's id."""
    return len(text) == ID_DIGITS and not text.strip("0123456789abcdef")


def content_of(entry: Entry) -> dict[str, Any]:
    """Return the fields in an entry's file, in order, without empty ones and without the id."""
    source = {name: value for name, value in fields_of(entry.source).items() if value}
    values: dict[str, Any] = {
        "at": entry.at,
        "confidence": entry.confidence,
        "format": FORMAT,
        "links": {name: list(ids) for name, ids in sorted(entry.links.items()) if ids},
        "must_surface": entry.must_surface or None,
        "severity": entry.severity,
        "source": source,
        "text": entry.text,
        "type": entry.type,
        "who": entry.who,
        "worker": entry.worker,
    }
    return {name: value for name, value in values.items() if value not in (None, "", {})}


def id_of(entry: Entry) -> str:
    """Return the id for an entry's content."""
    content = content_of(entry)
    del content["at"]
    return sha256(format_json(content, is_compact=True).encode("utf-8", "surrogatepass")).hexdigest()[:ID_DIGITS]


def format_entry(entry: Entry) -> bytes:
    """Return the content of an entry's file."""
    return format_json(content_of(entry)).encode("utf-8") + b"\n"


def parse_entry(raw: bytes, place: EntryPlace | None = None) -> Entry:
    """Return the entry in a file; others wrote it, so every part is checked.

    Raises:
        ValueError: It is not a valid entry, or not the one that its path names.
    """
    if len(raw) > FILE_LIMIT:
        raise ValueError(f"it is larger than {FILE_LIMIT} bytes")
    try:
        table = parse_json(raw)
    except RecursionError as err:
        raise ValueError("it is nested too deeply") from err
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise ValueError("its format is unknown to this version of gitmem")
    links, source = table.get("links", {}), table.get("source", {})
    if not isinstance(links, dict) or not isinstance(source, dict) or not set(source) <= set(_SOURCES):
        raise ValueError("links and source must be objects")
    if not set(links) <= {*RELATIONS, WAIVES, OF} or not all(_are_ids(ids) for ids in links.values()):
        raise ValueError("links must list the ids of entries by relation")
    entry = Entry(
        type=_text(table, "type", LINE_LIMIT),
        text=_text(table, "text", TEXT_LIMIT),
        worker=_text(table, "worker", LINE_LIMIT),
        who=_text(table, "who", LINE_LIMIT),
        at=_whole(table.get("at")),
        links={name: tuple(ids) for name, ids in links.items()},
        source=ClaimSource(**{name: _text(source, name, TEXT_LIMIT) for name in _SOURCES}),
        confidence=_share(table.get("confidence")),
        severity=_text(table, "severity", LINE_LIMIT),
        must_surface=table.get("must_surface") is True,
        number=place.number if place else 0,
    )
    _refuse_odd(entry)
    lasting = id_of(entry)
    if place and (lasting != place.id or TYPES[entry.type].letter != place.letter):
        raise ValueError("its id does not match its content")
    return replace(entry, id=lasting)


def _refuse_odd(entry: Entry) -> None:
    if entry.type not in TYPES or entry.worker != slug(entry.worker) or not entry.worker:
        raise ValueError("its type or its worker is invalid")
    if (entry.severity in SEVERITIES) != (entry.type == SIGNAL):
        raise ValueError("a signal needs a severity, and only a signal can have one")
    if not entry.text.strip() and entry.type != LINK:
        raise ValueError("it has no text")


def _text(found: Mapping[str, Any], name: str, most: int) -> str:
    value = found.get(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise ValueError(f"{name} must be text of at most {most} characters")
    return value


def _whole(value: object) -> int:
    # Up to the year 9999, the last one that RFC 3339 can express.
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 253_402_300_800:
        raise ValueError("at must be a time in seconds")
    return value


def _share(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("confidence must be from 0 to 1")
    return float(value)


def _are_ids(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= LISTED
        and all(isinstance(entry, str) and is_id(entry) for entry in value)
    )


def validate_entry(entry: Entry) -> Entry:
    """Return an entry that is about to be posted, or refuse it.

    Raises:
        RefusedError: It is not a valid entry.
    """
    if not entry.text.strip() and entry.type != LINK:
        raise RefusedError("the text is empty", hint='gitmem board post RUN "what you found"')
    try:
        return parse_entry(format_entry(entry))
    except ValueError as err:
        raise RefusedError(f"this {entry.type} cannot be posted: {err}") from err
