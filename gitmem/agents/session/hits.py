"""Show the hits of a recall to an agent that did not ask: with their present statuses, fenced and logged."""

from __future__ import annotations

from gitmem.agents.session import log, topics
from gitmem.commands.context.parts import part_of
from gitmem.frozen import replace
from gitmem.index.catalog import agent_text, state
from gitmem.recall.query import RecallResult
from gitmem.text.budget import count_tokens
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.agents.event import Event
    from gitmem.model import Hit
    from gitmem.repository import OpenRepository

LOGGED_CHARS = 200


def spot_checked(repository: OpenRepository, hits: Sequence[Hit], seen: Mapping[str, str]) -> list[Hit]:
    """Return hits that are about to be shown with the statuses that spot checks give them, without those then seen."""
    by_reference = {hit.reference: hit for hit in hits}
    for scope in dict.fromkeys(hit.scope for hit in hits):
        own = {hit.key: hit.reference for hit in hits if hit.scope == scope and not hit.store}
        store = next(iter(repository.stores((scope,))), None) if own else None
        if store is None:
            continue
        catalog = store.catalog()
        ground = store.ground(catalog)
        if store.spot_check(catalog, ground, own):
            statuses = state.statuses_by_key(catalog, ground, own, now=repository.now)
            for key, status in statuses.items():
                by_reference[own[key]] = replace(by_reference[own[key]], status=status.status)
    return [hit for hit in by_reference.values() if seen.get(hit.reference) != hit.status]


def show_hits(repository: OpenRepository, event: Event, hits: Sequence[Hit], *, query: str) -> str:
    """Return memories as text for an agent, and log that this context was shown them."""
    place = topics.workplace_of(repository)
    topic = topics.topic_of(place, event.session)
    part = part_of(repository, "", RecallResult(tuple(hits), 0))
    tip = repository.find_tip() or ""
    parts = agent_text.fit_parts([part], tokens=10_000, characters=agent_text.CHARACTERS - 1000)
    # Everything that is ever shown of these memories has been shown; the rest of a longer one is not shown later.
    text, logged = agent_text.fence_parts(parts), redact(query)[:LOGGED_CHARS]
    keys, tokens = agent_text.keys_of(parts), count_tokens(text)
    shown = log.ShownMemories(keys, tip, topic=topic.name, query=logged, tokens=tokens)
    log.keep(place, event, shown, now=repository.now)
    return text
