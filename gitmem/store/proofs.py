"""Cache which commits are a store's, and which a foreign branch's.

That never changes (``store.foreign`` decides), so it is kept in a small file beside the index: recall reads it instead
of starting git.
"""

from __future__ import annotations

import os

from gitmem.errors import suppress
from gitmem.model import FORMAT
from gitmem.system import read_file, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

PROOFS_FILE = "proofs"


# The first line; another number discards decisions by earlier rules or for an earlier format.
_PROOFS_HEAD = f"gitmem-proofs 2 format {FORMAT}\n"


# Only the newest are kept: the tips of the memory branch, of its remote, of a proposal, and recent earlier ones.
PROOFS_KEPT = 16


# The root commit is an ancestor, and nothing in it is unknown to the layout.
ROOTED = "rooted"


# Without the root commit: `gitmem.toml` names the format, and nothing is unknown.
BY_FORMAT = "named"


# The root commit is an ancestor, and something is unknown: readable, but not writable.
STRAY = "stray"


# Its policy names the format of a later version of gitmem: read as far as possible, not writable.
NEWER = "newer"


FOREIGN = "foreign"


STORES = frozenset({ROOTED, BY_FORMAT})


READABLE = STORES | {STRAY, NEWER}


def read_proofs(state: str) -> dict[str, str]:
    """Return the known answers by commit, oldest first."""
    text = read_file(os.path.join(state, PROOFS_FILE)).decode("utf-8", "replace")
    lines = text.removeprefix(_PROOFS_HEAD).split("\n") if text.startswith(_PROOFS_HEAD) else []
    return dict(line.split(" ") for line in lines if line.count(" ") == 1)


def note_proof(state: str, commit: str, kind: str) -> None:
    """Cache the answer for a commit, if there is a state folder; a read-only disk is ignored."""
    known = read_proofs(state)
    known.pop(commit, None)
    newest = [*known.items(), (commit, kind)][-PROOFS_KEPT:]
    with suppress(OSError):
        if os.path.isdir(state):
            lines = "".join(f"{commit} {found}\n" for commit, found in newest)
            write_text(os.path.join(state, PROOFS_FILE), _PROOFS_HEAD + lines)
