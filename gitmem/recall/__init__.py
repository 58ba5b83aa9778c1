"""The query and the result of recall, and the filters as SQL."""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.index.catalog import state, strings
from gitmem.model import ADOPTED, STATUSES, SUMMARY, UNPROVEN, VERIFIED
from gitmem.policy import REQUEST
from gitmem.store import domains_of, is_meant
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.model import Hit
    from gitmem.policy import Policy

# How many characters of a body are shown below a hit: one line of a wide terminal.
SNIPPET = 160
# The beginning of the tag that a memory in a log has.
SESSION = "session-"


@frozen
class Query:
    """A query to recall.

    Attributes:
        text: The search text as typed; empty for the newest memories.
        kinds: Only these kinds; empty for all.
        collections: Only the kinds of these collections, including those that the reader does not get by default.
        reader: Who reads the result (``policy.collections.READERS``); empty if ``unread`` is complete.
        unread: Kinds that are left out; ``narrow`` adds those that the reader does not get by default.
        tags: Only memories with all of these tags.
        paths: Only memories whose ``paths`` are related to one of these files or folders of the code.
        statuses: Only these statuses.
        tasks: Only what was learned for one of these tasks, by key or id, in any case.
        named_domains: Only memories that name one of these domains.
        workspaces: Only memories that were learned in one of these folders, or below it.
        by: Only memories of one of these people or agents, in any case.
        knowledge: Only knowledge: no summaries of sessions, and nothing that only reports completed work.
        limit: How many hits, >= 1.
        everything: Archived, superseded and expired memories as well.
        syntax: Whether the text is in the query language (``by_syntax``); otherwise nothing in it is syntax.
        lexical: Whether to search by words only, even if an embedding provider is set up.
        scopes: Only these scopes; empty for all.
        sources: Only these pulled sources (``gitmem pull``), and no memory; empty for none.
        stores: These stores of other repositories, by their local names; empty for all, or none (``scopes``).
        strict: Leave out memories that must not be trusted as they are (``is_sound``).
        without: Factors that are switched off for this query.
        near: Files or folders of the code that the reader works on; they affect the order and exclude nothing.
        held: Keys of the tasks that the reader works on.
        here: The reader's folder and the top of its work tree, absolute; or empty.
        work: Whether to find the changed files and the held tasks (``commands.context.working_on``).
        domains: In the universal store, only memories that name none or one of these; None for no such filter.
    """

    text: str = ""
    kinds: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    reader: str = REQUEST
    unread: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    named_domains: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    knowledge: bool = False
    limit: int = 10
    everything: bool = False
    syntax: bool = False
    lexical: bool = False
    scopes: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    domains: tuple[str, ...] | None = None
    strict: bool = False
    without: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    here: tuple[str, str] = ("", "")
    work: bool = False


@frozen
class RecallResult:
    """The result of recall.

    Attributes:
        hits: The hits, best or newest first.
        more: How many more there are (at least).
        notice: A line that says how they were found if not as requested; or empty.
        withheld: In a strict query, the numbers (at least) of matching memories that are not shown, by status.
        suggestion: If nothing was found, a similar query that finds something; or empty.
    """

    hits: tuple[Hit, ...]
    more: int
    notice: str = ""
    suggestion: str = ""
    withheld: tuple[tuple[str, int], ...] = ()


def narrow(policy: Policy, query: Query) -> Query:
    """Return a query with the kinds of its collections, and without those that its reader does not get by default.

    Raises:
        UsageError: There is no such collection, or it contains none of the query's kinds.
    """
    if query.collections:
        from gitmem.policy.collections import kinds_of

        return replace(query, kinds=kinds_of(policy, query.collections, query.kinds), collections=())
    unread = () if query.kinds or not query.reader else policy.unread(query.reader, query.text)
    return replace(query, unread=(*query.unread, *unread)) if unread else query


def shown(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
    """Return the SQL condition for all filters on the hits of recall, with adopted facts only if they fail.

    All adopted facts are included if the query requests their kind or everything.
    """
    condition, values = where(catalog, ground, query, now=now)
    if query.everything or ADOPTED in query.kinds:
        return condition, values
    return f"{condition} AND {state.shown(ground)}", values


def where(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
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
    if query.kinds:
        parts.append(f"m.kind IN ({','.join('?' * len(query.kinds))})")
        values += query.kinds
    if query.unread:
        parts.append(f"m.kind NOT IN ({','.join('?' * len(query.unread))})")
        values += query.unread
    if query.tasks:
        parts.append(f"m.task <> '' AND lower(m.task) IN ({','.join('?' * len(query.tasks))})")
        values += [task.lower() for task in query.tasks]
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
        catalog.connection.create_function("is_unsound", 1, unsound(catalog, ground, now=now).__contains__)
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
    found = parse_json(fields)
    if query.named_domains and not set(query.named_domains) & set(domains_of(fields)):
        return False
    folder = str(found.get("workspace") or "").strip("/")
    wanted = [one.strip("/") for one in query.workspaces]
    if wanted and not any(folder == one or folder.startswith(f"{one}/") for one in wanted):
        return False
    by = found.get("by")
    who = [str(one).lower() for one in (by.values() if isinstance(by, dict) else [by]) if one]
    return not query.by or any(one.lower() in who for one in query.by)


def with_status(catalog: Catalog, ground: int | None, statuses: Sequence[str], *, now: int) -> set[int]:
    """Return the memories with one of the statuses: facts, and the memories that a failed one makes suspect."""
    return {number for number, status in _read_statuses(catalog, ground, now=now).items() if status.status in statuses}


def unsound(catalog: Catalog, ground: int | None, *, now: int) -> dict[int, str]:
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


def withheld(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
    """Return the condition on memories that pass all other filters but are withheld as unsound."""
    condition, values = shown(catalog, ground, replace(query, strict=False), now=now)
    catalog.connection.create_function("is_unsound", 1, unsound(catalog, ground, now=now).__contains__)
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


def query_of(query: str | Query, **filters: Any) -> Query:
    """Return a query for a text with filters; an existing ``Query`` is returned unchanged."""
    if isinstance(query, Query):
        return query
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in filters.items()
    }
    return Query(text=query, **given)
