"""Rank the memories of many repositories for a query, with the scorer and the weights of recall.

The statistics are those of the repositories that the reader may see and asks for. So a query over one repository has
the order of `gitmem recall` there, and no score depends on what the reader may not see. Memories in a log score by
their own words only, and nothing is known of what a reader has read, works on, or has in a work tree.
"""

from __future__ import annotations

from gitmem.config import Config
from gitmem.frozen import frozen, replace
from gitmem.hub.engine import Filter
from gitmem.model import STALE, VERIFIED, IndexText
from gitmem.policy import Policy, builtin
from gitmem.recall import DAY_S, Query, RecallRun, Signals, grade, half_life_days, lexical_of, narrow, rank, ranking_of
from gitmem.recall.bm25 import all_terms
from gitmem.recall.ranker import candidates_for, may_name_time
from gitmem.recall.when import factors, find_when
from gitmem.statuses import age_s
from gitmem.text import parse_json
from gitmem.text.tokens import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.hub.engine import Found, View
    from gitmem.hub.follower import Repository

TEXT_LENGTH, LIMIT = 1000, 100


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
    """

    text: str
    repositories: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    limit: int = 10


@frozen
class Ranked:
    """A memory that was found, with its status at the time of the query, and its score."""

    found: Found
    status: str
    score: float


def search(view: View, repositories: Mapping[int, Repository], query: HubQuery, *, now: int) -> list[Ranked]:
    """Return the best memories, best first; empty if nothing matches.

    Args:
        view: The index.
        repositories: The repositories that the reader may see, by number: nothing depends on any other.
        query: The query.
        now: Epoch seconds.
    """
    within = {
        number: one for number, one in repositories.items() if not query.repositories or one.name in query.repositories
    }
    policies = {number: Policy.from_dict(parse_json(one.policy or "{}")) for number, one in within.items()}
    policy = next(iter(policies.values())) if len(policies) == 1 else builtin()
    asked = narrow(policy, Query(text=query.text, kinds=query.kinds, limit=query.limit))
    run = RecallRun(policy, Config(), now)
    only = Filter(
        frozenset(within),
        now,
        query.kinds,
        asked.unread,
        _stored_statuses(query.statuses),
        query.owners,
        query.languages,
    )
    candidates, lexical = _by_words(view, {one.language for one in within.values()}, asked, run, only)
    statuses = {number: status_of(one.status, one.fields, now) for number, one in candidates.items()}
    signals = [
        _signals(number, score, candidates[number], policies[candidates[number].repository_id], now=now)
        for number, score in lexical.items()
        if not query.statuses or statuses[number] in query.statuses
    ]
    if may_name_time(query.text) and (when := find_when(query.text, now)):
        times = {number: _times(one) for number, one in candidates.items()}
        found = factors({one.number: one.lexical for one in signals}, times, when)
        signals = [replace(one, time=found[one.number]) for one in signals]
    ranked = rank(signals, limit=max(1, len(signals)), ranking=ranking_of(run, asked))[: query.limit]
    return [Ranked(candidates[one.number], statuses[one.number], round(one.score, 4)) for one in ranked]


def _by_words(
    view: View, languages: set[str], query: Query, run: RecallRun, only: Filter
) -> tuple[dict[int, Found], dict[int, float]]:
    """Return the candidates by number, in the order of repositories and paths, and the score of each by its words."""
    terms = {language: query_terms(query.text, language) for language in sorted(languages)}
    found = []
    for language, own in terms.items():
        if not only.language or language in only.language:
            inside = replace(only, language=(language,)) if len(languages) > 1 else only
            found += view.candidates(all_terms(own, language), inside, limit=candidates_for(query, run))
    candidates = dict(enumerate(sorted(found, key=lambda one: (one.repository_id, one.path)), 1))
    lexical: dict[int, float] = {}
    for language, own in terms.items():
        texts = {
            number: IndexText(number, "", "", one.key, "", "", one.terms, one.kind)
            for number, one in candidates.items()
            if one.language == language
        }
        if texts:
            lexical |= lexical_of(
                own, texts, lambda words: view.frequencies(words, only.repositories), run.policy, language=language
            )
    return candidates, lexical


def _stored_statuses(statuses: tuple[str, ...]) -> tuple[str, ...]:
    """Return the statuses to look for in the index, which does not know what has become stale since."""
    return (*statuses, VERIFIED) if STALE in statuses and VERIFIED not in statuses else statuses


def status_of(status: str, fields: Mapping[str, Any], now: int) -> str:
    """Return the status of a memory at a time: a verdict counts only until its time to live has passed."""
    proof = fields["proof"] or {}
    is_over = status == VERIFIED and proof.get("until") is not None and now > proof["until"]
    return STALE if is_over else status


def _times(found: Found) -> tuple[int, ...]:
    return (found.fields["created"], found.fields["updated"], (found.fields["proof"] or {}).get("at", 0))


def _signals(number: int, score: float, found: Found, policy: Policy, *, now: int) -> Signals:
    """Return the signals of a candidate, as ``recall.signals_of`` reads them from a catalog."""
    fields, proof = found.fields, found.fields["proof"] or {}
    held = proof["at"] if proof.get("own") == VERIFIED else 0
    born = max(fields["created"], held)
    return Signals(
        number,
        score,
        key=found.key,
        age_days=age_s(born, now) / DAY_S if born else 0.0,
        half_life_days=half_life_days(found.kind, policy, Config()),
        status=status_of(found.status, fields, now),
        importance=grade(fields["importance"], default=0.5),
        confidence=grade(fields["confidence"], default=1.0),
        is_agents=bool(fields["agent"]),
    )
