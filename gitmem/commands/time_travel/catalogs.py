"""Catalogs of former states of the store, made by changing a copy of the present one; a few are cached."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
import shutil
import time
from pathlib import Path

from gitmem.errors import ProcessError
from gitmem.frozen import frozen, replace
from gitmem.index import refresh
from gitmem.index.catalog import FILE_NAME, Catalog, commit_and_tree, discard_file, register, schema
from gitmem.model import Problem
from gitmem.store import layout, read
from gitmem.store.code_folder import read_tree
from gitmem.store.local import is_damage, is_unwritable
from gitmem.store.verdicts.buckets import unite_buckets
from gitmem.text.tokens import format_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gitmem.git import Git
    from gitmem.repository import OpenRepository

    Progress = Callable[[int, int], None] | None

# Below the state folder, one folder per requested state.
FOLDER = "at"
# How many are cached: changing a catalog back by 1,000 differences takes a second of CPU (measured).
KEPT_AT_MOST = 3
# One difference costs as much as reading this many memories from scratch (measured: 1 ms and 0.2 ms).
CHANGE_COSTS = 4
FEW = 400
# A process that makes one ends within an hour, or was killed.
ABANDONED_S = 3600


@frozen
class CatalogContent:
    """The content of a catalog.

    Attributes:
        states: The commits of the store to unite, in order of precedence; empty for none.
        tree: A tree ``.memory`` of the code, or empty.
    """

    states: tuple[str, ...]
    tree: str = ""

    def stamp(self) -> tuple[str, str]:
        """Return the stamp of such a catalog: for a single state, its commit."""
        return " ".join(self.states), self.tree

    def folder(self) -> str:
        """Return the name of its cache folder."""
        return "-".join(name[:12] for name in (*self.states[:4], self.tree) if name)


def catalog_at(git: Git, now: Catalog, wanted: CatalogContent, *, progress: Progress = None) -> Catalog:
    """Return a catalog of a former state, given that of some other state, which is only read.

    It is cached under the state folder, or lives in memory if the disk cannot be written. *progress* is called with the
    number of files read and the total.
    """
    if wanted == CatalogContent(()):
        return refresh.empty_catalog()
    # If the present one lives in memory, nothing on the disk may be used.
    top = (git.repository.state_dir if now.path else Path(os.devnull)) / FOLDER
    folder = top / wanted.folder()
    fresh = top / f"{folder.name}.{os.getpid()}"
    catalog = _open(folder, wanted)
    try:
        if catalog is None:
            fresh.mkdir(mode=0o700, parents=True)
            _write(git, now, wanted, fresh, progress)
            shutil.rmtree(folder, ignore_errors=True)
            fresh.rename(folder)
            _prune(top, keep=folder)
            catalog = _open(folder, wanted)
        else:
            os.utime(folder)
    except OSError:
        pass  # read-only, full, or another process was faster
    except sqlite3.OperationalError as err:
        if not is_unwritable(err):
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return catalog or _restore(git, now.copy(), wanted, None, progress)


def _open(folder: Path, wanted: CatalogContent) -> Catalog | None:
    """Return the catalog in a folder; None if there is none, or it is of another state."""
    catalog = Catalog.open(folder, analysis=format_stamp())
    if catalog is not None and commit_and_tree(catalog) != wanted.stamp():
        catalog.close()
        return None
    return catalog


def _write(git: Git, now: Catalog, wanted: CatalogContent, folder: Path, progress: Progress) -> None:
    """Make the catalog in a folder of its own."""
    path = str(folder / FILE_NAME)
    copy = sqlite3.connect(path, isolation_level=None)
    register(copy)
    copy.execute("PRAGMA synchronous = OFF")  # it is renamed into place when complete
    now.connection.backup(copy)
    schema.settle(_restore(git, Catalog(path, copy), wanted, folder, progress).connection)


def _restore(git: Git, copy: Catalog, wanted: CatalogContent, folder: Path | None, progress: Progress) -> Catalog:
    """Change a copy of the present catalog to a former state, or rebuild it if that is cheaper."""
    first = wanted.states[0] if wanted.states else ""
    if not _follow(git, copy, first, wanted.tree):
        copy.close()
        if folder is not None:
            discard_file(str(folder / FILE_NAME))
        # No catalog can be a device: it lives in memory.
        copy = refresh.rebuild(refresh.CatalogSource(git, first, wanted.tree, str(folder or os.devnull)), progress)
    with copy.writing():
        # Computed from today's verdicts.
        copy.connection.execute("DELETE FROM state")
        copy.connection.execute("DELETE FROM ground")
        for other in wanted.states[1:]:
            _add_parallel(git, copy, first, other)
        copy.set_meta("commit", wanted.stamp()[0])
    return copy


def _follow(git: Git, copy: Catalog, commit: str, tree: str) -> bool:
    shown, memories = commit_and_tree(copy)[0], copy.row("SELECT count(*) FROM memory")[0]
    try:
        if shown and commit and len(git.diff_trees(shown, commit)) * CHANGE_COSTS > max(memories, FEW):
            return False
        return refresh.follow(git, copy, commit, tree)
    except ProcessError:
        return False  # a tree is unreadable
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return False  # the present one has undiscovered damage


def _add_parallel(git: Git, catalog: Catalog, first: str, other: str) -> None:
    """Add another clone's parallel writes to the first state; for a memory changed in both, the first one's counts."""
    bases = git.merge_bases(first, other)
    if not bases:
        return
    try:
        own = {change.path for change in git.diff_trees(bases[0], first)}
        scan = read.scan_changes(git, bases[0], other)
    except ProcessError:
        return  # one of its trees is unreadable
    files = tuple(f for f in scan.files if _is_added(f, own))
    removed = tuple(path for path in scan.removed if path not in own)
    problems = tuple(p for p in scan.problems if p.path not in own)
    wanted = [f for f in files if f.place.what in (layout.MEMORY, layout.VERDICT, layout.BUCKET)]
    contents = read.read_files(git, wanted)
    added = ((f, _unite_verdicts(git, first, f, content) if f.path in own else content) for f, content in contents)
    refresh.apply_scan(catalog, replace(scan, files=files, removed=removed, problems=problems), added)


def _is_added(file: read.StoredFile, own: Collection[str]) -> bool:
    return file.place.what == layout.BUCKET or (file.path not in own and file.place.what != layout.POLICY)


def _unite_verdicts(git: Git, first: str, file: read.StoredFile, content: bytes | Problem) -> bytes | Problem:
    """Return the verdicts of a bucket that both states changed."""
    if isinstance(content, Problem):
        return content
    mine = git.read_blob(f"{first}:{file.path}", limit=layout.BUCKET_LIMIT)
    return unite_buckets(None, mine or b"", content, path=file.path)


def discard_damaged(error: BaseException | None, git: Git) -> None:
    """Delete all cached catalogs if an error says that one is damaged; they can be made again."""
    if is_damage(error):
        shutil.rmtree(git.repository.state_dir / FOLDER, ignore_errors=True)


def _prune(top: Path, *, keep: Path) -> None:
    """Delete all but the last requested catalogs, and incomplete ones."""
    folders = []
    for folder in top.iterdir():
        try:
            used = folder.stat().st_mtime
        except FileNotFoundError:
            continue  # another process deleted it
        is_whole = not folder.suffix
        if is_whole or used < time.time() - ABANDONED_S:
            folders.append((folder == keep, is_whole, used, folder))
    for *_, folder in sorted(folders, reverse=True)[KEPT_AT_MOST:]:
        shutil.rmtree(folder, ignore_errors=True)


def catalog_for(repository: OpenRepository, commit: str, code: str) -> Catalog:
    """Return the catalog of a commit of the store with the memories of a commit of the code."""
    tip = repository.find_tip()
    now = repository.catalog(tip) if tip else refresh.empty_catalog()
    wanted = CatalogContent((commit,) if commit else (), read_tree(repository.git, code) if code else "")
    return catalog_at(repository.git, now, wanted, progress=repository.progress_of("reading memories"))
