"""What the page shows, as frozen data: the page and ``--json`` are made of the same."""

from __future__ import annotations

from gitmem.document.fields import format_time
from gitmem.frozen import fields_of, frozen
from gitmem.model import STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Where a memory is; only what is live has a status.
LIVE, ARCHIVED, SUPERSEDED, EXPIRED = "live", "archived", "superseded", "expired"


@frozen
class PageMemory:
    """One memory.

    Attributes:
        key: Its key.
        kind: Its kind.
        title: Its title, as written.
        place: ``live``, ``archived``, ``superseded`` or ``expired``.
        status: Its status; empty where it has none.
        why: Why it has this status, one line; empty where there is nothing to say.
        body: Its text, as written.
        created: Epoch seconds; 0 where it is not known.
        by: Who wrote it, or empty.
        tags: Its tags.
        paths: The files of the code that it is about.
        refs: What it refers to.
        requires: The keys and labels that it rests on, as written.
        produces: The labels that it provides.
        superseded_by: The key of what replaced it, or empty.
        task: The task that it was learned for, or empty.
        state: Of a task: ``open``, ``claimed``, ``closed``; else empty.
        check: The command or built-in check that proves it, on one line; or empty.
        judged: When its verdict was made, epoch seconds; 0 where there is none.
        judged_at: The commit of the code that was judged, or empty.
        culprit: The commit that broke it, where known.
        broken: What broke it in words, or empty.
        held: The commit of the code where it held last, where it failed and that is known.
        chain: Of a suspect: the memories that it rests on, up to the fact that failed.
        weak: Whether its check also holds in an empty folder.
        flapping: Whether its check does not always answer alike.
        places: The files of the code that a search knows it by: also those that its check reads.
        number: Its row in the catalog.
        since: When it was created or last confirmed, epoch seconds; 0 where it is not known.
        factor: All factors of its score in a search but words and age (``ranking``).
    """

    key: str
    kind: str
    title: str
    place: str = LIVE
    status: str = ""
    why: str = ""
    body: str = ""
    created: int = 0
    by: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    superseded_by: str = ""
    task: str = ""
    state: str = ""
    check: str = ""
    judged: int = 0
    judged_at: str = ""
    culprit: str = ""
    broken: str = ""
    held: str = ""
    chain: tuple[str, ...] = ()
    weak: bool = False
    flapping: bool = False
    places: tuple[str, ...] = ()
    number: int = 0
    since: int = 0
    factor: float = 1.0


@frozen
class Moment:
    """One commit of the code.

    Attributes:
        commit: Its name.
        at: When it was committed, epoch seconds.
        by: Its author's name, as written.
        subject: The first line of its message, as written.
    """

    commit: str
    at: int
    by: str = ""
    subject: str = ""


@frozen
class Strip:
    """What is known of one fact over the commits of a timeline.

    Attributes:
        key: The fact.
        states: A character for each commit: ``V`` judged there, and it held; ``X`` judged, and it failed; ``!`` the
            commit that broke it; ``v`` and ``x`` the same as the commit before, not judged; ``.`` unknown.
    """

    key: str
    states: str


@frozen
class Timeline:
    """Statuses over the commits of the code's default branch.

    Attributes:
        branch: The branch.
        moments: The newest commits of its first-parent line, the oldest first; what was merged counts where it was
            merged.
        counts: For each of them, how many facts were ``verified``, ``suspect``, ``failed``, and of how many nothing is
            known. Suspicion is told by the links of today.
        strips: The facts that failed at some of them: those that fail now first, then by when they failed last.
        breaks: Commits that broke facts, the newest first, each with the facts' keys.
        has_more: Whether the branch has older commits.
        is_whole: Whether all verdicts were read.
    """

    branch: str
    moments: tuple[Moment, ...]
    counts: tuple[tuple[int, int, int, int], ...]
    strips: tuple[Strip, ...] = ()
    breaks: tuple[tuple[Moment, tuple[str, ...]], ...] = ()
    has_more: bool = False
    is_whole: bool = True


@frozen
class Page:
    """Everything that the page shows.

    Attributes:
        name: What the repository is called: its folder.
        scope: Whose memories these are.
        made: When it was made, epoch seconds.
        version: The version of gitmem that made it.
        rev: What was requested with ``--at``; empty for the present.
        branch: The branch of the code that is checked out, or empty.
        code: The commit of the code whose statuses are shown, or empty.
        tip: The commit of the memory that is shown, or empty.
        entries: The memories, the newest first.
        links: Which memory rests on which: what is required, then what requires it; sorted.
        timeline: What was known over the history of the code; None where there is nothing to tell.
        jobs: What is known of verify jobs, as ``status --json`` has it; None in the past.
        warnings: What a reader must know before all else.
        waiting: The facts whose commands nobody has approved here.
        left_out: How many memories of other scopes there are that the page does not show.
        commits: The address that ends with a commit's name on the forge of the code's remote, or empty.
        ranking: What the page's search ranks by (``ranking.settings``); empty where it cannot.
    """

    name: str
    scope: str
    made: int
    version: str
    rev: str = ""
    branch: str = ""
    code: str = ""
    tip: str = ""
    entries: tuple[PageMemory, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    timeline: Timeline | None = None
    jobs: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    left_out: int = 0
    commits: str = ""
    ranking: Mapping[str, Any] | None = None

    def of(self, *statuses: str) -> list[PageMemory]:
        """Return the memories with one of these statuses, in the order of the page."""
        return [entry for entry in self.entries if entry.status in statuses]

    def counts(self) -> dict[str, int]:
        """Return how many memories have each status, the strongest status first."""
        found = dict.fromkeys(STATUSES, 0)
        for entry in self.entries:
            if entry.status:
                found[entry.status] += 1
        return found


# What is for the page's script alone, or has a form of its own.
_NOT_SHOWN = frozenset(("entries", "timeline", "links", "ranking"))
_FOR_SEARCH = frozenset(("places", "number", "since", "factor"))


def as_table(page: Page) -> dict[str, Any]:
    """Return the page's data as the documented JSON; what is empty of a memory is left out."""
    values = {name: value for name, value in fields_of(page).items() if name not in _NOT_SHOWN}
    line = page.timeline
    return values | {
        "made": format_time(page.made) if page.made else "",
        "statuses": page.counts(),
        "memories": [_entry(entry) for entry in page.entries],
        "links": [{"requires": needed, "key": key} for needed, key in page.links],
        "timeline": None
        if line is None
        else {
            "branch": line.branch,
            "commits": [_moment(one) for one in line.moments],
            "counts": [
                dict(zip(("verified", "suspect", "failed", "unknown"), row, strict=True)) for row in line.counts
            ],
            "facts": [fields_of(strip) for strip in line.strips],
            "breaks": [_moment(one) | {"keys": list(keys)} for one, keys in line.breaks],
            "has_more": line.has_more,
            "is_whole": line.is_whole,
        },
    }


def _entry(entry: PageMemory) -> dict[str, Any]:
    fields = fields_of(entry).items()
    values = {
        name: value
        for name, value in fields
        if (value or name in ("key", "kind", "status")) and name not in _FOR_SEARCH
    }
    times = {name: format_time(values[name]) for name in ("created", "judged") if name in values}
    return values | times


def _moment(moment: Moment) -> dict[str, Any]:
    return fields_of(moment) | {"at": format_time(moment.at)}
