"""Search by other engines than the catalog's: Whoosh, which the query language needs, and those that packages add.

Whoosh is only imported for queries that need it (measured: 100 ms).
"""

from __future__ import annotations

from gitmem.config import ENGINES
from gitmem.errors import ConfigError, ConflictError, GitmemError
from gitmem.index import WHOOSH_AT_MOST, WHOOSH_FOLDER
from gitmem.recall.query import narrow
from gitmem.recall.ranker import Readings
from gitmem.recall.scoring import RecallRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.index import Engine
    from gitmem.index.catalog import Catalog
    from gitmem.index.whoosh.engine import WhooshEngine
    from gitmem.index.whoosh.index import SearchableIndex
    from gitmem.policy import Policy
    from gitmem.recall.by_syntax import Similar
    from gitmem.recall.query import Query, RecallResult
    from gitmem.repository import OpenRepository

    Progress = Callable[[int, int], None] | None


def choose_engine(repository: OpenRepository, query: Query) -> Callable[[Catalog], Engine | None]:
    """Return what makes the engine of the settings from the catalog; it makes None for the catalog's own search.

    The index of Whoosh is brought up to date now, before the catalog is read.
    """
    index = _choose_index(repository) if query.text.strip() else None
    return lambda catalog: _find_engine(repository, catalog) if index is None else _engine(repository, index, catalog)


def by_syntax(repository: OpenRepository, query: Query, policy: Policy) -> RecallResult:
    """Search the project's memories with the query language."""
    from gitmem.recall import by_syntax

    index = _fresh_index(repository)
    (source,) = repository.sources([repository])
    repository.note_policy(source.catalog)
    with Readings([source]):
        engine = _engine(repository, index, source.catalog)
        result = by_syntax.by_syntax(source, query, engine, RecallRun(policy, repository.config, repository.now))
    repository.add_notice(result.notice)
    return result


def similar(repository: OpenRepository, key: str, query: Query) -> Similar:
    """Return the memories similar to one."""
    from gitmem.recall.by_syntax import similar as find_similar

    query = narrow(repository.policy(), query)
    index, full_key = _fresh_index(repository), repository.full_key(key)
    (source,) = repository.sources([repository])
    with Readings([source]):
        engine = _engine(repository, index, source.catalog)
        return find_similar(
            source, full_key, engine, query=query, run=RecallRun(repository.policy(), repository.config, repository.now)
        )


def _fresh_index(repository: OpenRepository) -> SearchableIndex:
    """Return the Whoosh index of the store's tip, brought up to date.

    Raises:
        GitmemError: There are so many memories that it is only built on request.
    """
    from gitmem.index.whoosh.index import refresh_whoosh

    # Without the spool: in a moment its entries will be in another commit.
    written = repository.catalog(repository.source()[0])
    with written.reading():
        return refresh_whoosh(
            repository.git.repository.state_dir, written, progress=repository.progress_of("indexing memories")
        )


def _choose_index(repository: OpenRepository) -> SearchableIndex | None:
    """Return the Whoosh index if the settings choose it for plain queries; None for the catalog's own search."""
    if repository.config.engine != "whoosh":
        return None
    try:
        return _fresh_index(repository)
    except GitmemError as err:
        repository.add_notice(f"{err.message}; using FTS5 instead ({err.hint})")
        return None


def _find_engine(repository: OpenRepository, catalog: Catalog) -> Engine | None:
    """Return another package's search engine named in the settings; None for a built-in one.

    Raises:
        ConfigError: No installed package provides it.
    """
    name = repository.config.engine
    if name in ENGINES:
        return None
    from gitmem.index import plugins

    plugin = plugins.find_plugin(plugins.ENGINES, name)
    if plugin is None:
        message = f"no installed package adds the search engine {name!r}"
        raise ConfigError(message, file="", key="engine", hint="git config gitmem.engine fts")
    engine: Engine = plugin(catalog)
    return engine


def _engine(repository: OpenRepository, index: SearchableIndex, catalog: Catalog) -> WhooshEngine:
    """Return the engine for an index and a catalog: the previous query's if neither has changed."""
    from gitmem.index.whoosh.engine import WhooshEngine

    db = catalog.connection
    # Detects writes by others and by this process (sqlite.org/pragma.html, data_version).
    changes = (catalog.row("PRAGMA data_version")[0], db.total_changes)
    if repository.engine is None or repository.engine[:2] != ((index, db), changes):
        repository.engine = (index, db), changes, WhooshEngine(index, catalog)
    engine = repository.engine[2]
    repository.add_notice(engine.behind)
    return engine


def refresh_whoosh(
    repository: OpenRepository,
    progress: Progress,
    *,
    named: bool = False,
    rebuild: bool = False,
    is_ahead: bool = False,
) -> None:
    """Update the Whoosh index if it exists, is chosen in the settings, or is named.

    Args:
        repository: The repository.
        progress: Called with the number of memories read and the total.
        named: Whether it was requested by name: then it is built for any number of memories.
        rebuild: Whether to build it from scratch.
        is_ahead: Whether to build it before the first query, up to the number of memories for which a query builds it.

    Raises:
        ConflictError: It is named, and another process is writing it.
    """
    is_there = (repository.git.repository.state_dir / WHOOSH_FOLDER).is_dir()
    is_wanted = named or is_there or repository.config.engine == "whoosh"
    if not is_wanted and not is_ahead:
        return
    catalog, folder = repository.catalog(repository.source()[0]), repository.git.repository.state_dir
    if not is_wanted and not 0 < catalog.row("SELECT count(*) FROM memory")[0] <= WHOOSH_AT_MOST:
        return
    from gitmem.index.whoosh.index import refresh_whoosh as refresh

    try:
        with catalog.reading():
            refresh(folder, catalog, is_named=True, rebuild=rebuild, progress=progress)
    except ConflictError as err:
        if named:
            raise
        repository.add_notice(err.message)
