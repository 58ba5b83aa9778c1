"""The query and the result of recall, the filters as SQL, and the scorer that all engines share.

A score is the one by words times a factor for each other signal. ``rank`` is pure; ``signals_of`` queries the catalog.
On the recall benchmark the best hit scores 1.4 to 1.7 times as much as the second and 2 to 3 times as much as the fifth
(medians), so a factor must be that large to move a memory so far.
"""

from __future__ import annotations

from math import isnan

from gitmem.document.author import read_author
from gitmem.document.options import TypedDict, refuse_wrong
from gitmem.frozen import fields_of, frozen, replace
from gitmem.index.catalog import state, strings
from gitmem.model import ADOPTED, ENGLISH, FACTORS, STALE, STATUSES, SUMMARY, UNPROVEN, VERIFIED
from gitmem.policy.kinds import REQUEST
from gitmem.policy.settings import RecallSettings, WorkPoints
from gitmem.recall.bm25 import Bm25Weights, all_terms, lexical_scores
from gitmem.statuses import age_s
from gitmem.store.scopes import domains_of, is_meant
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.config import Config
    from gitmem.index import Stats
    from gitmem.index.catalog import Catalog
    from gitmem.model import Hit, IndexText
    from gitmem.policy import Policy
    from gitmem.recall.searched_store import Accesses

# How many characters of a body are shown below a hit: one line of a wide terminal.
SNIPPET = 160
# The beginning of the tag that a memory in a log has.
SESSION = "session-"


class Filters(TypedDict, total=False):
    """The filters of the Python API, as ``Query`` explains them."""

    kinds: Sequence[str]
    collections: Sequence[str]
    tags: Sequence[str]
    paths: Sequence[str]
    statuses: Sequence[str]
    scopes: Sequence[str]
    strict: bool
    limit: int


@frozen
class Query:
    """A query to recall.

    Attributes:
        text: The search text as typed; empty for the newest memories.
        kinds: Only these kinds; empty for all.
        collections: Only the kinds of these collections, including those that the reader does not get by default.
        reader: Who reads the result (``policy.collections.READERS``); empty if ``unread`` is complete.
        unread: Kinds that are left out; ``narrow`` adds those that the reader does not get by default.
        tags: Only memories with all of these tags.
        paths: Only memories whose ``paths`` are related to one of these files or folders of the code.
        statuses: Only these statuses.
        tasks: Only what was learned for one of these tasks, by key or id, in any case.
        named_domains: Only memories that name one of these domains.
        workspaces: Only memories that were learned in one of these folders, or below it.
        by: Only memories of one of these people or agents, in any case.
        knowledge: Only knowledge: no summaries of sessions, and nothing that only reports completed work.
        limit: How many hits, >= 1.
        everything: Archived, superseded and expired memories as well.
        syntax: Whether the text is in the query language (``by_syntax``); otherwise nothing in it is syntax.
        lexical: Whether to search by words only, even if an embedding provider is set up.
        scopes: Only these scopes; empty for all.
        sources: Only these pulled sources (``gitmem pull``), and no memory; empty for none.
        stores: These stores of other repositories, by their local names; empty for all, or none (``scopes``).
        strict: Leave out memories that must not be trusted as they are (``is_sound``).
        without: Factors that are switched off for this query.
        near: Files or folders of the code that the reader works on; they affect the order and exclude nothing.
        held: Keys of the tasks that the reader works on.
        here: The reader's folder and the top of its work tree, absolute; or empty.
        snippets: Whether hits have snippets; memories shown to an agent are shown with their texts.
        work: Whether to find the changed files and the held tasks (``commands.context.working_on``).
        domains: In the universal store, only memories that name none or one of these; None for no such filter.
        near_misses: Whether to return near misses if nothing is found; for a person or agent who typed the query.
    """

    text: str = ""
    kinds: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    reader: str = REQUEST
    unread: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    named_domains: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    knowledge: bool = False
    limit: int = 10
    everything: bool = False
    syntax: bool = False
    lexical: bool = False
    scopes: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    domains: tuple[str, ...] | None = None
    strict: bool = False
    without: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    here: tuple[str, str] = ("", "")
    snippets: bool = True
    work: bool = False
    near_misses: bool = False


