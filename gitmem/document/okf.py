"""Memories as concepts of the Open Knowledge Format, and back. Pure.

Source: "Open Knowledge Format (OKF), Version 0.2", ``okf/SPEC.md`` of github.com/GoogleCloudPlatform/knowledge-catalog:
concepts (section 4), ``sources`` (5.1), ``generated`` and ``verified`` (5.2), ``status`` (5.4), ``stale_after`` (5.5),
links (6.1), actors (7), index files (8), log files (9), ``okf_version`` (12), ``timestamp`` of version 0.1 (13.1).

Assumed, as the specification leaves it open:

- The fields of a memory are the producer's own keys. What OKF has a name for is written besides, and can be derived
  again from the memory and the time of its verdict; a reader that finds the same value drops it, another value counts.
- ``process:gitmem`` is the actor of verdicts. A fact without a verdict that holds is a ``draft``.
- Where the frontmatter cannot be restored from these (comments, line breaks), it is kept exactly as text.
- A deprecated concept belongs in the archive; of a draft, half is believed.
"""

from __future__ import annotations

from gitmem.document.author import RecordedAuthor, read_author
from gitmem.document.fields import check_fields, parse_ttl
from gitmem.document.format import format as format_document
from gitmem.document.format import format_field
from gitmem.document.parse import parse
from gitmem.document.split import split
from gitmem.document.times import format_time, parse_time
from gitmem.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from gitmem.model import Document

VERSION = "0.2"
INDEX = "index.md"
LOG = "log.md"
RESERVED = (INDEX, LOG)
# The actor for concepts verified by running their checks.
PROVER = "process:gitmem"
# Our own keys: the exact frontmatter of a memory, and the key of one whose file would have a reserved name.
EXACT = "gitmem_frontmatter"
KEY = "gitmem_key"
DRAFT, DEPRECATED = "draft", "deprecated"
DRAFT_CONFIDENCE = 0.5
_FIRST = tuple(
    """
    type title description resource tags status stale_after generated verified sources
    """.split()
)
_DAY_S = 86_400


def concept_fields(fields: Mapping[str, Any], proved: str = "") -> dict[str, Any]:
    """Return the frontmatter of a memory's concept, in the order in which it is written.

    Args:
        fields: The frontmatter of the memory.
        proved: When the effective verdict was made, if the check holds; else empty.
    """
    whole = {**okf_fields(fields, proved), **{name: fields[name] for name in fields if name not in (EXACT, KEY)}}
    if proved:
        whole["verified"] = [*entries_of(fields.get("verified")), {"by": PROVER, "at": proved}]
    return in_order(whole)


