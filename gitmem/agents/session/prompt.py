"""Recall memories for a prompt: at most a few, and none if none is good enough (E10, E11)."""

from __future__ import annotations

from gitmem.agents.session import log, topics
from gitmem.commands.workflow.render import part_of
from gitmem.policy import PROMPT
from gitmem.recall import Query, RecallResult, render
from gitmem.recall.gate import good_hits
from gitmem.store import local
from gitmem.text import tokens
from gitmem.text.budget import count_tokens
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository

# Of a longer prompt, the beginning and the end are the query: people write before or after what they paste.
HEAD, TAIL = 1500, 500
# Hits examined besides those that the session has seen.
HITS, HITS_AT_MOST = 12, 60
# The fewest words in a query.
TERMS = 2
LOGGED_CHARS = 200
# How people ask what was done, as opposed to how something works.
_DONE = (
    *("did we", "did you", "did i", "have we done", "have you done", "was done", "were we", "was i doing"),
    *("last session", "last time", "previous session", "earlier session", "yesterday", "left off", "worked on"),
    *("leave off", "what happened", "how far", "where we stopped", "pick up where", "continue where"),
)


def recall_for(memory: OpenRepository, event: Event, recall: Callable[[Query], RecallResult]) -> str:
    """Return the context for a prompt; empty if nothing is relevant enough, or it was shown before.

    Args:
        memory: The store.
        event: The prompt.
        recall: Runs a query.
    """
    if not memory.config.context or not (query := question_of(event.prompt)):
        return ""
    place = topics.workplace_of(memory)
    topic = topics.topic_of(place, event.session)
    if topics.is_off(place, topic) or topic.is_review or not memory.has_store():
        return ""
    policy = memory.policy()
    # C's profile recalls nothing for prompts unless its store says so (E11).
    if not policy.session.prompt or (policy.session.profile and "prompt" not in policy.changes["session"]):
        return ""
    seen = log.statuses_in_context(log.entries_of(place, event.session), whole=True)
    most = min(HITS + len(seen), HITS_AT_MOST)
    wanted = Query(text=query, limit=most, knowledge=not asks_what_was_done(query), reader=PROMPT)
    hits = good_hits(
        query,
        recall(wanted),
        policy,
        catalog_of=lambda scope: _catalog_of(memory, scope),
        is_new=lambda hit: seen.get(hit.reference) != hit.status,
    )[: policy.session.limit]
    state = memory.git.repository.state
    local.add_daily_count(state, memory.now, local.SEARCHED)
    if not hits:
        return ""
    local.add_daily_count(state, memory.now, local.ANSWERED)
    part = part_of(memory, "RECALLED", RecallResult(tuple(hits), 0))
    tip = memory.find_tip() or ""
    parts = render.fit_parts([part], tokens=10_000, characters=render.CHARACTERS - 1000)
    # Everything that is ever shown of these memories has been shown; the rest of a longer one is not shown later.
    source = f"the memory of this repository at {tip[:12]}, recalled for this prompt; key, kind, status, by whom"
    text, logged = render.fence_parts(parts, source=source), redact(query)[:LOGGED_CHARS]
    about: dict[str, Any] = {"tip": tip, "topic": topic.name, "query": logged, "tokens": count_tokens(text)}
    log.keep(place, event, render.keys_of(parts), now=memory.now, **about)
    return text


def _catalog_of(memory: OpenRepository, scope: str) -> Catalog | None:
    store = next(iter(memory.stores((scope,))), None)
    return store.catalog() if store is not None else None


def question_of(prompt: str) -> str:
    """Return the query in a prompt; empty for a command of the client and for a single word."""
    text = prompt.strip()
    if text.startswith("/") and "\n" not in text and "/" not in text[1:].split(" ", 1)[0]:
        return ""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    return text if len(tokens.query_terms(text)) >= TERMS else ""


def asks_what_was_done(query: str) -> bool:
    """Return whether a question is about earlier work, which session summaries and outcomes answer."""
    said = f" {' '.join(query.lower().split())} "
    return any(f" {words}" in said for words in _DONE)
