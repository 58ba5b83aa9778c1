"""Convert a memory to the catalog's rows. Pure."""

from __future__ import annotations

from gitmem.document.anchors import line_references
from gitmem.document.author import agent_of
from gitmem.document.builtin_checks import references_of
from gitmem.document.fields import IMPORTED, is_imported, parse_ttl, strings_in
from gitmem.document.format import ORDER
from gitmem.document.meaning import CONFIRMED, meaning_of, parse_foundations
from gitmem.document.spec import check_of, claim_hash, spec_hash, spec_of
from gitmem.document.times import parse_time
from gitmem.errors import FormatError
from gitmem.frozen import frozen
from gitmem.index.catalog import add_task
from gitmem.model import BUILTIN, CLAIMED, CLOSED, FAILED, OPEN, TASK, Document
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.model import Check
    from gitmem.policy import Policy

# More paths say little and cost much: each is matched against every file at every new commit.
MOST_PATHS = 64
# The longest text without a blank that is a word.
LONGEST_WORD = 40
# The fewest digits of a hash: the sentences of adopted documents have 16.
SHORTEST_HASH, _HEX = 16, frozenset("0123456789abcdef")
# Fields whose texts are not content.
_KNOWN = frozenset(
    (
        *ORDER,
        IMPORTED,
        "gitmem_frontmatter",
        "imported_head",
        "imported_added",
        "status",
        "seq",
        "conflict",
        "type",
        "id",
        "session_id",
    )
)
LINKS = ("requires", "produces", "supersedes", "contradicts")
# Rare fields: the catalog records which of them a memory has, so that its frontmatter need not be decompressed.
MARKED = ("anchors", "conflict", "independent", "schema", "seq", "workspace")
_MARKED = frozenset(MARKED)
# Defaults for a memory that does not say how certain or how important it is (importance is required metadata).
CONFIDENCE = 1.0
IMPORTANCE = "medium"
# Default for a task without a priority: the middle of the five levels (as in beads and Beans).
PRIORITY = 2


@frozen
class Rows:
    """The rows of one memory in the catalog.

    Attributes:
        memory: Values for the columns of ``memory`` after ``oid``: kind, title, created, updated, importance,
            confidence, expires, agent, task, superseded_by, meaning, imported.
        text: Tags with domains and paths with refs, as JSON; which of ``MARKED`` it has; all fields, as JSON; the body;
            the words of its other fields.
        tags: Its tags.
        links: Relation and target of every link.
        fact: spec, claim, ttl_s, form, words, inputs, outside_s; None if it has no check.
        task: state, priority, parent, who holds it (who, agent), since when, when it was closed, how many attempts
        have ended and how many of them failed, and the notes on them; None for any other kind.
        confirmed: Key and meaning of each foundation that a person confirmed.
        names: What is searched of tags, domains and task, and of paths and refs.
    """

    memory: tuple[Any, ...]
    text: tuple[str, str, str, str, str, str]
    tags: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    fact: tuple[Any, ...] | None
    task: tuple[Any, ...] | None = None
    confirmed: tuple[tuple[str, str], ...] = ()
    names: tuple[str, str] = ("", "")

    @property
    def searched(self) -> str:
        """Return what is searched like the body, composed like the view ``searched``.

        That is the body, the notes on a task's attempts with the reason for closing it, and the words of other fields.
        """
        notes, words = self.task[-1] if self.task else "", self.text[-1]
        return "\n".join((self.text[-2], *filter(None, (notes, words))))


def rows_of(document: Document, policy: Policy, *, claim: str = "") -> Rows:
    """Return the rows of one memory.

    Args:
        document: The memory, redacted.
        policy: The store's policy.
        claim: The hash of the file's claim, if redaction changed it.

    Raises:
        FormatError: A field has a value that cannot be used.
    """
    fields = document.fields
    created = time_of(fields.get("created"))
    check = check_of(document)
    task = str(fields.get("task") or "")
    tags, domains = document.strings("tags"), document.strings("domains")
    places = (*document.strings("paths"), *document.strings("refs"))
    text = (
        _listed((*tags, *domains)),
        _listed(places),
        _marks_of(fields),
        format_json(fields, default=str),
        document.body,
        _words_of(fields),
    )
    memory = (
        document.kind,
        document.title,
        created,
        time_of(fields.get("updated")) or created,
        str(fields.get("importance") or IMPORTANCE),
        CONFIDENCE if fields.get("confidence") is None else float(fields["confidence"]),
        _expires(document, policy, created, has_check=check is not None),
        agent_of(fields),
        task,
        str(fields.get("superseded_by") or ""),
        meaning_of(document),
        int(is_imported(fields)),
    )
    foundations = parse_foundations(document.strings(CONFIRMED)) if CONFIRMED in fields else ()
    # A fact that compares with one of another repository rests on it.
    references = references_of(check.words) if check and check.form == BUILTIN else ()
    links = [(relation, t) for relation in LINKS if relation in fields for t in document.strings(relation)]
    return Rows(
        memory,
        text,
        tuple(dict.fromkeys(tags)),
        tuple(dict.fromkeys((*links, *(("requires", reference) for reference in references)))),
        _fact(document, policy, check, claim or claim_hash(document)) if check else None,
        _task(document),
        tuple((foundation.key, foundation.meaning) for foundation in foundations),
        (add_task(" ".join((*tags, *domains)), task), " ".join(places)),
    )


