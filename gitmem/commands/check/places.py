"""The places in a fact's inputs that a change touched: files, and the first line that differs in each."""

from __future__ import annotations

from heapq import nsmallest

from gitmem.verify.overview.finding import Spot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.git import Git, TreeChange

# The most files named; the diff shows the rest.
NAMED = 3
# A larger file is not opened: finding the line would take too long.
FILE_LIMIT = 1024 * 1024
GONE = "D"
FILE_MODES = ("100644", "100755")


def spots_of(git: Git, changed: Iterable[Sequence[TreeChange]]) -> list[tuple[Spot, ...]]:
    """Return the files and their first changed lines for each list of changes; each file is read once."""
    chosen = [nsmallest(NAMED, changes, key=lambda c: (c.status == GONE, c.path)) for changes in changed]
    lines = _first_lines(git, {change.path: change for changes in chosen for change in changes}.values())
    return [tuple(Spot(change.path, lines.get(change.path, 0)) for change in changes) for changes in chosen]


def _first_lines(git: Git, changes: Iterable[TreeChange]) -> dict[str, int]:
    both = [c for c in changes if c.mode in FILE_MODES]
    lines = {c.path: 1 for c in both}
    both = [c for c in both if c.old_mode in FILE_MODES]
    oids = dict.fromkeys(oid for c in both for oid in (c.old_oid, c.oid))
    sizes = git.sizes(oids)
    texts = dict(git.read_blobs(oid for oid in oids if 0 <= sizes[oid] <= FILE_LIMIT))
    for change in both:
        old, new = texts.get(change.old_oid), texts.get(change.oid)
        if old is not None and new is not None:
            lines[change.path] = first_difference(old, new)
    return lines


def first_difference(old: bytes, new: bytes) -> int:
    """Return the first line of *new*, from 1, that differs from *old*; the last one if only the end is missing."""
    was, now = old.split(b"\n"), new.split(b"\n")
    same = next((at for at, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    last = len(now) - (1 if len(now) > 1 and not now[-1] else 0)
    return min(same + 1, last)
