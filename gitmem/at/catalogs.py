"""Catalogs of the store as it was: the present one, copied and led back by the tree difference; a few are kept."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from pathlib import Path

from gitmem.analysis import format_stamp
from gitmem.catalog import schema
from gitmem.catalog.catalog import Catalog, is_unwritable, shown_by
from gitmem.errors import ProcessError
from gitmem.frozen import replace
from gitmem.search import refresh
from gitmem.store import layout, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git.binary import Git

# Below the state folder, one folder for each state that was asked for.
FOLDER = "at"
# How many are kept: leading the catalog of 10,000 memories back by 1,000 changes takes half a second (measured).
KEPT = 3
# A process that makes one ends within an hour, or was killed.
ABANDONED_S = 3600


def catalog_at(git: Git, now: Catalog, states: Sequence[str], tree: str) -> Catalog:
    """Return a catalog that shows some states of the store united, and a tree ``.memory`` of the code.

    It is kept under the state folder for the next question, or lives in memory where the disk cannot be written to.

    Args:
        git: The repository.
        now: The catalog as of some other state, which is only read.
        states: Commits of the store, the one that counts first; empty for none.
        tree: The tree ``.memory`` of the code, or empty.
    """
    if not states and not tree:
        return refresh.empty_catalog()
    top = git.repository.state_dir / FOLDER
    folder = top / "-".join(name[:12] for name in (*states[:4], tree) if name)
    fresh = top / f"{folder.name}.{os.getpid()}"
    found = _open(folder, states, tree)
    try:
        if found is None:
            fresh.mkdir(mode=0o700, parents=True)
            _make(git, now, states, tree, fresh)
            shutil.rmtree(folder, ignore_errors=True)
            fresh.rename(folder)
            _prune(top, keep=folder)
            found = _open(folder, states, tree)
        else:
            os.utime(folder)
    except OSError:
        pass  # read-only, full, or another process was faster
    except sqlite3.OperationalError as err:
        if not is_unwritable(err):
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return found or _lead_back(git, now.copied(), states, tree)


def _open(folder: Path, states: Sequence[str], tree: str) -> Catalog | None:
    """Return the catalog that lies in a folder; None where there is none, or one of another state."""
    found = Catalog.open(folder, analysis=format_stamp())
    if found is not None and shown_by(found) != (_name(states), tree):
        found.close()
        return None
    return found


def _name(states: Sequence[str]) -> str:
    """Return what a catalog of united states is stamped with; of one, its commit."""
    return " ".join(states)


def _make(git: Git, now: Catalog, states: Sequence[str], tree: str, folder: Path) -> None:
    """Make the catalog in a folder of its own."""
    path = str(folder / schema.FILE_NAME)
    copy = sqlite3.connect(path, isolation_level=None)
    copy.execute("PRAGMA synchronous = OFF")  # it is put into its place when it is whole
    now.connection.backup(copy)
    schema.settle(_lead_back(git, Catalog(path, copy), states, tree, folder).connection)


def _lead_back(git: Git, copy: Catalog, states: Sequence[str], tree: str, folder: Path | None = None) -> Catalog:
    """Bring a copy of the present catalog to some states, or make it anew where it cannot follow."""
    first = states[0] if states else ""
    if not _follow(git, copy, first, tree):
        copy.close()
        if folder is not None:
            schema.discard(str(folder / schema.FILE_NAME))
        # No catalog can lie in a device: it lives in memory.
        copy = refresh.rebuild(git, first, tree=tree, folder=str(folder or os.devnull))
    with copy.writing():
        # Worked out with verdicts of today.
        copy.connection.execute("DELETE FROM state")
        copy.connection.execute("DELETE FROM ground")
        for other in states[1:]:
            _add(git, copy, first, other)
        copy.set_meta("commit", _name(states))
    return copy


def _follow(git: Git, copy: Catalog, commit: str, tree: str) -> bool:
    try:
        return refresh.follow(git, copy, commit, tree)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return False  # the present one is damaged in a place that nobody touched yet


def _add(git: Git, catalog: Catalog, first: str, other: str) -> None:
    """Add what another clone had written beside the first state; where both changed a file, the first one's counts."""
    bases = git.merge_bases(first, other)
    if not bases:
        return
    try:
        own = {change.path for change in git.diff_trees(bases[0], first)}
        scan = read.scan_changes(git, bases[0], other)
    except ProcessError:
        return  # a tree of it cannot be read
    files = tuple(f for f in scan.files if f.path not in own and f.place.what != layout.POLICY)
    removed = tuple(path for path in scan.removed if path not in own)
    problems = tuple(p for p in scan.problems if p.path not in own)
    contents = read.read_files(git, [f for f in files if f.place.what in (layout.MEMORY, layout.VERDICT)])
    refresh.apply_scan(catalog, replace(scan, files=files, removed=removed, problems=problems), contents)


def _prune(top: Path, *, keep: Path) -> None:
    """Remove all but the catalogs that were asked for last, and what was left half made."""
    found = []
    for folder in top.iterdir():
        try:
            used = folder.stat().st_mtime
        except FileNotFoundError:
            continue  # another process removed it
        is_whole = not folder.suffix
        if is_whole or used < time.time() - ABANDONED_S:
            found.append((folder == keep, is_whole, used, folder))
    for *_, folder in sorted(found, reverse=True)[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
