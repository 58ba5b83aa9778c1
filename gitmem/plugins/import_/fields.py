"""A memory from a source in gitmem's own fields, and the mapping of other systems' fields. Pure."""

from __future__ import annotations

from gitmem.document.fields import IMPORTED
from gitmem.document.format import format_field
from gitmem.document.okf import is_usable
from gitmem.document.yaml.scalars import is_name
from gitmem.errors import FormatError
from gitmem.frozen import frozen, replace
from gitmem.plugins.import_.names import key_of
from gitmem.plugins.import_.times import time_of
from gitmem.policy.settings import is_slug
from gitmem.store import layout
from gitmem.text import display
from gitmem.text.slugs import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from types import UnionType
    from typing import Any


@frozen
class ImportRecord:
    """One memory from a source.

    Attributes:
        where: Its file and line, for display: ``knowledge.jsonl:12``.
        key: Its key if the source names one, or empty.
        name: Its name in the source if the key was made from it: another name with the same key is another memory.
        fields: Its frontmatter, without fields that only a writer can fill in.
        body: Its body; without a title, the whole text.
        text: The exact text of a file written by gitmem, which is stored unchanged; else empty.
        folder: The folder of the store in which that file was, or empty.
        archived: Whether it was retired there.
        left_out: The names of fields that are too long for a frontmatter, and are not imported.
        why: Why it was retired; empty if unknown.
        ended: When it was retired, in ISO 8601; empty if unknown.
        line: The line of its file on which the body begins; 0 if unknown.
        remark: What the user should know about how it was read, counted in a notice; usually empty.
    """

    where: str
    key: str
    fields: Mapping[str, Any]
    body: str
    text: str = ""
    folder: str = ""
    archived: bool = False
    left_out: tuple[str, ...] = ()
    why: str = ""
    remark: str = ""
    line: int = 0
    name: str = ""
    ended: str = ""


@frozen
class NoteFile:
    """A file of notes.

    Attributes:
        path: Where it is.
        where: Its name in reports.
        inside: Its path inside the folder that is read.
        name: Its name with that of the folder (``Names``).
        limit: The most bytes that a note may have.
    """

    path: str
    where: str
    inside: str
    name: str
    limit: int = layout.MEMORY_LIMIT


@frozen
class Unreadable:
    """A line or file that is not a memory, and why; the reason repeats none of its content.

    Attributes:
        where: Its location, for display.
        reason: Why it is not one.
        is_skipped: Whether it is skipped on purpose, without being invalid.
        is_other: Whether it is a file of a kind that is not read.
    """

    where: str
    reason: str
    is_skipped: bool = False
    is_other: bool = False


# Other systems' names for our fields, in order of precedence. Beadboard has `content`, `type`, `ts`, `bead`.
TEXT = ("body", "content", "text", "memory", "description")
TITLE = ("title", "name", "summary")
# Names of a text that may also be about a whole export.
_OTHER_TEXT = ("note", "fact", "observation", "insight", "learning", "lesson")
_KIND = ("kind", "type")
_CREATED = (
    *("created", "ts", "timestamp", "created_at", "createdAt", "created_at_epoch", "created_on", "createdTime"),
    *("creation_date", "date_created", "date", "Date", "time"),
)
_AGENT = ("source", "agent")
# The parts of beadboard's `source`, which captures store too (`agents.capture.source`).
ROLES = ("orchestrator", "supervisor", "worker")
_PERSON = ("author", "by", "who")
_TASK = ("task", "bead", "issue", "story_id")
_LISTS = {
    "tags": ("tags", "labels", "keywords"),
    "paths": ("paths", "files"),
    "refs": ("refs", "references", "file_references"),
}
_ALL_TEXT = (*TEXT, *_OTHER_TEXT)
# Names of what is about a memory, and never its text.
_ABOUT = frozenset(
    ("key", *_KIND, *_CREATED, *_AGENT, *_PERSON, *(name for names in _LISTS.values() for name in names))
)
_READ: tuple[tuple[tuple[str, ...], type | UnionType], ...] = (
    *((names, str) for names in (_ALL_TEXT, TITLE, _KIND, _AGENT, ("by", "who"))),
    (_TASK, str | int),
)
# The AI Memory Module's and Agent Swarm's names for our kinds.
_KINDS = {
    **{"session_summary": "session", "implementation": "code_pattern", "task_completion": "outcome"},
    **{"file_index": "note", "manual": "learned"},
}
# Fields set only by the store: another system's file must not retire, replace, claim or close anything here.
STORE_ONLY = frozenset(("retired", "superseded_by", "schema", "updated", "state", "claimed", "attempts", "closed"))
# Systems keep what was deleted, so that no clone brings it back; importing it as current would.
DELETED = ("tombstone", "deleted")
DELETED_REASON = "it was deleted where it comes from"
_DELETED_SIGNS = ("deleted", "is_deleted", "isDeleted", "_deleted", "deleted_at", "deletedAt")
_NO = ("0", "false", "False", "no", "null")
EMPTY: tuple[object, ...] = (None, "", [], {})
# An unknown field is stored if it is short; a vector of numbers is not metadata, however short.
LONGEST_UNKNOWN = 1024
_EMBEDDINGS = ("embedding", "fact_embedding", "name_embedding", "vector", "embeddings")
# A text in a script without blanks is prose if it has more characters than this. The first such script is Thai.
SHORTEST_PROSE, WITHOUT_BLANKS = 8, "\u0e00"
# How deep in a value words are looked for.
DEEPEST = 20


