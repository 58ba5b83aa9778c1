"""Other repositories' stores: opened in parallel, within a time limit, read-only.

Only their local state is written, the index and access counts, as if they were read in their own folder; if that
belongs to someone else, is read-only, or has another gitmem's index, the index is stored in our own state folder. An
unreadable store gives a notice; the others are read.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
from _blake2 import blake2b  # hashlib takes 3 ms: it loads OpenSSL's own
from time import monotonic

from gitmem import config
from gitmem.document.elsewhere import SEPARATOR
from gitmem.errors import ConflictError, GitmemError, NoRepositoryError, NotFoundError, RefusedError
from gitmem.frozen import replace
from gitmem.git import Git
from gitmem.git.repository import discover_at
from gitmem.index.catalog import FILE_NAME, LOCK_NAME, Catalog, discard_file, is_by_another
from gitmem.recall.searched_store import SearchedStore
from gitmem.repository.open_store import OpenStore
from gitmem.store.code_folder import find_tree
from gitmem.store.listings import entries_of
from gitmem.store.local import ERRORS, is_damage
from gitmem.store.scopes import LISTED, Store
from gitmem.store.state import registration
from gitmem.store.state.clone import is_registered
from gitmem.store.state.foreign_files import has_links
from gitmem.store.universal import find_universal
from gitmem.system import command_of, file_lock
from gitmem.text.tokens import format_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.git.repository import Repository
    from gitmem.recall.query import Query
    from gitmem.repository import OpenRepository
    from gitmem.repository.shared_stores import SharedStores
    from gitmem.store.listings import StoreListing

# The time limit for all of them together in seconds (our choice). A folder on a lost network disk blocks readers
# forever (nfs(5), ``hard``); a recall does not wait for that.
ANSWER_S = 2.0
# How long one thread opens stores alone before another one helps (our choice): a hundred stores on a local disk.
PATIENCE_S = 0.05
# The folder, in our own state folder, for indexes that cannot be stored with their repositories.
FOLDER = "listed"
# The file in it with the tree ``.memory`` of the repository's HEAD.
TREE_NOTE = "home"
# The settings of a repository that has none of its own.
_DEFAULT = config.Config()
# Errors in a repository that is not ours to repair.
FAULTS = (GitmemError, OSError, sqlite3.Error)
# So few listed stores are asked one by one: a shared catalog would save too little.
FEW = 2


class ListedStore(OpenStore):
    """Another repository's store, opened for reading.

    Attributes:
        entry: Its entry in the list.
        code: The commit of its code that ``tree`` last read; empty if there is none.
        identity: A value that identifies its repository.
        is_own: Whether its repository belongs to the current user, was used on this machine before, and has no links
            in its state folder; otherwise nothing in it is written.
    """

    def __init__(self, repository: OpenRepository, entry: StoreListing, paths: Repository) -> None:
        """Open it: its branch is the one that its own settings name."""
        git = Git(paths, fetches=False)
        # Only these of its settings: the others are about working there.
        self.identity = _identity(paths)
        own = {name: text for name, text in git.config_values().items() if name in ("branch", "remote")}
        theirs = config.load(own, environment={}) if own else _DEFAULT
        settings = repository.config
        if (settings.branch, settings.remote) != (theirs.branch, theirs.remote):
            settings = replace(settings, branch=theirs.branch, remote=theirs.remote)
        is_ours = not hasattr(os, "geteuid") or os.stat(paths.common).st_uid == os.geteuid()
        self.is_own = is_ours and not any(map(has_links, paths.states)) and _is_known(paths.state)
        self._ours, self._usable_of_ours = repository.git.repository.state, repository.usable
        store = Store(
            LISTED,
            f"refs/heads/{settings.branch}",
            paths.state if self.is_own else place_of(self._ours, entry),
            upstream=f"refs/remotes/{settings.remote}/{settings.branch}",
            name=entry.name,
        )
        clock, progress = repository.clock, repository.progress
        super().__init__(git, settings, store, clock=clock, progress=progress, notices=[])
        self.entry = entry
        self._place = ""
        self.code = ""
        self._tree_of = ("", "")

    def tree(self) -> str:
        """Return the tree ``.memory`` of that repository's HEAD, whose memories are read with its branch's."""
        self.code = code = self.git.read_head()[1] or ""
        if self._tree_of[0] != code:
            apart = "" if self.is_own else os.path.join(self.usable(place_of(self._ours, self.entry)), TREE_NOTE)
            self._tree_of = (code, find_tree(self.git, code, note=apart))
        return self._tree_of[1]

    def usable(self, folder: str) -> str:
        """Return a folder of local state: its own if known to this machine, else ours."""
        return self._usable_of_ours(folder) if folder.startswith(self._ours) else folder

    def folder(self, tree: str) -> str:
        """Return the folder of its index."""
        return self.usable(self._place) if self._place else super().folder(tree)

    @property
    def proofs_folder(self) -> str:
        """Return the folder that caches which commits belong to a store: in its own repository if that is ours."""
        return self.store.folder

    @property
    def vectors_folder(self) -> str:
        """Return the folder of its vectors, in our state folder, since our settings name the model."""
        return self.usable(place_of(self._ours, self.entry))

    def catalog(self, tip: str | None = None) -> Catalog:
        """Return its index, updated: stored with its repository unless another gitmem's is there."""
        if self.opened_catalog is None and not self._place:
            self._place = self._chosen()
            if self.opened_catalog is None and _is_being_made(self._place):
                message = f"another process is building the index of {self.entry.path}"
                raise ConflictError(message, hint="try again in a moment")
        return super().catalog(tip)

    def _chosen(self) -> str:
        there = super().folder(self.tree())
        if self.is_own and _can_be_written(there):
            self.opened_catalog = Catalog.open(there, analysis=format_stamp())
            if self.opened_catalog is not None or not is_by_another(there):
                return there
        return place_of(self._ours, self.entry)

    def ground(self, catalog: Catalog | None = None) -> int | None:
        """Return the ground of that repository's HEAD; if facts have none, with a notice."""
        catalog = catalog or self.catalog()
        ground = super().ground(catalog)
        if ground is None and not self.notices and catalog.row("SELECT 1 FROM fact LIMIT 1"):
            self.notices.append("statuses are unknown: no commit of its code is checked out there")
        return ground

    def close(self) -> None:
        """Close what was opened."""
        if self.opened_catalog is not None or self._local is not None:
            super().close()

    def discard(self) -> None:
        """Delete its index, if it was opened and may be damaged: the next query rebuilds it."""
        self.close()
        if self._place:
            discard_file(os.path.join(self._place, FILE_NAME))


