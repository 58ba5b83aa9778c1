"""Search an opened store, in its catalog or, if the query or the settings require it, in the Whoosh index.

Whoosh is only imported for queries that need it (measured: 100 ms).
"""

from __future__ import annotations

from gitmem.config import ENGINES
from gitmem.config.environment import OneThread
from gitmem.errors import ConfigError, ConflictError, GitmemError
from gitmem.frozen import replace
from gitmem.index import WHOOSH_AT_MOST, WHOOSH_FOLDER
from gitmem.recall import narrowed, ranker
from gitmem.recall.ranker import Readings
from gitmem.store import PROJECT, tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gitmem.index import Engine
    from gitmem.index.catalog import Catalog
    from gitmem.index.whoosh.engine import WhooshEngine
    from gitmem.index.whoosh.index import SearchableIndex
    from gitmem.policy import Policy
    from gitmem.recall import Query, RecallResult
    from gitmem.recall.by_syntax import Similar
    from gitmem.recall.semantic import Meaning
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore

    Progress = Callable[[int, int], None] | None


def recall(repository: OpenRepository, query: Query, policy: Policy) -> RecallResult:
    """Rank the memories of all scopes for a query; without one, return the newest."""
    query = narrowed(policy, query)
    stores = repository.stores_for_query(query)
    if query.syntax:
        if stores != [repository]:
            repository.notices.append("the query language searches only the project's memories")
        return _by_syntax(repository, query, policy, repository.progress_of("indexing memories"))
    import _sqlite3 as sqlite3  # the catalog has loaded it

    try:
        found = _rank(repository, stores, query, policy)
    except sqlite3.DatabaseError as err:  # a listed store that turns out to be damaged is left out
        if not any(store.store.name for store in stores) or not repository.listing().mend(err):
            raise
        found = _rank(repository, repository.stores_for_query(query), query, policy)
    _add_notice(repository, found.notice)
    return found


def count_recall(repository: OpenRepository, found: RecallResult) -> None:
    """Count a typed query for ``gitmem stats``: whether it found something, and which memories."""
    state, now = repository.git.repository.state, repository.now
    tally.add_on(state, now, tally.RECALLS)
    if found.hits:
        tally.add_on(state, now, tally.RECALLS_ANSWERED)
        tally.note_keys(state, now, [hit.key for hit in found.hits if hit.scope == PROJECT and not hit.store])


def list_memories(repository: OpenRepository, query: Query) -> RecallResult:
    """Return memories that pass the filters, newest first, with their tags and without their text."""
    from gitmem.recall import inventory

    query = narrowed(repository.policy(), query) if query.collections else query
    sources = repository.sources(repository.stores_for_query(query))
    with Readings(sources):
        return inventory.list_memories(sources, query, now=repository.now)


def _rank(memory: OpenRepository, stores: Sequence[OpenStore], query: Query, policy: Policy) -> RecallResult:
    is_here = memory in stores[:1]  # the project comes first
    shown = _chosen_index(memory) if is_here and query.text.strip() else None
    sources = memory.sources(stores)
    if is_here:
        memory.note_policy(sources[0].catalog)
    looked_into = [(store, source.catalog) for store, source in zip(stores, sources, strict=True)]
    with QuestionVectors(memory, query, looked_into) as meaning, Readings(sources):
        if is_here and memory.config.engine != ENGINES[0]:
            catalog = sources[0].catalog
            engine = _engine(memory, shown, catalog) if shown is not None else _added_engine(memory, catalog)
            sources[0] = replace(sources[0], engine=engine)
        return ranker.recall(sources, query, policy=policy, config=memory.config, now=memory.now, meaning=meaning)


def _by_syntax(memory: OpenRepository, query: Query, policy: Policy, progress: Progress) -> RecallResult:
    from gitmem.recall.by_syntax import by_syntax

    shown = _shown(memory, progress)
    (source,) = memory.sources([memory])
    memory.note_policy(source.catalog)
    with Readings([source]):
        engine = _engine(memory, shown, source.catalog)
        found = by_syntax(source, query, engine, policy=policy, config=memory.config, now=memory.now)
    _add_notice(memory, found.notice)
    return found


def _meaning(memory: OpenRepository, question: str, stores: Sequence[tuple[OpenStore, Catalog]]) -> Meaning | None:
    from gitmem.index.embed.choose import need_numpy

    try:
        need_numpy(memory.config.embed)
    except GitmemError as err:
        _add_notice(memory, f"{err.message}; searched by words only: {err.hint}")
        return None
    with OneThread():
        from gitmem.repository import semantic

    return semantic.ask(memory, question, stores)


