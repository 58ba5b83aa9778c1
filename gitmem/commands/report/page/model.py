"""The content of the page as frozen data, from which the page and ``--json`` are made."""

from __future__ import annotations

from gitmem.document.times import format_time
from gitmem.frozen import fields_of, frozen
from gitmem.model import ADOPTED, STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

# The place of a memory; only live ones have a status.
LIVE, ARCHIVED, SUPERSEDED, EXPIRED = "live", "archived", "superseded", "expired"


@frozen
class PageMemory:
    """One memory.

    Attributes:
        key: Its key.
        kind: Its kind.
        title: Its title, as written.
        place: ``live``, ``archived``, ``superseded`` or ``expired``.
        status: Its status; empty if it has none.
        why: The reason for its status, one line; or empty.
        body: Its text, as written.
        created: Epoch seconds; 0 if unknown.
        by: Who wrote it, or empty.
        tags: Its tags.
        paths: The files of the code that it is about.
        refs: Its references.
        requires: The keys and labels that it requires, as written.
        produces: The labels that it provides.
        superseded_by: The key of the memory that replaced it, or empty.
        task: The task that it was learned for, or empty.
        state: Of a task: ``open``, ``claimed``, ``closed``; else empty.
        check: The command or built-in check that proves it, on one line; or empty.
        judged: When its verdict was made, epoch seconds; 0 if there is none.
        judged_at: The commit of the code that was judged, or empty.
        culprit: The commit that broke it, if known.
        broken: The culprit in words, or empty.
        held: If it failed, the last commit of the code where it held, if known.
        chain: For a suspect, the memories that it requires, up to the failed fact.
        weak: Whether its check also holds in an empty folder.
        flapping: Whether its check gives different answers.
        places: Its files of the code for searches, including those that its check reads.
        number: Its row in the catalog.
        since: When it was created or last confirmed, epoch seconds; 0 if unknown.
        factor: All factors of its score in a search but words and age (``rank_factors``).
        short_id: Its short id.
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
    short_id: str = ""

    @property
    def name(self) -> str:
        """Return by what it is named to a person: its short id, else its key."""
        return self.short_id or self.key


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
    """The known states of one fact over the commits of a timeline.

    Attributes:
        key: The fact.
        states: A character for each commit: ``V`` judged there, and it held; ``X`` judged, and it failed; ``!`` the
            commit that broke it; ``v`` and ``x`` the same as at the previous commit, not judged; ``.`` unknown.
    """

    key: str
    states: str


@frozen
class Timeline:
    """Statuses over the commits of the code's default branch.

    Attributes:
        branch: The branch.
        moments: The newest commits of its first-parent line, oldest first; merged commits count at their merge.
        counts: For each of them, the number of ``verified``, ``suspect``, ``failed`` and unknown facts. Suspects follow
            from the present links.
        strips: The facts that failed at any of them: those that fail now first, then by their last failure.
        breaks: Commits that broke facts, newest first, each with the facts' keys.
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
    """The content of the page.

    Attributes:
        name: The repository's name: its folder.
        scope: The scope of the memories.
        made: When it was made, epoch seconds.
        version: The version of gitmem that made it.
        rev: The revision given with ``--at``; empty for the present.
        branch: The branch of the code that is checked out, or empty.
        code: The commit of the code whose statuses are shown, or empty.
        tip: The commit of the memory that is shown, or empty.
        entries: The memories, newest first.
        links: Pairs of a required memory and its dependent, sorted.
        timeline: The known states over the history of the code, or None.
        jobs: The state of verify jobs, as in ``status --json``; None in the past.
        warnings: The most important messages.
        waiting: The facts whose commands have not been approved here.
        left_out: The number of memories of other scopes, which the page does not show.
        commits: The address of a commit on the code's forge, without the commit's name at its end; or empty.
        files: The address of a file of the code at ``code`` on its forge, without the file's path at its end; or empty.
        first_fact: The command that records a fact about a file of the code, if no memory has a status; or empty.
        ranking: The settings for ranking the page's search (``rank_factors.settings``); empty if it cannot rank.
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
    files: str = ""
    first_fact: str = ""
    ranking: Mapping[str, Any] | None = None

    def of(self, *statuses: str) -> list[PageMemory]:
        """Return the memories with one of these statuses, in page order."""
        return [entry for entry in self.entries if entry.status in statuses]

    def counts(self) -> dict[str, int]:
        """Return the number of memories with each status, the strongest status first."""
        return _count(self.entries)

    def claims(self) -> dict[str, int]:
        """Return the same of adopted claims alone: each proves a name or a value of a document, not its sentence."""
        return _count(entry for entry in self.entries if entry.kind == ADOPTED)


def _count(entries: Iterable[PageMemory]) -> dict[str, int]:
    totals = dict.fromkeys(STATUSES, 0)
    for entry in entries:
        if entry.status:
            totals[entry.status] += 1
    return totals


# What is for the page alone, or has a form of its own.
_NOT_SHOWN = frozenset(("entries", "timeline", "links", "ranking", "first_fact"))
_FOR_SEARCH = frozenset(("places", "number", "since", "factor"))


def as_table(page: Page) -> dict[str, Any]:
    """Return the page's data as the documented JSON; empty fields of memories are left out."""
    values = {name: value for name, value in fields_of(page).items() if name not in _NOT_SHOWN}
    line = page.timeline
    return values | {
        "made": format_time(page.made) if page.made else "",
        "statuses": page.counts(),
        "claims": page.claims(),
        "memories": [_entry(entry) for entry in page.entries],
        "links": [{"requires": needed, "key": key} for needed, key in page.links],
        "timeline": None
        if line is None
        else {
            "branch": line.branch,
            "commits": [_moment(moment) for moment in line.moments],
            "counts": [
                dict(zip(("verified", "suspect", "failed", "unknown"), row, strict=True)) for row in line.counts
            ],
            "facts": [fields_of(strip) for strip in line.strips],
            "breaks": [_moment(moment) | {"keys": list(keys)} for moment, keys in line.breaks],
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
