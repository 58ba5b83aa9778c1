"""The result of a sync, done or planned: counted from two commits, and as JSON."""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.store import layout
from gitmem.store.companion import companion_branch
from gitmem.store.verdicts.buckets import sections_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.git.objects import Objects, PathEntry
    from gitmem.store.merge.trees import Conflict


@frozen
class CompanionStep:
    """What a sync did with one companion.

    Attributes:
        code: The branch of the code.
        what: ``merged`` into the memory, ``pushed``, ``dropped``, or ``waits`` in this clone.
        because: How its branch was merged, or why it waits; one line.
    """

    code: str
    what: str
    because: str = ""


MERGED, SENT, DROPPED, WAITS = "merged", "pushed", "dropped", "waits"


@frozen
class SyncResult:
    """The result of a sync, done or planned.

    Attributes:
        remote: The remote.
        fetched: The remote's commit; empty if it has no memory yet.
        merged: How it was merged: ``nothing``, ``joined`` (there was no branch here), ``forward``, or ``merged``.
        commit: The commit of this clone's branch now.
        pushed: Whether the remote's branch has everything.
        instead: The branch of the remote that has everything, if its memory branch is protected; or empty.
        added: The keys of new memories from the remote, sorted.
        changed: The keys of memories that the remote changed.
        retired: The keys of memories that the remote retired.
        verdicts: The number of verdicts from the remote.
        conflicts: The conflicts of this merge that a person must resolve, by path.
        companions: What was done with the companions of code branches.
        sent: The number of memories that the remote received as new, changed or retired.
        sent_verdicts: The number of verdicts that it received.
    """

    remote: str
    fetched: str = ""
    merged: str = "nothing"
    commit: str = ""
    pushed: bool = False
    instead: str = ""
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    verdicts: int = 0
    conflicts: tuple[Conflict, ...] = ()
    companions: tuple[CompanionStep, ...] = ()
    sent: int = 0
    sent_verdicts: int = 0


def count_changes(result: SyncResult, objects: Objects, old: str | None, new: str, only: Any = None) -> SyncResult:
    """Return the result with the differences between two commits counted, by key; or only at some paths.

    A memory that was new and retired in between is not counted: it is on neither side.
    """
    before: set[str] = set()
    after: set[str] = set()
    live: set[str] = set()
    verdicts = 0
    buckets: list[tuple[str, PathEntry | None, PathEntry | None]] = []
    for path, (was, now) in objects.diff(old, new).items():
        place = layout.place_of(path)
        if not isinstance(place, layout.StorePath) or (only is not None and path not in only):
            continue
        if place.what == layout.VERDICT:
            verdicts += now is not None
        elif place.what == layout.BUCKET:
            buckets.append((path, was, now))
        elif place.what == layout.MEMORY:
            before |= {place.key} if was else set()
            after |= {place.key} if now else set()
            live |= {place.key} if now and not place.archived else set()
    texts = objects.read([e.oid for _, *ends in buckets for e in ends if e], limit=layout.BUCKET_LIMIT)
    for path, *ends in buckets:
        old_ones, new_ones = (dict(sections_of(texts.get(e.oid, b"") if e else b"", path)) for e in ends)
        verdicts += sum(old_ones.get(name) != text for name, text in new_ones.items())
    archived = {key for key in after - live if key in before}
    return replace(
        result,
        added=tuple(sorted(live - before)),
        changed=tuple(sorted((after & before) - archived)),
        retired=tuple(sorted(archived)),
        verdicts=verdicts,
    )


def as_table(result: SyncResult) -> dict[str, Any]:
    """Return the documented JSON."""
    conflicts: Sequence[Conflict] = result.conflicts
    return {
        "remote": result.remote,
        "fetched": result.fetched,
        "merged": result.merged,
        "commit": result.commit,
        "pushed": result.pushed,
        "instead": result.instead,
        "added": list(result.added),
        "changed": list(result.changed),
        "retired": list(result.retired),
        "verdicts": result.verdicts,
        "conflicts": [{"key": c.key, "path": c.path, "fields": list(c.fields)} for c in conflicts],
        "companions": [{"branch": c.code, "action": c.what, "because": c.because} for c in result.companions],
    }


def describe_companion(step: CompanionStep) -> str:
    """Return a line about what a sync did with a companion."""
    branch = companion_branch(step.code)
    if step.what == MERGED:
        return f"{step.code} is merged ({step.because}): its memory {branch} is merged as well"
    if step.what == SENT:
        return f"{branch} is pushed: it is merged when {step.code} is"
    if step.what == DROPPED:
        return f"{branch} is deleted from the remote: {step.because}"
    return f"{branch} waits in this clone" + (f": {step.because}" if step.because else "")
