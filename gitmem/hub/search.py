"""Rank the memories of many repositories for a query, with the scorer and the weights of recall.

The statistics are those of the repositories that the reader may see and asks for. So a query over one repository has
the order of `gitmem recall` there, and no score depends on what the reader may not see. Memories in a log score by
their own words only, and nothing is known of what a reader has read, works on, or has in a work tree.
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.config import Config
from gitmem.frozen import frozen, replace
from gitmem.hub.engine import COUNTED, MOST_VALUES, Filter
from gitmem.model import STALE, VERIFIED, IndexText
from gitmem.policy import Policy, builtin
from gitmem.recall.bm25 import all_terms
from gitmem.recall.query import Query, narrow
from gitmem.recall.ranker import candidates_for, may_name_time
from gitmem.recall.scoring import DAY_S, RecallRun, Signals, grade, half_life_days, lexical_of, rank, ranking_of
from gitmem.recall.when import factors, find_when
from gitmem.statuses import age_s, combine_status
from gitmem.text import parse_json
from gitmem.text.tokens import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from gitmem.hub.engine import Found, View
    from gitmem.hub.follower import Repository

TEXT_LENGTH, LIMIT = 1000, 100
# The hub knows no settings of its readers.
_NOBODY = Config()


@frozen
class HubQuery:
    """A query to the hub; each filter that is not empty must hold.

    Attributes:
        text: The search text as typed.
        repositories: Only these, by name.
        kinds: Only these kinds.
        statuses: Only these statuses.
        owners: Only memories of these people or agents.
        languages: Only texts in these languages.
        limit: How many hits, >= 1.
        with_facets: Whether the answer also counts the values of each facet.
    """

    text: str
    repositories: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    limit: int = 10
    with_facets: bool = False


@frozen
class Ranked:
    """A memory that was found, with its status at the time of the query, and its score."""

    found: Found
    status: str
    score: float


@frozen
class _Plan:
    """A query as it is put to the index: what the reader may see of what it asks for, and how it is scored."""

    repositories: Mapping[int, Repository]
    languages: Sequence[str]
    asked: Query
    run: RecallRun
    only: Filter

    def within(self, language: str) -> Filter:
        """Return the filter for texts in one of these languages."""
        return replace(self.only, language=(language,)) if len(self.languages) > 1 else self.only

    def status_of(self, hit: Found) -> str:
        """Return the status of a memory for the reader."""
        is_suspect = (hit.repository_id, hit.path) in self.only.suspects
        return combine_status(status_of(hit.status, hit.fields, self.only.now), suspect=is_suspect)

    @property
    def candidates(self) -> int:
        """Return how many candidates are scored."""
        return candidates_for(self.asked, self.run)


def search(
    view: View,
    repositories: Mapping[int, Repository],
    query: HubQuery,
    *,
    now: int,
    suspicions: Collection[tuple[int, str]] = (),
) -> list[Ranked]:
    """Return the best memories, best first; empty if nothing matches.

    Args:
        view: The index.
        repositories: The repositories that the reader may see, by number: nothing depends on any other.
        query: The query.
        now: Epoch seconds.
        suspicions: The memories, by repository and path, that are suspect for the reader because of another repository.
    """
    plan = _plan(repositories, query, now, suspicions)
    candidates, lexical = _by_words(view, plan)
    statuses = {number: plan.status_of(hit) for number, hit in candidates.items()}
    signals = [
        _signals(number, score, candidates[number], plan, status=statuses[number]) for number, score in lexical.items()
    ]
    if may_name_time(query.text) and (when := find_when(query.text, now)):
        times = {number: _times(hit) for number, hit in candidates.items()}
        found = factors({signal.number: signal.lexical for signal in signals}, times, when)
        signals = [replace(signal, time=found[signal.number]) for signal in signals]
    ranked = rank(signals, limit=query.limit, ranking=ranking_of(plan.run, plan.asked))
    return [
        Ranked(candidates[ranked_memory.number], statuses[ranked_memory.number], round(ranked_memory.score, 4))
        for ranked_memory in ranked
    ]


def count_facets(
    view: View,
    repositories: Mapping[int, Repository],
    query: HubQuery,
    *,
    now: int,
    suspicions: Collection[tuple[int, str]] = (),
) -> dict[str, dict[str, int]]:
    """Return for each facet the values of the memories that contain a word of the query, most frequent first.

    Args:
        view: The index.
        repositories: The repositories that the reader may see, by number: nothing else is counted.
        query: The query; its filters hold, and its limit does not.
        now: Epoch seconds.
        suspicions: The memories, by repository and path, that are suspect for the reader because of another repository.
    """
    plan = _plan(repositories, query, now, suspicions)
    sums: dict[str, dict[Any, int]] = {name: {} for name in COUNTED}
    for language in plan.languages:
        terms = all_terms(query_terms(query.text, language), language)
        for name, counts in view.facets(terms, plan.within(language), limit=plan.candidates).items():
            for value, count in counts.items():
                shown = repositories[value].name if name == "repository" else value
                sums[name][shown] = sums[name].get(shown, 0) + count
    return {
        name: dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_VALUES])
        for name, counts in sums.items()
    }


def _plan(
    repositories: Mapping[int, Repository], query: HubQuery, now: int, suspicions: Collection[tuple[int, str]]
) -> _Plan:
    within = repositories
    if query.repositories:
        within = {
            number: repository for number, repository in repositories.items() if repository.name in query.repositories
        }
    policy = _policy_of(next(iter(within.values())).policy) if len(within) == 1 else builtin()
    spoken = {repository.language for repository in within.values()} - {
        ""
    }  # one that was never synced has no language yet
    languages = sorted(spoken & {*query.languages} if query.languages else spoken)
    narrowed = narrow(policy, Query(text=query.text, kinds=query.kinds, limit=query.limit))
    only = Filter(frozenset(within), now, query.kinds, narrowed.unread, query.statuses, query.owners, query.languages)
    only = replace(only, suspects=frozenset(suspicions))
    return _Plan(within, languages, narrowed, RecallRun(policy, _NOBODY, now), only)


@lru_cache(maxsize=1024)  # most repositories of an organisation have one of a few policies
def _policy_of(text: str) -> Policy:
    return Policy.from_dict(parse_json(text or "{}"))


@lru_cache(maxsize=1024)
def _half_life_days(kind: str, policy: str) -> float | None:
    return half_life_days(kind, _policy_of(policy), _NOBODY)


def _by_words(view: View, plan: _Plan) -> tuple[dict[int, Found], dict[int, float]]:
    """Return the candidates by number, in the order of repositories and paths, and the score of each by its words."""
    terms = {language: query_terms(plan.asked.text, language) for language in plan.languages}
    hits = []
    for language, own in terms.items():
        hits += view.candidates(all_terms(own, language), plan.within(language), limit=plan.candidates)
    candidates = dict(enumerate(sorted(hits, key=lambda hit: (hit.repository_id, hit.path)), 1))
    counted = {number: hit.words for number, hit in candidates.items() if hit.words is not None}
    lexical: dict[int, float] = {}
    for language, own in terms.items():
        texts = {
            number: IndexText(number, "", "", hit.key, "", "", hit.terms, hit.kind)
            for number, hit in candidates.items()
            if hit.language == language
        }
        if texts:
            lexical |= lexical_of(
                own,
                texts,
                lambda words: view.frequencies(words, plan.only.repositories),
                plan.run.policy,
                language=language,
                counted=counted,
            )
    return candidates, lexical


def status_of(status: str, fields: Mapping[str, Any], now: int) -> str:
    """Return the status of a memory at a time: a verdict counts only until its time to live has passed."""
    proof = fields["proof"] or {}
    is_over = status == VERIFIED and proof.get("until") is not None and now > proof["until"]
    return STALE if is_over else status


def _times(hit: Found) -> tuple[int, ...]:
    return (hit.fields["created"], hit.fields["updated"], (hit.fields["proof"] or {}).get("at", 0))


def _signals(number: int, score: float, hit: Found, plan: _Plan, *, status: str) -> Signals:
    """Return the signals of a candidate, as ``recall.signals_of`` reads them from a catalog."""
    fields, proof = hit.fields, hit.fields["proof"] or {}
    policy, now = plan.repositories[hit.repository_id].policy, plan.only.now
    held = proof["at"] if proof.get("own") == VERIFIED else 0
    born = max(fields["created"], held)
    return Signals(
        number,
        score,
        key=hit.key,
        age_days=age_s(born, now) / DAY_S if born else 0.0,
        half_life_days=_half_life_days(hit.kind, policy),
        status=status,
        importance=grade(fields["importance"], default=0.5),
        confidence=grade(fields["confidence"], default=1.0),
        is_agents=bool(fields["agent"]),
    )
