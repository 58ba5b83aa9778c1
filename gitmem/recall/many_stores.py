"""Several stores side by side: one ranking, one list, one count; each memory with the scope it comes from."""

from __future__ import annotations

from gitmem.frozen import fields_of, frozen, replace
from gitmem.index.catalog import state
from gitmem.index.catalog.search_texts import texts_of
from gitmem.index.engine import Stats
from gitmem.index.fts import FtsEngine
from gitmem.recall import listing, logs, one_store, score
from gitmem.recall.bm25 import asked_terms
from gitmem.recall.query import Asked, Found, counted, where
from gitmem.recall.signals import lexical_of, ranking_of, signals_of
from gitmem.recall.texts import runs_in
from gitmem.store.scope import DOMAIN, PRIVATE, PROJECT, UNIVERSAL, domains_of
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gitmem.config.setting import Config
    from gitmem.index.catalog.catalog import Catalog, Reading
    from gitmem.model import Hit, IndexText
    from gitmem.policy.policy import Policy
    from gitmem.recall.semantic import Meaning, Sources
    from gitmem.store.local import LocalState


@frozen
class Source:
    """One store that is looked into.

    Attributes:
        scope: Its scope.
        catalog: Its catalog.
        local: Local state, for what was read how often.
        ground: The ground whose statuses are told, or None.
        domains: The domains whose memories are read here; None for a store where this does not matter.
        name: What another repository's store is called here; empty for our own.
    """

    scope: str
    catalog: Catalog
    local: LocalState
    ground: int | None
    domains: tuple[str, ...] | None = None
    name: str = ""

    def asked(self, asked: Asked) -> Asked:
        """Return what is asked of this store; one that is about other code knows nothing of the places of this one."""
        if self.scope not in (PROJECT, PRIVATE):
            asked = replace(asked, near=(), held=(), here=(asked.here[0], ""))
        return asked if self.domains is None else replace(asked, domains=self.domains)

    def told(self, hit: Hit) -> Hit:
        """Return a hit of its memories with where it is from."""
        return replace(hit, scope=self.scope_of(hit.key), store=self.name)

    def scope_of(self, key: str) -> str:
        """Return the scope of one of its memories."""
        if self.domains is None:
            return self.scope
        sql = "SELECT t.fields FROM memory m JOIN text t ON t.id = m.id WHERE m.key = ? AND m.shadowed = 0"
        row = self.catalog.row(sql, (key,))
        return DOMAIN if row and domains_of(row[0]) else UNIVERSAL


