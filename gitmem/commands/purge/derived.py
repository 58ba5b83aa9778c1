"""Remove what was purged from the data of this clone: indexes, local state, waiting captures, logs.

Indexes are deleted and made again when they are needed. Other files are edited in place.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
import shutil
from pathlib import Path

from gitmem.config import second_place
from gitmem.index import WHOOSH_FOLDER
from gitmem.index.catalog import FILE_NAME, OVERLAY_FOLDER
from gitmem.index.vectors.folders import FOLDER as VECTORS
from gitmem.repository.shared_stores import shared_place
from gitmem.store.state.plain_files import LOCAL
from gitmem.system import iter_files, read_regular
from gitmem.system.atomic_write import write_synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git
    from gitmem.store.purged import Eraser

# Folders of data that is made from the branch: Whoosh's index, vectors, catalogs of former states.
_FOLDERS = frozenset({WHOOSH_FOLDER, VECTORS, "at"})
# The file with the words of the memories, one by one (``agents.moments.cues``); it is made again when a session starts.
_CAUTIONS = "cautions"
# Larger files are logs of no known kind; they are left alone, and reported if they have the text.
LARGEST = 64 << 20
_DATABASE = b"SQLite format 3\0"
# The columns with text of the local state (``store.local``), by table.
_TEXTS = {"verdict": "fields", "blocked": "reason", "output": "text", "access": "count"}


def state_folders(git: Git) -> list[str]:
    """Return the folders with this clone's state."""
    paths = git.repository
    own = [str(paths.state), second_place(paths.state), *map(str, paths.common_dir.glob("worktrees/*/gitmem"))]
    return [folder for folder in own if Path(folder).is_dir()]


def clean(git: Git, eraser: Eraser, *, indexes: bool) -> int:
    """Clean the state of this clone, and return how many files and indexes were removed or changed.

    Other repositories of this person may list this one: their copies of it are among the shared catalogs, of which none
    is kept.

    Args:
        git: The repository.
        eraser: What is removed.
        indexes: Whether to delete the indexes: a history had it.
    """
    number = 0
    if indexes and Path(shared_place()).is_dir():
        shutil.rmtree(shared_place(), ignore_errors=True)
        number += 1
    return number + sum(_clean_folder(folder, eraser, indexes=indexes) for folder in state_folders(git))


def _clean_folder(folder: str, eraser: Eraser, *, indexes: bool) -> int:
    number = 0
    for above, folders, names in os.walk(folder):
        # A captured text is in no history, but in this index.
        for name in names if indexes or above.endswith(OVERLAY_FOLDER) else ():
            if name.startswith(FILE_NAME):
                Path(above, name).unlink(missing_ok=True)
                number += 1
        for name in sorted(_FOLDERS.intersection(folders)) if indexes else ():
            shutil.rmtree(Path(above, name), ignore_errors=True)
            folders.remove(name)
            number += 1
    for entry in list(iter_files(folder)):
        number += _clean_file(Path(entry.path), eraser)
    return number


def _clean_file(path: Path, eraser: Eraser) -> bool:
    """Remove or edit one file; return whether that was necessary."""
    is_set_aside = path.name.startswith((f"{LOCAL}.", f"{LOCAL}-wal.damaged"))  # because it is damaged
    if is_set_aside or path.name == _CAUTIONS:
        path.unlink(missing_ok=True)
        return True
    if path.name == LOCAL:
        return _clean_local(path, eraser)
    try:
        content = read_regular(path) if path.is_file() and path.stat().st_size <= LARGEST else b""
    except OSError:
        return False  # a lock of another user, or a file that has just been removed
    new = content if content.startswith(_DATABASE) else eraser.text(content)
    if new == content:
        return False
    beside = path.with_name(f"{path.name}.purge")
    write_synced(str(beside), new)
    beside.replace(path)
    return True


def _clean_local(path: Path, eraser: Eraser) -> bool:
    """Clean the verdicts and outputs of this clone, and write the database again."""
    db = sqlite3.connect(path, isolation_level=None, timeout=10)
    try:
        db.execute("PRAGMA secure_delete = ON")
        changed = sum(_clean_table(db, table, column, eraser) for table, column in _TEXTS.items())
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error:
        db.close()
        path.unlink(missing_ok=True)  # losing it costs a run of the checks, never a memory
        return True
    db.close()
    return changed > 0


def _clean_table(db: sqlite3.Connection, table: str, column: str, eraser: Eraser) -> int:
    """Delete the rows of purged memories, edit those that have a purged text, and return how many there were."""
    number = 0
    for key, text in db.execute(f"SELECT key, {column} FROM {table}").fetchall():
        new = eraser.text(str(text).encode("utf-8", "replace")).decode("utf-8", "replace")
        if eraser.is_key(str(key)):
            db.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
        elif new != str(text):
            order = f"UPDATE {table} SET {column} = ? WHERE key = ? AND {column} = ?"
            db.execute(order, (new, key, text))
        else:
            continue
        number += 1
    return number