def _is_known(state: str) -> bool:
    """Return whether this machine knows a clone; one without any gitmem state is registered."""
    return is_registered(state) or (not os.path.lexists(state) and registration.register(state))


def place_of(state: str, entry: StoreListing) -> str:
    """Return the folder in our state for the index of a listed store that cannot be stored with it."""
    return os.path.join(state, FOLDER, blake2b(os.fsencode(entry.path), digest_size=8).hexdigest())


def _can_be_written(folder: str) -> bool:
    """Return whether files can be created in a folder, which need not exist yet."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return os.access(folder, os.W_OK | os.X_OK)


def _is_being_made(folder: str) -> bool:
    """Return whether another process is building the index in a folder, which may take longer than a recall waits."""
    lock = os.path.join(folder, LOCK_NAME)
    try:
        held = file_lock.try_lock(lock) if os.path.isfile(lock) else -1
    except OSError:
        return False
    if held is not None and held >= 0:
        os.close(held)
    return held is None


class ListedStores:
    """The listed stores of one opened repository.

    Attributes:
        entries: Every listed store by name, in order.
    """

    def __init__(self, repository: OpenRepository) -> None:
        self._opened = repository
        paths = repository.git.repository
        # The same for all of its work trees, like the settings.
        is_plain = os.path.basename(paths.common) == ".git"
        base = os.path.dirname(paths.common) if is_plain else paths.top or paths.common
        self.entries: dict[str, StoreListing] = {e.name: e for e in entries_of(repository.config.stores, base)}
        self._stores: dict[str, ListedStore] = {}
        # Stores that failed, with the reason, which are not tried again.
        self._left_out: dict[str, Exception] = {}
        self._shared: SharedStores | None = None
        self._is_sharing = True

    def get(self, name: str) -> ListedStore | None:
        """Return one of them, its index updated; None if it is the current repository.

        Raises:
            NotFoundError: There is no store with this name.
            GitmemError: It cannot be read.
        """
        store = self.look_at([self._entry(name)])[0]
        if isinstance(store, Exception):
            raise _reword(store) from None
        return store

    def readable(self, names: Iterable[str] = ()) -> list[ListedStore]:
        """Return the readable ones of all or of these names, each repository once; others give a notice.

        Raises:
            NotFoundError: None is called so.
        """
        entries = [self._entry(name) for name in names] or list(self.entries.values())
        return self._distinct(entries, self.look_at(entries))

    def _distinct(
        self, entries: Sequence[StoreListing], reached: Sequence[ListedStore | Exception | None]
    ) -> list[ListedStore]:
        stores, seen = [], set()
        for entry, store in zip(entries, reached, strict=True):
            if isinstance(store, Exception):
                message = _reword(store)
                self._note(
                    f"the store {entry.name} cannot be read: {message.message}{message.hint and f' ({message.hint})'}"
                )
            elif store is not None and store.identity not in seen:
                seen.add(store.identity)
                stores.append(store)
        return stores

    def searched(self) -> list[OpenStore]:
        """Return the readable ones for a question: most of them as one store if they are many."""
        if len(self.entries) <= FEW or not self._is_sharing:
            return [*self.readable()]
        entries = list(self.entries.values())
        stores = self._distinct(entries, self._connect(entries))
        shared, apart = self._follow_shared(stores) if len(stores) > FEW else (None, stores)
        left = [store.entry for store in apart]
        searched = self._distinct(left, self.look_at(left))
        return [shared, *searched] if shared is not None else [*searched]

    def _follow_shared(self, stores: list[ListedStore]) -> tuple[SharedStores | None, list[ListedStore]]:
        """Return the shared catalog of some stores, as they are now, and the stores that are not in it."""
        from gitmem.repository.shared_stores import open_shared_stores

        self._shared = self._shared or open_shared_stores(self._opened)
        if self._shared is None:
            return None, stores
        try:
            apart = self._shared.follow(stores)
        except ERRORS as err:
            self._stop_sharing(err)
            return None, stores
        return (self._shared if self._shared.parts else None), apart

    def _stop_sharing(self, err: BaseException) -> None:
        """Ask each store by itself from now on; delete the shared catalog if an error says that it is damaged."""
        self._is_sharing, shared = False, self._shared
        self._shared = None
        if shared is not None and is_damage(err):
            shared.discard()
        elif shared is not None:
            shared.close()

    def try_out(self, entry: StoreListing) -> ListedStore | None:
        """Return a store that is not listed yet, its index updated.

        Raises:
            GitmemError: It cannot be read; says why.
        """
        self.entries[entry.name] = entry
        return self.get(entry.name)

    def _entry(self, name: str) -> StoreListing:
        if name not in self.entries:
            hint = (
                f"choose one of {', '.join(self.entries)}" if self.entries else "add one: gitmem stores add NAME=PATH"
            )
            raise NotFoundError(f"no listed store is called {name}", hint=hint)
        return self.entries[name]

    def look_at(self, entries: Sequence[StoreListing]) -> list[ListedStore | Exception | None]:
        """Return each store, its index updated; None for the current repository, or the error."""
        return [_update(store) if isinstance(store, ListedStore) else store for store in self._connect(entries)]

    def _connect(self, entries: Sequence[StoreListing]) -> list[ListedStore | Exception | None]:
        """Return each store, with any index; None for the current repository, or the error."""
        known: dict[str, ListedStore | Exception | None] = {**self._stores, **self._left_out}
        known |= self._reach([entry for entry in entries if entry.name not in known])
        self._stores |= {name: store for name, store in known.items() if isinstance(store, ListedStore)}
        return [known[entry.name] for entry in entries]

    def _reach(self, entries: Sequence[StoreListing]) -> dict[str, ListedStore | Exception | None]:
        """Open stores, within ``ANSWER_S`` for all of them.

        A thread opens one after the other; if it does not get past a store for a moment, another takes over the rest.
        (A thread for each store costs more CPU time than opening them.) The threads only use files and git: a
        connection of SQLite belongs to its thread.
        """
        if not entries:
            return {}
        from threading import Thread  # 1 ms, only if a store is listed

        silent = NoRepositoryError(
            f"it did not answer within {ANSWER_S:g} seconds", hint="check that its disk is mounted"
        )
        opened: dict[str, ListedStore | Exception | None] = {entry.name: silent for entry in entries}
        ours = self._ours()

        waiting = iter(entries)

        def look() -> None:
            for entry in waiting:
                try:
                    opened[entry.name] = self._opened_now(entry, ours)
                except FAULTS as err:
                    opened[entry.name] = err

        until = monotonic() + ANSWER_S
        threads = []
        for _ in entries:
            threads.append(Thread(target=look, daemon=True))
            threads[-1].start()
            threads[-1].join(PATIENCE_S)
            if not threads[-1].is_alive():
                break
        for thread in threads:
            thread.join(max(0.0, until - monotonic()))
        reached = dict(opened)
        # A thread that waits for such a disk never ends: one is enough.
        self._left_out |= {name: silent for name, store in reached.items() if store is silent}
        return reached

    def _ours(self) -> set[tuple[int, int]]:
        """Return the identities of repositories that are read anyway: the current one, and the person's own."""
        try:
            own = find_universal()
        except GitmemError:
            own = None
        return {_identity(repository) for repository in (self._opened.git.repository, own) if repository is not None}

    def _opened_now(self, entry: StoreListing, ours: set[tuple[int, int]]) -> ListedStore | None:
        repository = discover_at(entry.path)
        if _identity(repository) in ours:
            return None
        store = ListedStore(self._opened, entry, repository)
        if not store.has_store():
            message = f"{entry.path} has no memory: there is no branch {store.config.branch}"
            raise NoRepositoryError(message, hint=command_of("gitmem", "-C", entry.path, "init"))
        return store

    def find_elsewhere(self, typed: str) -> GitmemError | None:
        """Return the error for a key found only in another repository's store, which is read-only here."""
        name, apart, key = typed.partition(SEPARATOR)
        if apart and name in self.entries:
            hint = f"change it there: {command_of('gitmem', '-C', self.entries[name].path, 'edit', key)}"
            return RefusedError(f"{typed} is a memory of another repository, which is read-only here", hint=hint)
        for store in self.readable() if not apart and typed.isascii() else ():
            if store.catalog().row("SELECT 1 FROM memory WHERE key = ? AND shadowed = 0", (typed,)):
                message = f"there is no memory {typed} here, but the store {store.entry.name} has one"
                return NotFoundError(message, hint=f"gitmem show {store.entry.name}{SEPARATOR}{typed}")
        return None

    def source_of(self, store: OpenStore) -> SearchedStore:
        """Return a listed store, or the shared ones, as a source for a query; pass on what its readers are told."""
        shared, name = self._shared, store.store.name
        if shared is not None and store is shared:
            searched = SearchedStore(LISTED, shared.catalog(), shared.accesses(), shared.ground(), parts=shared.parts)
        else:
            # It was updated when it was opened for this query: looking again costs 0.2 ms for each.
            catalog = store.opened_catalog or store.catalog()
            searched = SearchedStore(LISTED, catalog, store.local, store.ground(catalog), name=name)
        self.note_of(store)
        return searched

    def note_of(self, store: OpenStore) -> None:
        """Pass on a store's notices, with its name."""
        for notice in store.notices:
            self._note(f"{store.store.name}: {notice}" if store.store.name else notice)
        store.notices.clear()

    def mend(self, err: sqlite3.DatabaseError) -> bool:
        """Handle an error of an index; return whether a second attempt may succeed.

        The error does not say which index is damaged, so those of all listed stores are rebuilt. A store whose disk
        fails is left out.
        """
        if self._shared is not None:
            self._stop_sharing(err)
            return True
        if is_damage(err):
            self.discard_damaged(err)
            return bool(self._stores)
        failing = [name for name, store in self._stores.items() if not _is_readable(store)]
        for name in failing:
            self._left_out[name] = err
            self._stores.pop(name).close()
        return bool(failing)

    def discard_damaged(self, err: BaseException) -> None:
        """Delete the indexes if an error means that one is damaged: the next command rebuilds them."""
        if is_damage(err):
            for store in (*self._stores.values(), self._shared):
                if store is not None:
                    store.discard()

    def _note(self, notice: str) -> None:
        self._opened.add_notice(" ".join(notice.split()))

    def close(self) -> None:
        """Close them."""
        for store in (*self._stores.values(), self._shared):
            if store is not None:
                store.close()


