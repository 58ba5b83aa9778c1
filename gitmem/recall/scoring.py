"""The scorer that all engines share: what is known of each candidate, and its score.

A score is the one by words times a factor for each other signal. ``rank`` is pure; ``signals_of`` queries the catalog.
On the recall benchmark the best hit scores 1.4 to 1.7 times as much as the second and 2 to 3 times as much as the fifth
(medians), so a factor must be that large to move a memory so far.
"""

from __future__ import annotations

from itertools import compress
from math import isnan, prod
from operator import itemgetter

from gitmem.frozen import fields_of, frozen, replace
from gitmem.index.catalog import state
from gitmem.model import ENGLISH, FACTORS, STALE, VERIFIED
from gitmem.policy.settings import RecallSettings, WorkPoints
from gitmem.recall.bm25 import Bm25Weights, all_terms, lexical_scores
from gitmem.statuses import age_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.config import Config
    from gitmem.index import Stats
    from gitmem.index.catalog import Catalog
    from gitmem.model import IndexText
    from gitmem.policy import Policy
    from gitmem.recall.bm25 import Words
    from gitmem.recall.query import Query
    from gitmem.recall.searched_store import Accesses


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
    chosen = [name not in ranking.without for name in FACTORS] if ranking.without else []
    scored = []
    for signals in candidates:
        values = _factors(signals, ranking, statuses)
        if chosen:
            values = tuple(compress(values, chosen))
        score = prod(values, start=signals.lexical)
        scored.append((-score, signals.age_days, signals.key, signals.number, signals.lexical, values))
    scored.sort(key=itemgetter(0, 1, 2, 3))
    least = -scored[0][0] * ranking.floor if scored else 0.0
    names = list(compress(FACTORS, chosen)) if chosen else FACTORS
    return [
        RankedMemory(number, -minus, (("lexical", lexical), *zip(names, values, strict=True)))
        for minus, _, _, number, lexical, values in scored[:limit]
        if -minus >= least
    ]


def _factors(signals: Signals, ranking: Ranking, statuses: Mapping[str, float]) -> tuple[float, ...]:
    """Return the factors of a candidate's score besides its words, in the order of ``FACTORS``."""
    points = ranking.points
    return (
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
    counted: Mapping[int, Words] | None = None,
) -> dict[int, float]:
    """Return the lexical score of each memory that has a term, given the statistics of one or several engines.

    All texts are analysed in one *language*; the words of those in *counted* are not counted again.
    """
    weights = Bm25Weights(fields=tuple(fields_of(policy.recall.weights).values()))
    if language != ENGLISH:
        weights = replace(weights, shorthand=0.0)
    stats = frequencies(all_terms(terms, language))
    return lexical_scores(
        list(terms), texts.values(), stats, weights=weights, frequencies=frequencies, runs=runs, counted=counted
    )


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

        return with_work(catalog, signals, (*query.paths, *query.near), query.held)
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
