"""The memories about one file, best first.

A memory is about a file if its check reads the file, if its ``paths`` or ``refs`` match it, or, as a weaker sign, if
its text names the file or something that the file defines.

A hook needs this after each read and edit, so it takes a few milliseconds with 10,000 memories: SQLite excludes most of
them by the letters of the path, no pattern is compiled for common globs, and words are looked up in the index by their
beginnings, so that no stemmer is loaded.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
from itertools import pairwise

from gitmem.frozen import frozen, replace
from gitmem.index.catalog import state, wordings_of
from gitmem.index.catalog.state import LIVE
from gitmem.model import ADOPTED, FAILED, UNPROVEN, VERIFIED
from gitmem.system import only_regular
from gitmem.text import composed, format_json, parse_json
from gitmem.text.globs import (
    ESCAPED,
    LONGEST,
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
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.index.catalog.state import MemoryStatus

BUILTIN = "builtin"
# The kinds that say nothing about how a file is to be used: work, its summaries, and documents from elsewhere.
NOT_ABOUT_FILES = ("task", "session", "outcome", "doc", "github", "jira")
# The most memories whose texts are searched for the name of a file, the names that are searched for, and the most
# memories that are searched for the names of its folders.
NAMED_AT_MOST, SYMBOLS_AT_MOST, OF_FOLDERS_AT_MOST = 40, 60, 20
# Names of files of which most projects have several: without a folder, they identify none below the top.
_COMMON_NAMES = frozenset(
    """
    __init__ __main__ app conftest config index lib main makefile mod package readme settings setup test tests types
    utils
    """.split()
)
# Files that define no names of code, and the most bytes read of another one.
NO_CODE = (".md", ".txt", ".json", ".lock", ".csv", ".svg", ".rst", ".yaml", ".yml", ".toml")
FILE_BYTES = 128 * 1024
_OF_PATHS = frozenset("/._-~+@")
# Names of folders that most projects have: without a folder above, they say nothing.
_COMMON_FOLDERS = frozenset(
    ("app", "cmd", "docs", "internal", "lib", "packages", "pkg", "spec", "src", "test", "tests")
)
# The fewest digits of a number that identifies a file: `0041_add_refunds.sql`.
DIGITS = 3
# A definition begins with one of these words, after any of the words before it.
_BEFORE_DEFINITION = frozenset(
    """
    export default async public private protected internal static final abstract pub declare override open sealed
    data inline unsafe extern
    """.split()
)
_DEFINES = frozenset(
    """
    def class func function fn struct enum trait interface type module const let var val fun object macro_rules!
    function* defmodule protocol record namespace
    """.split()
)
# How a memory is connected to a file, the strongest first.
BY_PLACE, BY_NAME = 0, 1


@frozen
class NearMemory:
    """A memory about a file.

    Attributes:
        number: Its number in the catalog.
        key: Its key.
        kind: Its kind.
        title: Its title.
        agent: The agent that wrote it, or empty.
        status: Its status, with the reason.
        sign: ``BY_PLACE`` or ``BY_NAME``.
        distance: How many folders are between the file and what the memory names; 0 if it names the file itself.
        reads: Whether its check reads the file.
    """

    number: int
    key: str
    kind: str
    title: str
    agent: str
    status: MemoryStatus
    sign: int
    distance: int
    reads: bool = False

    @property
    def rank(self) -> tuple[int, int, bool, int, str]:
        """Return what memories are ordered by: the sign, proof, a person before an agent, nearness."""
        proof = {VERIFIED: 0, "": 1, UNPROVEN: 3}.get(self.status.status, 2)
        return self.sign, proof, bool(self.agent), self.distance, self.key


def facts_reading(catalog: Catalog, place: str) -> list[str]:
    """Return the keys of the live facts whose checks read a file: those that name only this file first, then by key.

    A built-in check names its files among its words, literally or with ``*``. Other checks declare them, or were
    observed to read them.

    Args:
        catalog: The catalog.
        place: The file's path in the work tree, with ``/``.
    """
    distances = _reading(catalog, place) if len(place) <= LONGEST else {}
    # NOT INDEXED: by their ids, where SQLite would scan all live memories.
    sql = f"SELECT m.id, m.key FROM memory m NOT INDEXED WHERE m.id IN ({{}}) AND {LIVE}"
    rows = sorted(catalog.each(sql, distances), key=lambda row: (distances[row[0]] > 0, row[1]))
    return [key for _, key in rows]


def memories_near(
    catalog: Catalog, ground: int | None, place: str, symbols: Sequence[str] = (), *, now: int
) -> list[NearMemory]:
    """Return the live memories about a file, best first: by sign, proof, a person before an agent, and nearness.

    Args:
        catalog: The catalog.
        ground: The ground of HEAD, or None if statuses are unknown.
        place: The file's path in the work tree, with ``/``; of a folder, one that ends so: the memories of what is
            in it count if they name this folder, not one above.
        symbols: The names that the file defines (``defined_names``).
        now: Epoch seconds.
    """
    if len(place) > LONGEST:  # no file has such a path, and every folder of it would be looked up
        return []
    reads = _reading(catalog, place)
    placed = reads | {number: _distance(paths, place) for number, paths in _placed(catalog, place)}
    if place.endswith("/"):
        placed = {number: distance for number, distance in placed.items() if distance <= 1}
    named = {number: far for number, far in _naming(catalog, place, symbols).items() if number not in placed}
    places = {number: (BY_PLACE, distance) for number, distance in placed.items()}
    return _near_memories(
        catalog, ground, {number: (BY_NAME, far) for number, far in named.items()} | places, reads, now
    )


def memories_naming(
    catalog: Catalog, ground: int | None, names: Sequence[str], speaks: Callable[[str, str], bool], *, now: int
) -> dict[str, list[NearMemory]]:
    """Return the live memories whose text speaks of a name, by name, best first; without names that have none.

    Args:
        catalog: The catalog.
        ground: The ground of HEAD, or None if statuses are unknown.
        names: Names of code and of packages.
        speaks: Returns whether a text speaks of a name as wanted.
        now: Epoch seconds.
    """
    words = (name.partition("=")[0].partition("-")[0] for name in names)  # the first word of a package's name
    numbers = _list_with_words(catalog, map(_beginning, words), NAMED_AT_MOST)
    texts = {number: f"{title}\n{body}" for number, (title, body) in wordings_of(catalog, numbers).items()}
    about: dict[int, str] = {}
    for name in names:
        for number, text in texts.items():
            if number not in about and speaks(text, name):
                about[number] = name
    by_path: dict[str, list[NearMemory]] = {}
    for memory in _near_memories(catalog, ground, dict.fromkeys(about, (BY_PLACE, 0)), (), now):
        by_path.setdefault(about[memory.number], []).append(memory)
    return by_path


def _near_memories(
    catalog: Catalog, ground: int | None, signs: Mapping[int, tuple[int, int]], reads: Container[int], now: int
) -> list[NearMemory]:
    """Return the live ones of some memories, best first: by number, with the sign and the distance of each."""
    sql = (
        f"SELECT m.id, m.key, m.kind, m.title, m.agent FROM memory m NOT INDEXED WHERE m.id IN ({{}}) AND {LIVE}"
        f" AND m.kind NOT IN {NOT_ABOUT_FILES} AND (m.expires IS NULL OR m.expires > {now})"
    )
    rows = list(catalog.each(sql, signs))
    if not rows:
        return []
    chains = state.suspects(catalog, ground)
    statuses = state.statuses_of(catalog, ground, [row[0] for row in rows], now=now, chains=chains)
    near_memories = [
        NearMemory(
            number,
            key,
            kind,
            title,
            agent,
            statuses[number],
            sign=signs[number][0],
            distance=signs[number][1],
            reads=number in reads,
        )
        for number, key, kind, title, agent in rows
    ]
    shown = [memory for memory in near_memories if memory.kind != ADOPTED or memory.status.status == FAILED]
    return sorted(shown, key=lambda near: near.rank)


def with_statuses(catalog: Catalog, ground: int | None, found: Sequence[NearMemory], *, now: int) -> list[NearMemory]:
    """Return memories with their present statuses, best first."""
    chains = state.suspects(catalog, ground)
    statuses = state.statuses_of(catalog, ground, [near.number for near in found], now=now, chains=chains)
    return sorted((replace(near, status=statuses[near.number]) for near in found), key=lambda near: near.rank)


def _reading(catalog: Catalog, place: str) -> dict[int, int]:
    """Return the facts whose checks read a file, by number, with their distances."""
    # One pass over all checks, and titles only for the results: joins would take three times as long (measured).
    rows = catalog.rows(
        f"SELECT id, form, words, inputs FROM fact WHERE {_near('words', place)} OR form <> 'builtin'",
        (place,),
    )
    named = {number: _own(words) if form == BUILTIN else inputs for number, form, words, inputs in rows}
    known = {text: _names(text, place) for text in set(named.values())}
    distances = {number: _distance(text, place) for number, text in named.items() if known[text]}
    if any(form != BUILTIN for _, form, _, _ in rows):
        for number, reads in catalog.rows(
            "SELECT f.id, v.reads FROM fact f CROSS JOIN memory m ON m.id = f.id CROSS JOIN verdict v ON v.key = m.key"
            " AND v.spec = f.spec WHERE f.form <> 'builtin' AND instr(v.reads, ?)",
            (place,),
        ):
            if any(word[1:] == place for word in reads.split(" ")):  # each begins with a marker (`verify.trace.reads`)
                distances[number] = 0
    return distances


def _placed(catalog: Catalog, place: str) -> list[tuple[int, str]]:
    """Return the memories whose ``paths`` or ``refs`` match a file, each with these as JSON."""
    rows = catalog.rows(
        "SELECT p.id, p.paths FROM packed p INDEXED BY packed_paths"
        f" WHERE p.paths <> '[]' AND {_near('p.paths', place, has_sets=True)}",
        (place,),
    )
    # Many memories name the same few paths.
    known = {paths: _names(paths, place) or _is_of_folder(paths, place) for paths in {paths for _, paths in rows}}
    return [(number, paths) for number, paths in rows if known[paths]]


def _is_of_folder(written: str, place: str) -> bool:
    """Return whether a glob in a JSON list matches files in a folder by their names: `app/mail/*.rb`."""
    return place.endswith("/") and any("*" in glob and glob.partition("*")[0] == place for glob in written.split('"'))


def _distance(written: str, place: str) -> int:
    """Return how many folders are between a file and the nearest of its globs in a JSON list: 0 for the file itself."""
    if f'"{place}"' in written or f'"{place}:' in written:
        return 0
    depth = place.count("/") + 1
    literal = (glob.partition("*")[0] for glob in written.split('"')[1::2] if place.startswith(glob.partition("*")[0]))
    return depth - max((glob_.count("/") for glob_ in literal), default=0)


def _naming(catalog: Catalog, place: str, symbols: Sequence[str]) -> dict[int, int]:
    """Return the memories whose texts name a file, one of the names that it defines, or a folder above it.

    Each with the number of folders between: 0 if the file itself is named.
    """
    above, _, name = place.rpartition("/")
    if not name:
        return {}
    parts, folders = place.split("/"), _folders(above)
    wholes = ["/".join(parts[at:]) for at in range(len(parts))]
    stem, number = name.partition(".")[0], _number_of(name)
    alone = [stem] if stem.lower() not in _COMMON_NAMES else []  # as in a path of another machine
    # Apart: a common word for a folder must not crowd out the memories that name the file.
    numbers = dict.fromkeys(
        [
            *_list_with_words(
                catalog, [*map(_beginning, (*wholes, *symbols[:SYMBOLS_AT_MOST])), number], NAMED_AT_MOST
            ),
            *_list_with_words(catalog, map(_beginning, (*alone, *folders)), OF_FOLDERS_AT_MOST),
        ]
    )
    distances = {}
    for one, (title, body) in wordings_of(catalog, list(numbers)).items():
        text = f"{title}\n{body}".replace("\\", "/")
        is_numbered = bool(number) and _mentions_number(text, number, above)
        if is_numbered or _mentions_file(text, place, name) or any(_mentions_name(text, symbol) for symbol in symbols):
            distances[one] = 0
        elif folder := next((folder for folder in folders if _mentions_folder(text, folder, place)), ""):
            distances[one] = place.count("/") - folder.count("/")
    return distances


def _list_with_words(catalog: Catalog, words: Iterable[str], limit: int) -> list[int]:
    """Return the newest memories with a word that begins so; short beginnings without a number do not count."""
    wanted = sorted({word for word in words if len(word) > 3 or word.isdigit() or word[2:3].isdigit()})
    if not wanted:
        return []
    match = "{title body} : (" + " OR ".join(f'"{word}" *' for word in wanted) + ")"
    try:
        rows = catalog.rows("SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rowid DESC LIMIT ?", (match, limit))
    except sqlite3.OperationalError:  # an empty store has no index yet
        return []
    return [number for (number,) in rows]


def _folders(above: str) -> list[str]:
    """Return the folders above a file that a text may name, the nearest first."""
    parts = above.split("/")
    folders = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return [folder for folder in folders if "/" in folder or (folder and folder not in _COMMON_FOLDERS)]


def _number_of(name: str) -> str:
    """Return the number that the name of a file begins with, as those of migrations do; empty if it has none."""
    number = name[: len(name) - len(name.lstrip("0123456789"))]
    return number if len(number) >= DIGITS and name[len(number) : len(number) + 1] in ("_", "-") else ""


def _mentions_number(text: str, number: str, above: str) -> bool:
    """Return whether a text names a file by its number and by what its folder holds: "migration 0041"."""
    kind = above.rpartition("/")[2].lower().removesuffix("s")
    return len(kind) > 1 and kind in text.lower() and _mentions_name(text, number)


def _mentions_folder(text: str, folder: str, place: str) -> bool:
    """Return whether a text names a folder, and not only something in it; one at the top must end in a slash."""
    at = text.find(folder)
    while at >= 0:
        end = at + len(folder)
        before, rest = text[:at].removesuffix("./"), text[end : end + 80].split(maxsplit=1)[:1]
        is_begin = not before or not (before[-1].isalnum() or before[-1] in _OF_PATHS)
        after = rest[0].rstrip("`'\".,;:!?)]}") if rest and not text[end].isspace() else ""
        if is_begin and (after == "/" or (not after and "/" in folder)):
            return True
        if is_begin and after.startswith("/") and "*" in after and _matches(folder + after, place):
            return True
        at = text.find(folder, at + 1)
    return False


def _beginning(name: str) -> str:
    """Return the beginning of a name's term in the index, without what a stemmer may change."""
    whole = "".join(char for char in name.lower() if char.isalnum())
    changed = 5 if len(whole) > 9 else 3  # "calculateShipping" becomes "calculateship"
    return whole[: max(4, len(whole) - changed)] if whole.isascii() and len(whole) <= 64 else ""


