"""The memories about one file: the facts whose checks read it, and its gotchas (F14).

A hook needs this after each read and edit, so it takes a few milliseconds with 10,000 memories: SQLite excludes most of
them by the letters of the path, and no pattern is compiled for common globs.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.index.catalog import refs_of
from gitmem.index.catalog.state import LIVE
from gitmem.text import format_json, parse_json
from gitmem.text.globs import (
    ESCAPED,
    composed,
    escape,
    fixed_prefix,
    is_plain,
    matcher,
    normal,
    unescape,
    without_lines,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.index.catalog import Catalog

# The kinds that are warnings.
BUILTIN = "builtin"
GOTCHAS = "'gotcha', 'anti_pattern'"
# The references of at most this many memories about a file are read, since no more are shown.
SHOWN = 10


@frozen
class Dependent:
    """A memory about a file.

    Attributes:
        key: Its key.
        title: Its title.
        refs: What it refers to, as written.
    """

    key: str
    title: str
    refs: tuple[str, ...] = ()


def facts_reading(catalog: Catalog, place: str) -> list[Dependent]:
    """Return the live facts whose checks read a file: those that name only this file first, then by key.

    A built-in check names its files among its words, literally or with ``*``. Other checks declare them, or were
    observed to read them.

    Args:
        catalog: The catalog.
        place: The file's path in the work tree, with ``/``.
    """
    # One pass over all checks, and titles only for the results: joins would take three times as long (measured).
    rows = catalog.rows(
        f"SELECT id, form, words, inputs FROM fact WHERE {_near('words', place)} OR form <> 'builtin'",
        (place,),
    )
    named = {number: _own(words) if form == BUILTIN else inputs for number, form, words, inputs in rows}
    found = {number: place not in text for number, text in named.items() if _names(text, place)}
    if any(form != BUILTIN for _, form, _, _ in rows):
        for number, reads in catalog.rows(
            "SELECT f.id, v.reads FROM fact f CROSS JOIN memory m ON m.id = f.id CROSS JOIN verdict v ON v.key = m.key"
            " AND v.spec = f.spec WHERE f.form <> 'builtin' AND instr(v.reads, ?)",
            (place,),
        ):
            if any(word[1:] == place for word in reads.split(" ")):  # each begins with a marker (`verify.trace.reads`)
                found[number] = False
    return _describe(catalog, found)


def gotchas_about(catalog: Catalog, place: str) -> list[Dependent]:
    """Return the live gotchas whose ``paths`` match a file: those that name only this file first, then by key."""
    rows = catalog.rows(
        "SELECT m.id, p.paths FROM memory m INDEXED BY memory_live CROSS JOIN packed p ON p.id = m.id"
        f" WHERE {LIVE} AND m.kind IN ({GOTCHAS}) AND {_near('p.paths', place, has_sets=True)}",
        (place,),
    )
    found = {number: place not in paths for number, paths in rows if _names(paths, place)}
    return _describe(catalog, found)


def _describe(catalog: Catalog, found: Mapping[int, bool]) -> list[Dependent]:
    """Return the live ones among some memories, those with False in *found* first."""
    # NOT INDEXED: by their ids, where SQLite would scan all live memories.
    asked = f"SELECT m.id, m.key, m.title FROM memory m NOT INDEXED WHERE m.id IN ({{}}) AND {LIVE}"
    rows = sorted(catalog.each(asked, found), key=lambda row: (found[row[0]], row[1]))
    refs = refs_of(catalog, [row[0] for row in rows[:SHOWN]])
    return [Dependent(key, title, refs.get(number, ())) for number, key, title in rows]


def _own(words: str) -> str:
    """Return the words of a built-in check as JSON, without ``or-in``, whose files it does not usually read.

    No check has a file after its third word.
    """
    parts = words.split('", "', 3)
    return '", "'.join(parts[:3]) + '"]' if len(parts) > 3 else words


def _near(column: str, place: str, *, has_sets: bool = False) -> str:
    """Return an SQL condition that is true if a glob may match: it names the file or a folder, or is a pattern.

    Sets and single characters occur in most regular expressions, so they count only if there is none.
    """
    folders = place.split("/")[:-1]
    above = [form for count in range(len(folders)) for form in _forms("/".join(folders[: count + 1]))]
    letters = ["*", *_forms(place), *(f'"{folder}{end}' for folder in above for end in ('"', '/"'))]
    conditions = ["instr({}, '{}')".format(column, one.replace("'", "''")) for one in letters]
    if has_sets:
        conditions += [f"instr({column}, '?')", f"instr(substr({column}, 2), '[')"]  # the list itself begins with one
    return f"(instr({column}, ?) OR {' OR '.join(conditions)})"


def _forms(path: str) -> list[str]:
    """Return how a path may be written in a JSON list: as it is, as a glob that names only it, and composed."""
    if path.isascii() and ESCAPED.isdisjoint(path) and '"' not in path:
        return [path]
    texts = (path, escape(path), composed(path))
    return list(dict.fromkeys(format_json(one, is_ascii=plain)[1:-1] for one in texts for plain in (False, True)))


def _names(written: str, place: str) -> bool:
    """Return whether a glob in a JSON list matches a file; most lists are excluded without parsing."""
    if "\\" in written:
        return _one_names(parse_json(written), place)
    return _one_names(written.split('"')[1::2], place) and _one_names(parse_json(written), place)


def _one_names(globs: Iterable[str], place: str) -> bool:
    for glob in globs:
        if glob == place:
            return True
        if not glob or (glob[0] != place[0] and glob[0] not in "*?[./\\" and glob[0].isascii()):
            continue
        head, star, _ = glob.partition("*")
        is_text = head.isascii() and head[:1] not in "./" and not any(sign in head for sign in "?[\\")
        if star and is_text and not place.startswith(head):
            continue
        if _matches(glob, place):
            return True
    return False


def _matches(glob: str, place: str) -> bool:
    pattern = normal(without_lines(glob))
    if not pattern.isascii():
        return matcher(pattern)(place)
    if is_plain(pattern):
        return any(path == place or place.startswith(f"{path}/") for path in {pattern, unescape(pattern)})
    # Compare up to the first wildcard, so that no pattern is compiled for a glob that cannot match.
    return place.startswith(fixed_prefix(pattern)) and matcher(pattern)(place)
