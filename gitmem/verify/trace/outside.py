"""What a run used of the world outside the repository's files: the network, and git's tags and branches.

The clock is never seen: it is read without a system call (vdso(7)). Whoever writes a fact about a date declares it.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.verify.trace.reads import Places
    from gitmem.verify.trace.trace import Trace

# What a verdict says that its check depends on: as its memory declares, or as its run was seen to.
DECLARED, NETWORK, REFS = "declared", "network", "tags"
# Where git looks for a name that it is given (gitrevisions(7)), and the folder itself where it lists all of them.
_REF = re.compile(r"/refs/(?:tags|heads|remotes)/(.*)", re.DOTALL)
# What git looks up as a branch or tag first, though it is none: HEAD, the beginning of an object's name, a whole ref.
_NO_REF = re.compile(r"(?:.*/)?HEAD|[0-9a-f]{4,64}|refs/.*", re.DOTALL)


def find_outside(traces: Iterable[Trace], ground: str, places: Places, common: str = "") -> str:
    """Return what runs on one ground used of the world outside; empty where they used nothing that can be seen.

    Args:
        traces: The runs.
        ground: The folder that they saw, absolute.
        places: The files of the code there.
        common: The repository's git directory, where its refs are if they are not in the ground.
    """
    traces = list(traces)
    if any(trace.is_online for trace in traces):
        return NETWORK
    paths = (event[1] for trace in traces for event in trace.events if "/refs/" in event[1])
    own = (f"{ground}/.git/", f"{common}/") if common else f"{ground}/.git/"
    return REFS if any(path.startswith(own) and _names_ref(path, places) for path in paths) else ""


def _names_ref(path: str, places: Places) -> bool:
    found = _REF.search(path)
    if found is None:
        return False
    name = found[1]
    return _NO_REF.fullmatch(name) is None and not (name and (places.find(name) or places.is_folder(name)))


def describe_outside(outside: str) -> str:
    """Return what a check depends on, as a phrase behind "depends on"."""
    return {NETWORK: "the network", REFS: "git's tags or branches"}.get(outside, "the world outside the repository")
