"""Cache which commits belong to a store and which to a foreign branch (``store.foreign`` decides).

The answer for a commit never changes, so it is cached in a small file beside the index: recall reads that instead of
starting git.
"""

from __future__ import annotations

import os

from gitmem.model import FORMAT

FILE_NAME = "proofs"
# The first line; another number discards decisions by earlier rules or for an earlier format.
_HEAD = f"gitmem-proofs 2 format {FORMAT}\n"
# Only the newest are kept: the tips of the memory branch, of its remote, of a proposal, and recent earlier ones.
KEPT = 16

# The root commit is an ancestor, and nothing in it is unknown to the layout.
ROOTED = "rooted"
# Without the root commit: `gitmem.toml` names the format, and nothing is unknown.
NAMED = "named"
# The root commit is an ancestor, and something is unknown: readable, but not writable.
STRAY = "stray"
# Its policy names the format of a later version of gitmem: read as far as possible, not writable.
NEWER = "newer"
FOREIGN = "foreign"
STORES = frozenset({ROOTED, NAMED})
READABLE = STORES | {STRAY, NEWER}


def read(state: str) -> dict[str, str]:
    """Return the known answers by commit, oldest first."""
    try:
        with open(os.path.join(state, FILE_NAME), encoding="utf-8") as file:
            head, *lines = file.readlines()
    except (OSError, ValueError):
        return {}
    return dict(line.split() for line in lines if line.count(" ") == 1) if head == _HEAD else {}


def note(state: str, commit: str, kind: str) -> None:
    """Cache the answer for a commit, if there is a state folder; a read-only disk is ignored."""
    known = read(state)
    known.pop(commit, None)
    newest = [*known.items(), (commit, kind)][-KEPT:]
    path = os.path.join(state, FILE_NAME)
    new = f"{path}.{os.getpid()}"
    try:
        with open(new, "w", encoding="utf-8") as file:
            file.write(_HEAD + "".join(f"{one} {found}\n" for one, found in newest))
        os.replace(new, path)
    except OSError:
        return
