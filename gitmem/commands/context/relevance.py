"""Find memories relevant to the current work without a query."""

from __future__ import annotations

from heapq import nlargest

from gitmem.frozen import frozen
from gitmem.index.catalog import state
from gitmem.model import ADOPTED
from gitmem.policy.kinds import START
from gitmem.recall import work
from gitmem.recall.scoring import half_life_days, recency
from gitmem.recall.work import neighbours
from gitmem.statuses import age_s
from gitmem.text import parse_json
from gitmem.text.durations import DAY_S
from gitmem.text.globs import without_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository

# The newest memories scored, besides those whose paths match.
NEWEST = 200
# The most memories with matching paths, nearest first: ten times as many as fit into a digest.
NEAREST = 500
# A memory relates to a place if they share this much of their leading folders: one in the same folder does (2/3 at a
# depth of three), one in a sibling folder does not (1/2).
RELATED = 0.6
# Candidates for relevance: tasks have a section of their own, sessions and outcomes are recent work, and adopted facts
# are warnings or not shown.
UNFIT = ("task", "session", "outcome", ADOPTED)
# Without title and body: these are read for the few that are shown.
_SELECTED = "SELECT m.id, m.key, m.kind, m.created, t.paths FROM memory m {} CROSS JOIN text t ON t.id = m.id"
COLUMNS = _SELECTED.format("")
# By time, using its index: SQLite would sort all of them.
BY_TIME = _SELECTED.format("INDEXED BY memory_recent")


@frozen
class RelevanceRow:
    """A memory as needed for scoring: no text.

    Attributes:
        id: Its number in the catalog.
        key: Its key.
        kind: Its kind.
        created: Epoch seconds.
        paths: The JSON list of its paths, as stored in the catalog.
    """

    id: int
    key: str
    kind: str
    created: int
    paths: str


# What distinguishes a path from a broader one that matches as well; any number small enough not to be an overlap.
TRACE = 2**-10
# How well a memory fits that a branch's or a task's name asks for: more than the file itself, whose memories follow
# when it is read or changed.
NAME_FIT = 1 + 2 * TRACE


def fit_for(unread: Sequence[str] = ()) -> str:
    """Return the SQL condition for candidates, for a reader who does not read these kinds."""
    return f"{state.LIVE} AND m.kind NOT IN {(*UNFIT, *unread)}"


def unexpired_condition(now: int) -> str:
    """Return the SQL condition for unexpired memories."""
    return f"(m.expires IS NULL OR m.expires > {now})"


def candidates(
    catalog: Catalog, working: Sequence[str], now: int, related: Iterable[str], *, unread: Sequence[str] = ()
) -> list[RelevanceRow]:
    """Return candidates: the memories related to the work by their words, and those near a place.

    Args:
        catalog: The catalog.
        working: The current paths.
        now: Epoch seconds.
        related: The keys of the memories that fit the work by their words.
        unread: Kinds to leave out.
    """
    wanted = f"{fit_for(unread)} AND {unexpired_condition(now)}"
    found = catalog.each(f"{COLUMNS} WHERE {wanted} AND m.key IN ({{}})", sorted(related))
    rows = {row[0]: row for row in found}
    if working:
        near = nearness_to(working)
        # From a covering index: the texts are not read.
        placed = catalog.rows("SELECT id, paths FROM text WHERE paths <> '[]'")
        scored = ((overlap, number) for number, paths in placed if (overlap := near(paths)))
        nearest = [number for _, number in nlargest(NEAREST, scored)]
        rows |= {row[0]: row for row in catalog.each(f"{COLUMNS} WHERE {wanted} AND m.id IN ({{}})", nearest)}
    return [RelevanceRow(*row) for row in rows.values()]