class QuestionVectors:
    """The query's vectors while it is answered, as a context manager; None to search by words alone.

    Nothing is loaded if no embedding provider is set up.
    """

    def __init__(self, memory: OpenRepository, query: Query, stores: Sequence[tuple[OpenStore, Catalog]]) -> None:
        self._memory = memory
        self._meaning: Meaning | None = None
        if query.text.strip() and not query.syntax and not query.lexical and memory.config.embeds:
            self._meaning = _meaning(memory, query.text, stores)
        if query.text.strip() and not query.lexical and "gitmem.embed" in memory.ignored_settings:
            _add_notice(memory, memory.ignoring)

    def __enter__(self) -> Meaning | None:
        return self._meaning and self._meaning.__enter__()

    def __exit__(self, *_: object) -> None:
        if self._meaning is not None:
            self._meaning.__exit__()
            for notice in self._meaning.notices:
                _add_notice(self._memory, notice)


def similar(memory: OpenRepository, key: str, query: Query) -> Similar:
    """Return the memories similar to one."""
    from gitmem.recall.by_syntax import similar as find_similar

    query = narrowed(memory.policy(), query)
    shown, full_key = _shown(memory, memory.progress_of("indexing memories")), memory.full_key(key)
    policy, (source,) = memory.policy(), memory.sources([memory])
    options: dict[str, Any] = {"policy": policy, "config": memory.config, "now": memory.now}
    with Readings([source]):
        engine = _engine(memory, shown, source.catalog)
        return find_similar(source, full_key, engine, query=query, **options)


def _shown(memory: OpenRepository, progress: Progress) -> SearchableIndex:
    """Return the Whoosh index of the store's tip, brought up to date.

    Raises:
        GitmemError: There are so many memories that it is only built on request.
    """
    from gitmem.index.whoosh.index import refresh_whoosh

    # Without the spool: in a moment its entries will be in another commit.
    written = memory.catalog(memory.source()[0])
    with written.reading():
        return refresh_whoosh(memory.git.repository.state_dir, written, progress=progress)


def _chosen_index(memory: OpenRepository) -> SearchableIndex | None:
    """Return the Whoosh index if the settings choose it for plain queries; None for the catalog's own search."""
    if memory.config.engine != "whoosh":
        return None
    try:
        return _shown(memory, memory.progress_of("indexing memories"))
    except GitmemError as err:
        _add_notice(memory, f"{err.message}; using FTS5 instead ({err.hint})")
        return None


def _added_engine(memory: OpenRepository, catalog: Catalog) -> Engine | None:
    """Return another package's search engine named in the settings; None for a built-in one.

    Raises:
        ConfigError: No installed package provides it.
    """
    name = memory.config.engine
    if name in ENGINES:
        return None
    from gitmem.index import plugins

    plugin = plugins.find_plugin(plugins.ENGINES, name)
    if plugin is None:
        message = f"no installed package adds the search engine {name!r}"
        raise ConfigError(message, file="", key="engine", hint="git config gitmem.engine fts")
    engine: Engine = plugin(catalog)
    return engine


def _engine(memory: OpenRepository, shown: SearchableIndex, catalog: Catalog) -> WhooshEngine:
    """Return the engine for an index and a catalog: the previous query's if neither has changed."""
    from gitmem.index.whoosh.engine import WhooshEngine

    db = catalog.connection
    # Detects writes by others and by this process (sqlite.org/pragma.html, data_version).
    changes = (catalog.row("PRAGMA data_version")[0], db.total_changes)
    if memory.engine is None or memory.engine[:2] != ((shown, db), changes):
        memory.engine = (shown, db), changes, WhooshEngine(shown, catalog)
    engine = memory.engine[2]
    _add_notice(memory, engine.behind)
    return engine


def _add_notice(memory: OpenRepository, notice: str) -> None:
    if notice and notice not in memory.notices:
        memory.notices.append(notice)


def refresh_whoosh(
    memory: OpenRepository, progress: Progress, *, named: bool = False, rebuild: bool = False, is_ahead: bool = False
) -> None:
    """Update the Whoosh index if it exists, is chosen in the settings, or is named.

    Args:
        memory: The repository.
        progress: Called with the number of memories read and the total.
        named: Whether it was requested by name: then it is built for any number of memories.
        rebuild: Whether to build it from scratch.
        is_ahead: Whether to build it before the first query, up to the number of memories for which a query builds it.

    Raises:
        ConflictError: It is named, and another process is writing it.
    """
    is_there = (memory.git.repository.state_dir / WHOOSH_FOLDER).is_dir()
    is_wanted = named or is_there or memory.config.engine == "whoosh"
    if not is_wanted and not is_ahead:
        return
    catalog, folder = memory.catalog(memory.source()[0]), memory.git.repository.state_dir
    if not is_wanted and not 0 < catalog.row("SELECT count(*) FROM memory")[0] <= WHOOSH_AT_MOST:
        return
    from gitmem.index.whoosh import index

    try:
        with catalog.reading():
            index.refresh_whoosh(folder, catalog, is_named=True, rebuild=rebuild, progress=progress)
    except ConflictError as err:
        if named:
            raise
        _add_notice(memory, err.message)
