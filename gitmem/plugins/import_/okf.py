"""Read concepts, index files and log files of the Open Knowledge Format; ``document.okf`` names its source. Pure."""

from __future__ import annotations

import contextlib
import posixpath
import re

from gitmem.document import okf
from gitmem.document.parse import parse, read_fields, unify
from gitmem.document.split import split
from gitmem.errors import FormatError
from gitmem.plugins.import_.fields import (
    STORE_ONLY,
    ImportRecord,
    Unreadable,
    add_fields,
    as_list,
    kind_of,
    list_store_only,
    tables_in,
)
from gitmem.plugins.import_.times import time_of
from gitmem.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.plugins.import_.wiki import Pages

# Concepts examined to detect a bundle that does not declare itself.
LOOKED_AT = 20
_LINK = re.compile(r"(?<!!)\[[^\]\n]{0,300}\]\(([^)\s]{1,1000})\)")
# A line of an index or log that only names a concept.
_ENTRY = re.compile(r"\s*[*-]\s+(\*\*\w+\*\*:\s*)?\[[^\]]*\]\([^)\s]+\)(\s+-\s.*)?\s*")


def read_concept(text: str, inside: str, where: str, pages: Pages) -> ImportRecord | Unreadable | None:
    """Return the memory in a file of a bundle, or the reason why not; None for a file that is not a concept.

    Args:
        text: The file.
        inside: Its path in the bundle.
        where: Its name in reports.
        pages: The files of the bundle, for links.
    """
    if posixpath.basename(inside) in okf.RESERVED:
        return _read_reserved(text, inside, where, pages)
    try:
        parts = split(text)
        fields = read_fields(parts.frontmatter)
    except FormatError:
        return None
    if not okf.type_of(fields):
        return None
    return _own(fields, parts.body, inside, where) or foreign_concept(
        fields, unify(parts.body).strip("\n"), inside, where, pages
    )


def _read_reserved(text: str, inside: str, where: str, pages: Pages) -> ImportRecord | Unreadable:
    """Return an index or a log as a document, if it says more than which concepts exist."""
    body = text.removeprefix("\ufeff")
    with contextlib.suppress(FormatError):
        body = split(text).body
    lines = unify(body).strip("\n").split("\n")
    more = [line for line in lines if line.strip() and not line.startswith("#") and not _ENTRY.fullmatch(line)]
    if not more:
        return Unreadable(where, "it only lists the concepts of the bundle", is_skipped=True)
    path = inside.rpartition(".")[0]
    is_titled = lines[0].startswith("# ")
    title = lines[0][2:].strip() if is_titled else path
    fields = {"kind": "doc", "title": title}
    return ImportRecord(where, pages.keys[inside], fields, "\n".join(lines[is_titled:]).strip("\n"))


def _own(found: Mapping[str, Any], body: str, inside: str, where: str) -> ImportRecord | None:
    """Return the memory that gitmem wrote as a concept; None for other systems' concepts."""
    text = okf.restore_text(found, body)
    named = found.get(okf.KEY)
    key = named if isinstance(named, str) else posixpath.basename(inside).removesuffix(".md")
    if text is None or not layout.is_key(key):
        return None
    try:
        document = parse(text, path=f"{key}.md")
    except FormatError:
        return None
    place = layout.find_memory(inside)
    folder, archived = "", "retired" in document.fields
    if place is not None:
        folder, archived = place.folder, place.archived
    return ImportRecord(where, key, document.fields, document.body, text, folder, archived)


def foreign_concept(found: Mapping[str, Any], body: str, inside: str, where: str, pages: Pages) -> ImportRecord:
    """Return the memory for another system's concept: its fields are kept, and ours derived from them."""
    generated = found.get("generated")
    written = generated if isinstance(generated, dict) else {"at": found.get("timestamp")}
    status, path = found.get("status"), inside.rpartition(".")[0]
    title, description = found.get("title"), found.get("description")
    fields: dict[str, Any] = {
        "kind": kind_of(okf.type_of(found)),
        "title": title if isinstance(title, str) and title else path.rpartition("/")[2],
    }
    created = time_of(written.get("at"))
    more = {
        "tags": as_list(found.get("tags")),
        "refs": _refs(found, body, inside, pages),
        "created": created,
        "by": okf.author_of(written.get("by")),
        "confidence": okf.DRAFT_CONFIDENCE if status == okf.DRAFT and "confidence" not in found else None,
        "verified": okf.entries_of(found.get("verified")),
    }
    fields |= {name: value for name, value in more.items() if value and okf.is_usable(name, value)}
    left_out = add_fields(found, STORE_ONLY, fields, okf.is_usable)
    is_archived = status == okf.DEPRECATED
    if is_archived:
        del fields["status"]  # retirement says the same
    text = body if body.strip() or not isinstance(description, str) else description
    ours = okf.in_order(okf.without_derived(fields))
    remark = (
        f"fields that only gitmem sets were left out: {', '.join(lost)}" if (lost := list_store_only(found)) else ""
    )
    return ImportRecord(where, pages.keys[inside], ours, text, archived=is_archived, left_out=left_out, remark=remark)


def _refs(found: Mapping[str, Any], body: str, inside: str, pages: Pages) -> list[str]:
    """Return a concept's references: the keys of concepts that it links to, and the addresses of sources."""
    sources = found.get("sources")
    entries = tables_in(sources)
    resources = [str(entry["resource"]) for entry in entries if entry.get("resource")]
    refs = as_list(found.get("refs"))
    for target in (*resources, *_LINK.findall(body)):
        if "://" in target:
            refs += [target] if target in resources else []
            continue
        path = target.partition("#")[0]
        whole = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(inside), path)
        key = pages.by_path.get(posixpath.normpath(whole).lower().removesuffix(".md"), "") if path else ""
        refs += [key] if key and key != pages.keys[inside] else []
    return list(dict.fromkeys(refs))