def _mentions_file(text: str, place: str, name: str) -> bool:
    """Return whether a text names a file: by its path, the end of its path, or its name if that is distinctive.

    A path from the root of another machine counts if it ends with that of the file.
    """
    at = text.find(name)
    while at >= 0:
        start, end = at, at + len(name)
        while start and (text[start - 1].isalnum() or text[start - 1] in _OF_PATHS):
            start -= 1
        is_end = end == len(text) or not (text[end].isalnum() or text[end] in "_-/")
        mention = text[start:end].lstrip("./")
        is_absolute = text[start] in "/~" and "/" in place
        if is_end and (place == mention or (is_absolute and mention.endswith(f"/{place}"))):
            return True
        if is_end and place.endswith(f"/{mention}") and _is_distinctive(mention):
            return True
        at = text.find(name, at + 1)
    return False


def _is_distinctive(mention: str) -> bool:
    return "/" in mention or mention.partition(".")[0].lower() not in _COMMON_NAMES


def _mentions_name(text: str, name: str) -> bool:
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char == "_" for char in (before, after) if char):
            return True
        at = text.find(name, at + 1)
    return False


def names_in_file(top: str | None, place: str) -> list[str]:
    """Return the distinctive names that a file in the work tree defines; none if it is missing, or prose or data."""
    if not top or place.endswith(NO_CODE):
        return []
    try:
        with open(f"{top}/{place}", "rb", opener=only_regular) as file:
            return defined_names(file.read(FILE_BYTES).decode("utf-8", "replace"))
    except OSError:
        return []


