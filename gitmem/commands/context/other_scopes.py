"""The digest's section for the other scopes, by the same relevance."""

from __future__ import annotations

from gitmem.commands.context import relevance, sections
from gitmem.frozen import fields_of, replace
from gitmem.index.catalog import state
from gitmem.policy.settings import START
from gitmem.recall import Query, shown
from gitmem.store import SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from gitmem.commands.context.sections import DigestItem, DigestSection
    from gitmem.config import Config
    from gitmem.policy import Policy
    from gitmem.recall.ranker import Source
    from gitmem.repository import OpenRepository

NAME = "OTHER SCOPES"
REST = "gitmem list --scope private,domain,universal"
# The share of the budget for other scopes: the digest is primarily about this repository.
SHARE = 0.2


def other_scopes(
    memory: OpenRepository, *, policy: Policy, working: Sequence[str], budget_tokens: int, now: int, few: bool = False
) -> DigestSection | None:
    """Return the section of the private, domain and universal memories; None if there are none.

    With *few*, as many as the project's newest ones.
    """
    items: list[DigestItem] = []
    total = 0
    others = [store for store in memory.stores(SCOPES) if store is not memory]
    for source in memory.sources(others) if others else ():
        with source.catalog.reading():
            found = list(_items(source, policy, memory.config, working, now))
        total += len(found)
        items += found
    if not total:
        return None
    items.sort(key=lambda item: -item.score)
    items = items[: policy.session.newest] if few else items
    return sections.fit(NAME, items, int(budget_tokens * SHARE), REST, total=total)


def _items(source: Source, policy: Policy, config: Config, working: Sequence[str], now: int) -> Iterator[DigestItem]:
    """Yield a store's memories as items of the digest, each with its scope."""
    catalog, ground = source.catalog, source.ground
    condition, values = shown(catalog, ground, source.query_of(Query()), now=now)
    fit = relevance.fit_for(policy.unread(START))
    newest = f"{relevance.COLUMNS} WHERE {condition} AND {fit} ORDER BY m.created DESC, m.key LIMIT ?"
    rows = [relevance.RelevanceRow(*row) for row in catalog.rows(newest, (*values, relevance.NEWEST))]
    keys = {row.key for row in rows}
    options: dict[str, Any] = {"held": (), "policy": policy, "config": config}
    ranked = relevance.score_all(catalog, rows, working, now, **options)
    scored = [(row, score) for row, score in ranked if row.key in keys]
    statuses = state.statuses_of(
        catalog, ground, [row.id for row, _ in scored], now=now, chains=state.suspects(catalog, ground)
    )
    factors = fields_of(policy.recall.scope)
    for row, score in scored:
        scope = source.scope_of(row.key)
        item = sections.item_of(
            catalog, row, statuses[row.id].status, score * factors[scope], policy.context.max_memory_tokens
        )
        yield replace(item, scope=scope)
