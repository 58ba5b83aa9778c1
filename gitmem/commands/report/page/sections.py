"""Choose and sort the data for the page's sections; the templates format it. Pure."""

from __future__ import annotations

from gitmem.commands.report.page.model import LIVE
from gitmem.frozen import frozen, replace
from gitmem.model import ADOPTED, BLOCKED, FAILED, STALE, STATUSES, SUSPECT, UNPROVEN, VERIFIED
from gitmem.statuses import SIGNS, describe_claims
from gitmem.text.natural_order import natural_order
from gitmem.verify.overview.cause import Case, group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.commands.report.page.model import Page, PageMemory

    LastJob = tuple[str, str, int | None, int | None]
    # A fact that failed, and its suspect dependents.
    Failure = tuple[PageMemory, list[PageMemory]]

# The most rows of a list that are visible, and that are visible or folded.
SHOWN, LISTED = 12, 200
# The headings of the sections, by their ids: the navigation has the same words.
HEADINGS = {
    "_broken": "Broken now",
    "_open": "Not proven",
    "_graph": "Dependencies",
    "_time": "History",
    "_jobs": "Verify jobs",
    "_all": "All memories",
}
# How many causes the first screen names.
FIRST = 3
# The width of the bar of statuses, and the smallest share: anything above zero is visible.
BAR, LEAST = 1000, 8


@frozen
class Shelf:
    """The memories of a page and their links.

    Attributes:
        entries: Each by its key.
        needs: The keys of each memory's requirements.
        needed: The keys of each memory's dependents.
    """

    entries: Mapping[str, PageMemory]
    needs: Mapping[str, tuple[str, ...]]
    needed: Mapping[str, tuple[str, ...]]

    def rests_on(self, entry: PageMemory) -> Sequence[str]:
        """Return a memory's requirements; an unknown one is returned as written."""
        needed = self.needs.get(entry.key, ())
        provided = {label for key in needed for label in (key, *self.entries[key].produces)}
        return (*needed, *(name for name in entry.requires if name not in provided))


@frozen
class BrokenCause:
    """Failed facts with one cause.

    Attributes:
        failures: The facts, each with its suspect dependents; the one with most dependents first.
        reason: The reason that they share, without the parts that vary; or empty.
        is_commit: Whether the cause is the commit that broke them.
        is_move: Whether it is the move of a file or folder, so that they can be settled together.
    """

    failures: Sequence[Failure]
    reason: str = ""
    is_commit: bool = False
    is_move: bool = False

    @property
    def first(self) -> PageMemory:
        """Return the fact to look at first."""
        return self.failures[0][0]

    @property
    def resting(self) -> list[PageMemory]:
        """Return the memories that rest on the facts."""
        return [entry for _, resting in self.failures for entry in resting]


@frozen
class FirstScreen:
    """The content of the first screen.

    Attributes:
        headline: The most important message, in a few words.
        lead: The counts as a sentence, without its full stop.
        causes: What to look at first.
        more: The number of further causes.
        bar: Name, start and width in the bar of each status that occurs.
        job: The last verify job, here or for the branch: when it ran, on which commit of the code (or empty), and how
            many commits that is behind HEAD, and ahead of it; None if none ran.
    """

    headline: str
    lead: str
    causes: Sequence[BrokenCause] = ()
    more: int = 0
    bar: tuple[tuple[str, str, str], ...] = ()
    job: LastJob | None = None


def shelve(page: Page) -> Shelf:
    """Return the memories of a page by key, with their links both ways."""
    needs: dict[str, list[str]] = {}
    needed: dict[str, list[str]] = {}
    for one, other in page.links:
        needs.setdefault(other, []).append(one)
        needed.setdefault(one, []).append(other)
    return Shelf(
        {entry.key: entry for entry in page.entries},
        {key: tuple(keys) for key, keys in needs.items()},
        {key: tuple(keys) for key, keys in needed.items()},
    )


