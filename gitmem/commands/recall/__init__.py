"""Search an opened store in its catalog; where a query or the settings require it, by another engine (``engines``)."""

from __future__ import annotations

from gitmem.config import ENGINES
from gitmem.frozen import replace
from gitmem.policy.kinds import PROMPT, START
from gitmem.recall import ranker
from gitmem.recall.query import narrow
from gitmem.recall.ranker import Readings
from gitmem.recall.scoring import RecallRun
from gitmem.store.scopes import LISTED, PROJECT
from gitmem.store.state import plain_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy
    from gitmem.recall.query import Query, RecallResult
    from gitmem.recall.semantic import VectorQuery
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore


def recall(repository: OpenRepository, query: Query, policy: Policy) -> RecallResult:
    """Rank the memories of all scopes for a query; without one, return the newest."""
    query = narrow(policy, query)
    # Vectors are stored with each store.
    is_shared = query.lexical or not repository.config.model
    stores = repository.stores_for_query(query, is_shared=is_shared)
    if query.syntax:
        if stores != [repository]:
            repository.notices.append("the query language searches only the project's memories")
        from gitmem.commands.recall import engines

        return with_behind(repository, engines.by_syntax(repository, query, policy), [repository])
    import _sqlite3 as sqlite3  # the catalog has loaded it

    try:
        result = _rank(repository, stores, query, policy)
    except sqlite3.DatabaseError as err:  # a listed store that turns out to be damaged is left out
        if not any(store.store.scope == LISTED for store in stores) or not repository.listing().mend(err):
            raise
        stores = repository.stores_for_query(query)
        result = _rank(repository, stores, query, policy)
    repository.add_notice(result.notice)
    return with_behind(repository, result, stores)


def with_behind(repository: OpenRepository, result: RecallResult, stores: Sequence[OpenStore]) -> RecallResult:
    """Return a result that says which of the searched stores could not be searched at their tips, or as a whole."""
    behind = next((store.behind for store in stores if store.behind), "") or ("" if result.hits else _missing(stores))
    repository.add_notice(behind)  # again, if the catalog was opened for an earlier query
    return replace(result, behind=behind) if behind else result


def _missing(stores: Sequence[OpenStore]) -> str:
    """Return a line that counts the memories whose content git has lost; empty if there are none."""
    lost = "SELECT count(*) FROM problem WHERE code = 'missing-object'"
    count = sum(store.catalog().row(lost)[0] for store in stores)
    return f"{count} {'memory' if count == 1 else 'memories'} cannot be read: gitmem doctor" if count else ""


def count_recall(repository: OpenRepository, result: RecallResult) -> None:
    """Count a typed query for ``gitmem stats``: whether it found something, and which memories."""
    state, now = repository.git.repository.state, repository.now
    plain_files.add_daily_count(state, now, plain_files.RECALLS)
    if result.hits:
        plain_files.add_daily_count(state, now, plain_files.RECALLS_ANSWERED)
        plain_files.note_shown_keys(
            state, now, [hit.key for hit in result.hits if hit.scope == PROJECT and not hit.store]
        )


def list_memories(repository: OpenRepository, query: Query) -> RecallResult:
    """Return memories that pass the filters, newest first, with their tags and without their text."""
    from gitmem.recall import inventory

    query = narrow(repository.policy(), query) if query.collections else query
    sources = repository.sources(repository.stores_for_query(query))
    with Readings(sources):
        return inventory.list_memories(sources, query, now=repository.now)


def _rank(repository: OpenRepository, stores: Sequence[OpenStore], query: Query, policy: Policy) -> RecallResult:
    is_here = repository in stores[:1]  # the project comes first
    engine_of = None
    if is_here and repository.config.engine != ENGINES[0]:
        from gitmem.commands.recall import engines

        engine_of = engines.choose_engine(repository, query)
    sources = repository.sources(stores)
    if is_here:
        repository.note_policy(sources[0].catalog)
    looked_into = [(store, source.catalog) for store, source in zip(stores, sources, strict=True)]
    with QuestionVectors(repository, query, looked_into) as meaning, Readings(sources):
        if engine_of is not None:
            sources[0] = replace(sources[0], engine=engine_of(sources[0].catalog))
        for source in sources:
            source.check_parts()
        run = RecallRun(policy, repository.config, repository.now)
        return ranker.recall(
            sources, query, run, meaning=meaning, date_of=lambda version: _date_of(repository, version)
        )


def _date_of(repository: OpenRepository, version: str) -> float | None:
    """Return the time of a version by its tag (``v2.0``, ``2.0``, ``2.0.0``), or None if no tag has it."""
    form = "--format=%(refname:lstrip=2) %(creatordate:unix)"
    tags = [line.split(" ") for line in repository.git.text("for-each-ref", form, "refs/tags").splitlines()]
    dates = {tag.rpartition("/")[2].removeprefix("v"): date for tag, date in tags}
    found = dates.get(version, dates.get(f"{version}.0"))
    return float(found) if found else None


class QuestionVectors:
    """The query's vectors while it is answered, as a context manager; None to search by words alone.

    Nothing is loaded if no embedding provider is set up.
    """

    def __init__(self, repository: OpenRepository, query: Query, stores: Sequence[tuple[OpenStore, Catalog]]) -> None:
        self._memory = repository
        self._meaning: VectorQuery | None = None
        if query.text.strip() and not query.syntax and not query.lexical and repository.config.model:
            from gitmem.commands.recall.meaning import meaning_of

            is_typed = query.reader not in (START, PROMPT)
            self._meaning = meaning_of(repository, query.text, stores, is_typed=is_typed)
        if query.text.strip() and not query.lexical and "gitmem.embed" in repository.ignored_settings:
            repository.add_notice(repository.ignoring)

    def __enter__(self) -> VectorQuery | None:
        return self._meaning and self._meaning.__enter__()

    def __exit__(self, *_: object) -> None:
        if self._meaning is not None:
            self._meaning.__exit__()
            for notice in self._meaning.notices:
                self._memory.add_notice(notice)
