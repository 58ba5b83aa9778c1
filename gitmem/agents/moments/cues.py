"""The phrases of commands about which memories have a caution, in a small file that is read before each command.

Most commands are everyday ones: for them a hook opens no repository. So the start of a session writes which commands
memories name with a caution (``cautions``), and a command that has none of these phrases costs the reading of a file.
"""

from __future__ import annotations

import os

from gitmem.errors import GitmemError, suppress
from gitmem.git.repository import discover
from gitmem.system import read_file, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository

NAME = "cautions"
# Increased whenever the same memories would give other phrases.
_FORMAT = 1
# The most memories that are read, the newest ones; the most bytes of the file; letters of a program looked for.
MEMORIES_AT_MOST, BYTES, LETTERS = 300, 64 * 1024, 3


def cued_phrases(folder: str, line: str) -> list[str]:
    """Return the phrases of a command line about which a memory may have a caution; mostly none.

    Args:
        folder: The folder in which the command runs.
        line: The command line.
    """
    try:
        state = discover(os.path.abspath(folder or os.curdir)).state
    except (OSError, GitmemError):
        return []
    known = read_file(os.path.join(state, NAME)).decode("utf-8", "replace").split("\n")[1:]
    low = line.lower()
    if not any(phrase and phrase.split()[0] in low for phrase in known):
        return []
    from gitmem.agents.moments.cautions import phrases_of  # most commands name no such program

    return [phrase for phrase in phrases_of(line) if phrase in known]


def write_cues(repository: OpenRepository) -> None:
    """Write the phrases of the present memories, unless they are written; a disk error only costs warnings."""
    stores = repository.stores()
    stamp = " ".join([str(_FORMAT), *(store.find_tip() or "" for store in stores)])
    path = os.path.join(repository.git.repository.state, NAME)
    if read_file(path).partition(b"\n")[0] == stamp.encode():
        return
    from gitmem.agents.moments.cautions import cautioned  # only after a change of the memories

    phrases: dict[str, None] = {}
    for store in stores:
        for text in _texts(store.catalog()):
            phrases |= dict.fromkeys(cautioned(text))
    with suppress(OSError):
        write_text(path, "\n".join([stamp, *sorted(phrases)])[:BYTES])


def _texts(catalog: Catalog) -> Sequence[str]:
    """Return the texts of the newest memories; of many, those that may name a program."""
    from gitmem.agents.moments.cautions import PROGRAMS
    from gitmem.index.catalog import wordings_of

    newest = catalog.rows("SELECT id FROM memory ORDER BY id DESC LIMIT ?", (MEMORIES_AT_MOST + 1,))
    if len(newest) > MEMORIES_AT_MOST:
        beginnings = {
            word[: max(LETTERS, len(word) - 2)] for word in PROGRAMS if word.isalnum() and len(word) >= LETTERS
        }
        match = "{title body} : (" + " OR ".join(f'"{word}" *' for word in sorted(beginnings)) + ")"
        sql = "SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rowid DESC LIMIT ?"
        newest = catalog.rows(sql, (match, MEMORIES_AT_MOST))
    return [f"{title}\n{body}" for title, body in wordings_of(catalog, [number for (number,) in newest]).values()]
