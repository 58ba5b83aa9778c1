"""One opened repository: its project's store, and the other stores that are read with it. No command of its own.

Modules that only some commands need are imported by the method that needs them, because ``recall`` and the hooks run on
every prompt.
"""

from __future__ import annotations

import os
import time

from gitmem import config
from gitmem.errors import GitmemError, NoRepositoryError, NotFoundError
from gitmem.frozen import replace
from gitmem.git import Git
from gitmem.git.repository import discover_or
from gitmem.repository.open_store import OpenStore
from gitmem.repository.private import has_private, open_private
from gitmem.repository.settings import read_settings
from gitmem.store.code_folder import find_tree, is_home
from gitmem.store.companion import find_companion, head_branch, store_on_top, top_ref
from gitmem.store.scopes import (
    DOMAIN,
    LISTED,
    PRIVATE,
    PROJECT,
    SCOPES,
    SOURCE,
    SOURCE_FOLDER,
    SOURCE_REFS,
    UNIVERSAL,
    Store,
    memory_tip,
    project_store,
)
from gitmem.store.state.foreign_files import describe_misplaced, remove_links
from gitmem.store.state.plain_files import has_left_followed, waiting_captures
from gitmem.store.universal import find_universal, make_universal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from sqlite3 import Connection
    from types import TracebackType
    from typing import Concatenate, ParamSpec, Protocol, Self, TypeVar

    from gitmem.config import Config
    from gitmem.git.repository import Repository
    from gitmem.index.catalog import Catalog
    from gitmem.index.whoosh.engine import WhooshEngine
    from gitmem.index.whoosh.index import SearchableIndex
    from gitmem.model import Document
    from gitmem.recall.query import Query
    from gitmem.recall.searched_store import SearchedStore
    from gitmem.repository.code_tree_store import InTree
    from gitmem.repository.other_repositories import ListedStores
    from gitmem.verify.due import Due
    from gitmem.verify.options import Options
    from gitmem.verify.session import Session
    from gitmem.write.draft import Author
    from gitmem.write.place import Change
    from gitmem.write.writer import Writer

    P = ParamSpec("P")
    R = TypeVar("R")

    class Opened(Protocol):
        """Whatever holds an opened repository."""

        @property
        def repository(self) -> OpenRepository: ...  # noqa: D102

    M = TypeVar("M", bound=Opened)

    class Waiting(Protocol):
        """Captures that are not committed yet: readers see them, and the next write commits them."""

        def overlaid(self, base: Catalog) -> Catalog: ...  # noqa: D102
        def drain(self) -> int: ...  # noqa: D102
        def close(self) -> None: ...  # noqa: D102


