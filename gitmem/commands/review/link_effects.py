"""The effects of a change on links: links to missing memories, and links to removed ones."""

from __future__ import annotations

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.index.catalog.required_elsewhere import list_required_elsewhere
from gitmem.index.catalog.state import LIVE
from gitmem.text import list_some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.index.catalog import Catalog

NAMES_SHOWN = 20


def look_at_links(before: Catalog, after: Catalog, changed: set[str]) -> Iterator[f.ReviewFinding]:
    """Yield links of changed memories that lead nowhere, and removed memories that others require."""
    known = "SELECT key FROM memory UNION SELECT target FROM link WHERE relation = 'produces'"
    rows = after.rows(
        "SELECT m.key, m.path, l.relation, l.target FROM link l JOIN memory m ON m.id = l.source"
        f" WHERE l.relation <> 'produces' AND {LIVE} AND l.target NOT IN ({known}) ORDER BY m.key, l.target"
    )
    elsewhere = [(key, target) for key, target in list_required_elsewhere(after) if key in changed]
    if elsewhere:
        targets = list_some(sorted({target for _, target in elsewhere}), NAMES_SHOWN)
        message = f"requires memories of other repositories, which only a hub knows: {targets}"
        yield f.ReviewFinding(f.NOTE, "link-elsewhere", sanitize.line(message), elsewhere[0][0])
    for key, path, relation, target in rows:
        if key in changed and (relation != "requires" or (key, target) not in elsewhere):
            message = f"{relation} {target}: no memory has this key or produces this label"
            yield f.ReviewFinding(f.WARNING, "link-to-nothing", sanitize.line(message), key, path, hint="gitmem list")
    rows = after.rows(
        "SELECT key, path, superseded_by FROM memory WHERE archived = 0 AND shadowed = 0 AND superseded_by <> ''"
        " AND superseded_by NOT IN (SELECT key FROM memory) ORDER BY key"
    )
    for key, path, by in rows:
        if key in changed:
            message = f"superseded_by {by}: no memory has this key, and this memory is no longer shown"
            yield f.ReviewFinding(f.WARNING, "link-to-nothing", sanitize.line(message), key, path, hint="gitmem list")
    for key, path in _gone(before, after):
        needing = after.rows(
            f"SELECT m.key FROM link l JOIN memory m ON m.id = l.source WHERE l.relation = 'requires' AND {LIVE}"
            " AND l.target = ? ORDER BY m.key",
            (key,),
        )
        if needing:
            message = f"{list_some([row[0] for row in needing], NAMES_SHOWN)} require it, but the change removes it"
            hint = f"gitmem edit {needing[0][0]}"
            yield f.ReviewFinding(f.WARNING, "still-required", message, key, path, hint=hint)


def _gone(before: Catalog, after: Catalog) -> Iterator[tuple[str, str]]:
    """Yield the memories that are no longer live, with their last paths."""
    live = {row[0] for row in after.rows(f"SELECT m.key FROM memory m WHERE {LIVE}")}
    for key, path in before.rows(f"SELECT m.key, m.path FROM memory m WHERE {LIVE} ORDER BY m.key"):
        if key not in live:
            yield key, path


def list_superseded(before: Catalog, after: Catalog) -> dict[str, tuple[str, str, str, str]]:
    """Return superseded memories by key: the new memory, and the old one's kind, title and path."""
    old = {row[0] for row in before.rows("SELECT key FROM memory WHERE superseded = 1 AND shadowed = 0")}
    rows = after.rows(
        "SELECT m.key, m.superseded_by, m.kind, m.title, m.path FROM memory m WHERE m.superseded = 1 AND m.shadowed = 0"
        " AND m.archived = 0"
    )
    superseded = {}
    for key, by, kind, title, path in rows:
        if key in old:
            continue
        row = after.row(
            "SELECT s.key FROM link l JOIN memory s ON s.id = l.source WHERE l.relation = 'supersedes' AND l.target = ?"
            " AND s.archived = 0 AND s.shadowed = 0 ORDER BY s.key",
            (key,),
        )
        superseded[key] = (by or (row[0] if row else ""), kind, title, path)
    return superseded


def list_problems(before: Catalog, after: Catalog) -> Iterator[f.ReviewFinding]:
    """Yield problems of the whole tree that are new: a path that occurs twice."""
    text = "SELECT path, code, message, key, hint FROM problem WHERE severity = 'error' ORDER BY path, code"
    old = {(path, code) for path, code, *_ in before.rows(text)}
    for path, code, message, key, hint in after.rows(text):
        if (path, code) not in old:
            yield f.ReviewFinding(
                f.ERROR, code, sanitize.line(message), sanitize.line(key), sanitize.path(path), hint=sanitize.line(hint)
            )


def list_twice(after: Catalog, changed: set[str]) -> Iterator[f.ReviewFinding]:
    """Yield changed keys that two files have: one of them is not shown."""
    rows = after.rows(
        "SELECT s.key, s.path, w.path FROM memory s JOIN memory w ON w.key = s.key AND w.shadowed = 0"
        " WHERE s.shadowed = 1 ORDER BY s.path"
    )
    for key, path, winner in rows:
        if key in changed:
            yield f.ReviewFinding(f.ERROR, "key-twice", f"{winner} has the same key and takes precedence", key, path)
