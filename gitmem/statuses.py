"""Links between memories: how suspicion spreads along ``requires``, and statuses derived from verdicts. Pure."""

from __future__ import annotations

from gitmem.model import FAILED, FAILS, HOLDS, STALE, SUSPECT, UNPROVEN, VERIFIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# How many links away a failure makes a memory suspect (DESIGN, section 1; the beans document, "depth limit 3").
DEPTH = 3
# A verdict may be dated in the future by clock skew; past this many seconds it does not count (fault R22).
SKEW_S = 300


def spread(
    failed: Iterable[str],
    *,
    requirers: Callable[[tuple[str, ...]], Mapping[str, tuple[str, ...]]],
    depth: int = DEPTH,
) -> dict[str, tuple[str, ...]]:
    """Return every memory that rests on a failed one, with its chain of causes.

    Args:
        failed: Keys of the failed facts.
        requirers: Given keys, returns for each memory that requires one of them (by key or by a label it produces)
            which of them it requires, sorted. Called once a level.
        depth: How many links suspicion travels, >= 0.

    Returns:
        Key to chain: the memory it requires first, the failed fact last. The shortest chain, then the first in
        alphabetical order, so the answer does not depend on any order; cycles end. Failed facts are not in it.
    """
    roots = sorted(set(failed))
    chains: dict[str, tuple[str, ...]] = {}
    level: dict[str, tuple[str, ...]] = dict.fromkeys(roots, ())
    for _ in range(depth):
        found: dict[str, tuple[str, ...]] = {}
        for key, causes in sorted(requirers(tuple(sorted(level))).items()):
            if key in chains or key in roots:
                continue
            found[key] = min((cause, *level[cause]) for cause in causes)
        chains.update(found)
        level = found
        if not level:
            break
    return chains


def age_s(at: int, now: int) -> int:
    """Return how many seconds ago *at* was; a time in the future counts as now."""
    return max(0, now - at)


def own_status(outcome: str, *, fresh: bool, at: int, ttl_s: int | None, now: int) -> str:
    """Return a fact's status before suspicion is looked at.

    Args:
        outcome: The last conclusive verdict's outcome for this claim and specification; empty where there is none.
        fresh: Whether its inputs are those of the code that is looked at.
        at: When it was made.
        ttl_s: How long it counts; None for ever.
        now: Epoch seconds.
    """
    if outcome == FAILS:
        return FAILED
    if outcome != HOLDS:
        return UNPROVEN
    expired = ttl_s is not None and age_s(at, now) > ttl_s
    return STALE if expired or not fresh else VERIFIED


def told_status(own: str, *, suspect: bool) -> str:
    """Return the status a reader is told: failed, suspect, unproven, stale, verified, in this order.

    *own* is empty for a memory without a check: it has no status unless it is suspect.
    """
    if suspect and own != FAILED:
        return SUSPECT
    return own
