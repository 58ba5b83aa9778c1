"""Render memories for a workflow step: whole entries within a budget, fenced as data."""

from __future__ import annotations

from gitmem.index.catalog import agent_text
from gitmem.index.catalog.agent_text import MemoryText, Part
from gitmem.store.scopes import PROJECT, SCOPES, SOURCE
from gitmem.text.budget import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog.agent_text import About
    from gitmem.recall.query import RecallResult
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore

# The token budget bounds the text; no such budget needs so many characters.
CHARACTERS = 1 << 20
REST = "a higher --limit or --budget, or gitmem recall"


def part_of(repository: OpenRepository, heading: str, result: RecallResult, *, limit_tokens: int | None = None) -> Part:
    """Return memories as a part, each with its kind, status and author.

    Args:
        repository: The repository.
        heading: The part's heading.
        result: The memories.
        limit_tokens: The most tokens shown of each text; 0 for titles alone, None for the store's setting.
    """
    most = repository.policy().context.max_memory_tokens
    limit = most if limit_tokens is None else min(most, limit_tokens)
    stores = {scope: _store_of(repository, scope) for scope in {hit.scope for hit in result.hits if not hit.store}}
    known: dict[str, dict[str, About]] = {}
    for scope, store in stores.items():
        if store is not None:
            keys = [hit.key for hit in result.hits if hit.scope == scope and not hit.store]
            known[scope] = agent_text.about(store.catalog(), store.ground(store.catalog()), keys, now=repository.now)
    entries = []
    for hit in result.hits:
        store = repository.find_source(hit.store) if hit.scope == SOURCE else None if hit.store else stores[hit.scope]
        catalog = store.catalog() if store is not None else None
        text, is_whole = agent_text.hit_text(catalog if limit else None, hit, limit_tokens=limit)
        label = agent_text.MemoryLabel(hit.reference, hit.kind, hit.status, hit.scope)
        about = None if hit.store else known.get(hit.scope, {}).get(hit.key)
        entries.append(agent_text.entry_of(label, text, about, is_whole=is_whole))
    return Part(heading, tuple(entries), result.more, REST)


def compose(repository: OpenRepository, parts: Sequence[Part], budget_tokens: int) -> tuple[tuple[Part, ...], str]:
    """Return the parts that fit into a budget, cut from the end, and their text in its fence."""
    tip = (repository.find_tip() or "")[:12]
    source = f"the memory of this repository at {tip}; in brackets: key, kind, status, by whom"
    frame = agent_text.fence_parts([Part("", (MemoryText("-"),))], source=source)
    fitted = agent_text.fit_parts(parts, tokens=budget_tokens - count_tokens(frame), characters=CHARACTERS)
    return tuple(part for part in fitted if part.entries or part.more > 0), agent_text.fence_parts(
        fitted, source=source
    )


def _store_of(repository: OpenRepository, scope: str) -> OpenStore | None:
    """Return the store with a scope's memories; None for other repositories'."""
    if scope == PROJECT:
        return repository
    return next(iter(repository.stores((scope,))), None) if scope in SCOPES else None
