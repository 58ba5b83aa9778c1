"""Recall memories when a command fails: those that speak of its error, once per memory and context."""

from __future__ import annotations

from gitmem.agents.moments.output import informative_lines, speaks_of
from gitmem.agents.session import log, topics
from gitmem.agents.session.prompt import may_recall, show_hits
from gitmem.index.catalog import text_of
from gitmem.policy import PROMPT
from gitmem.recall import Query
from gitmem.store import LISTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.agents.event import Event
    from gitmem.model import Hit
    from gitmem.recall import RecallResult
    from gitmem.repository import OpenRepository

# The most hits examined, and the most memories shown.
HITS, MOST = 12, 2


def recall_failure(memory: OpenRepository, event: Event, recall: Callable[[Query], RecallResult]) -> str:
    """Return the memories that speak of a failed command's error; empty if none does, or all were shown before.

    Args:
        memory: The store.
        event: The command, with its output.
        recall: Runs a query.
    """
    lines = informative_lines(event.output) if event.session else []
    if not lines or not may_recall(memory, event):
        return ""
    at, own = topics.workplace_of(memory), log.own_context(event)
    seen, _ = log.shown_since_start(log.entries_of(at, own.session))
    query = "\n".join(lines)
    found = recall(Query(text=query, limit=HITS + len(seen), knowledge=True, reader=PROMPT))
    fresh = [hit for hit in found.hits if hit.scope != LISTED and seen.get(hit.reference) != hit.status]
    hits = [hit for hit in fresh if speaks_of(_text_of(memory, hit), event.output, lines)][:MOST]
    return show_hits(memory, own, hits, query=query) if hits else ""


def _text_of(memory: OpenRepository, hit: Hit) -> str:
    store = next(iter(memory.stores((hit.scope,))), None)
    if store is None:
        return f"{hit.title}\n{hit.snippet}"
    text = text_of(store.catalog(), hit.key)[1]
    return f"{text.title}\n{text.body}"