def nearness_to(working: Sequence[str]) -> Callable[[str], float]:
    """Return how near a JSON list of paths is to some places, from 0 to 1 + TRACE: the best ``work.path_overlap``.

    Of paths that match completely, a more specific one is nearer by up to TRACE: the file itself before
    ``src/auth/**``, and that before ``src/**``.

    Many memories name the same few paths, so each is scored once (measured: 10,000 memories and 8 places, 20 ms instead
    of 0.4 s).
    """
    # For each leading part of a place, the length of the shortest place with that part.
    shortest: dict[str, int] = {}
    for parts in map(work.literal_parts, working):
        for length in range(1, len(parts) + 1):
            head = "/".join(parts[:length])
            shortest[head] = min(shortest.get(head, len(parts)), len(parts))
    known: dict[str, float] = {}
    whole: dict[str, float] = {"[]": 0.0}

    def of_one(path: str) -> float:
        parts, head, best = work.literal_parts(without_lines(path)), "", 0.0
        for length, part in enumerate(parts, 1):
            head = f"{head}/{part}" if head else part
            other = shortest.get(head)
            if other is None:  # then no longer part is the beginning of a place either
                break
            overlap = length / min(len(parts), other)
            best = max(best, overlap if overlap < 1 else 1 + TRACE * length / max(len(parts), other))
        return best

    def near(paths: str) -> float:
        best = whole.get(paths)
        if best is None:
            best = 0.0
            for path in parse_json(paths) if "\\" in paths else paths[2:-2].split('", "'):
                nearness = known.get(path)
                if nearness is None:
                    nearness = known[path] = of_one(path)
                best = max(best, nearness)
            whole[paths] = best
        return best

    return near


@frozen
class CurrentWork:
    """What memories may be relevant to.

    Attributes:
        paths: The current paths.
        held: The claimed tasks.
        related: How well memories fit the current work by their words, from 0 to 1; then only those that fit by words,
            place or a link are relevant. None for all.
    """

    paths: Sequence[str]
    held: Sequence[str] = ()
    related: Mapping[str, float] | None = None


def score_all(
    repository: OpenRepository, catalog: Catalog, rows: Sequence[RelevanceRow], current: CurrentWork
) -> list[tuple[RelevanceRow, float]]:
    """Return memories with their relevance, the most relevant first, and those linked with them.

    Args:
        repository: The opened repository, whose policy and settings count.
        catalog: The catalog.
        rows: The memories.
        current: What they may be relevant to.
    """
    policy, config, now, related = repository.policy(), repository.config, repository.now, current.related
    near = nearness_to(current.paths)
    overlaps = {row.id: near(row.paths) for row in rows}
    at_work = [*current.held, *(row.key for row in rows if overlaps[row.id] >= 1.0)]
    linked = set[str]().union(*neighbours(catalog, at_work).values())
    # Linked memories that are neither new nor near a place have not been read so far.
    others = sorted(linked - {row.key for row in rows})
    found = catalog.each(
        f"{COLUMNS} WHERE {fit_for(policy.unread(START))} AND {unexpired_condition(now)} AND m.key IN ({{}})", others
    )
    scored = []
    for row in (*rows, *(RelevanceRow(*other) for other in found)):
        how_recent = recency(age_s(row.created, now) / DAY_S, half_life_days(row.kind, policy, config))
        overlap, is_linked = overlaps.get(row.id, 0.0), row.key in linked
        words = related.get(row.key, 0.0) if related is not None else 0.0
        fit = max(overlap, words)
        if related is None or words or is_linked or overlap >= RELATED:
            points = work.relevance(policy.recall.points, min(fit, 1.0), is_linked=is_linked, recency=how_recent)
            # As much as age can make up, so that a newer memory about a whole folder does not come before the file's.
            ahead = policy.recall.points.recency * max(0.0, fit - 1) / TRACE
            scored.append((row, points, points + ahead))
    scored.sort(key=lambda row: (-row[2], -row[0].created, row[0].key))
    return [(row, points) for row, points, _ in scored]
