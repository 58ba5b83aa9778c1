"""Links in our state folder: none is ours, and what they lead to is somebody's.

A ``.git`` that was copied or unpacked from elsewhere can hold ``gitmem/at -> /home/ana``. Whoever tidies such a folder
up, as we do with ours, deletes what belongs to others: so links go before anything is done there.
"""

from __future__ import annotations

import os

# Folders of ours that have folders of ours inside; their links go, too.
NESTED = frozenset({"at", "capture", "sessions", "spool", "summaries", "vectors", "listed"})


def remove_links(state_folder: str) -> None:
    """Remove links from the state folder and from the folders inside it; never what they lead to.

    Costs one look at a folder of a dozen entries, and at each of those inside that are named here.
    """
    _remove(state_folder, depth=2)


def _remove(folder: str, *, depth: int) -> None:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    os.unlink(entry.path)
                elif depth and (depth == 1 or entry.name in NESTED) and entry.is_dir(follow_symlinks=False):
                    _remove(entry.path, depth=depth - 1)
    except OSError:
        return  # there is none yet, or it cannot be written to: then nothing of it can be deleted either