@frozen
class RecallResult:
    """The result of recall.

    Attributes:
        hits: The hits, best or newest first.
        more: How many more there are (at least).
        notice: A line that says how they were found if not as requested; or empty.
        withheld: In a strict query, the numbers (at least) of matching memories that are not shown, by status.
        suggestion: If nothing was found, a similar query that finds something; or empty.
        near: If nothing was found and the query asked for near misses, what it finds with corrected spelling or without
        its filters, best first. Hooks and contexts never show them.
        behind: Which older state of the memories was searched, as a line, since another process is updating an index,
        or how many memories cannot be read; empty if all was searched. Without hits, such a result does not mean that
        there are none.
    """

    hits: tuple[Hit, ...]
    more: int
    notice: str = ""
    suggestion: str = ""
    withheld: tuple[tuple[str, int], ...] = ()
    behind: str = ""
    near: tuple[Hit, ...] = ()


def narrow(policy: Policy, query: Query) -> Query:
    """Return a query with the kinds of its collections, and without those that its reader does not get by default.

    Raises:
        UsageError: There is no such collection, or it contains none of the query's kinds.
    """
    if query.collections:
        from gitmem.policy.collection_rules import kinds_of

        return replace(query, kinds=kinds_of(policy, query.collections, query.kinds), collections=())
    unread = () if query.kinds or not query.reader else policy.unread(query.reader, query.text)
    return replace(query, unread=(*query.unread, *unread)) if unread else query


