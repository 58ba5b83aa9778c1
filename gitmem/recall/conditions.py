"""The filters of a query as SQL, by the statuses of memories."""

from __future__ import annotations

from gitmem.document.author import read_author
from gitmem.frozen import replace
from gitmem.index.catalog import state, strings
from gitmem.model import ADOPTED, STATUSES, SUMMARY, UNPROVEN, VERIFIED
from gitmem.store.scopes import domains_of, is_meant
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.recall.query import Query


def hit_condition(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
    """Return the SQL condition for all filters on the hits of recall, with adopted facts only if they fail.

    All adopted facts are included if the query requests their kind or everything.
    """
    condition, values = filter_condition(catalog, ground, query, now=now)
    if query.everything or ADOPTED in query.kinds:
        return condition, values
    return f"{condition} AND {state.visible_condition(ground)}", values


def filter_condition(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
    """Return the SQL condition on ``memory m`` for all filters, after defining the functions that it calls.

    All filters are applied before the limit: otherwise better matches that do not pass could displace those that do.
    """
    parts = ["m.shadowed = 0"]
    values: list[object] = []
    if not query.everything:
        parts.append("m.archived = 0 AND m.superseded = 0 AND (m.expires IS NULL OR m.expires > ?)")
        values.append(now)
    if query.domains is not None:
        scopes, domains = query.scopes, query.domains
        catalog.connection.create_function("is_meant", 1, lambda fields: is_meant(fields, scopes, domains))
        parts.append("EXISTS (SELECT 1 FROM text d WHERE d.id = m.id AND is_meant(d.fields))")
    tasks = tuple(task.lower() for task in query.tasks)
    columns = {"m.kind": query.kinds, "m.kind NOT": query.unread, "m.task <> '' AND lower(m.task)": tasks}
    for column, words in columns.items():
        if words:
            parts.append(f"{column} IN ({','.join('?' * len(words))})")
            values += words
    if query.knowledge:
        parts.append(_KNOWLEDGE)
    if query.named_domains or query.workspaces or query.by:
        catalog.connection.create_function("is_of", 1, lambda fields: _is_of(fields, query))
        parts.append("EXISTS (SELECT 1 FROM text o WHERE o.id = m.id AND is_of(o.fields))")
    for tag in query.tags:
        parts.append("EXISTS (SELECT 1 FROM tag g WHERE g.tag = ? AND g.id = m.id)")
        values.append(tag)
    if query.statuses:
        catalog.connection.create_function(
            "has_status", 1, with_status(catalog, ground, query.statuses, now=now).__contains__
        )
        parts.append("has_status(m.id)")
    if query.strict:
        catalog.connection.create_function("is_unsound", 1, unsound_statuses(catalog, ground, now=now).__contains__)
        parts.append("NOT is_unsound(m.id)")
    if query.paths:
        from gitmem.text.globs import has_to_do  # imports re2, which only patterns need

        catalog.connection.create_function("is_about", 1, lambda places: has_to_do(strings(places), query.paths))
        parts.append("EXISTS (SELECT 1 FROM text p WHERE p.id = m.id AND p.paths <> '[]' AND is_about(p.paths))")
    return " AND ".join(parts), values


# An outcome mentions failures (``capture``, ``workflow.run_file``); a closed task counts its failed attempts.
_KNOWLEDGE = (
    f"m.kind <> '{SUMMARY}' AND (m.kind <> 'outcome' OR m.title LIKE '%fail%' OR EXISTS (SELECT 1 FROM text w"
    " WHERE w.id = m.id AND w.body LIKE '%went wrong%')) AND NOT EXISTS (SELECT 1 FROM task k WHERE k.id = m.id"
    " AND k.state = 'closed' AND k.failures = 0)"
)


def _is_of(fields: str, query: Query) -> bool:
    """Return whether a memory, given its fields as JSON, matches the query's domains, folders and authors."""
    table = parse_json(fields)
    if query.named_domains and not set(query.named_domains) & set(domains_of(fields)):
        return False
    folder = str(table.get("workspace") or "").strip("/")
    wanted = [workspace.strip("/") for workspace in query.workspaces]
    if wanted and not any(folder == outer or folder.startswith(f"{outer}/") for outer in wanted):
        return False
    who = [name.lower() for name in read_author(table).names]
    return not query.by or any(person.lower() in who for person in query.by)


def with_status(catalog: Catalog, ground: int | None, statuses: Sequence[str], *, now: int) -> set[int]:
    """Return the memories with one of the statuses: facts, and the memories that a failed one makes suspect."""
    return {number for number, status in _read_statuses(catalog, ground, now=now).items() if status.status in statuses}


def unsound_statuses(catalog: Catalog, ground: int | None, *, now: int) -> dict[int, str]:
    """Return the memories that a strict query withholds, with their statuses."""
    return {
        number: status.status
        for number, status in _read_statuses(catalog, ground, now=now).items()
        if not is_sound(status)
    }


def is_sound(status: state.MemoryStatus) -> bool:
    """Return whether a memory can be trusted as it is: it makes no claim that a check could prove, or it is verified.

    An open task is sound: that its check does not hold yet does not make the task wrong.
    """
    return status.status in ("", VERIFIED) or (status.status == UNPROVEN and not status.is_claim)


def withheld_condition(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
    """Return the condition on memories that pass all other filters but are withheld as unsound."""
    condition, values = hit_condition(catalog, ground, replace(query, strict=False), now=now)
    catalog.connection.create_function("is_unsound", 1, unsound_statuses(catalog, ground, now=now).__contains__)
    return f"{condition} AND is_unsound(m.id)", values


def count_statuses(statuses: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return how often each status occurs, worst status first."""
    found = list(statuses)
    return tuple((status, found.count(status)) for status in STATUSES if status in found)


def _read_statuses(catalog: Catalog, ground: int | None, *, now: int) -> dict[int, state.MemoryStatus]:
    """Return the statuses of all memories that can have one."""
    chains = state.suspects(catalog, ground)
    numbers = [row[0] for row in catalog.rows("SELECT id FROM fact")]
    numbers += state.referring_to_changed_lines(catalog, ground)
    numbers += [row[0] for row in catalog.each("SELECT id FROM memory WHERE key IN ({})", chains)]
    return state.statuses_of(catalog, ground, numbers, now=now, chains=chains)
