"""Links between a memory and the one that it supersedes, in both directions."""

from __future__ import annotations

from gitmem.document.edit import REMOVE
from gitmem.document.meaning import CONFIRMED, Foundation, meaning_of
from gitmem.document.parse import parse
from gitmem.frozen import replace
from gitmem.index.catalog.state import requirers
from gitmem.model import TASK
from gitmem.store.code_folder import is_home
from gitmem.write import place
from gitmem.write.draft import with_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.model import Document

    # Returns the exact text of a memory's file.
    TextOf = Callable[[Catalog, place.KnownMemory], str]


def update_links(
    text_of: TextOf,
    catalog: Catalog,
    document: Document,
    before: Mapping[str, Any],
    *,
    known: place.KnownMemory | None = None,
) -> dict[str, str]:
    """Return the files, by path, of other memories whose links change with this one.

    Args:
        text_of: Reads a memory's file.
        catalog: The catalog.
        document: The memory as it will be.
        before: Its previous fields.
        known: The existing memory if it is edited: it stays retired or superseded.

    Raises:
        RefusedError: It cannot supersede the memory that it names.
    """
    key, files = document.key, {}
    new, old = document.strings("supersedes"), replace(document, fields=dict(before)).strings("supersedes")
    for other in [k for k in new if k not in old]:
        target = place.target_of(catalog, document, other, is_retired=bool(known and known.archived))
        files[target.path] = _link(text_of(catalog, target), target, key, {"superseded_by": key})
    for other in (k for k in old if k not in new):
        gone = place.find_known(catalog, other)
        if gone is not None and place.before_of(catalog, gone).get("superseded_by") == key:
            files[gone.path] = _link(text_of(catalog, gone), gone, "", {"superseded_by": REMOVE})
    if known is None:  # recorded again: the latest wins over the memory that had superseded it
        for above in place.list_superseding(catalog, key):
            files.setdefault(above.path, _link(text_of(catalog, above), above, key, {}))
    return files


def note_meanings(
    text_of: TextOf, catalog: Catalog, before: str, after: Document, files: Mapping[str, str]
) -> dict[str, str]:
    """Return the files of memories that require a reworded one, by path: they record its previous meaning.

    Memories that already record the meaning they were confirmed with are left out.

    Args:
        text_of: Reads a memory's file.
        catalog: The catalog.
        before: The memory's previous meaning.
        after: The memory as it will be.
        files: Files of the same commit, by path.
    """
    if meaning_of(after) == before or after.kind == TASK:
        return {}
    meanings, key = {}, after.key
    for other in requirers(catalog, key):
        known = place.find_known(catalog, other)
        is_noted = catalog.row(
            "SELECT 1 FROM confirmation WHERE source = (SELECT id FROM memory WHERE key = ? AND shadowed = 0)"
            " AND target = ? UNION ALL"
            " SELECT 1 FROM verdict WHERE key = ? AND instr(char(10) || rests, char(10) || ? || ' ') > 0",
            (other, key, other, key),
        )
        if known is None or is_noted is not None or known.kind == TASK or is_home(known.path):
            continue
        text = files.get(known.path) or text_of(catalog, known)
        confirmed = parse(text, path=known.path).strings(CONFIRMED)
        meanings[known.path] = with_fields(text, {CONFIRMED: [*confirmed, str(Foundation(key, before))]}, known.path)
    return meanings


def _link(text: str, known: place.KnownMemory, drop: str, changes: Mapping[str, Any]) -> str:
    """Return a memory's text with some fields changed, and without one of the keys that it supersedes."""
    listed = parse(text, path=known.path).strings("supersedes")
    if drop in listed:
        changes = {**changes, "supersedes": [k for k in listed if k != drop] or REMOVE}
    return with_fields(text, changes, known.path)
