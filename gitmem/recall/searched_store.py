"""A store that a query searches: its catalog, its scope, and how the query reads there."""

from __future__ import annotations

import _sqlite3 as sqlite3

from gitmem.frozen import frozen, replace
from gitmem.index.catalog import short_ids
from gitmem.store.scopes import DOMAIN, PRIVATE, PROJECT, UNIVERSAL, domains_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Protocol

    from gitmem.index import Engine
    from gitmem.index.catalog import Catalog
    from gitmem.model import Hit
    from gitmem.recall.query import Query

    class Accesses(Protocol):
        """Local state: how often each memory was read."""

        def accesses(self, keys: Iterable[str]) -> dict[str, tuple[int, int]]: ...  # noqa: D102


@frozen
class SearchedStore:
    """A store to search.

    Attributes:
        scope: Its scope.
        catalog: Its catalog.
        local: How often each memory was read.
        ground: The ground whose statuses are shown, or None.
        domains: The domains whose memories are used here; None for a store without this filter.
        name: The name of another repository's store; empty for this repository's.
        engine: The engine that finds candidates; None for the catalog's own index.
        parts: For a catalog of several stores (``index.shared``), their names by the numbers of their parts.
    """

    scope: str
    catalog: Catalog
    local: Accesses
    ground: int | None
    domains: tuple[str, ...] | None = None
    name: str = ""
    engine: Engine | None = None
    parts: Mapping[str, str] | None = None

    def narrow(self, query: Query) -> Query:
        """Return the query for this store: places in this code mean nothing to a store about other code."""
        if self.scope not in (PROJECT, PRIVATE):
            query = replace(query, near=(), held=(), here=(query.here[0], ""))
        return query if self.domains is None else replace(query, domains=self.domains)

    def locate(self, hit: Hit) -> Hit:
        """Return a hit of this store, completed with the store's scope and name."""
        if self.scope == PROJECT and not self.name:
            return hit
        return replace(hit, scope=self.scope_of(hit.key), store=self.name or hit.store)

    def check_parts(self) -> None:
        """Check that a shared catalog has exactly the parts that it had when it was brought up to date.

        Raises:
            sqlite3.OperationalError: Another process has added or removed one since.
        """
        if self.parts and {str(number) for (number,) in self.catalog.rows("SELECT number FROM part")} != {*self.parts}:
            raise sqlite3.OperationalError("the shared index is busy: another process changed its stores")

    def part_of(self, full_key: str) -> str:
        """Return the name of the store that a memory of a shared catalog is from; empty for any other catalog."""
        return self.parts.get(full_key.partition(":")[0], "") if self.parts else ""

    def short_ids(self, keys: Mapping[int, str]) -> dict[int, str]:
        """Return the short ids of memories, given their keys, by number."""
        if self.parts:
            return dict(self.catalog.each("SELECT id, letters FROM memory WHERE id IN ({})", keys))
        ids = short_ids(self.catalog, keys.values())
        return {number: ids.get(key, "") for number, key in keys.items()}

    def scope_of(self, key: str) -> str:
        """Return the scope of one of the store's memories."""
        if self.domains is None:
            return self.scope
        sql = "SELECT t.fields FROM memory m JOIN text t ON t.id = m.id WHERE m.key = ? AND m.shadowed = 0"
        row = self.catalog.row(sql, (key,))
        return DOMAIN if row and domains_of(row[0]) else UNIVERSAL