def from_table(table: Mapping[str, Any], *, where: str, kind: str, title: str = "") -> ImportRecord | Unreadable:
    """Return the memory in a JSON object or a foreign frontmatter.

    Args:
        table: Its fields.
        where: Its location, for display.
        kind: The kind if it names none.
        title: The title if it names none, or empty.
    """
    table = table if title.strip() else _with_text(table)
    body = _first(table, _ALL_TEXT, str) or ""
    heading = _first(table, TITLE, str) or title
    if not (body.strip() or heading.strip()):
        return Unreadable(where, f"it has neither a text ({', '.join(TEXT[:3])}) nor a title")
    if not body.strip():
        heading, body = "", heading
    named = table["key"].strip() if isinstance(table.get("key"), str) else ""
    key = key_of(named) if named else ""
    times = {name: time_of(table[name]) for name in _CREATED if table.get(name) not in EMPTY}
    dated = next((name for name, time in times.items() if time), "")
    task = _first(table, _TASK, str | int)
    stated = kind_of(_first(table, _KIND, str) or kind)
    # What others call a fact has no check.
    fields = {"kind": kind if stated == "fact" and not table.get("verify") else stated} | without_empty(
        title=heading,
        **{name: as_list(_first(table, names, object)) for name, names in _LISTS.items()},
        created=times.get(dated),
        by=_by(table),
        task="" if task is None else str(task),
    )
    read = {"key", dated, *(_name_of(table, names, wanted) for names, wanted in _READ)}
    lists = (_name_of(table, names, object) for names in _LISTS.values())
    read |= {name for name in lists if name and is_plain_list(table[name])}
    below, left_out = _add_others(table, read, fields)
    body = "\n\n".join([body, *below])
    # A wrong date is kept as text.
    remark = "" if dated else ", ".join(f"{name} is not a date: {display(str(table[name]))[:40]}" for name in times)
    named = display(named) if named != key else ""
    return ImportRecord(where, key, fields, body, left_out=left_out, remark=remark, name=named)


def has_text(names: Iterable[object]) -> bool:
    """Return whether one of some names is that of a text or a title."""
    return any(str(name).lower() in (*_ALL_TEXT, *TITLE) for name in names)


