"""Detect what a run used outside the repository's files: the network, and git's tags and branches.

Use of the clock cannot be detected: it is read without a system call (vdso(7)). The author of a fact about a date must
declare it.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.verify.trace.reads import Places
    from gitmem.verify.trace.trace import Trace

# What a check depends on outside the files, as its verdict records it: declared by its memory, or seen in its run.
DECLARED, NETWORK, REFS = "declared", "network", "tags"
# Where git looks up a name (gitrevisions(7)), and the folder itself, which it reads to list all names.
_REF = re.compile(r"/refs/(?:tags|heads|remotes)/(.*)", re.DOTALL)
# Names that git looks up as a branch or tag first, although they are neither: HEAD, an abbreviated object name, a full
# ref.
_NO_REF = re.compile(r"(?:.*/)?HEAD|[0-9a-f]{4,64}|refs/.*", re.DOTALL)


def find_outside(traces: Iterable[Trace], ground: str, places: Places, common: str = "") -> str:
    """Return what runs on one ground used outside the files; empty if nothing was seen.

    Args:
        traces: The traces of the runs.
        ground: The folder that the runs saw, absolute.
        places: The files of the code there.
        common: The repository's git directory, if its refs are there and not in the ground.
    """
    traces = list(traces)
    if any(trace.is_online for trace in traces):
        return NETWORK
    paths = (event[1] for trace in traces for event in trace.events if "/refs/" in event[1])
    own = (f"{ground}/.git/", f"{common}/") if common else f"{ground}/.git/"
    return REFS if any(path.startswith(own) and _names_ref(path, places) for path in paths) else ""


def _names_ref(path: str, places: Places) -> bool:
    match = _REF.search(path)
    if match is None:
        return False
    name = match[1]
    return _NO_REF.fullmatch(name) is None and not (name and (places.find(name) or places.is_folder(name)))


def describe_outside(outside: str) -> str:
    """Return a phrase that completes "depends on"."""
    return {NETWORK: "the network", REFS: "git's tags or branches"}.get(outside, "the world outside the repository")
