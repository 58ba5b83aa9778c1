"""Recall memories for a prompt: at most a few, and none if none is good enough (E10, E11)."""

from __future__ import annotations

from gitmem.agents.session import log, topics
from gitmem.commands.workflow.render import part_of
from gitmem.index.catalog.packed_texts import text_of
from gitmem.index.fts import FtsEngine
from gitmem.recall import render
from gitmem.recall.bm25 import coverage, worth
from gitmem.recall.fuse import admitted
from gitmem.recall.query import Query, RecallResult
from gitmem.store.scope import LISTED
from gitmem.text import tokens
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.agents.event import Event
    from gitmem.model import Hit
    from gitmem.policy.policy import Policy
    from gitmem.repository.repository import OpenRepository

# Of a longer prompt, the beginning and the end are asked for: people write before or behind what they paste.
HEAD, TAIL = 1500, 500
# Hits that are looked at, so that those which were shown before leave room for others.
HITS = 12
# Words that a question must have.
TERMS = 2
# What is told of one memory, in tokens: three of them stay below what a person reads at a glance.
EACH_TOKENS = 120
LOGGED_CHARS = 200


def recall_for(memory: OpenRepository, event: Event, recall: Callable[[Query], RecallResult]) -> str:
    """Return the context for a prompt; empty if nothing is relevant enough, or it was shown before.

    Args:
        memory: The store.
        event: The prompt.
        recall: Answers a question.
    """
    if not memory.config.context or not (query := question_of(event.prompt)):
        return ""
    place = topics.place_of(memory.git.repository, memory.git.read_head()[0])
    topic = topics.topic_of(place, event.session)
    if topics.is_off(place, topic) or topic.is_review or not memory.has_store():
        return ""
    policy = memory.policy()
    if not policy.session.prompt or policy.session.profile:
        return ""
    hits = good_hits(memory, query, recall(Query(text=query, limit=HITS)), policy)
    seen = log.seen_in(log.entries_of(place, event.session)) if hits else {}
    hits = [hit for hit in hits if seen.get(hit.reference) != hit.status][: policy.session.limit]
    if not hits:
        return ""
    part = part_of(memory, "RECALLED", RecallResult(tuple(hits), 0), limit_tokens=EACH_TOKENS)
    tip = memory.find_tip() or ""
    shown = log.ContextRecord(
        {hit.reference: hit.status for hit in hits}, tip, topic=topic.name, query=redact(query)[:LOGGED_CHARS]
    )
    log.keep(place, event, shown, now=memory.now)
    source = f"the memory of this repository at {tip[:12]}, recalled for this prompt; key, kind, status, by whom"
    return render.fenced(render.fitted([part], tokens=10_000, characters=render.CHARACTERS - 1000), source=source)


def question_of(prompt: str) -> str:
    """Return what is asked for by a prompt; empty for a command of the harness and for a word or less."""
    text = prompt.strip()
    if text.startswith("/") and "\n" not in text and "/" not in text[1:].split(" ", 1)[0]:
        return ""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    return text if len(tokens.query_terms(text)) >= TERMS else ""


def good_hits(memory: OpenRepository, query: str, found: RecallResult, policy: Policy) -> list[Hit]:
    """Return the hits good enough to show unprompted: none if the best is not, else those nearly as good."""
    hits = [hit for hit in found.hits if hit.scope != LISTED]
    if not hits or found.notice or not _is_good(memory, query, hits[0], policy):
        return []
    dense, ranked = policy.recall.dense, [(place, hit.score) for place, hit in enumerate(hits)]
    cosines = {place: cosine for place, hit in enumerate(hits) if (cosine := _cosine(hit)) is not None}
    return [hits[place] for place in admitted(ranked, cosines, floor=dense.turn_floor, settings=dense)]


def _cosine(hit: Hit) -> float | None:
    return dict(hit.factors).get("cosine")


def _is_good(memory: OpenRepository, query: str, best: Hit, policy: Policy) -> bool:
    """Return whether the best hit is about the question by its words; where a model knows it, `admitted` tells it."""
    if _cosine(best) is not None:
        return True
    store = next((one for one in memory.stores((best.scope,))), None)
    if store is None:
        return False
    catalog, terms = store.catalog(), tokens.query_terms(query, store.catalog().language)
    text, stats = text_of(catalog, best.key)[1], FtsEngine(catalog.connection).frequencies(terms)
    settings = policy.session
    return worth(terms, text, stats) >= settings.gate and coverage(terms, text, stats) >= settings.coverage