def in_order(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields in the order of a concept."""
    return {name: fields[name] for name in dict.fromkeys((*_FIRST, *fields)) if name in fields}


def okf_fields(fields: Mapping[str, Any], proved: str = "") -> dict[str, Any]:
    """Return the fields that OKF defines, derived from a memory and the time of its verdict."""
    kind = fields.get("kind")
    found: dict[str, Any] = {"type": kind if isinstance(kind, str) and kind else "learned"}
    if fields.get("retired") or fields.get("superseded_by"):
        found["status"] = DEPRECATED
    elif fields.get("verify") is not None and not proved:
        found["status"] = DRAFT
    if end := _stale_after(fields, proved):
        found["stale_after"] = end
    if (actor := _actor(read_author(fields))) and isinstance(fields.get("created"), str):
        changed = fields.get("updated")
        found["generated"] = {"by": actor, "at": changed if isinstance(changed, str) else fields["created"]}
    refs = fields.get("refs")
    if isinstance(refs, list) and refs and all(isinstance(ref, str) and ref for ref in refs):
        found["sources"] = [{"resource": ref} for ref in refs]
    return found


def _stale_after(fields: Mapping[str, Any], proved: str) -> str:
    """Return the day on which a lifetime ends: for a fact, from its verdict, for others, from their creation."""
    start = proved if fields.get("verify") is not None else fields.get("created")
    try:
        length = parse_ttl(fields["ttl"]) if isinstance(fields.get("ttl"), str) else None
        return format_time(parse_time(start) + length)[:10] if length and isinstance(start, str) and start else ""
    except (FormatError, ValueError):
        return ""


def _actor(author: RecordedAuthor) -> str:
    return author.agent or (f"human:{author.who}" if author.who else "")


def author_of(actor: object) -> dict[str, str]:
    """Return the ``by`` of a memory for an actor; empty if it is not one."""
    if not isinstance(actor, str) or not actor:
        return {}
    return {"who": actor[6:]} if actor.startswith("human:") and actor[6:] else {"agent": actor}


def format_concept(document: Document, proved: str = "") -> str:
    """Return the file of a memory's concept; ``restored`` undoes it exactly.

    Raises:
        FormatError: It would exceed the size of a memory.
    """
    fields = concept_fields(document.fields, proved)
    if f"{document.key}.md" in RESERVED:
        fields[KEY] = document.key
    if restore_text(fields, document.body) != document.text:
        fields[EXACT] = document.text.removesuffix(document.body)
    frontmatter = "".join(format_field(name, value) for name, value in fields.items())
    text = f"---\n{frontmatter}---\n{document.body}"
    parse(text, path=document.path)
    return text


def restore_text(concept: Mapping[str, Any], body: str) -> str | None:
    """Return the text of the memory that gitmem wrote as a concept; None for another system's concept.

    Entries of ``verified`` from verdicts are left out, since another repository proves its own facts. Entries by others
    stay.
    """
    found = {name: value for name, value in concept.items() if name not in (EXACT, KEY)}
    others, times = _proofs(found.get("verified"))
    exact = concept.get(EXACT)
    if isinstance(exact, str):
        try:
            fields = parse(exact + body, path="").fields
            if any(concept_fields(fields, proved) == found for proved in ("", *times)):
                return exact + body
        except FormatError:
            pass
    if not isinstance(found.get("kind"), str):
        return None
    own = {name: value for name, value in found.items() if name != "verified" or others}
    if isinstance(found.get("verified"), list) and others:
        own["verified"] = others
    try:
        return format_document(without_derived(own, max(times, default="")), "") + body
    except FormatError:
        return None


def without_derived(fields: Mapping[str, Any], proved: str = "") -> dict[str, Any]:
    """Return fields without those that can be derived from the others."""
    derived = okf_fields(fields, proved)
    return {name: value for name, value in fields.items() if name not in derived or derived[name] != value}


def _proofs(verified: object) -> tuple[list[object], list[str]]:
    """Return the entries by others, and the times of ours."""
    entries = entries_of(verified)
    own = [entry for entry in entries if isinstance(entry, dict) and entry.get("by") == PROVER]
    times = [entry["at"] for entry in own if isinstance(entry.get("at"), str)]
    return [entry for entry in entries if entry not in own], times


def entries_of(verified: object) -> list[object]:
    """Return ``verified`` as a list: a bare mapping means a single entry (section 5.2)."""
    return verified if isinstance(verified, list) else [] if verified is None else [verified]


def type_of(fields: Mapping[str, Any]) -> str:
    """Return the type of a concept, the first one of a list; empty if it has none."""
    value = fields.get("type")
    first = value[0] if isinstance(value, list) and value else value
    return first.strip() if isinstance(first, str) else ""


def is_concept(fields: Mapping[str, Any]) -> bool:
    """Return whether a frontmatter has a type and fields that only OKF has."""
    sources = fields.get("sources")
    return bool(type_of(fields)) and (
        any(isinstance(fields.get(name), dict) and "by" in fields[name] for name in ("generated", "verified"))
        or any(isinstance(entry, dict) and "by" in entry for entry in entries_of(fields.get("verified")))
        or (isinstance(sources, list) and any(isinstance(entry, dict) and "resource" in entry for entry in sources))
        or "stale_after" in fields
    )


def is_usable(name: str, value: object) -> bool:
    """Return whether a memory's field can have this value."""
    try:
        format_field(name, value)
        check_fields({name: value})
    except (FormatError, AttributeError, RecursionError):
        return False
    return True


def with_lifetime(fields: Mapping[str, Any], now: int) -> dict[str, Any]:
    """Return fields in which ``stale_after`` is also a lifetime: from the memory's creation until that day.

    Args:
        fields: The frontmatter of another system's memory.
        now: Epoch seconds, for a memory without a creation time.
    """
    day = fields.get("stale_after")
    if not isinstance(day, str) or "ttl" in fields:
        return dict(fields)
    created = fields.get("created")
    try:
        start = parse_time(created) if isinstance(created, str) else now
        length = max(parse_time(f"{day[:10]}T00:00:00Z") - start, 1)
        ttl = f"{length // _DAY_S}d" if length % _DAY_S == 0 else f"{length}s"
        parse_ttl(ttl)
    except FormatError:
        return dict(fields)
    return without_derived({**fields, "ttl": ttl})


def index_file(entries: Iterable[tuple[str, str, str, str]], *, is_root: bool) -> str:
    """Return an index file (section 8).

    Args:
        entries: Heading, title, address and description of each entry, grouped by heading.
        is_root: Whether it is the bundle's own index, which names the version.
    """
    lines, last = [f'---\nokf_version: "{VERSION}"\n---\n'] if is_root else [], ""
    for heading, title, address, description in entries:
        if heading != last:
            lines.append(f"{chr(10) if last else ''}# {heading}\n\n")
            last = heading
        lines.append(f"* {_link(title, address)}{f' - {_plain(description)}' if description else ''}\n")
    return "".join(lines)


def log_file(entries: Iterable[tuple[str, str, str, str]]) -> str:
    """Return a log file (section 9) of day, word, title and address of each entry."""
    lines, last = ["# Log\n"], ""
    for day, word, title, address in sorted(entries, key=lambda entry: entry[0], reverse=True):
        if day != last:
            lines.append(f"\n## {day}\n")
            last = day
        lines.append(f"* **{word}**: {_link(title, address)}\n")
    return "".join(lines)


def _link(title: str, address: str) -> str:
    return f"[{_plain(title)}]({address})"


def _plain(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())


def is_root_index(text: str) -> bool:
    """Return whether an index file declares that its folder is a bundle (section 12)."""
    try:
        return "okf_version:" in split(text).frontmatter
    except FormatError:
        return False