def defined_names(text: str) -> list[str]:
    """Return the distinctive names that a file of code defines, in order.

    A name of several words (``snap_rows``, ``snapRows``) is distinctive; ``close`` occurs in any text. Definitions are
    recognized by the first words of their lines, in the common languages.
    """
    names: dict[str, None] = {}
    for line in text.splitlines():
        name = _defined_name(line)
        if name and is_distinctive_name(name):
            names[name] = None
            if len(names) == SYMBOLS_AT_MOST:
                break
    return list(names)


def _defined_name(line: str) -> str:
    words = line.split()
    while words and words[0] in _BEFORE_DEFINITION:
        words = words[1:]
    if not words:
        return ""
    if words[0] in _DEFINES and len(words) > 1:
        rest = words[1:]
        if rest[0].startswith("(") and words[0] == "func":  # the receiver of a method in Go
            closed = next((at for at, word in enumerate(rest) if word.endswith(")")), len(rest))
            rest = rest[closed + 1 :]
        return _identifier(rest[0].lstrip("*&")) if rest else ""
    is_constant = line[:1].isupper() and len(words) > 1 and words[1] in ("=", ":", ":=", "::")
    return _identifier(words[0]) if is_constant else ""


def _identifier(word: str) -> str:
    end = 0
    while end < len(word) and (word[end].isalnum() or word[end] == "_"):
        end += 1
    return word[:end]


