"""What a policy says about the collection of a memory: its kinds, who may write to it, its scope and size. Pure.

Loaded only if a policy has a table of collections, or a person names one.
"""

from __future__ import annotations

from gitmem.errors import RefusedError, UsageError
from gitmem.policy.collections import ALIASES, PRIVATE, PROJECT, Collection, all_collections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.policy import Policy


def get_collection(policy: Policy, typed: str) -> Collection:
    """Return a collection by its typed name.

    Raises:
        UsageError: There is no such collection.
    """
    known = all_collections(policy.kinds, policy.collections)
    plain = typed.strip().lower().replace("_", "-")
    name = next((name for name in (typed, plain, ALIASES.get(plain, "")) if name in known), "")
    if not name:
        raise UsageError(f"unknown collection: {typed}", hint=f"choose one of {', '.join(known)}")
    return known[name]


def kinds_of(policy: Policy, typed: Sequence[str], kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds in some collections, limited to these kinds if any are given.

    Raises:
        UsageError: There is no such collection, or it has none of the kinds.
    """
    rows = [get_collection(policy, name) for name in typed]
    kinds_by_name = dict.fromkeys(
        kind.name for row in rows for kind in policy.kinds.values() if kind.collection == row.name
    )
    matching = tuple(kind for kind in kinds_by_name if not kinds or kind in kinds)
    if not matching:
        raise UsageError(
            f"no {' or '.join(kinds) or 'kind'} belongs to the collection {' or '.join(typed)}",
            hint=f"its kinds: {', '.join(kinds_by_name) or 'none'}",
        )
    return matching


def kind_for(policy: Policy, typed: str, kind: str) -> str:
    """Return the kind of a memory for a collection: the typed one, or the collection's default.

    Raises:
        UsageError: There is no such collection, or the kind is not in it.
    """
    row = get_collection(policy, typed)
    if kind:
        return kinds_of(policy, (typed,), (kind,))[0]
    return row.kind or kinds_of(policy, (typed,), ())[0]


def refuse_writer(policy: Policy, kind: str, writer: str) -> None:
    """Refuse a memory if its collection does not accept it from this writer.

    Raises:
        RefusedError: It does not; the message names the accepted writers.
    """
    row = policy.collections.get(policy.kind(kind).collection)
    if row is not None and writer not in row.writers:
        who = " or ".join(row.writers) or "no command"
        accept = f"gitmem policy set --add collections.{row.name}.writers {writer}"
        raise RefusedError(
            f"the collection {row.name} accepts no {kind} from {writer}, only from {who}",
            hint=f"record another kind, or accept it: {accept}",
        )


def refuse_scope(policy: Policy, kind: str, scope: str) -> None:
    """Refuse a shared scope if the collection stays in the project.

    Raises:
        RefusedError: It does.
    """
    row = policy.collections.get(policy.kind(kind).collection)
    if row is not None and row.scope in (PROJECT, PRIVATE):
        raise RefusedError(
            f"the collection {row.name} is kept in the {row.scope} scope; {scope} memories are read by other projects",
            hint=f"--scope {row.scope}; what holds everywhere: gitmem remember … --collection conventions",
        )


def refuse_size(policy: Policy, kind: str, count: Callable[[], int]) -> None:
    """Refuse a memory that is too short or too long for its collection; *count* returns its tokens.

    Raises:
        RefusedError: It is; the message gives its tokens and the limits.
    """
    row = policy.collections.get(policy.kind(kind).collection)
    if row is None or not (row.min_tokens or row.max_tokens):
        return
    tokens = count()
    if tokens < row.min_tokens or tokens > (row.max_tokens or tokens):
        most = f" and at most {row.max_tokens}" if row.max_tokens else ""
        raise RefusedError(
            f"this {kind} has {tokens} tokens; one of the collection {row.name} has at least {row.min_tokens}{most}",
            hint="say what, where and why" if tokens < row.min_tokens else "record several, each about one thing",
        )
