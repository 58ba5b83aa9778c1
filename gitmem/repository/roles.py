"""Roles: what one reads, which are the memories of its kinds and critical ones of any kind, and how it signs."""

from __future__ import annotations

import unicodedata

from gitmem.policy.kinds import Role, role_name
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.model import Hit
    from gitmem.policy import Policy
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore


def role_of(policy: Policy, *named: str) -> tuple[str, Role]:
    """Return the name and the policy's row of the first of these roles that the policy has; else an empty name and row.

    Args:
        policy: The store's policy.
        *named: Roles as typed, by precedence: the type of a sub-agent, then the setting ``gitmem.role``.
    """
    for typed in named:
        name = role_name(typed)
        row = policy.roles.get(name)
        if row is not None:
            return name, row
    return "", Role()


def read_by(repository: OpenRepository, kinds: Iterable[str], hits: Iterable[Hit]) -> set[str]:
    """Return the references of the hits that a role with these kinds reads; all for a role without kinds."""
    kinds, hits = frozenset(kinds), list(hits)
    references = {hit.reference for hit in hits if not kinds or hit.kind in kinds}
    others: dict[str, list[str]] = {}
    for hit in hits:
        if hit.reference not in references and not hit.store:
            others.setdefault(hit.scope, []).append(hit.key)
    for scope, keys in others.items():
        critical = "SELECT key FROM memory WHERE importance = 'critical' AND key IN ({})"
        for store in repository.stores((scope,))[:1]:
            references.update(row[0] for row in store.catalog().each(critical, keys))
    return references


def author_fields(store: OpenStore, role: str) -> dict[str, str]:
    """Return the author, with a role."""
    author = store.author()
    who = display(unicodedata.normalize("NFC", author.who))
    return {"who": who, **({"agent": author.agent} if author.agent else {}), **({"role": role} if role else {})}
