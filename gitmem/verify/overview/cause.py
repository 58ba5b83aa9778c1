"""Group facts that need a person by their cause: the commit that broke them, or the reason that they share. Pure.

A listing names a cause once, with a few of its facts and what rests on them, however many there are.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.model import FAILED, SUSPECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# A cause of so few facts is shown as lines of their own, with the reason of each.
APART = 2
# Lines that a listing may take before the other causes are only counted.
LINES = 20
# Columns that the keys of one cause may take; at least one is named.
COLUMNS = 60
# Characters of a reason that several facts share: ``gitmem show KEY`` has the whole.
REASON_LIMIT = 120
# What differs between facts that fail for one reason: quoted texts, files, commits, larger numbers, durations. A long
# word is read from its beginning only, or it would take the square of its length.
_VARIABLE = (
    r"(?<!named )(?<!module )(?<!script: )(?:'[^']*'|\"[^\"]*\"|`[^`]*`)"
    r"|(?<![\w.@+-])[\w.@+-]*/[\w./@+*:\[\]-]*"
    r"|\b(?<!-)[\w-]+\.[a-z]\w{0,4}\b(?::\d+)*|\b[0-9a-f]{7,64}\b|\b\d{3,}\b|\b\d+(?:\.\d+)? ?m?s\b"
)


@frozen
class Case:
    """One fact that needs a person, or a memory that rests on one.

    Attributes:
        key: Its key.
        status: Its status: the mark that it is shown with.
        label: What follows its key, such as ``failed, as before``; cases with different labels are different causes.
        because: Why, on one line.
        culprit: What broke it, where known: the commit, and where it is one of several, the last one before; or empty.
        chain: For a suspect, the memories between it and the failed fact, that fact last.
        many: The label of several; empty where it is the same.
        more: What is shown of it alone, in brackets; or empty.
        title: Its title.
    """

    key: str
    status: str
    label: str
    because: str = ""
    culprit: tuple[str, str] = ("", "")
    chain: tuple[str, ...] = ()
    many: str = ""
    more: str = ""
    title: str = ""


@frozen
class Cause:
    """What several cases have in common.

    Attributes:
        cases: The cases, by key; at least one.
        reason: Why, on one line, without what differs; or empty.
        suspects: What rests on them and on nothing that failed for another cause, by key.
    """

    cases: tuple[Case, ...]
    reason: str
    suspects: tuple[Case, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the cases."""
        return tuple(case.key for case in self.cases)


def group(cases: Iterable[Case]) -> list[Cause]:
    """Return the causes: in the order of their statuses and labels as given, the largest first, then by key."""
    found: dict[tuple[str, ...], list[Case]] = {}
    order: dict[tuple[str, str], int] = {}
    every = list(cases)
    failed = {case.key for case in every if case.status == FAILED}
    resting: dict[str, list[Case]] = {}
    for case in every:
        root = case.chain[-1] if case.status == SUSPECT and case.chain else ""
        if root in failed:
            resting.setdefault(root, []).append(case)
            continue
        order.setdefault((case.status, case.label), len(order))
        cause = case.culprit if case.culprit[0] else (root or shared_reason([case.because]),)
        found.setdefault((case.status, case.label, *cause), []).append(case)
    causes = []
    for them in found.values():
        them.sort(key=lambda case: case.key)
        # A fact can fail twice in one listing (a wrong verdict): what rests on it is shown once.
        suspects = sorted((one for case in them for one in resting.pop(case.key, ())), key=lambda case: case.key)
        causes.append(Cause(tuple(them), shared_reason([case.because for case in them]), tuple(suspects)))
    rank = {id(cause): order[cause.cases[0].status, cause.cases[0].label] for cause in causes}
    return sorted(causes, key=lambda cause: (rank[id(cause)], -len(cause.cases), cause.cases[0].key))


def shared_reason(reasons: Sequence[str]) -> str:
    """Return the reason that some facts share: as it is where it is one text, else without what differs."""
    texts = dict.fromkeys(reasons)
    if len(reasons) > 1 and len(texts) == 1:
        return next(iter(texts))
    import re  # 4 ms (measured), and only where several facts need a person

    plain = dict.fromkeys(re.sub(r"…(?:[ ,]+…)+", "…", re.sub(_VARIABLE, "…", text)) for text in texts)
    return next(iter(plain)) if len(plain) == 1 else ""


def title(cause: Cause, phrases: Mapping[tuple[str, str], str], *, noun: str = "facts") -> str:
    """Return a cause of several facts on one line, without its mark.

    Args:
        cause: The cause.
        phrases: What broke facts, in words (``blame.culprit.describe_culprits``).
        noun: What they are.
    """
    first = cause.cases[0]
    label = first.many or first.label
    broken = phrases.get(first.culprit, "") if first.culprit[0] else ""
    reason = cause.reason if len(cause.reason) <= REASON_LIMIT else cause.reason[: REASON_LIMIT - 1] + "…"
    if broken and label.startswith(FAILED):
        said = f"{broken}{label.removeprefix(FAILED)}"
        return f"{len(cause.cases)} {noun} {said}" + (f" — {reason}" if reason.strip("… ") else "")
    why = ", ".join(filter(None, (reason, broken)))
    return f"{len(cause.cases)} {noun} {label}" + (f" — {why}" if why else "")


def few(keys: Sequence[str], *, columns: int = COLUMNS) -> str:
    """Return as many keys as fit into so many columns, at least one, and how many more there are."""
    shown = [keys[0]]
    for key in keys[1:]:
        if len(", ".join((*shown, key))) > columns:
            break
        shown.append(key)
    more = len(keys) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def fit(causes: Sequence[Cause], *, lines: int = LINES) -> int:
    """Return how many causes, from the first, are shown in about so many lines."""
    left = lines
    for number, cause in enumerate(causes):
        left -= min(len(cause.cases), 2) + min(len(cause.suspects), APART)
        if left < 0:
            return max(number, 1)
    return len(causes)