def is_distinctive_name(name: str) -> bool:
    """Return whether a name has several words: it is one of code, not of prose."""
    inner = name.strip("_")
    has_hump = any(a.islower() and b.isupper() for a, b in pairwise(inner))
    return len(inner) > 4 and (has_hump or "_" in inner)


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
    conditions = ["instr({}, '{}')".format(column, letter.replace("'", "''")) for letter in letters]
    if has_sets:
        conditions += [f"instr({column}, '?')", f"instr(substr({column}, 2), '[')"]  # the list itself begins with one
    return f"(instr({column}, ?) OR {' OR '.join(conditions)})"


def _forms(path: str) -> list[str]:
    """Return how a path may be written in a JSON list: as it is, as a glob that names only it, and composed."""
    if path.isascii() and ESCAPED.isdisjoint(path) and '"' not in path:
        return [path]
    texts = (path, escape(path), composed(path))
    return list(dict.fromkeys(format_json(text, is_ascii=plain)[1:-1] for text in texts for plain in (False, True)))


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


def keys_elsewhere(catalog: Catalog, keys: Iterable[str], places: Sequence[str]) -> set[str]:
    """Return those of some memories that have paths or references, none of which matches one of some files."""
    sql = "SELECT m.key, p.paths FROM memory m JOIN packed p ON p.id = m.id WHERE m.key IN ({}) AND p.paths <> '[]'"
    return {key for key, paths in catalog.each(sql, keys) if not any(_names(paths, place) for place in places)}


def _matches(glob: str, place: str) -> bool:
    pattern = normal(without_lines(glob))
    if not pattern.isascii():
        return matcher(pattern)(place)
    if is_plain(pattern):
        return any(path == place or place.startswith(f"{path}/") for path in {pattern, unescape(pattern)})
    # Compare up to the first wildcard, so that no pattern is compiled for a glob that cannot match.
    return place.startswith(fixed_prefix(pattern)) and matcher(pattern)(place)
