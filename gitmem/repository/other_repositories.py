"""Other repositories' stores that are read here: opened side by side, within a time, and never written to.

What is written there at most is their own local state, the index and how often a memory was looked at, as reading them
in their own folder does; where that is somebody else's, cannot be written to, or another gitmem keeps its index there,
the index is in our own state folder. One that cannot be read is a line for the person; the others answer.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
from time import monotonic

from gitmem import config
from gitmem.errors import ConflictError, GitmemError, NoRepositoryError, NotFoundError, RefusedError
from gitmem.frozen import replace
from gitmem.git.binary import Git
from gitmem.git.repository import named
from gitmem.index.catalog import schema
from gitmem.index.catalog.catalog import LOCK_NAME, Catalog, is_by_another
from gitmem.repository.open_store import OpenStore
from gitmem.store import clone, universal
from gitmem.store.clone import has_links
from gitmem.store.code_tree import find_tree, read_tree
from gitmem.store.listed_repositories import APART, entries_of
from gitmem.store.scope import LISTED, Store
from gitmem.store.sqlite_errors import is_damage
from gitmem.system import file_lock
from gitmem.text.tokens import format_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.config.setting import Config
    from gitmem.git.repository import Repository
    from gitmem.recall.query import Query
    from gitmem.repository.repository import OpenRepository
    from gitmem.store.listed_repositories import StoreListing

# How long all of them together may take to answer at all, in seconds: a choice of ours. A folder of a network that is
# gone keeps whoever reads it waiting for ever (nfs(5), ``hard``); a recall waits for none of them.
ANSWER_S = 2.0
# Where the indexes are that cannot lie with their repositories, under our own state folder.
FOLDER = "listed"
# What may go wrong in a repository that is not ours to repair.
FAULTS = (GitmemError, OSError, sqlite3.Error)


class ListedStore(OpenStore):
    """The store of another repository, opened to be read.

    Attributes:
        entry: How it is listed here.
        identity: What tells its repository from others.
        is_own: Whether its repository belongs to whoever runs this, who used it on this machine before, and its state
            folder holds no link; else nothing of it is written at all.
    """

    def __init__(self, opened: OpenRepository, entry: StoreListing, repository: Repository) -> None:
        """Open it: its branch is the one that its own settings name."""
        git = Git(repository, fetches=False)
        # Of its settings these alone: the others are about working there.
        self.identity = _identity(repository)
        own = {name: text for name, text in git.config_values().items() if name in ("branch", "remote")}
        theirs = config.load(own, environment={})
        settings: Config = replace(opened.config, branch=theirs.branch, remote=theirs.remote)
        is_ours = not hasattr(os, "geteuid") or os.stat(repository.common).st_uid == os.geteuid()
        self.is_own = is_ours and not any(map(has_links, repository.states)) and _is_known(repository.state)
        self._ours, self._usable_of_ours = opened.git.repository.state, opened.usable
        store = Store(
            LISTED,
            f"refs/heads/{settings.branch}",
            repository.state if self.is_own else place_of(self._ours, entry),
            upstream=f"refs/remotes/{settings.remote}/{settings.branch}",
            name=entry.name,
        )
        clock, progress = opened.clock, opened.progress
        super().__init__(git, settings, store, clock=clock, progress=progress, notices=[])
        self.entry = entry
        self._place = ""
        self._tree_of = ("", "")

    def tree(self) -> str:
        """Return the tree ``.memory`` of that repository's HEAD, whose memories are read with its branch's."""
        code = self.git.read_head()[1] or ""
        if self._tree_of[0] != code:
            self._tree_of = (code, find_tree(self.git, code) if self.is_own else read_tree(self.git, code))
        return self._tree_of[1]

    def usable(self, folder: str) -> str:
        """Return a folder of local state: its own is known to this machine, and ours is settled first."""
        return self._usable_of_ours(folder) if folder.startswith(self._ours) else folder

    def folder(self, tree: str) -> str:
        """Return where its index lies."""
        return self.usable(self._place) if self._place else super().folder(tree)

    @property
    def proofs_folder(self) -> str:
        """Return where it is kept which commits are a store's: with its repository, where that is the person's own."""
        return self.store.folder

    @property
    def vectors_folder(self) -> str:
        """Return the folder that its vectors are in: with us, since our settings name the model."""
        return self.usable(place_of(self._ours, self.entry))

    def catalog(self, tip: str | None = None) -> Catalog:
        """Return its index, brought up to date: with its repository, where another gitmem has none there."""
        if self._catalog is None and not self._place:
            self._place = self._chosen()
            if self._catalog is None and _is_being_made(self._place):
                message = f"another process is building the index of {self.entry.path}"
                raise ConflictError(message, hint="try again in a moment")
        return super().catalog(tip)

    def _chosen(self) -> str:
        there = super().folder(self.tree())
        if self.is_own and _can_be_written(there):
            self._catalog = Catalog.open(there, analysis=format_stamp())
            if self._catalog is not None or not is_by_another(there):
                return there
        return place_of(self._ours, self.entry)

    def ground(self, catalog: Catalog | None = None) -> int | None:
        """Return the ground of that repository's HEAD; with a notice where facts have none."""
        catalog = catalog or self.catalog()
        found = super().ground(catalog)
        if found is None and not self.notices and catalog.row("SELECT 1 FROM fact LIMIT 1"):
            self.notices.append("statuses are unknown: no commit of its code is checked out there")
        return found

    def discard(self) -> None:
        """Throw its index away, which may be damaged: the next question rebuild it."""
        self.close()
        schema.discard(os.path.join(self._place, schema.FILE_NAME))