class OpenRepository(OpenStore):
    """The store of one repository, opened.

    Attributes:
        agent: The agent to record as author if no setting names one. It is not used for private memories, since a
            program chose it itself.
        load_captures: Loads the texts that wait for their commit, passed in from above; None to read only the branch.
    """

    agent = ""
    load_captures: Callable[[], Waiting] | None = None
    _waiting: Waiting | None = None
    _is_judging = False

    def __init__(
        self,
        start: Path | str = ".",
        *,
        clock: Callable[[], float] = time.time,
        progress: Callable[[str, int, int], None] | None = None,
        follows: bool = True,
        fallback: Callable[[], Repository | None] = lambda: None,
    ) -> None:
        """Find the repository that contains a folder.

        Args:
            start: The folder.
            clock: Returns epoch seconds.
            progress: Called during long work with the current step, the work done and the total.
            follows: Whether to read and write the current proposal, if there is one.
            fallback: Returns the universal store's repository if no repository contains the folder; None for an error.

        Raises:
            NoRepositoryError: There is none.
            ConfigError: A setting is wrong.
        """
        paths, is_outside = discover_or(os.path.abspath(start), fallback)
        remove_links(*paths.states)
        if paths.git != paths.common:  # only a linked work tree can be the view
            from gitmem.store.view.state import outside

            paths = outside(paths)
        git = Git(paths)
        settings, self.ignored_settings, self.ignoring = read_settings(git)
        store = replace(project_store(git, settings, follows=follows), scope=UNIVERSAL if is_outside else PROJECT)
        self.here = (os.path.abspath(start), git.repository.top or "")
        super().__init__(git, settings, store, clock=clock, progress=progress, notices=[])
        self.add_notice(describe_misplaced(*paths.states))
        self._follows = follows
        self._tree_of = ("", "")
        self._branch: OpenStore | None = None
        self._others: dict[str, OpenStore] = {}
        self._listing: ListedStores | None = None
        # For `ask` in a long-running process: the engine, with the index, catalog and time that it belongs to.
        self.engine: tuple[tuple[SearchableIndex, Connection], tuple[int, int], WhooshEngine] | None = None

    def author(self) -> Author:
        """Return the author: the person as git names them, the agent, and the current project."""
        author = super().author()
        return replace(author, agent=author.agent or self.agent)

    def tree(self) -> str:
        """Return the tree ``.memory`` of HEAD, whose memories are read with the branch's; empty if there is none."""
        code = self.git.read_head()[1] or ""
        if self._tree_of[0] != code:
            self._tree_of = (code, find_tree(self.git, code))
        return self._tree_of[1]

    def branch(self) -> OpenStore | None:
        """Return the memory branch without the code's memories, or None if that is what is open."""
        if self.tree() and self._branch is None:
            self._branch = self.beside(self.git, self.config, self.store)
        return self._branch if self.tree() else None

    def catalog(self, tip: str | None = None) -> Catalog:
        """Return the catalog at the store's tip with captures; at a given tip, without them."""
        base = super().catalog(tip)
        waiting = None if tip is not None or self._is_judging else self._captures()
        return base if waiting is None else waiting.overlaid(base)

    def compute_states(self, base: Catalog) -> None:
        """Compute the statuses of a catalog without captures: they are kept, and a copy with captures also has them."""
        self._is_judging = True
        try:
            self.ground(base)
        finally:
            self._is_judging = False

    def find_catalog(self) -> Catalog | None:
        """Return the catalog at the store's tip; None if this project has no memory yet."""
        try:
            return self.catalog()
        except NoRepositoryError:
            return None

    def _captures(self) -> Waiting | None:
        """Return the captured texts; None if none wait or only the branch is read."""
        if self._waiting is None and self.load_captures is not None:
            state = self.git.repository.state
            if waiting_captures(state) or has_left_followed(state, self.git.read_head()[1] or ""):
                self._waiting = self.load_captures()
        return self._waiting

    def session(self, options: Options | None = None) -> Session:
        """Return a verify session for HEAD; it sees only the branch, since it writes verdicts."""
        self._is_judging = True
        try:
            return super().session(options)
        finally:
            self._is_judging = False

    def writer(self) -> Writer:
        """Return a writer for the memory branch, after committing pending captures to it."""
        if self.store.companion:
            self.turn()
        waiting = self._captures()
        if waiting is not None:
            waiting.drain()
        return self.branch_writer()

    def branch_writer(self) -> Writer:
        """Return a writer for the memory branch alone; it plans without captures."""
        branch = self.branch()
        if branch is None:
            return super().writer()
        writer = branch.writer()
        # Including duplicates in the code tree; not captures, which this very writer plans.
        writer.said.beside = super().catalog
        return writer

    def catalog_at(self, tip: str | None) -> Catalog:
        """Return the catalog of the memory branch alone at a tip, for planning a write."""
        branch = self.branch()
        return branch.catalog_at(tip) if branch is not None else super().catalog_at(tip)

    def beside(self, git: Git, settings: Config, location: Store) -> OpenStore:
        """Return another store, opened on behalf of the current worker."""
        return OpenStore(
            git,
            settings,
            location,
            clock=self.clock,
            progress=self.progress,
            notices=self.notices,
            author=self.author,
        )

    def stores(self, scopes: Iterable[str] = ()) -> list[OpenStore]:
        """Return the stores with memories of these scopes, or of all: the project's, the private, the universal.

        Raises:
            NoRepositoryError: No scope was given, and there is no memory at all.
        """
        wanted = set(scopes) or set(SCOPES)
        is_read = PROJECT in wanted and self.store.scope == PROJECT
        stores: list[OpenStore] = [self] if is_read and self.has_store() else []
        if PRIVATE in wanted and has_private(self.git):
            stores += self._readable(PRIVATE, self.private)
        if wanted & {DOMAIN, UNIVERSAL}:
            stores += self._readable(UNIVERSAL, self.universal)
        if not stores and not scopes:
            self.source()
        return stores

    def stores_for_query(self, query: Query, *, is_shared: bool = False) -> list[OpenStore]:
        """Return the stores that a query or a list searches: others than the project's scopes only for a query.

        If *is_shared*, listed stores are searched as one store as far as that is possible.

        Raises:
            NotFoundError: It names a store that is not listed.
            NoRepositoryError: There is no memory at all.
        """
        if query.sources:
            return [self.source_store(name) for name in query.sources]
        stores = self._stores_of_memories(query, is_shared=is_shared)
        if _is_question(query) and os.path.isdir(os.path.join(self.git.repository.state, SOURCE_FOLDER)):
            from gitmem.repository.pulled import stores_besides

            stores += stores_besides(self, query)
        return stores

    def _stores_of_memories(self, query: Query, *, is_shared: bool) -> list[OpenStore]:
        if query.stores or (self.config.stores and (LISTED in query.scopes or _is_question(query))):
            from gitmem.repository.other_repositories import stores_for

            return stores_for(self, query, is_shared=is_shared)
        return [*self.stores(query.scopes)]

    def source_store(self, name: str) -> OpenStore:
        """Return the store pulled from a source.

        Raises:
            NotFoundError: There is no such source, or nothing was pulled from it.
        """
        store = self.find_source(name)
        if store is None:
            raise NotFoundError(f"nothing was pulled from a source {name}", hint="gitmem sources list")
        return store

    def find_source(self, name: str) -> OpenStore | None:
        """Return the store pulled from a source; None if nothing was pulled."""
        from gitmem.store.layout import is_key

        if not is_key(name) or self.git.read_ref(f"{SOURCE_REFS}{name}") is None:
            return None
        folder = os.path.join(self.git.repository.state, SOURCE_FOLDER, name)
        key = f"{SOURCE} {name}"
        if key not in self._others:
            self._others[key] = self.beside(
                self.git, self.config, Store(SOURCE, f"{SOURCE_REFS}{name}", folder, name=name)
            )
        return self._others[key]

    def companion(self, location: Store) -> OpenStore:
        """Return the companion of a branch, opened for writing."""
        if location.ref not in self._others:
            self._others[location.ref] = self.beside(self.git, self.config, location)
        return self._others[location.ref]

    def listing(self) -> ListedStores:
        """Return the stores of other repositories that are listed here."""
        if self._listing is None:
            from gitmem.repository.other_repositories import ListedStores

            self._listing = ListedStores(self)
        return self._listing

    def _readable(self, scope: str, opening: Callable[[], OpenStore | None]) -> list[OpenStore]:
        """Return a store beside the project's, its index updated; none, with a notice, if it cannot be read."""
        try:
            store = opening()
            if store is None or store.find_tip() is None:
                return []
            store.catalog()
        except GitmemError as err:
            self.add_notice(f"the {scope} memories cannot be read: {err.message}")
            return []
        return [store]

    def store_for(self, scope: str) -> OpenStore:
        """Return the store for writing a memory of a scope; a missing universal store is created."""
        if scope == PRIVATE:
            return self.private()
        universal = self.universal(make=True) if scope in (DOMAIN, UNIVERSAL) else None
        return universal or self

    def home_of(self, document: Document, *, outcome: str = "", is_uncommitted: bool = False) -> OpenStore:
        """Return where to write a memory: to the companion of HEAD's branch if its check has another answer there."""
        from gitmem.repository.companion import home_of

        return home_of(self, document, outcome=outcome, is_uncommitted=is_uncommitted)

    def in_tree(self, *, makes_room: bool = False) -> InTree:
        """Return the code tree for writing; if allowed, a view in its folder is moved."""
        from gitmem.repository.code_tree_store import InTree

        return InTree(self, makes_room=makes_room)

    def need(self, keys: Iterable[str]) -> Sequence[str]:
        """Return full keys, of any scope; raise if one does not exist."""
        from gitmem.repository.holder import holder_of

        return [holder_of(self, key)[1] for key in keys]

    def list_waiting(self) -> list[Due]:
        """Return the facts whose commands wait for approval, by key, private ones last."""
        waiting = []
        for store in self.stores((PROJECT, PRIVATE)):
            waiting += super().list_waiting() if store is self else store.list_waiting()
        return waiting

    def commands(self, keys: Sequence[str] = ()) -> list[Due]:
        """Return the live facts whose check is a command, by key, private ones last: all, or those with these keys."""
        from gitmem.repository.verification import stores_to_prove
        from gitmem.verify.options import Options

        commands = []
        for store, own in stores_to_prove(self, Options(keys=tuple(keys), everything=not keys)):
            commands += super().commands(own.keys) if store is self else store.commands(own.keys)
        return commands

    def scope_of(self, store: OpenStore, key: str) -> str:
        """Return the scope of a store's memory."""
        return self.sources([store])[0].scope_of(key) if store.store.scope == UNIVERSAL else store.store.scope

    def with_notice(self, change: Change) -> Change:
        """Return the result of a write; for the code tree, with the notice that it must be committed."""
        if change.is_written and is_home(change.path):
            where = (f"--work-tree={self.git.repository.top}", "-C", str(self.git.repository.top))
            is_ignored = self.git.run(*where, "check-ignore", "-q", change.path, check=False).status == 0
            force = "-f " if is_ignored else ""
            self.notices.append(f"it takes effect once you commit it: git add {force}{change.path}")
        return change

    def private(self) -> OpenStore:
        """Return the private store of the current worker, with or without memories."""
        if PRIVATE not in self._others:
            self._others[PRIVATE] = open_private(self)
        return self._others[PRIVATE]

    def universal(self, *, make: bool = False) -> OpenStore | None:
        """Return the person's universal store; None if there is none, or it is the current repository as a project."""
        if self.store.scope == UNIVERSAL:
            return self
        if UNIVERSAL not in self._others:
            universal = open_universal(self, make=make)
            if universal is None:
                return None
            self._others[UNIVERSAL] = universal
        return self._others[UNIVERSAL]

    def domains(self) -> tuple[str, ...]:
        """Return the domains of the project, from its policy and this clone's settings."""
        return tuple(dict.fromkeys([*self.policy().recall.domains, *self._own_domains()]))

    def _own_domains(self) -> list[str]:
        """Return the domains that this clone's settings name."""
        return list(filter(None, map(str.strip, self.config.domains.split(","))))

    def note_unread(self, scope: str, domains: Sequence[str]) -> None:
        """Report that a memory written for a domain is not read in this project."""
        if scope == DOMAIN and not set(domains) & set(self.domains()):
            names = ",".join([*self._own_domains(), *domains])
            self.notices.append(
                "this project does not belong to this domain and does not read it; to join: "
                f"git config gitmem.domains {names}"
            )

    def sources(self, stores: Iterable[OpenStore]) -> list[SearchedStore]:
        """Return stores as sources for a query, each updated."""
        from gitmem.recall.searched_store import SearchedStore

        searched, stores = [], list(stores)
        # First, because it updates the index: the project's statuses are computed for the index that is read.
        own = self.domains() if any(store.store.scope == UNIVERSAL for store in stores) else ()
        for store in stores:
            if store.store.scope == LISTED:
                searched.append(self.listing().source_of(store))
                continue
            domains = own if store.store.scope == UNIVERSAL else None
            catalog = store.catalog()
            ground, name = store.ground(catalog), store.store.name
            searched.append(SearchedStore(store.store.scope, catalog, store.local, ground, domains, name))
        return searched

    def other_scopes(self) -> dict[str, int]:
        """Return the number of live memories for this project in each other scope."""
        from gitmem.recall.inventory import scopes_of

        counts: dict[str, int] = {}
        for source in self.sources(store for store in self.stores(SCOPES) if store is not self):
            counts |= scopes_of(source, now=self.now)
        return counts

    def accept(self) -> None:
        """Let hooks in the person's own settings show the memories of this clone."""
        from gitmem.store.state.registration import accept

        if not accept(self.git.repository.state):
            self.notices.append(
                "could not record that you accept this clone: hooks in your own settings will show nothing"
            )

    def turn(self) -> None:
        """Read and write as the current proposal now says: another proposal, or the memory branch."""
        self._turn_to(project_store(self.git, self.config, follows=self._follows))

    def _turn_to(self, location: Store) -> None:
        if location != self.store:
            self.close()
            self.store, self._branch, self._policy, self._last_good, self.engine = location, None, None, {}, None

    def read_companion(self) -> bool:
        """Read the companion of HEAD's branch on top of the memory from now on; return whether there is one.

        Writes still go to the memory branch, which is then read again (``turn``).
        """
        if self.store.companion or self.store.proposal:
            return False
        companion = find_companion(self.git, self.config, head_branch(self.git))
        tip = memory_tip(self.git, self.store) if companion is not None else ""
        if companion is None or not tip:
            return False
        ref = top_ref(tip, companion.commit)
        if self.git.read_ref(ref) is None:
            from gitmem.store.merge.on_top import on_top  # merging: only if one of the two has moved

            try:
                wait_s = self.config.lock_timeout_s
                on_top(self.git, tip, companion.commit, code=companion.code, now=self.now, wait_s=wait_s)
            except GitmemError as err:
                self.add_notice(f"the memory of this branch is not read: {err.message}")
                return False
        self._turn_to(store_on_top(self.git, self.store, companion.code, ref))
        return True

    def close(self) -> None:
        """Close everything that was opened."""
        if self._waiting is not None:
            self._waiting.close()
        super().close()
        for store in (self._branch, *self._others.values()):
            if store is not None:
                store.close()
        if self._listing is not None:
            self._listing.close()

    def __enter__(self) -> Self:
        """Return itself; leaving closes what was opened."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what was opened; delete the index if it turned out to be damaged."""
        if self._listing is not None and value is not None:
            self._listing.discard_damaged(value)
        self.close()
        others = (store.store.folder for store in self._others.values())
        if value is not None:
            from gitmem.index.catalog import discard_damaged

            discard_damaged(value, self.store.folder, self.folder(self._tree_of[1]), *others)