def count_of(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{group_digits(number)} {one if number == 1 else many or one + 's'}"


def group_digits(number: int) -> str:
    """Return a number with a comma between its thousands."""
    return f"{number:,}"


def first_screen(page: Page, causes: Sequence[BrokenCause]) -> FirstScreen:
    """Return the content of the first screen."""
    counts = page.counts()
    live = sum(entry.place == LIVE for entry in page.entries)
    headline = _headline(page)
    # Where all facts hold, the headline says it already.
    parts = [part for part in [_describe_proved(page)] if part and not part.endswith(f"of {headline}")]
    if counts[SUSPECT]:
        parts.append(f"{count_of(counts[SUSPECT], 'memory rests', 'memories rest')} on what failed")
    parts.append(f"{count_of(live, 'memory', 'memories')} in all")
    return FirstScreen(
        headline,
        "; ".join(parts),
        causes[:FIRST],
        len(causes[FIRST:]),
        tuple(_bar(counts)),
        _last_job(page.jobs),
    )


def _describe_proved(page: Page) -> str:
    """Return how many of the facts and adopted claims hold, in words; empty if there are none.

    They are counted apart: a claim proves that a name or value is there, not the sentence that it is in.
    """
    checked = [entry for entry in page.entries if entry.check and entry.status]
    claims = [entry for entry in checked if entry.kind == ADOPTED]
    facts = [entry for entry in checked if entry.kind != ADOPTED]
    parts: list[str] = []
    for entries, one, many in (
        (facts, "fact", ""),
        (claims, "name or value of documents", "names and values of documents"),
    ):
        proved = sum(entry.status == VERIFIED for entry in entries)
        parts += [f"{group_digits(proved)} of {count_of(len(entries), one, many)}"] if entries else []
    verb = "holds" if len(parts) == 1 and parts[0].startswith("1 of") else "hold"
    return f"{' and '.join(parts)} {verb}" if parts else ""


def _headline(page: Page) -> str:
    claims, every = page.claims(), page.counts()
    # A decision without a check can be suspect or stale, but it is not a fact.
    others = [entry.status for entry in page.of(SUSPECT, STALE) if not entry.check and entry.kind != ADOPTED]
    counts = {status: number - claims[status] - others.count(status) for status, number in every.items()}
    failed = [f"{count_of(counts[FAILED], 'fact no longer holds', 'facts no longer hold')}"] if counts[FAILED] else []
    if claims[FAILED]:
        failed.append(f"{count_of(claims[FAILED], 'claim of a document is', 'claims of documents are')} false")
    if failed:
        return ", ".join(failed)
    if not sum(every.values()):
        return "Nothing has been checked yet" if page.entries else "There are no memories yet"
    if not sum(counts.values()):
        return describe_claims(claims) if sum(claims.values()) else "There are no facts yet"
    if counts[VERIFIED] == sum(counts.values()):
        return count_of(counts[VERIFIED], "fact holds", "facts hold")
    if not counts[VERIFIED]:
        return "No fact is known to fail, but none is proved"
    return "No checked fact has failed"


def _bar(counts: Mapping[str, int]) -> list[tuple[str, str, str]]:
    """Return the statuses' shares: start and width of each."""
    total = sum(counts.values())
    room = BAR - LEAST * sum(1 for number in counts.values() if number)
    parts, x = [], 0.0
    for status in STATUSES:
        if counts[status]:
            wide = LEAST + room * counts[status] / total
            parts.append((status, f"{x:.1f}", f"{max(wide - 3, 3):.1f}"))
            x += wide
    return parts


def _last_job(jobs: Mapping[str, Any] | None) -> LastJob | None:
    """Return the last verify job, here or for the branch (``FirstScreen.job``)."""
    both = [(jobs[which], name) for which, name in (("last", "commit"), ("branch", "code"))] if jobs else []
    known = ((job["at"], job[name], job["behind"], job["ahead"]) for job, name in both if job)
    return max(known, key=lambda job: str(job[0]), default=None)


def list_failed(page: Page) -> list[Failure]:
    """Return the failed facts, each with its suspect dependents; the one with most dependents first."""
    failed = [(entry, _list_resting(page, entry)) for entry in page.of(FAILED)]
    return sorted(failed, key=lambda pair: (-len(pair[1]), natural_order(pair[0].key)))


def list_causes(failed: Sequence[Failure]) -> list[BrokenCause]:
    """Return the failures by cause: those that concern most facts and memories first."""
    cases = [
        Case(page_memory.key, FAILED, FAILED, page_memory.why, (page_memory.culprit, page_memory.broken))
        for page_memory, _ in failed
    ]
    by_key = {pair[0].key: pair for pair in failed}
    place = {key: nth for nth, key in enumerate(by_key)}
    causes = []
    for cause in group(cases):
        failures = [by_key[key] for key in sorted(cause.keys, key=place.__getitem__)]
        is_commit = bool(cause.cases[0].culprit[0]) and len({case.culprit for case in cause.cases}) == 1
        # Facts that one commit broke belong together, also two; equal reasons alone may be a coincidence.
        if is_commit or not cause.is_apart:
            causes.append(BrokenCause(failures, cause.reason, is_commit, cause.is_move))
        else:
            causes += [BrokenCause([failure], failure[0].why, bool(failure[0].culprit)) for failure in failures]
    return sorted(causes, key=lambda cause: (-len(cause.failures) - len(cause.resting), place[cause.first.key]))


def _list_resting(page: Page, failed: PageMemory) -> list[PageMemory]:
    """Return the suspects whose chain ends at a failed fact, nearest first."""
    resting = [entry for entry in page.of(SUSPECT) if entry.chain[-1:] == (failed.key,)]
    return sorted(resting, key=lambda entry: (len(entry.chain), natural_order(entry.key)))


def split_culprit(broken: str) -> tuple[str, str]:
    """Split a culprit's phrase (``verify.blame.culprit.phrase``) into the commit and the rest."""
    head, _, rest = broken.removeprefix("broken by ").partition(" ")
    return (head, rest) if broken.startswith("broken by ") else ("", broken)


def list_open_ends(page: Page) -> list[tuple[str, str, list[PageMemory]]]:
    """Return blocked, unproven, stale and flapping facts: name, meaning and memories of each non-empty group."""
    flapping = [replace(entry, why=entry.status) for entry in page.entries if entry.flapping]
    rows = [(status, SIGNS[status].meaning, page.of(status)) for status in (BLOCKED, UNPROVEN, STALE)]
    rows.append(("flapping", "the check gives different answers", flapping))
    for _, _, entries in rows:
        entries.sort(key=lambda entry: (entry.key not in page.waiting, natural_order(entry.key)))
    return [row for row in rows if row[2]]


def by_kind(entries: Sequence[PageMemory]) -> tuple[list[tuple[str, list[PageMemory]]], list[PageMemory]]:
    """Return the live memories by kind, problems first and then the newest; and those that are no longer live."""
    kinds: dict[str, list[PageMemory]] = {}
    old: list[PageMemory] = []
    for entry in entries:
        (kinds.setdefault(entry.kind, []) if entry.place == LIVE else old).append(entry)
    names = sorted(kinds, key=lambda kind: (-len(kinds[kind]), kind))
    return [(kind, sorted(kinds[kind], key=urgency)) for kind in names], old


def urgency(entry: PageMemory) -> int:
    """Return how soon a memory is listed: what failed first, what needs no attention last."""
    return STATUSES.index(entry.status) if entry.status and entry.status != VERIFIED else len(STATUSES)


def reasons(entry: PageMemory) -> list[str]:
    """Return the reasons for a memory's status, one phrase each."""
    found = [part for part in (entry.why, entry.broken) if part]
    if entry.flapping:
        found.append("its check gives different answers on the same code")
    if entry.weak:
        found.append("weak: its check also holds in an empty folder")
    return found