def _is_known(state: str) -> bool:
    """Return whether this machine knows a clone; one that gitmem was never used in becomes known."""
    return clone.is_registered(state) or (not os.path.lexists(state) and clone.register(state))


def place_of(state: str, entry: StoreListing) -> str:
    """Return where the index of a listed store lies that cannot lie with its repository, under our state folder."""
    from hashlib import blake2b  # 3 ms with OpenSSL's own, and hardly ever

    return os.path.join(state, FOLDER, blake2b(os.fsencode(entry.path), digest_size=8).hexdigest())


def _can_be_written(folder: str) -> bool:
    """Return whether files can be made in a folder, which may not be there yet."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return os.access(folder, os.W_OK | os.X_OK)


def _is_being_made(folder: str) -> bool:
    """Return whether another process makes the index in a folder: that can take longer than a recall waits."""
    lock = os.path.join(folder, LOCK_NAME)
    try:
        held = file_lock.try_lock(lock) if os.path.isfile(lock) else -1
    except OSError:
        return False
    if held is not None and held >= 0:
        os.close(held)
    return held is None


class Listing:
    """The listed stores of one opened repository.

    Attributes:
        entries: Every one that is listed, by name, in their order.
    """

    def __init__(self, opened: OpenRepository) -> None:
        self._opened = opened
        repository = opened.git.repository
        # The same for all of its work trees, as the settings are.
        is_plain = os.path.basename(repository.common) == ".git"
        base = os.path.dirname(repository.common) if is_plain else repository.top or repository.common
        self.entries: dict[str, StoreListing] = {e.name: e for e in entries_of(opened.config.stores, base)}
        self._stores: dict[str, ListedStore] = {}
        # What is not asked again, and why.
        self._left_out: dict[str, Exception] = {}

    def get(self, name: str) -> ListedStore | None:
        """Return one of them, its index up to date; None where it is the repository that is open here.

        Raises:
            NotFoundError: None is called so.
            GitmemError: It cannot be read; says why.
        """
        found = self.look_at([self._entry(name)])[0]
        if isinstance(found, Exception):
            raise _reworded(found) from None
        return found

    def readable(self, names: Iterable[str] = ()) -> list[ListedStore]:
        """Return those that can be read, of these names or all, each repository once; a notice for each other one.

        Raises:
            NotFoundError: None is called so.
        """
        entries = [self._entry(name) for name in names] or list(self.entries.values())
        stores, seen = [], set()
        for entry, found in zip(entries, self.look_at(entries), strict=True):
            if isinstance(found, Exception):
                message = _reworded(found)
                self._note(
                    f"the store {entry.name} cannot be read: {message.message}{message.hint and f' ({message.hint})'}"
                )
            elif found is not None and found.identity not in seen:
                seen.add(found.identity)
                stores.append(found)
        return stores

    def try_out(self, entry: StoreListing) -> ListedStore | None:
        """Return a store that is not listed yet, its index up to date.

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
        """Return each store, its index up to date; None for our own repository, or what keeps it from being read."""
        known: dict[str, ListedStore | Exception | None] = {**self._stores, **self._left_out}
        known |= self._reach([entry for entry in entries if entry.name not in known])
        found: list[ListedStore | Exception | None] = []
        for entry in entries:
            store = known[entry.name]
            if isinstance(store, ListedStore):
                self._stores[entry.name] = store
                store = _brought_along(store)
            found.append(store)
        return found

    def _reach(self, entries: Sequence[StoreListing]) -> dict[str, ListedStore | Exception | None]:
        """Open stores side by side, and wait no longer than ``ANSWER_S`` for all of them.

        Only what touches files and git is done there: a connection of SQLite belongs to its thread.
        """
        if not entries:
            return {}
        from threading import Thread  # 1 ms, and only where a store is listed

        silent = NoRepositoryError(
            f"it did not answer within {ANSWER_S:g} seconds", hint="check that its disk is mounted"
        )
        found: dict[str, ListedStore | Exception | None] = {entry.name: silent for entry in entries}
        ours = self._ours()

        def look(entry: StoreListing) -> None:
            try:
                found[entry.name] = self._opened_now(entry, ours)
            except FAULTS as err:
                found[entry.name] = err

        threads = [Thread(target=look, args=(entry,), daemon=True) for entry in entries]
        for thread in threads:
            thread.start()
        until = monotonic() + ANSWER_S
        for thread in threads:
            thread.join(max(0.0, until - monotonic()))
        reached = dict(found)
        # A thread that waits for such a disk never ends: one is enough.
        self._left_out |= {name: silent for name, one in reached.items() if one is silent}
        return reached

    def _ours(self) -> set[tuple[int, int]]:
        """Return what tells the repositories that are read anyway: the one that is open, and the person's own."""
        try:
            own = universal.find()
        except GitmemError:
            own = None
        return {_identity(repository) for repository in (self._opened.git.repository, own) if repository is not None}

    def _opened_now(self, entry: StoreListing, ours: set[tuple[int, int]]) -> ListedStore | None:
        repository = named(entry.path)
        if _identity(repository) in ours:
            return None
        store = ListedStore(self._opened, entry, repository)
        if not store.has_store():
            message = f"{entry.path} has no memory: there is no branch {store.config.branch}"
            raise NoRepositoryError(message, hint=f"gitmem -C {entry.path} init")
        return store

    def find_elsewhere(self, typed: str) -> GitmemError | None:
        """Return what to tell of a key that no store of ours has: that another has it, which is only read here."""
        name, apart, key = typed.partition(APART)
        if apart and name in self.entries:
            hint = f"change it there: gitmem -C {self.entries[name].path} edit {key}"
            return RefusedError(f"{typed} is a memory of another repository, which is read-only here", hint=hint)
        for store in self.readable() if not apart and typed.isascii() else ():
            if store.catalog().row("SELECT 1 FROM memory WHERE key = ? AND shadowed = 0", (typed,)):
                message = f"there is no memory {typed} here, but the store {store.entry.name} has one"
                return NotFoundError(message, hint=f"gitmem show {store.entry.name}{APART}{typed}")
        return None

    def note_of(self, store: OpenStore) -> None:
        """Pass the notices of a store on, with its name."""
        for notice in store.notices:
            self._note(f"{store.store.name}: {notice}")
        store.notices.clear()

    def mend(self, err: sqlite3.DatabaseError) -> bool:
        """Do something about an error of some index: tell whether a second try may go better.

        A damaged one does not say which it is, so those of all listed stores are rebuilt. Where the disk of one
        fails, that store is left out.
        """
        if is_damage(err):
            self.discard_damaged(err)
            return bool(self._stores)
        failing = [name for name, store in self._stores.items() if not _is_readable(store)]
        for name in failing:
            self._left_out[name] = err
            self._stores.pop(name).close()
        return bool(failing)

    def discard_damaged(self, err: BaseException) -> None:
        """Throw the indexes away where an error says that one is damaged: the next command rebuild them."""
        if is_damage(err):
            for store in self._stores.values():
                store.discard()

    def _note(self, notice: str) -> None:
        notice = " ".join(notice.split())
        if notice not in self._opened.notices:
            self._opened.notices.append(notice)

    def close(self) -> None:
        """Close them."""
        for store in self._stores.values():
            store.close()


