"""The listed stores that a question asks together: their shared catalog, brought up to date before each question.

It is in the person's own state folder and can be deleted at any time. Whatever keeps it from being used (a full disk,
another process that writes it for long, damage) costs time, never an answer: then each store is asked by itself.
"""

from __future__ import annotations

import os
import time

from gitmem.config import clones_place, state_home
from gitmem.errors import GitmemError
from gitmem.index.shared import GROUND, Part, PartAccesses, discard_shared, open_shared, read_parts
from gitmem.repository.open_store import OpenStore
from gitmem.store.local import ERRORS
from gitmem.store.scopes import LISTED, Store
from gitmem.store.state.plain_files import LOCAL
from gitmem.text import format_json, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.index.shared_update import PartSource
    from gitmem.repository import OpenRepository
    from gitmem.repository.other_repositories import ListedStore

# The folder of shared catalogs in the person's state folder.
FOLDER = "listed"
# How long a recall copies stores that are not in it yet, by CPU time: some four of 1,000 memories. The others are asked
# by themselves, and copied by the next one.
COPY_S = 0.3
# A file that changed this shortly before it was read may change again without another time or size (our choice: the
# times of some file systems have whole seconds, FAT's even two).
RACY_NS = 3_000_000_000


class SharedStores(OpenStore):
    """Several listed stores, opened as one store for reading.

    Attributes:
        parts: Their names by the numbers of their parts.
    """

    def __init__(self, repository: OpenRepository, catalog: Catalog, folder: str) -> None:
        """Open their catalog, which ``follow`` brings up to date."""
        super().__init__(
            repository.git,
            repository.config,
            Store(LISTED, "", folder),
            clock=repository.clock,
            progress=None,
            notices=[],
        )
        self.opened_catalog = catalog
        self.parts: dict[str, str] = {}

    def catalog(self, tip: str | None = None) -> Catalog:
        """Return their catalog."""
        assert self.opened_catalog is not None
        return self.opened_catalog

    def ground(self, catalog: Catalog | None = None) -> int | None:
        """Return the ground of all parts."""
        return GROUND

    def accesses(self) -> PartAccesses:
        """Return how often their memories were read."""
        return PartAccesses(self.catalog())

    def discard(self) -> None:
        """Delete their catalog, which may be damaged: a later question makes it again."""
        self.close()
        discard_shared(self.store.folder)

    def follow(self, stores: Sequence[ListedStore]) -> list[ListedStore]:
        """Make the parts those of some stores, as they are now; return the stores that must be asked by themselves.

        Raises:
            sqlite3.Error: The catalog is busy or damaged.
        """
        catalog = self.catalog()
        known = read_parts(catalog)
        until = time.process_time() + COPY_S
        apart = []
        self.parts = {}
        for store in stores:
            part = self._follow(store, known.get(store.entry.path), is_late=time.process_time() > until)
            if part is None:
                apart.append(store)
                continue
            known.pop(store.entry.path, None)
            self.parts[str(part.number)] = store.entry.name
            notices: list[str] = parse_json(part.notices) if part.notices != "[]" else []
            self.notices += [f"{store.entry.name}: {notice}" for notice in notices]
        for part in known.values():
            from gitmem.index.shared_update import remove_part

            with catalog.writing():
                remove_part(catalog, part.number)
        return apart

    def _follow(self, store: ListedStore, part: Part | None, *, is_late: bool) -> Part | None:
        """Return the part of a store as it is now; None if it can be none, or is to become one later."""
        try:
            files, commits = _files_of(store), " ".join([*store.source(), store.code])
            if part is not None and files and (part.files, part.commits) == (files, commits):
                return part
            # What rests on a memory of another repository that failed is suspect: such a store is asked by itself.
            is_wrong = bool(store.local.wrong_elsewhere())
            # The times too: local state that was deleted may have as many accesses again, to other memories.
            times = sum(store.local.last_looks().values())
            counts = f"{store.local.serial()} {store.local.count_looks()} {times}"
            if is_wrong or (part is None and is_late):
                return None
            if part is not None and (part.counts, part.commits) == (counts, commits):
                source = None
            else:
                source = self._source_of(store)
                if source is None:
                    return None
        except (GitmemError, OSError, *ERRORS):
            return None  # it is reported when the store is asked by itself
        notices = part.notices if source is None and part is not None else format_json(store.notices)
        store.notices.clear()
        from gitmem.index.shared_update import write_part  # like all that makes parts: for most questions none changes

        with self.catalog().writing():
            return write_part(self.catalog(), store.entry.path, Part(0, commits, counts, files, notices), source)

    def _source_of(self, store: ListedStore) -> PartSource | None:
        """Return a store as a part is made from it; None if it can be none."""
        from gitmem.index.catalog.state import asks_who, has_statuses
        from gitmem.index.shared_update import PartSource, can_be_part

        own = store.catalog()
        # Who signed a verdict, or made it, is looked up for each question.
        if store.behind or not can_be_part(self.catalog(), own) or asks_who(own, store.policy()):
            return None
        ground = store.checked_ground(own)
        # Code that cannot be read may be whole again without a new commit.
        if ground is None and store.git.read_head()[1] and has_statuses(own):
            return None
        return PartSource(own, ground, store.local)


def shared_place() -> str:
    """Return the folder of all shared catalogs of this person."""
    return os.path.join(state_home(), FOLDER)


def folder_of(state: str) -> str:
    """Return the folder of the shared catalog for what the repository with this state folder lists."""
    return os.path.join(shared_place(), os.path.realpath(state).lstrip("/"))


def open_shared_stores(repository: OpenRepository) -> SharedStores | None:
    """Return the shared catalog for the stores that a repository lists; None if there can be none now."""
    if not clones_place():
        return None
    folder = folder_of(repository.git.repository.state)
    try:
        catalog = open_shared(folder)
        if catalog is None:
            from gitmem.index.shared_update import make_shared

            catalog = make_shared(folder)
    except (OSError, *ERRORS):
        return None
    return SharedStores(repository, catalog, folder) if catalog is not None else None


def _files_of(store: ListedStore) -> str:
    """Return the size and time of the files with a store's local state; empty if they may still change unseen."""
    stamps, newest = [], 0
    for name in (LOCAL, f"{LOCAL}-wal"):
        try:
            file = os.stat(os.path.join(store.usable(store.store.folder), name))
        except OSError:
            stamps.append("-")
            continue
        # Readers of the database make an empty log and delete it again.
        stamps.append(f"{file.st_ino} {file.st_size} {file.st_mtime_ns}" if file.st_size else "-")
        newest = max(newest, file.st_mtime_ns)
    return "" if newest > time.time_ns() - RACY_NS else " ".join(stamps)