def _marks_of(fields: Mapping[str, Any]) -> str:
    """Return which of ``MARKED`` a memory has.

    References to lines that were never proved are looked at as well (``verify.references``).
    """
    marked = _MARKED & fields.keys()
    if "refs" in fields and line_references(fields):
        marked |= {"anchors"}
    if fields.get("independent") is not True:
        marked -= {"independent"}
    return "".join([f" {name} " for name in MARKED if name in marked]) if marked else ""


def _words_of(fields: Mapping[str, Any]) -> str:
    """Return the texts in fields that gitmem does not know, one in each line; names of files and hashes are none."""
    if _KNOWN.issuperset(fields):
        return ""
    words = [part for name, value in fields.items() if name not in _KNOWN for part in strings_in(value)]
    return "\n".join(part for part in words if part and (" " in part or not _is_name(part)))


def _is_name(word: str) -> bool:
    """Return whether a word is the name of a file or a hash, which no one searches for and no snippet should show.

    A long number is neither: an order, an account.
    """
    is_hash = len(word) >= SHORTEST_HASH and _HEX.issuperset(word) and not word.isdecimal()
    return len(word) > LONGEST_WORD or is_hash


def _listed(values: Sequence[str]) -> str:
    return format_json(values) if values else "[]"


def time_of(value: object) -> int:
    """Return a time from a frontmatter in epoch seconds; 0 if it is missing or cannot be read."""
    try:
        return parse_time(str(value)) if value else 0
    except (FormatError, ValueError):
        return 0


def _expires(document: Document, policy: Policy, created: int, *, has_check: bool) -> int | None:
    """Return when a memory leaves search, or None for never; a fact becomes stale instead.

    A task's time starts when it is closed: an open task never expires.
    """
    is_task = document.kind == TASK
    since = time_of(_mapping(document, "closed").get("when")) if is_task and _state(document) == CLOSED else created
    if (is_task and _state(document) != CLOSED) or (has_check and not is_task):
        return None
    own = document.fields.get("ttl")
    kind = policy.kind(document.kind)
    ttl_s = parse_ttl(str(own)) if own else (kind.ttl_s if kind.expires else None)
    return since + ttl_s if ttl_s is not None and since else None


def _state(document: Document) -> str:
    return str(document.fields.get("state") or OPEN)


def _mapping(document: Document, name: str) -> dict[str, Any]:
    mapping = document.fields.get(name)
    return mapping if isinstance(mapping, dict) else {}


def _task(document: Document) -> tuple[Any, ...] | None:
    if document.kind != TASK:
        return None
    fields = document.fields
    state = _state(document)
    held = _mapping(document, "claimed") if state == CLAIMED else {}
    closed = _mapping(document, "closed") if state == CLOSED else {}
    attempts = [*(fields.get("attempts") or ()), held]
    notes = [*(str(attempt.get("notes") or "") for attempt in attempts), str(closed.get("reason") or "")]
    return (
        *(state, PRIORITY if fields.get("priority") is None else fields["priority"], str(fields.get("parent") or "")),
        *(
            str(held.get("who") or ""),
            str(held.get("agent") or ""),
            time_of(held.get("when")),
            time_of(closed.get("when")),
        ),
        *(len(attempts) - 1, sum(attempt.get("outcome") == FAILED for attempt in attempts)),
        "\n".join(note for note in dict.fromkeys(notes) if note),
    )


def _fact(document: Document, policy: Policy, check: Check, claim: str) -> tuple[Any, ...]:
    how = policy.verify
    spec = spec_of(document, setup=how.setup, default_timeout_s=how.timeout_s, folders=how.folders)
    assert spec is not None, "a document with a check has a specification"
    own = document.fields.get("ttl")
    kind = policy.kind(document.kind)
    ttl_s = parse_ttl(str(own)) if own else (kind.ttl_s if kind.needs_verify else policy.verify.ttl_s)
    outside_s = ttl_s if own else min((s for s in (ttl_s, how.outside_ttl_s) if s is not None), default=None)
    inputs = format_json(inputs_of(document, check), is_ascii=True)
    ttl_s = outside_s if spec.outside else ttl_s
    return spec_hash(spec), claim, ttl_s, check.form, format_json(check.words, is_ascii=True), inputs, outside_s


def inputs_of(document: Document, check: Check) -> list[str]:
    """Return what a check reads.

    ``["builtin"]`` if the check itself defines it, ``["paths", glob, ...]`` if the memory declares it, and ``["tree"]``
    if it is unknown.
    """
    if check.form == BUILTIN:
        return ["builtin"]
    paths = document.strings("paths")
    return ["paths", *paths] if 0 < len(paths) <= MOST_PATHS else ["tree"]