def reads_companion(method: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[M, P], R]:
    """Return a reading method that also reads the companion of HEAD's branch, and restores the previous state."""

    def reading(opened: M, /, *args: P.args, **options: P.kwargs) -> R:
        is_turned = opened.repository.read_companion()
        try:
            return method(opened, *args, **options)
        finally:
            if is_turned:
                opened.repository.turn()

    # As ``functools.wraps`` does, which takes 2 ms to import: the hooks that search nothing need it for nothing else.
    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(reading, name, getattr(method, name))
    reading.__wrapped__ = method  # type: ignore[attr-defined] # for inspect.signature
    return reading


def _is_question(query: Query) -> bool:
    return bool(query.text.strip()) and not query.syntax


def open_universal(repository: OpenRepository, *, make: bool) -> OpenStore | None:
    """Return the person's universal store; None if there is none and it should not be created."""
    paths = make_universal() if make else find_universal()
    if paths is None or paths.common == repository.git.repository.common:
        return None
    remove_links(*paths.states)
    git = Git(paths)
    # Its own branch and remote: a project, or the environment, may name others.
    own = config.load(git.config_values(), environment={})
    settings = replace(repository.config, branch=own.branch, remote=own.remote)
    store = Store(
        UNIVERSAL,
        f"refs/heads/{settings.branch}",
        paths.state,
        upstream=f"refs/remotes/{settings.remote}/{settings.branch}",
    )
    return repository.beside(git, settings, store)