def _update(store: ListedStore) -> ListedStore | Exception:
    """Return a store with an updated index, or the error."""
    try:
        store.catalog()
    except FAULTS as err:
        return err
    return store


def _is_readable(store: ListedStore) -> bool:
    try:
        return bool(store.catalog().row("PRAGMA quick_check(1)"))
    except FAULTS:
        return False


def _reword(err: Exception) -> GitmemError:
    if isinstance(err, GitmemError):
        return err
    return NoRepositoryError(f"{err.filename}: {err.strerror}" if isinstance(err, OSError) else str(err))


def _identity(paths: Repository) -> tuple[int, int]:
    """Return a repository's identity, independent of its name and path."""
    info = os.stat(paths.common)
    return info.st_dev, info.st_ino


def stores_for(repository: OpenRepository, query: Query, *, is_shared: bool = False) -> list[OpenStore]:
    """Return the stores for a query: our own scopes that it names, and the listed stores that it names.

    If it names neither, all of them. If this repository has no memory, listed stores suffice. If *is_shared*, all
    listed stores are one store as far as that is possible.

    Raises:
        NotFoundError: It names a store that is not listed.
        NoRepositoryError: There is no memory at all.
    """
    scopes = tuple(scope for scope in query.scopes if scope != LISTED)
    is_open = not query.scopes and not query.stores
    listed: list[OpenStore] = []
    if is_open or query.stores or LISTED in query.scopes:
        listing = repository.listing()
        listed = listing.searched() if is_shared and not query.stores else [*listing.readable(query.stores)]
    if not scopes and not is_open:
        return [*listed]
    try:
        return [*repository.stores(scopes), *listed]
    except NoRepositoryError:
        if not listed:
            raise
        return [*listed]