def hit_condition(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
    """Return the SQL condition for all filters on the hits of recall, with adopted facts only if they fail.

    All adopted facts are included if the query requests their kind or everything.
    """
    condition, values = filter_condition(catalog, ground, query, now=now)
    if query.everything or ADOPTED in query.kinds:
        return condition, values
    return f"{condition} AND {state.visible_condition(ground)}", values


def filter_condition(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
    """Return the SQL condition on ``memory m`` for all filters, after defining the functions that it calls.

    All filters are applied before the limit: otherwise better matches that do not pass could displace those that do.
    """
    parts = ["m.shadowed = 0"]
    values: list[object] = []
    if not query.everything:
        parts.append("m.archived = 0 AND m.superseded = 0 AND (m.expires IS NULL OR m.expires > ?)")
        values.append(now)
    if query.domains is not None:
        scopes, domains = query.scopes, query.domains
        catalog.connection.create_function("is_meant", 1, lambda fields: is_meant(fields, scopes, domains))
        parts.append("EXISTS (SELECT 1 FROM text d WHERE d.id = m.id AND is_meant(d.fields))")
    tasks = tuple(task.lower() for task in query.tasks)
    columns = {"m.kind": query.kinds, "m.kind NOT": query.unread, "m.task <> '' AND lower(m.task)": tasks}
    for column, words in columns.items():
        if words:
            parts.append(f"{column} IN ({','.join('?' * len(words))})")
            values += words
    if query.knowledge:
        parts.append(_KNOWLEDGE)
    if query.named_domains or query.workspaces or query.by:
        catalog.connection.create_function("is_of", 1, lambda fields: _is_of(fields, query))
        parts.append("EXISTS (SELECT 1 FROM text o WHERE o.id = m.id AND is_of(o.fields))")
    for tag in query.tags:
        parts.append("EXISTS (SELECT 1 FROM tag g WHERE g.tag = ? AND g.id = m.id)")
        values.append(tag)
    if query.statuses:
        catalog.connection.create_function(
            "has_status", 1, with_status(catalog, ground, query.statuses, now=now).__contains__
        )
        parts.append("has_status(m.id)")
    if query.strict:
        catalog.connection.create_function("is_unsound", 1, unsound_statuses(catalog, ground, now=now).__contains__)
        parts.append("NOT is_unsound(m.id)")
    if query.paths:
        from gitmem.text.globs import has_to_do  # imports re2, which only patterns need

        catalog.connection.create_function("is_about", 1, lambda places: has_to_do(strings(places), query.paths))
        parts.append("EXISTS (SELECT 1 FROM text p WHERE p.id = m.id AND p.paths <> '[]' AND is_about(p.paths))")
    return " AND ".join(parts), values


# An outcome mentions failures (``capture``, ``workflow.run_file``); a closed task counts its failed attempts.
_KNOWLEDGE = (
    f"m.kind <> '{SUMMARY}' AND (m.kind <> 'outcome' OR m.title LIKE '%fail%' OR EXISTS (SELECT 1 FROM text w"
    " WHERE w.id = m.id AND w.body LIKE '%went wrong%')) AND NOT EXISTS (SELECT 1 FROM task k WHERE k.id = m.id"
    " AND k.state = 'closed' AND k.failures = 0)"
)


def _is_of(fields: str, query: Query) -> bool:
    """Return whether a memory, given its fields as JSON, matches the query's domains, folders and authors."""
    found = parse_json(fields)
    if query.named_domains and not set(query.named_domains) & set(domains_of(fields)):
        return False
    folder = str(found.get("workspace") or "").strip("/")
    wanted = [one.strip("/") for one in query.workspaces]
    if wanted and not any(folder == one or folder.startswith(f"{one}/") for one in wanted):
        return False
    who = [name.lower() for name in read_author(found).names]
    return not query.by or any(one.lower() in who for one in query.by)


def with_status(catalog: Catalog, ground: int | None, statuses: Sequence[str], *, now: int) -> set[int]:
    """Return the memories with one of the statuses: facts, and the memories that a failed one makes suspect."""
    return {number for number, status in _read_statuses(catalog, ground, now=now).items() if status.status in statuses}


def unsound_statuses(catalog: Catalog, ground: int | None, *, now: int) -> dict[int, str]:
    """Return the memories that a strict query withholds, with their statuses."""
    return {
        number: status.status
        for number, status in _read_statuses(catalog, ground, now=now).items()
        if not is_sound(status)
    }


def is_sound(status: state.MemoryStatus) -> bool:
    """Return whether a memory can be trusted as it is: it makes no claim that a check could prove, or it is verified.

    An open task is sound: that its check does not hold yet does not make the task wrong.
    """
    return status.status in ("", VERIFIED) or (status.status == UNPROVEN and not status.is_claim)


def withheld_condition(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> tuple[str, list[object]]:
    """Return the condition on memories that pass all other filters but are withheld as unsound."""
    condition, values = hit_condition(catalog, ground, replace(query, strict=False), now=now)
    catalog.connection.create_function("is_unsound", 1, unsound_statuses(catalog, ground, now=now).__contains__)
    return f"{condition} AND is_unsound(m.id)", values


def count_statuses(statuses: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return how often each status occurs, worst status first."""
    found = list(statuses)
    return tuple((status, found.count(status)) for status in STATUSES if status in found)


def _read_statuses(catalog: Catalog, ground: int | None, *, now: int) -> dict[int, state.MemoryStatus]:
    """Return the statuses of all memories that can have one."""
    chains = state.suspects(catalog, ground)
    numbers = [row[0] for row in catalog.rows("SELECT id FROM fact")]
    numbers += state.referring_to_changed_lines(catalog, ground)
    numbers += [row[0] for row in catalog.each("SELECT id FROM memory WHERE key IN ({})", chains)]
    return state.statuses_of(catalog, ground, numbers, now=now, chains=chains)


def query_of(query: str | Query, filters: Filters) -> Query:
    """Return a query for a text with filters; an existing ``Query`` is returned unchanged.

    Raises:
        UsageError: There is no such filter, or a list is a text.
    """
    refuse_wrong(filters, Filters, what="the search")
    if isinstance(query, Query):
        return query
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in filters.items()
    }
    return Query(text=query, **given)


@frozen
class Signals:
    """The signals of one candidate.

    Attributes:
        number: The memory's row in the catalog.
        lexical: Its score by words, > 0.
        age_days: Days since it was created or last confirmed; negative counts as 0.
        half_life_days: After how many days a memory of its kind has lost half of what may decay (> 0), or None if it
        does not age.
        accesses: How often it was read.
        accessed_hours: Hours since it was last read.
        status: One of ``model.STATUSES``, or empty.
        importance: From 0 to 1; 0.5 if not stated.
        confidence: From 0 to 1; 1 if not stated.
        overlap: How near its paths are to where the reader works, from 0 to 1 (``path_overlap``).
        is_linked: Whether the reader's current work requires it or is required by it, by key or by label.
        workspace: How near the folder that it was learned in is to the reader's, from 0 to 1.
        scope: The factor of its scope, > 0: 1 for the project's own memories.
        talk: The factor for its text in a log, > 0: 1 outside of logs (``gitmem.recall.conversation``).
        is_agents: Whether an agent wrote it; ignored for a fact that its check proves.
        time: The factor for its times if the query names one, > 0: 1 otherwise (``gitmem.recall.when``).
        key: The memory's key, which breaks ties, since its row may differ between two catalogs of one store.
    """

    number: int
    lexical: float
    age_days: float = 0.0
    half_life_days: float | None = None
    accesses: int = 0
    accessed_hours: float = 0.0
    status: str = ""
    importance: float = 0.5
    confidence: float = 1.0
    overlap: float = 0.0
    is_linked: bool = False
    workspace: float = 0.0
    scope: float = 1.0
    talk: float = 1.0
    is_agents: bool = False
    time: float = 1.0
    key: str = ""


# The default policy, which alone defines the weight of each factor.
_RECALL = RecallSettings()


@frozen
class Ranking:
    """How much each signal may move a memory; a factor of 1 changes nothing.

    Attributes:
        recency: The share of a score that age may take away. 0.5 moves a best hit to about the third to fifth place
        and no further, because last year's gotcha may be the answer. 1 gives Agent Swarm's formula.
        access_boost: The largest factor for memories that are read often (1.5 at five reads).
        access_hours: For how many hours after the last read the boost applies in full, then by half (48).
        statuses: The factor for each status. 0.5 as above; 0.7 moves a best hit to about the second place; 0.9 and 1.1
        decide between equals. A failed fact stays visible, because it is useful to know that it is false.
        importance: The factor runs from 1 - this to 1 + this.
        confidence: The factor runs from 1 - this to 1.
        points: The weight of relevance to the current work: path and dependency each multiply by 1 + their
        points / ``double``. Recency has its own factor here, which is worth more than the one point of Beans.
        workspace: The factor runs from 1 to 1 + this: it decides between equals.
        provenance: The deduction for a memory that an agent wrote and no check proves: if two memories match about
        equally, a person's comes first. More would rank what agents learn below anything that shares one word.
        floor: Hits below this share of the best are dropped. 0.1 drops 3 % of the ten best on LoCoMo's turns and 0.1 %
        of the right ones (12 % and 1.1 % on its sessions); for injection, the dotfiles' memory asks for 0.6,
        or 0.85 per turn.
        without: The names of factors that are switched off.

    Source: Agent Swarm's reranker and the dotfiles' memory; the places: see the module.
    """

    recency: float = _RECALL.factors.recency
    access_boost: float = _RECALL.access_boost_max
    access_hours: float = _RECALL.access_recency_hours
    statuses: tuple[tuple[str, float], ...] = tuple(fields_of(_RECALL.status).items())
    importance: float = _RECALL.factors.importance
    confidence: float = _RECALL.factors.confidence
    points: WorkPoints = _RECALL.points
    workspace: float = _RECALL.factors.workspace
    provenance: float = _RECALL.factors.provenance
    floor: float = _RECALL.relative_floor
    without: tuple[str, ...] = ()


@frozen
class RankedMemory:
    """A candidate with its final score.

    Attributes:
        number: The memory's row in the catalog.
        score: The product of the factors, > 0; comparable within one call only.
        factors: ``lexical`` and every other factor that is on, by name, in the order of application.
    """

    number: int
    score: float
    factors: tuple[tuple[str, float], ...]


RANKING = Ranking()


def rank(candidates: Iterable[Signals], *, limit: int, ranking: Ranking = RANKING) -> list[RankedMemory]:
    """Return the best candidates, at most *limit* (>= 1), by score, then the younger first, then by key."""
    statuses = dict(ranking.statuses)
    found = [(signals, _ranked(signals, ranking, statuses)) for signals in candidates]
    found.sort(key=lambda pair: (-pair[1].score, pair[0].age_days, pair[0].key, pair[0].number))
    least = found[0][1].score * ranking.floor if found else 0.0
    return [ranked for _, ranked in found if ranked.score >= least][:limit]


def _ranked(signals: Signals, ranking: Ranking, statuses: Mapping[str, float]) -> RankedMemory:
    points = ranking.points
    values = (
        1 - ranking.recency * (1 - recency(signals.age_days, signals.half_life_days)),
        _access(signals, ranking),
        statuses.get(signals.status, 1.0),
        1 + ranking.importance * (2 * signals.importance - 1),
        1 - ranking.confidence * (1 - signals.confidence),
        1 + points.path * signals.overlap / points.double,
        1 + points.dependency * signals.is_linked / points.double,
        1 + ranking.workspace * signals.workspace,
        signals.scope,
        signals.talk,
        1 - ranking.provenance * (signals.is_agents and signals.status != VERIFIED),
        signals.time,
    )
    known = list(zip(FACTORS, values, strict=True))
    if ranking.without:
        known = [pair for pair in known if pair[0] not in ranking.without]
    factors = (("lexical", signals.lexical), *known)
    score = 1.0
    for _, factor in factors:
        score *= factor
    return RankedMemory(signals.number, score, factors)


def recency(age_days: float, half_life_days: float | None) -> float:
    """Return a recency from 1 for new to 0: half after one half-life; always 1 without a half-life."""
    return 1.0 if half_life_days is None or age_days <= 0 else float(2 ** (-age_days / half_life_days))


def _access(signals: Signals, ranking: Ranking) -> float:
    # "Full boost" within the hours, half of it afterwards: agent-swarm's reranker.
    share = 1.0 if signals.accessed_hours <= ranking.access_hours else 0.5
    return 1 + min(signals.accesses / 10, ranking.access_boost - 1) * share


def grade(value: object, *, default: float) -> float:
    """Return an importance or confidence from the frontmatter as a number from 0 to 1.

    Accepts ``critical`` (1), ``high`` (0.75), ``medium`` (0.5), ``low`` (0.25) and numbers, which are limited to 0 to
    1; any other value gives the default.

    Source: the levels of AI Memory Module.
    """
    words = {"critical": 1.0, "high": 0.75, "medium": 0.5, "low": 0.25}
    if isinstance(value, str):
        return words.get(value.strip().lower(), default)
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        return default
    return float(min(max(value, 0), 1))


DAY_S = 86400.0


def lexical_of(
    terms: Sequence[str],
    texts: Mapping[int, IndexText],
    frequencies: Callable[[Sequence[str]], Stats],
    policy: Policy,
    runs: Iterable[Sequence[int]] = (),
    *,
    language: str = ENGLISH,
) -> dict[int, float]:
    """Return the lexical score of each memory that has a term, given the statistics of one or several engines.

    All texts are analysed in one *language*.
    """
    weights = Bm25Weights(fields=tuple(fields_of(policy.recall.weights).values()))
    if language != ENGLISH:
        weights = replace(weights, shorthand=0.0)
    stats = frequencies(all_terms(terms, language))
    return lexical_scores(list(terms), texts.values(), stats, weights=weights, frequencies=frequencies, runs=runs)


@frozen
class RecallRun:
    """What one recall ranks by.

    Attributes:
        policy: The store's policy.
        config: The settings of the person.
        now: Epoch seconds.
    """

    policy: Policy
    config: Config
    now: int


def signals_of(
    catalog: Catalog,
    local: Accesses,
    lexical: Mapping[int, float],
    texts: Mapping[int, IndexText],
    statuses: Mapping[int, state.MemoryStatus],
    *,
    query: Query,
    run: RecallRun,
) -> list[Signals]:
    """Return the signals of each candidate that has a word of the query."""
    rows = list(catalog.each(_ROWS, lexical))
    accesses = local.accesses(row[1] for row in rows)
    half_lives: dict[str, float | None] = {}
    signals = []
    for number, full_key, created, kind, importance, confidence, is_agents, fields in rows:
        if kind not in half_lives:
            half_lives[kind] = half_life_days(kind, run.policy, run.config)
        count, last = accesses.get(full_key, (0, 0))
        # A failed check confirms nothing.
        held = statuses[number].at if statuses[number].own in (VERIFIED, STALE) else 0
        born = max(created, held)
        signals.append(
            Signals(
                number,
                lexical[number],
                key=texts[number].key,
                age_days=age_s(born, run.now) / DAY_S if born else 0.0,
                half_life_days=half_lives[kind],
                accesses=count,
                accessed_hours=age_s(last, run.now) / 3600,
                status=statuses[number].status,
                importance=grade(importance, default=0.5),
                confidence=grade(confidence, default=1.0),
                workspace=_workspace(fields, query.here),
                is_agents=bool(is_agents),
            )
        )
    if query.paths or query.near or query.held:
        from gitmem.recall.work import with_work

        return with_work(catalog, signals, texts, (*query.paths, *query.near), query.held)
    return signals


def _workspace(fields: str | None, here: tuple[str, str]) -> float:
    if not fields:
        return 0.0
    from gitmem.recall.work import affinity

    return affinity(fields, here)


# Only frontmatter that names a workspace is read: few memories have one.
_ROWS = (
    "SELECT m.id, m.key, m.created, m.kind, m.importance, m.confidence, m.agent <> '',"
    " CASE WHEN instr(t.marks, ' workspace ') THEN t.fields END"
    " FROM memory m JOIN text t ON t.id = m.id WHERE m.id IN ({})"
)


def half_life_days(kind: str, policy: Policy, config: Config) -> float | None:
    """Return after how many days a kind's memories have lost half of what age can take; None if they do not age.

    The configuration takes precedence over the kind's own value in the policy, and that over the policy's general
    value.
    """
    own = policy.kind(kind).half_life_s
    return None if own is None else config.recall_half_life_days or own / DAY_S or policy.recall.half_life_days


def ranking_of(run: RecallRun, query: Query) -> Ranking:
    """Return the weights of a score's factors from the policy, the configuration and the query."""
    settings, config = run.policy.recall, run.config
    return replace(
        RANKING,
        **fields_of(settings.factors),
        points=settings.points,
        without=(*settings.without, *query.without),
        # Below 1 it would be a penalty: the memories read most would come last.
        access_boost=max(1.0, config.recall_access_boost_max or settings.access_boost_max),
        access_hours=config.recall_access_recency_hours or settings.access_recency_hours,
        floor=settings.relative_floor,
        statuses=tuple(fields_of(settings.status).items()),
    )
