"""Statuses: how each is shown, how they follow from verdicts, and how suspicion spreads along ``requires``. Pure."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILED, FAILS, HOLDS, STALE, SUSPECT, UNPROVEN, VERIFIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


@frozen
class Sign:
    """How a status is shown, in every list, page and answer.

    Attributes:
        mark: One character, before what has the status.
        style: Its colour on a terminal, an SGR code (ECMA-48, 8.3.117); the words say the same without colour.
        color: Its colour where white text is on it, as hex: a contrast of 4.5 at least (WCAG 2.2, 1.4.3).
        strokes: The mark as an SVG path in a square of 10, where no font can be relied on.
        light: Its colours on a light page: text, what is behind that text, and shapes.
        dark: The same on a dark page.
        meaning: What it means, for a legend.
        warning: What a reader must not overlook besides the status; empty where there is nothing.
    """

    mark: str
    style: str
    color: str
    strokes: str
    light: tuple[str, str, str]
    dark: tuple[str, str, str]
    meaning: str
    warning: str = ""


# The one table of them, the strongest first.
SIGNS = {
    FAILED: Sign(
        "✗",
        "1;31",
        "c62828",
        "M1.8 1.8 8.2 8.2M8.2 1.8 1.8 8.2",
        light=("ae2a12", "fbebe6", "c8452a"),
        dark=("ff917a", "38201b", "e0674d"),
        meaning="the check ran and failed",
        warning="its check says that this is no longer true",
    ),
    SUSPECT: Sign(
        "?",
        "33",
        "b34700",
        "M2.4 3.3A2.6 2.3 0 1 1 6 5.4Q5 5.9 5 7M5 9.2v.1",
        light=("855a00", "fbf0d6", "d9a023"),
        dark=("e9bd5c", "332a16", "c9952b"),
        meaning="rests on something that failed or was reworded",
        warning="it rests on something that is no longer true, or was reworded",
    ),
    BLOCKED: Sign(
        "!",
        "35",
        "6a3d9a",
        "M5 .8V6.2M5 9.2v.1",
        light=("6a3d9a", "f2ebf9", "8e62bd"),
        dark=("cdb0ee", "2c2338", "9a74c6"),
        meaning="its check does not pass here, but the code is not the cause",
        warning="its check cannot pass in this environment: it may no longer be true",
    ),
    UNPROVEN: Sign(
        "·",
        "2",
        "616161",
        "M1.5 5H8.5",
        light=("5f5a52", "efece6", "d8d3c8"),
        dark=("a5a097", "282a2f", "3c4049"),
        meaning="not proved in its current form",
    ),
    STALE: Sign(
        "~",
        "33",
        "7a6200",
        "M1 6.2C2.6 2.6 4 3.6 5 5S7.6 7.4 9 3.8",
        light=("3d55a0", "e8ecf9", "3d55a0"),
        dark=("a3b7f5", "20263b", "a3b7f5"),
        meaning="held before, and is due for another check",
        warning="it held before, and is due for another check",
    ),
    VERIFIED: Sign(
        "✓",
        "32",
        "2e7d32",
        "M1 5.5 4 8.5 9 1.5",
        light=("0b6a61", "e0f1ee", "5fb3a8"),
        dark=("5fcbb9", "15302d", "2f8f83"),
        meaning="holds",
    ),
}
# The mark of each; a memory without a check has no status, and a blank.
MARKS = {status: sign.mark for status, sign in SIGNS.items()} | {"": " "}
# The mark of each state of a task.
TASK_MARKS = {"open": "○", "claimed": "►", "closed": SIGNS[VERIFIED].mark}

# How many links away a failure makes a memory suspect (as in Beans).
DEPTH = 3
# A verdict may be dated in the future by clock skew; past this many seconds it does not count.
SKEW_S = 300


class RewordedChain(tuple[str, ...]):
    """The chain of a memory whose foundation did not fail, but says something else than when it was confirmed."""

    __slots__ = ()


def describe_chain(chain: tuple[str, ...]) -> str:
    """Return why a memory is suspect, on one line."""
    path = " → ".join(chain)
    return f"its foundation was reworded: {path}" if isinstance(chain, RewordedChain) else f"rests on {path}"


def name_chain(reason: str, chain: tuple[str, ...], names: Mapping[str, str]) -> str:
    """Return a reason with the names of the memories in its chain instead of their keys."""
    if not chain:
        return reason
    return reason.replace(" → ".join(chain), " → ".join(names.get(key, key) for key in chain))


def explain_chain(chain: tuple[str, ...]) -> str:
    """Return why a memory is suspect to a reader who knows none of these keys."""
    return describe_chain(chain) + ("" if isinstance(chain, RewordedChain) else ", which failed")


def suspicion_chains(
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


def own_status(outcome: str, *, fresh: bool, at: int, ttl_s: int | None, now: int, attempt: int = 0) -> str:
    """Return a fact's status without suspicion.

    Args:
        outcome: The last conclusive verdict's outcome for this claim and specification; empty if there is none.
        fresh: Whether its inputs are those of the current code.
        at: When it was made.
        ttl_s: How long it is valid; None for ever.
        now: Epoch seconds.
        attempt: What the last run of its check on these inputs showed since: 0 for nothing, 1 if it was blocked, 2 if
            it did not pass and nothing showed that the code is the cause (``index.catalog.state``).
    """
    if outcome == FAILS:
        return FAILED
    if attempt == 1:
        return BLOCKED
    if attempt or outcome != HOLDS:
        return UNPROVEN
    expired = ttl_s is not None and age_s(at, now) > ttl_s
    return STALE if expired or not fresh else VERIFIED


def combine_status(own: str, *, suspect: bool) -> str:
    """Return the status a reader sees: failed, suspect, blocked, unproven, stale, verified, in this order.

    *own* is empty for a memory without a check: it has no status unless it is suspect.
    """
    if suspect and own != FAILED:
        return SUSPECT
    return own


def describe_claims(claims: Mapping[str, int]) -> str:
    """Return how many adopted claims have each status: ``19 names and values of documents hold, 1 failed``; or empty.

    They are counted apart from facts: each proves that a name or value is there, not the sentence that it is in.
    """
    held, *others = [(VERIFIED, claims.get(VERIFIED, 0)), *((s, n) for s, n in claims.items() if n and s != VERIFIED)]
    parts = [f"{number} {status}" for status, number in others]
    if not held[1] and not parts:
        return ""
    if not held[1]:
        return f"names and values of documents: {', '.join(parts)}"
    if held[1] == 1:
        return ", ".join(["1 name or value of documents holds", *parts])
    return ", ".join([f"{held[1]} names and values of documents hold", *parts])


def warning_of(status: str) -> str:
    """Return the warning of a status, or an empty string."""
    return SIGNS[status].warning if status in SIGNS else ""