def _with_text(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a table with its words under the name of a text or a title.

    If it has neither, their names in capitals count, and then every field with several words.
    """
    names = (*_ALL_TEXT, *TITLE)
    if _has_words(table, names):
        return table
    folded: dict[str, Any] = {}
    for name, value in table.items():
        low = str(name).lower()
        folded[low if low in names and low not in table and low not in folded else name] = value
    if _has_words(folded, names):
        return folded
    texts = {name: value for name, value in table.items() if name not in _ABOUT and is_prose(value)}
    if not texts:
        return table
    first, *more = texts.values()
    is_alone = isinstance(first, str) and not more
    body = first if is_alone else "\n\n".join(words_of(str(name), value) for name, value in texts.items())
    others = {name: value for name, value in table.items() if name not in texts}
    free = next((name for name in TEXT if others.get(name) in EMPTY), TEXT[0])
    return {**others, free: body}


def _has_words(table: Mapping[str, Any], names: Iterable[str]) -> bool:
    return any(isinstance(table.get(name), str) and table[name].strip() for name in names)


def is_prose(value: object, depth: int = 0) -> bool:
    """Return whether a text in a value has several words: an id, a state or an address alone is not a memory."""
    if isinstance(value, str):
        words = (word for word in value.split() if any(map(str.isalnum, word)))
        has_several = next(words, "") != "" and next(words, "") != ""
        is_long = len(value) > SHORTEST_PROSE and max(value) >= WITHOUT_BLANKS
        return (has_several or is_long) and time_of(value) is None
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth < DEEPEST and any(is_prose(part, depth + 1) for part in parts)


def _add_others(
    table: Mapping[str, Any], read: Collection[str], fields: dict[str, Any]
) -> tuple[list[str], tuple[str, ...]]:
    """Add the short ones of the other fields; return the words of the rest for the body, and the names without words.

    The short ones are searched as well (``index.catalog.rows``).
    """
    below, left_out = [], []
    for name, value in table.items():
        if name in read or value in EMPTY or fields.get(name) == value:
            continue
        if name not in fields and name not in STORE_ONLY and _is_short(name, value):
            fields[name if is_usable(name, value) else f"{IMPORTED}_{name}"] = value
        elif words := words_of(str(name), value):
            below.append(words)
        else:
            left_out.append(str(name))
    return below, tuple(left_out)


def words_of(name: str, value: object, depth: int = 0) -> str:
    """Return the texts in a value as lines of Markdown under a name; empty if there is none but numbers and times."""
    if depth > DEEPEST:
        return ""
    if isinstance(value, str):
        return f"{name}: {value.strip()}" if value.strip() and time_of(value) is None else ""
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        lines = "\n".join(f"- {text.strip()}" for text in value if text.strip())
        return f"{name}:\n\n{lines}" if lines else ""
    parts = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
    found = [(f"{name} {inner}", part, words_of(f"{name} {inner}", part, depth + 1)) for inner, part in parts]
    if isinstance(value, dict) and any(words for _, _, words in found):  # numbers and times beside words say something
        found = [(below, line, words or _plain_line(below, line)) for below, line, words in found]
    return "\n\n".join(words for _, _, words in found if words)


def _plain_line(name: str, value: object) -> str:
    return f"{name}: {value}" if isinstance(value, str | int | float) and str(value).strip() else ""


def with_remark(found: Iterable[ImportRecord | Unreadable], remark: str) -> Iterator[ImportRecord | Unreadable]:
    """Yield memories with a remark before their own, if it is not empty."""
    for record in found:
        if isinstance(record, ImportRecord) and remark:
            yield replace(record, remark="; ".join(filter(None, (remark, record.remark))))
        else:
            yield record


def without_empty(**values: object) -> dict[str, Any]:
    """Return fields without those that are None or empty."""
    return {name: value for name, value in values.items() if value not in EMPTY}


def list_store_only(table: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the fields of another system that only the store can set, sorted."""
    return tuple(sorted(name for name in STORE_ONLY if table.get(name) not in EMPTY))


def _is_short(name: str, value: object) -> bool:
    if name in _EMBEDDINGS and not words_of(name, value):
        return False
    try:
        return is_name(name) and len(format_field(name, value)) <= LONGEST_UNKNOWN
    except (FormatError, AttributeError, RecursionError):
        return False  # null instead of a name, a number without an exact form


def add_fields(
    table: Mapping[str, Any],
    read: Collection[str],
    fields: dict[str, Any],
    fits: Callable[[str, object], bool] = _is_short,
) -> tuple[str, ...]:
    """Add the other fields of a table that fit into a frontmatter, and return the names of those that do not.

    Args:
        table: The fields of another system.
        read: The fields that were read already.
        fields: The frontmatter so far.
        fits: Returns whether a field fits.
    """
    left_out = []
    for name, value in table.items():
        if name in read or name in fields or value in EMPTY:
            continue
        if fits(name, value):
            # `confidence: high` is no value of our field of that name, and no reason to refuse the text.
            fields[name if is_usable(name, value) else f"{IMPORTED}_{name}"] = value
        else:
            left_out.append(str(name))
    return tuple(left_out)


def _first(table: Mapping[str, Any], names: tuple[str, ...], wanted: type | UnionType) -> Any:
    name = _name_of(table, names, wanted)
    return table[name] if name else None


def _name_of(table: Mapping[str, Any], names: tuple[str, ...], wanted: type | UnionType) -> str:
    """Return the first of some names for which a table has such a value; empty if there is none."""
    for name in names:  # generators took 15 of 42 us of a row (measured)
        if name in table and isinstance(table[name], wanted) and table[name] not in ("", None):
            return name
    return ""


def kind_of(word: str) -> str:
    """Return our name for another system's kind."""
    kind = word.strip().lower().replace("-", "_").replace(" ", "_")
    kind = _KINDS.get(kind, kind)
    return kind if is_slug(kind) else slug(word, limit=40).replace("-", "_")


def as_list(value: object) -> list[str]:
    """Return a list of texts; a single text is split at commas."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    texts = (str(part).strip() for part in parts if isinstance(part, str | int | float))
    return list(dict.fromkeys(text for text in texts if text))


def tables_in(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; none for other values."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def is_plain_list(value: object) -> bool:
    """Return whether ``as_list`` reads all that a value says."""
    parts = value if isinstance(value, list) else [value]
    return all(part is None or isinstance(part, str | int | float) for part in parts) and isinstance(value, str | list)


def is_deleted(table: Mapping[str, Any]) -> bool:
    """Return whether an object or a frontmatter says that it was deleted where it comes from."""
    states = (str(table.get(name)).lower() for name in ("status", "state", "type"))
    return any(state in DELETED for state in states) or any(
        table.get(name) not in (*EMPTY, 0, *_NO) for name in _DELETED_SIGNS
    )


def _by(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return its author: the agent or the person, and the role if ``source`` names it."""
    value = table.get("by")
    if isinstance(value, dict) and all(isinstance(part, str) for part in value.values()):
        return dict(value)
    role = table["source"] if table.get("source") in ROLES else ""  # where captures by agents put it here
    return without_empty(who=_first(table, _PERSON, str), agent=_first(table, _AGENT, str), role=role)