def _brought_along(store: ListedStore) -> ListedStore | Exception:
    """Return a store whose index is up to date, or what keeps it from being."""
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


def _reworded(err: Exception) -> GitmemError:
    if isinstance(err, GitmemError):
        return err
    return NoRepositoryError(f"{err.filename}: {err.strerror}" if isinstance(err, OSError) else str(err))


def _identity(repository: Repository) -> tuple[int, int]:
    """Return what tells a repository from others, whatever it is called and however its path goes."""
    found = os.stat(repository.common)
    return found.st_dev, found.st_ino


def stores_for(opened: OpenRepository, query: Query) -> list[OpenStore]:
    """Return the stores that a question is for: our own scopes that it names, and the listed stores that it names.

    Where it names neither, all of them. Listed stores alone will do where this repository has no memory.

    Raises:
        NotFoundError: It names a store that is not listed.
        NoRepositoryError: There is no memory at all.
    """
    scopes = tuple(scope for scope in query.scopes if scope != LISTED)
    is_open = not query.scopes and not query.stores
    listed = opened.listing().readable(query.stores) if is_open or query.stores or LISTED in query.scopes else []
    if not scopes and not is_open:
        return [*listed]
    try:
        return [*opened.stores(scopes), *listed]
    except NoRepositoryError:
        if not listed:
            raise
        return [*listed]
