"""A small file with what memories may say about commands; a hook reads it before each command.

It has the phrases of the known programs about which memories have a caution, and the words of the memories, in which
the names of other programs and of tasks are looked up.

Most commands have no such memory, and opening the store before each of them would be too slow. The phrases
(``cautions``) are written when a session starts, when it writes a memory, and when captures are committed.
"""

from __future__ import annotations

import os
from itertools import islice

from gitmem.agents.moments.programs import names_in, plain_name
from gitmem.errors import GitmemError, suppress
from gitmem.git.repository import discover
from gitmem.system import read_file, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.repository import OpenRepository

NAME = "cautions"
# What separates, in the first line, the stamp from the words of the memories.
_TAB = "\t"
# Increased whenever the same memories would give other phrases.
_FORMAT = 5
# The most memories read and phrases written, the newest ones; the fewest letters of a program that is searched for.
MEMORIES_AT_MOST, PHRASES_AT_MOST, LETTERS = 300, 1000, 3
# The most words of memories that are written, and the most characters of one.
WORDS_AT_MOST, WORD_CHARS = 5000, 60
# The most phrases of one memory, so that it cannot displace those of the others.
PHRASES_OF_ONE = 40


def cued_phrases(folder: str, line: str) -> list[str]:
    """Return the phrases of a command line about which a memory may have a caution; for most lines, none.

    Args:
        folder: The folder in which the command runs.
        line: The command line.
    """
    try:
        state = discover(os.path.abspath(folder or os.curdir)).state
    except (OSError, GitmemError):
        return []
    text = read_file(os.path.join(state, NAME)).decode("utf-8", "replace")
    first, *known = text.split("\n", PHRASES_AT_MOST + 1)[: PHRASES_AT_MOST + 1]
    words, low = f" {first.partition(_TAB)[2]} ", line.lower()
    named = [name for name in names_in(line) if f" {name} " in words]
    if not any(_may_be_in(low, phrase) for phrase in known):
        return named
    from gitmem.agents.moments.cautions import phrases_of  # most commands have no such words

    return [*named, *(phrase for phrase in phrases_of(line) if phrase in known and phrase not in named)]


def _may_be_in(line: str, phrase: str) -> bool:
    """Return whether a line in lower case has a phrase's words; "npm" stands for all that run the same scripts."""
    program, _, rest = phrase.partition(" ")
    return (
        bool(program)
        and (program in line or (program == "npm" and bool(rest)))
        and all(word in line for word in rest.split())
    )


def write_cues(repository: OpenRepository) -> None:
    """Write the phrases of the live memories unless the file has them; without the file there are fewer warnings."""
    if not repository.has_store():
        return
    stores = repository.stores()
    stamp = " ".join([str(_FORMAT), *(store.find_tip() or "" for store in stores)])
    path = os.path.join(repository.git.repository.state, NAME)
    if read_file(path).partition(b"\n")[0].partition(_TAB.encode())[0] == stamp.encode():
        return
    from gitmem.agents.moments.cautions import cautioned_phrases  # only after a change of the memories

    phrases: dict[str, None] = {}
    words: dict[str, None] = {}
    for store in stores:
        for text in _texts(store.catalog()):
            words |= dict.fromkeys(map(plain_name, text.split()))
            phrases |= dict.fromkeys(islice(cautioned_phrases(text), PHRASES_OF_ONE))
    kept = [word for word in words if LETTERS <= len(word) <= WORD_CHARS and word.isprintable()]
    named = " ".join(kept[:WORDS_AT_MOST])
    with suppress(OSError):
        write_text(path, "\n".join([f"{stamp}{_TAB}{named}", *list(phrases)[:PHRASES_AT_MOST]]))


def _texts(catalog: Catalog) -> Sequence[str]:
    """Return the texts of the newest live memories; if there are many, only of those that may name a program."""
    from gitmem.agents.moments.programs import PROGRAMS
    from gitmem.index.catalog import wordings_of
    from gitmem.index.catalog.state import LIVE

    sql = f"SELECT m.id FROM memory m WHERE {LIVE} ORDER BY m.id DESC LIMIT ?"
    newest = catalog.rows(sql, (MEMORIES_AT_MOST + 1,))
    if len(newest) > MEMORIES_AT_MOST:
        beginnings = {
            word[: max(LETTERS, len(word) - 2)] for word in PROGRAMS if word.isalnum() and len(word) >= LETTERS
        }
        match = "{title body} : (" + " OR ".join(f'"{word}" *' for word in sorted(beginnings)) + ")"
        sql = (
            "SELECT fts.rowid FROM fts CROSS JOIN memory m ON m.id = fts.rowid"
            f" WHERE fts MATCH ? AND {LIVE} ORDER BY fts.rowid DESC LIMIT ?"
        )
        newest = catalog.rows(sql, (match, MEMORIES_AT_MOST))
    numbers = [number for (number,) in newest]
    texts = wordings_of(catalog, numbers)
    return ["\n".join(texts[number]) for number in numbers if number in texts]
