"""What recall is asked for, and what it answers."""

from __future__ import annotations

from gitmem.document.api_options import TypedDict, refuse_wrong
from gitmem.frozen import frozen, replace
from gitmem.policy.kinds import REQUEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.model import Hit
    from gitmem.policy import Policy

# How many characters of a body are shown below a hit: one line of a wide terminal.
SNIPPET = 160


# The beginning of the tag that a memory in a log has.
SESSION = "session-"


class Filters(TypedDict, total=False):
    """The filters of the Python API, as ``Query`` explains them."""

    kinds: Sequence[str]
    collections: Sequence[str]
    tags: Sequence[str]
    paths: Sequence[str]
    statuses: Sequence[str]
    scopes: Sequence[str]
    strict: bool
    limit: int


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
        snippets: Whether hits have snippets; memories shown to an agent are shown with their texts.
        work: Whether to find the changed files and the held tasks (``commands.context.working_on``).
        domains: In the universal store, only memories that name none or one of these; None for no such filter.
        near_misses: Whether to return near misses if nothing is found; for a person or agent who typed the query.
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
    snippets: bool = True
    work: bool = False
    near_misses: bool = False


@frozen
class RecallResult:
    """The result of recall.

    Attributes:
        hits: The hits, best or newest first.
        more: How many more there are (at least).
        notice: A line that says how they were found if not as requested; or empty.
        withheld: In a strict query, the numbers (at least) of matching memories that are not shown, by status.
        suggestion: If nothing was found, a similar query that finds something; or empty.
        near: If nothing was found and the query asked for near misses, what it finds among adopted facts, with
        corrected spelling or without its filters, best first. Hooks and contexts never show them.
        behind: Which older state of the memories was searched, as a line, since another process is updating an index,
        or how many memories cannot be read; empty if all was searched. Without hits, such a result does not mean that
        there are none.
    """

    hits: tuple[Hit, ...]
    more: int
    notice: str = ""
    suggestion: str = ""
    withheld: tuple[tuple[str, int], ...] = ()
    behind: str = ""
    near: tuple[Hit, ...] = ()


def narrow(policy: Policy, query: Query) -> Query:
    """Return a query with the kinds of its collections, and without those that its reader does not get by default.

    Raises:
        UsageError: There is no such collection, or it contains none of the query's kinds.
    """
    if query.collections:
        from gitmem.policy.collection_rules import kinds_of

        return replace(query, kinds=kinds_of(policy, query.collections, query.kinds), collections=())
    unread = () if query.kinds or not query.reader else policy.unread(query.reader, query.text)
    return replace(query, unread=(*query.unread, *unread)) if unread else query


def query_of(query: str | Query, filters: Filters) -> Query:
    """Return a query for a text with filters; an existing ``Query`` is returned unchanged.

    Raises:
        UsageError: There is no such filter, or a list is a text.
    """
    refuse_wrong(filters, Filters, what="the search")
    if isinstance(query, Query):
        return query
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in filters.items()
    }
    return Query(text=query, **fields)
