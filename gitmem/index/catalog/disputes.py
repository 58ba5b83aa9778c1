"""Memories that contradict each other, as their writer noted in ``contradicts``, until a person settles it."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.index.catalog.state import LIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.index.catalog import Catalog

_OTHER = "o.shadowed = 0 AND o.archived = 0 AND o.superseded = 0"
_FROM = (
    " FROM link l JOIN memory m ON m.id = l.source JOIN memory o ON o.key = l.target"
    f" WHERE l.relation = 'contradicts' AND {LIVE} AND {_OTHER} AND o.key <> m.key"
)


@frozen
class Dispute:
    """A memory that contradicts an older one.

    Attributes:
        key, title, agent: The newer memory; the agent that wrote it, or empty.
        other, other_title, other_agent: The older one.
        is_older_doubtful: Whether the older one is the doubtful one: the newer one has a check, or is a person's.
    """

    key: str
    title: str
    agent: str
    other: str
    other_title: str
    other_agent: str
    is_older_doubtful: bool

    @property
    def doubtful(self) -> str:
        """Return the key of the memory that must not be presented as plain truth."""
        return self.other if self.is_older_doubtful else self.key

    @property
    def trusted(self) -> str:
        """Return the key of the other one."""
        return self.key if self.is_older_doubtful else self.other


def list_disputes(catalog: Catalog) -> list[Dispute]:
    """Return the unsettled contradictions, by key."""
    rows = catalog.rows(
        "SELECT m.key, m.title, m.agent, o.key, o.title, o.agent,"
        " EXISTS (SELECT 1 FROM fact f WHERE f.id = m.id), EXISTS (SELECT 1 FROM fact f WHERE f.id = o.id)"
        f"{_FROM} ORDER BY m.key, o.key"
    )
    return [
        Dispute(key, title, agent, other, other_title, theirs, _is_older_doubtful(agent, theirs, *are_facts))
        for key, title, agent, other, other_title, theirs, *are_facts in rows
    ]


def _is_older_doubtful(agent: str, other_agent: str, is_fact: int, is_other_fact: int) -> bool:
    # A check speaks for itself; a person's word comes before an agent's.
    if is_fact != is_other_fact:
        return bool(is_fact)
    return not agent and bool(other_agent)


def doubted(catalog: Catalog, keys: Iterable[str]) -> dict[str, str]:
    """Return those of some memories that are doubtful, each with the key of the memory that speaks against it."""
    wanted = set(keys)
    if not wanted or catalog.row("SELECT 1 FROM link WHERE relation = 'contradicts' LIMIT 1") is None:
        return {}
    return {dispute.doubtful: dispute.trusted for dispute in list_disputes(catalog) if dispute.doubtful in wanted}