class OneState:
    """One state of each of some stores, as a context manager (``Catalog.reading``)."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._readings: list[Reading] = [source.catalog.reading() for source in sources]

    def __enter__(self) -> None:
        """Begin."""
        for one in self._readings:
            one.__enter__()

    def __exit__(self, *_: object) -> None:
        """Let go of all of them."""
        for one in self._readings:
            one.__exit__()


def recall(
    sources: Sequence[Source],
    asked: Asked,
    *,
    policy: Policy,
    config: Config,
    now: int,
    meaning: Meaning | None = None,
) -> Found:
    """Rank the memories of several stores against a question, best first; without a question, the newest first.

    A word is as rare as it is in all of them together, so that scores of different scopes compare; so is a cosine. The
    question is asked of each store in the store's language.
    """
    if not asked.query.strip():
        found = [listing.newest(s.catalog, s.ground, s.asked(asked), now=now) for s in sources]
        return _merged(sources, found, asked.limit)
    shelf = _Shelf(sources, asked.query, meaning)
    shelf.fill(asked, policy, config, now)
    if not shelf.texts:
        return _near(sources, asked, policy=policy, config=config, now=now)
    lexical = shelf.lexical(policy)
    made_of: dict[int, Sources] = {}
    if meaning is not None:
        fused = meaning.fused(lexical, shelf.texts, policy.recall.dense)
        lexical = {number: found for number, (found, _) in fused.items()}
        made_of = {number: parts for number, (_, parts) in fused.items()}
    signals = shelf.signals(lexical, asked, policy=policy, config=config, now=now)
    signals = logs.with_talk(signals, asked.query, shelf.texts, shelf.runs)
    ranked, withheld = one_store.ranked_of(signals, shelf.told(), ranking_of(policy, config, asked), asked)
    if meaning is not None:
        ranked = [*meaning.diversified(ranked, asked.limit, policy.recall.dense)]
    hits = shelf.hits(ranked[: asked.limit])
    hits = one_store.with_sources(hits, [r.number for r in ranked], made_of)
    return Found(tuple(hits), max(0, len(ranked) - asked.limit), withheld=withheld)


def _near(sources: Sequence[Source], asked: Asked, *, policy: Policy, config: Config, now: int) -> Found:
    """Return what each store finds by parts of words, where no word of the question is in any; or what was meant."""
    options: dict[str, Any] = {"policy": policy, "config": config, "now": now}
    found = [one_store.recall(s.catalog, s.local, s.ground, s.asked(asked), **options) for s in sources]
    told = [s.told(hit) for s, one in zip(sources, found, strict=True) for hit in one.hits]
    hits = sorted(told, key=lambda hit: -hit.score)[: asked.limit]
    notice = next((one.notice for one in found if one.notice), "")
    suggestion = next((one.suggestion for one in found if one.suggestion), "")
    more = sum(one.more for one in found) + len(told) - len(hits)
    return Found(tuple(hits), more, notice if hits else "", "" if hits else suggestion, _sum(found))


def list_memories(sources: Sequence[Source], asked: Asked, *, now: int) -> Found:
    """Return memories of several stores that pass the filters, the newest first, without their text."""
    found = [listing.list_memories(s.catalog, s.ground, s.asked(asked), now=now) for s in sources]
    return _merged(sources, found, asked.limit)


def _merged(sources: Sequence[Source], found: Sequence[Found], limit: int) -> Found:
    told = [s.told(hit) for s, one in zip(sources, found, strict=True) for hit in one.hits]
    hits = sorted(told, key=lambda hit: (-hit.created, hit.key))
    more = sum(one.more for one in found) + max(0, len(hits) - limit)
    return Found(tuple(hits[:limit]), more, withheld=_sum(found))


def _sum(found: Iterable[Found]) -> tuple[tuple[str, int], ...]:
    """Return what several stores withheld, by status."""
    return counted(status for one in found for status, number in one.withheld for _ in range(number))


class _Shelf:
    """The candidates of several stores; the memory *id* of the n-th of N stores has the number id × N + n.

    Attributes:
        texts: What was found, by number.
        runs: Which of them stand in a log one after the other.
    """

    def __init__(self, sources: Sequence[Source], query: str, meaning: Meaning | None = None) -> None:
        self._sources = sources
        self._languages = [source.catalog.language for source in sources]
        self._terms = {language: tokens.query_terms(query, language) for language in dict.fromkeys(self._languages)}
        self._meaning = meaning
        self._engines = [FtsEngine(source.catalog.connection, source.catalog.kept()) for source in sources]
        self._told: list[dict[int, state.Told]] = [{} for _ in sources]
        self._own: list[dict[int, IndexText]] = [{} for _ in sources]
        self.texts: dict[int, IndexText] = {}
        self.runs: list[list[int]] = []

    def fill(self, asked: Asked, policy: Policy, config: Config, now: int) -> None:
        """Look the candidates up, as many in each store as if it were the only one."""
        wanted = one_store.candidates_for(asked, policy, config)
        for nth, (source, engine) in enumerate(zip(self._sources, self._engines, strict=True)):
            numbers, language = list[int](), self._languages[nth]
            terms = asked_terms(self._terms[language], language)
            for condition, values in one_store.conditions(source.catalog, source.ground, source.asked(asked), now=now):
                found = engine.candidates(terms, limit=wanted, where=condition, parameters=values)
                numbers += [c.number for c in found]
                if self._meaning is not None:
                    numbers += self._meaning.nearest(nth, condition, values, limit=wanted)
            self._own[nth] = texts_of(source.catalog, dict.fromkeys(numbers))
            condition, values = where(source.catalog, source.ground, source.asked(asked), now=now)
            for run in runs_in(source.catalog, self._own[nth], condition, values):
                self.runs.append([number * len(self._sources) + nth for number in run])
            for number, text in self._own[nth].items():
                whole = number * len(self._sources) + nth
                self.texts[whole] = replace(text, number=whole)

    def _split(self, numbers: Iterable[int]) -> Iterator[tuple[int, Source, list[int]]]:
        """Yield each store with its own numbers of these, as far as it has some."""
        split: list[list[int]] = [[] for _ in self._sources]
        for number in numbers:
            split[number % len(split)].append(number // len(split))
        for nth, source in enumerate(self._sources):
            if split[nth]:
                yield nth, source, split[nth]

    def lexical(self, policy: Policy) -> dict[int, float]:
        """Return the lexical score of each candidate that has a word of the query in its store's language."""
        found: dict[int, float] = {}
        for language, terms in self._terms.items():
            own = {number: text for number, text in self.texts.items() if self._language_of(number) == language}
            runs = [run for run in self.runs if self._language_of(run[0]) == language]
            found |= lexical_of(terms, own, self.frequencies, policy, runs, language=language)
        return found

    def _language_of(self, number: int) -> str:
        return self._languages[number % len(self._languages)]

    def frequencies(self, terms: Sequence[str]) -> Stats:
        """Return what the engines know of some terms, as if they were one."""
        return together([engine.frequencies(terms) for engine in self._engines])

    def signals(
        self, lexical: dict[int, float], asked: Asked, *, policy: Policy, config: Config, now: int
    ) -> list[score.Signals]:
        """Return what is known of each candidate that has a word of the query."""
        factors = fields_of(policy.recall.scope)
        signals = []
        for nth, source, numbers in self._split(lexical):
            catalog, ground, texts = source.catalog, source.ground, self._own[nth]
            own = {number: lexical[number * len(self._sources) + nth] for number in numbers}
            told = state.tell(catalog, ground, numbers, now=now, chains=state.suspects(catalog, ground))
            self._told[nth] = told
            found = signals_of(
                catalog,
                source.local,
                own,
                texts,
                told,
                asked=source.asked(asked),
                policy=policy,
                config=config,
                now=now,
            )
            for one in found:
                factor = factors[source.scope_of(texts[one.number].key)]
                signals.append(replace(one, number=one.number * len(self._sources) + nth, scope=factor))
        return signals

    def told(self) -> dict[int, state.Told]:
        """Return the status of each candidate, by its number among those of all stores."""
        count = len(self._sources)
        return {id_ * count + nth: told for nth, own in enumerate(self._told) for id_, told in own.items()}

    def hits(self, ranked: Sequence[score.Ranked]) -> list[Hit]:
        """Return the hits of what was ranked, in its order."""
        found: dict[int, Hit] = {}
        by_number = {one.number: one for one in ranked}
        for nth, source, numbers in self._split(by_number):
            wholes = [number * len(self._sources) + nth for number in numbers]
            own = [replace(by_number[whole], number=number) for whole, number in zip(wholes, numbers, strict=True)]
            terms = self._terms[self._languages[nth]]
            hits = one_store.hits_of(source.catalog, own, self._own[nth], self._told[nth], terms)
            for whole, hit in zip(wholes, hits, strict=True):
                found[whole] = source.told(hit)
        return [found[one.number] for one in ranked]


def together(stats: Sequence[Stats]) -> Stats:
    """Return what several stores' engines know of some terms, as if they were one store."""
    documents = sum(one.documents for one in stats)
    frequency: dict[str, int] = {}
    for one in stats:
        for term, df in one.frequency.items():
            frequency[term] = frequency.get(term, 0) + df
    totals = ([length * one.documents for length in one.lengths] for one in stats)
    lengths = tuple(sum(column) / max(documents, 1) for column in zip(*totals, strict=True))
    return Stats(documents, frequency, lengths)


def scopes_of(source: Source, *, now: int) -> dict[str, int]:
    """Return how many live memories of each scope a store has for this project."""
    counts = {}
    for scope in (source.scope,) if source.domains is None else (DOMAIN, UNIVERSAL):
        asked = source.asked(Asked(scopes=(scope,)))
        condition, values = where(source.catalog, source.ground, asked, now=now)
        counts[scope] = source.catalog.row(f"SELECT count(*) FROM memory m WHERE {condition}", values)[0]
    return counts
