"""Group facts that need a person by cause: the commit that broke them, or the reason that they share. Pure.

A listing names each cause once, with a few of its facts and the memories that rest on them.
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.model import FAILED, SUSPECT
from gitmem.statuses import name_chain
from gitmem.text.natural_order import natural_order
from gitmem.verify.overview.path_move import parse_path_move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# A cause of at most this many facts is shown as separate lines, each fact with its reason.
LINES_AT_MOST = 2
# Lines that a listing may use; further causes are only counted.
LINES = 20
# Columns that the keys of one cause may use; at least one key is named.
COLUMNS = 60
# Characters shown of a reason that several facts share; ``gitmem show KEY`` prints it in full.
REASON_LIMIT = 120
# Matches the parts that vary between facts that fail for one reason: quoted texts, files, commits, larger numbers,
# durations. A long word is matched from its beginning only; otherwise matching would take quadratic time.
_VARIABLE = (
    r"(?<!named )(?<!module )(?<!script: )(?:'[^']*'|\"[^\"]*\"|`[^`]*`)"
    r"|(?<![\w.@+-])[\w.@+-]*/[\w./@+*:\[\]-]*"
    r"|\b(?<!-)[\w-]+\.[a-z]\w{0,4}\b(?::\d+)*|\b[0-9a-f]{7,64}\b|\b\d{3,}\b|\b\d+(?:\.\d+)? ?m?s\b"
)
# How looser checks are offered behind the reason of one fact; they do not distinguish causes.
IF_ELSEWHERE, OTHER_FORM = "if the claim is not about one file", "only its form differs"
# What accepts the move of a path.
SETTLE_MOVED = "if that is right: gitmem settle --moved"
_HEX = frozenset("0123456789abcdef")


@frozen
class Case:
    """One fact that needs a person, or a memory that rests on one.

    Attributes:
        key: The memory's key.
        status: The status whose mark is shown.
        label: The text after the key, such as ``still fails``; cases with different labels are different causes.
        because: The reason, on one line.
        culprit: The commit that broke it, and the last commit before it if only a range is known; both may be empty.
        chain: For a suspect, the memories between it and the failed fact, that fact last.
        many: The label for several facts; empty if it is the same.
        more: Text in brackets that is shown for this fact only; or empty.
        title: The memory's title.
        short_id: Its short id; empty if it is not known here.
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
    short_id: str = ""

    @property
    def name(self) -> str:
        """Return by what it is named to a person: its short id, else its key."""
        return self.short_id or self.key

    @property
    def wording(self) -> str:
        """Return its title with its name in parentheses, or its name alone."""
        return f"{self.title} ({self.name})" if self.title else self.name

    def naming(self, names: Mapping[str, str]) -> Case:
        """Return the case with names instead of keys in its reason."""
        return replace(self, because=name_chain(self.because, self.chain, names))


