"""Pulled sources where they are read: most clones have none, and the plug-in that pulls them may be deleted."""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.repository.pulled import has_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory
    from gitmem.plugins.pull.api import PulledSources
    from gitmem.recall.query import Query


def find_sources(memory: Memory) -> PulledSources | None:
    """Return the sources of this clone; None if it has none, or if what pulls them is not installed."""
    if not has_sources(memory.repository):
        return None
    try:
        return memory.sources
    except ModuleNotFoundError:
        return None


def with_sources(memory: Memory, query: Query) -> Query:
    """Return a query in which collections that name pulled sources are replaced by these sources."""
    sources = find_sources(memory) if query.collections and not query.sources else None
    names = sources.named(query.collections) if sources is not None else ()
    return replace(query, sources=names, collections=()) if names else query
