"""How near a memory is to the reader's current work: to its folders and files, and by links to what it is about."""

from __future__ import annotations

from itertools import takewhile

from gitmem.frozen import replace
from gitmem.index.catalog import state, strings
from gitmem.text import parse_json
from gitmem.text.globs import is_path_like, unescape, without_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.policy.settings import WorkPoints
    from gitmem.recall.scoring import Signals


def relevance(points: WorkPoints, overlap: float, *, is_linked: bool, recency: float) -> float:
    """Return how relevant a memory is to the current work, apart from its words, given each part from 0 to 1."""
    return overlap * points.path + is_linked * points.dependency + recency * points.recency


def path_overlap(patterns: Iterable[str], places: Sequence[str]) -> float:
    """Return how near the paths of a memory are to the places where the reader works, from 0 to 1 (the best pair).

    The number of common leading folders of a pattern and a place, divided by the length of the shorter; a pattern ends
    at its first wildcard. ``src/auth/**`` and ``src/auth/jwt.py``: 1; ``src/auth/jwt.py`` and ``src/auth/key.py``: 2/3;
    ``docs/**`` and ``src``: 0.

    Args:
        patterns: Paths or globs inside the code tree, with ``/``.
        places: Files or folders inside it.
    """
    known = [literal_parts(place) for place in places]
    return max((_common(literal_parts(pattern), place) for pattern in patterns for place in known), default=0.0)


def literal_parts(pattern: str) -> list[str]:
    """Return the folders and the file of a pattern before its first wildcard."""
    return [unescape(part) for part in takewhile(is_path_like, pattern.split("/")) if part not in ("", ".")]


def _common(a: list[str], b: list[str]) -> float:
    shorter = min(len(a), len(b))
    same = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    return same / shorter if shorter else 0.0


def affinity(fields: str, here: tuple[str, str]) -> float:
    """Return how near a memory's workspace is to the reader's folder, from 0 to 1.

    A relative workspace is a folder of this code tree. An absolute one counts if it contains the reader's folder.
    """
    named, (folder, top) = parse_json(fields).get("workspace"), here
    if not isinstance(named, str) or not named or not folder:
        return 0.0
    if named.startswith("/"):
        return float(f"{folder}/".startswith(f"{named.rstrip('/')}/"))
    inside = folder.removeprefix(f"{top.rstrip('/')}/") if folder != top else ""
    return path_overlap([named], [inside]) if top and not inside.startswith("/") else 0.0


def with_work(
    catalog: Catalog,
    signals: Sequence[Signals],
    working: Sequence[str],
    held: Sequence[str],
) -> list[Signals]:
    """Add to the signals how near each memory is to the places of the current work, and whether it is linked with it.

    The current work is the held tasks and the memories about exactly these places.
    """
    sql = "SELECT m.id, m.key, t.paths FROM memory m JOIN text t ON t.id = m.id WHERE m.id IN ({})"
    rows = list(catalog.each(sql, [s.number for s in signals]))
    keys = {number: key for number, key, _ in rows}
    overlaps = {number: overlap_of(paths, working) for number, _, paths in rows}
    linked = neighbours(catalog, [*keys.values()])
    others = catalog.each(
        "SELECT m.key, t.paths FROM memory m JOIN text t ON t.id = m.id"
        f" WHERE {state.LIVE} AND {state.CLAIM} AND t.paths <> '[]' AND m.key IN ({{}})",
        sorted(set().union(*linked.values())),
    )
    at_work = {key for key, paths in others if overlap_of(paths, working) >= 1.0} | set(held)
    return [
        replace(s, overlap=overlaps[s.number], is_linked=not at_work.isdisjoint(linked[keys[s.number]]))
        for s in signals
    ]


def overlap_of(paths: str, working: Sequence[str]) -> float:
    """Return how near paths, as stored in the catalog, are to the reader's places, from 0 to 1."""
    if not working or paths == "[]":
        return 0.0
    return path_overlap([without_lines(place) for place in strings(paths)], working)


def neighbours(catalog: Catalog, keys: Sequence[str]) -> dict[str, set[str]]:
    """Return for each memory those that it requires and those that require it, by key or by produced label."""
    names: dict[str, set[str]] = {key: {key} for key in keys}
    needed: dict[str, set[str]] = {}
    links = catalog.each(
        "SELECT m.key, l.relation, l.target FROM memory m JOIN link l ON l.source = m.id"
        " WHERE l.relation IN ('produces', 'requires') AND m.key IN ({})",
        keys,
    )
    for key, relation, target in links:
        (names if relation == "produces" else needed).setdefault(target, set()).add(key)
    found: dict[str, set[str]] = {key: {name for name in needed if key in needed[name]} for key in keys}
    for relation, wanted in (("requires", names), ("produces", needed)):
        others = catalog.each(
            "SELECT l.target, m.key FROM link l JOIN memory m ON m.id = l.source"
            f" WHERE l.relation = '{relation}' AND l.target IN ({{}})",
            sorted(wanted),
        )
        for target, other in others:
            for key in wanted[target]:
                found[key].add(other)
    return found