@frozen
class Cause:
    """Cases that share a cause.

    Attributes:
        cases: The cases, by key; at least one.
        reason: The shared reason, on one line, without the parts that vary; or empty.
        is_move: Whether one move of a file or folder makes them false, so that they can be settled together.
        suspects: The suspect memories whose chain leads to these cases, by key.
    """

    cases: tuple[Case, ...]
    reason: str
    suspects: tuple[Case, ...] = ()
    is_move: bool = False

    @property
    def is_apart(self) -> bool:
        """Return whether its cases are shown as separate lines."""
        return len(self.cases) <= (1 if self.is_move else LINES_AT_MOST)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the cases."""
        return tuple(case.key for case in self.cases)


def group(cases: Iterable[Case]) -> list[Cause]:
    """Group cases into causes: by status and label in the order of first appearance, the largest first, then by key."""
    groups: dict[tuple[str, ...], list[Case]] = {}
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
        shared = case.culprit if case.culprit[0] else (root or _shared_reason(case),)
        cause = _move_of(case) or shared
        groups.setdefault((case.status, case.label, *cause), []).append(case)
    causes = []
    for them in groups.values():
        them.sort(key=lambda case: natural_order(case.key))
        # A fact can fail twice in one listing (a wrong verdict); its suspects are shown once.
        resting_on = (one for case in them for one in resting.pop(case.key, ()))
        suspects = sorted(resting_on, key=lambda case: natural_order(case.key))
        move = _move_of(them[0])
        reason = move[0] if move else common_reason([case.because for case in them])
        causes.append(Cause(tuple(them), reason, tuple(suspects), is_move=bool(move)))
    rank = {id(cause): order[cause.cases[0].status, cause.cases[0].label] for cause in causes}
    return sorted(causes, key=lambda cause: (rank[id(cause)], -len(cause.cases), natural_order(cause.cases[0].key)))


def _move_of(case: Case) -> tuple[str, ...]:
    """Return the move that makes a fact false, by which facts are grouped whatever commit made it; or nothing."""
    moved = parse_path_move(case.because) if case.status == FAILED else None
    return (moved.common.message,) if moved is not None else ()


def _shared_reason(case: Case) -> str:
    """Return a reason that facts may share. An exit status alone does not show a common cause: the key follows it."""
    words = case.because.split(" ")
    is_status = len(words) == 2 and words[0] == "exit" and words[1].isdecimal()
    return f"{case.because} {case.key}" if is_status else common_reason([case.because])


def common_reason(reasons: Sequence[str]) -> str:
    """Return the reason that the facts share: unchanged if all texts are equal, else without the parts that vary."""
    texts = dict.fromkeys(map(_without_offer, reasons))
    if len(reasons) > 1 and len(texts) == 1:
        return next(iter(texts))
    plain = dict.fromkeys(map(_without_variables, texts))
    return next(iter(plain)) if len(plain) == 1 else ""


def _without_offer(text: str) -> str:
    for offer in (IF_ELSEWHERE, OTHER_FORM):
        text = text.partition(f"; {offer}, ")[0]
    return text


def _without_variables(text: str) -> str:
    """Return a reason without the parts that vary."""
    plain = _plain(text)
    if plain is not None:
        return plain
    import re  # 3 ms (measured), more than a tenth of a session's start

    return re.sub(r"…(?:[ ,]+…)+", "…", re.sub(_VARIABLE, "…", text))


def _plain(text: str) -> str | None:
    """Return the same for words, files and texts in single quotes, as built-in checks write them; None for others."""
    parts = text.split("'")
    outside = parts[::2]  # the others are quoted
    is_other = len(parts) % 2 == 0 or any(mark in text for mark in '"`…') or any(map(_names, outside[:-1]))
    if is_other or not all(_is_plain(word) or _is_file(word) for part in outside for word in part.split(" ")):
        return None
    plain = "…".join(" ".join("…" if _is_file(word) else word for word in part.split(" ")) for part in outside)
    # Neighbours are one, as in the pattern.
    return plain if all(gap.strip(" ") for gap in plain.split("…")[1:-1]) else None


def _names(before: str) -> bool:
    """Return whether what is quoted after a text is what is missing, which distinguishes reasons."""
    return before.endswith(("named ", "module ", "script: "))


def _is_plain(word: str) -> bool:
    return not word or (word.isalpha() and not (7 <= len(word) <= 64 and _HEX.issuperset(word)))


def _is_file(word: str) -> bool:
    head, is_path, rest = word.partition("/")
    if is_path:
        return _is_made_of(head, "_.@+-") and _is_made_of(rest, "_./@+*:[]-")
    stem, _, suffix = word.partition(".")
    is_name = _is_made_of(stem[:1], "_") and _is_made_of(stem, "_-") and _is_made_of(suffix, "_")
    return bool(stem and suffix) and is_name and "a" <= suffix[0] <= "z" and len(suffix) <= 5


def _is_made_of(text: str, others: str) -> bool:
    """Return whether a text has only letters, digits and these characters."""
    return all(char.isalnum() or char in others for char in text)


def title(cause: Cause, phrases: Mapping[tuple[str, str], str]) -> str:
    """Format a cause of several facts as one line, without its mark.

    Args:
        cause: The cause.
        phrases: A phrase for each culprit (``blame.culprit.describe_culprits``).
    """
    first = cause.cases[0]
    label = first.many or first.label
    broken = phrases.get(first.culprit, "") if first.culprit[0] else ""
    if cause.is_move:
        is_one = len({case.culprit for case in cause.cases}) == 1
        why = ", ".join(filter(None, (cause.reason, broken if is_one else "")))
        return f"{len(cause.cases)} facts {label} — {why}; {SETTLE_MOVED}"
    reason = cause.reason if len(cause.reason) <= REASON_LIMIT else cause.reason[: REASON_LIMIT - 1] + "…"
    if broken and label.startswith(FAILED):
        ending = f"{broken}{label.removeprefix(FAILED)}"
        return f"{len(cause.cases)} facts {ending}" + (f" — {reason}" if reason.strip("… ") else "")
    why = ", ".join(filter(None, (reason, broken)))
    return f"{len(cause.cases)} facts {label}" + (f" — {why}" if why else "")


def few(keys: Sequence[str], *, columns: int = COLUMNS) -> str:
    """Return as many keys as fit into *columns*, at least one, and the number of the remaining ones."""
    shown = [keys[0]]
    for key in keys[1:]:
        if len(", ".join((*shown, key))) > columns:
            break
        shown.append(key)
    more = len(keys) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def fit(causes: Sequence[Cause], *, lines: int = LINES) -> int:
    """Return how many causes, from the first, fit into about *lines* lines."""
    left = lines
    for number, cause in enumerate(causes):
        left -= min(len(cause.cases), 1 if cause.is_move else 2) + min(len(cause.suspects), LINES_AT_MOST)
        if left < 0:
            return max(number, 1)
    return len(causes)
