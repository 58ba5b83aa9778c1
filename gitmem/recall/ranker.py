"""Search and rank memories for a query, in one store or in several at once. Runs nothing and writes nothing.

The rarity of a word is that in all of the stores together, so scores of different stores are comparable; so are
cosines. Each store is searched in its own language.
"""

from __future__ import annotations

from gitmem.frozen import fields_of, replace
from gitmem.index import FtsEngine, Stats
from gitmem.index.catalog import refs_of, state, texts_of
from gitmem.model import ADOPTED, Hit
from gitmem.policy.kinds import PROMPT, START
from gitmem.recall.bm25 import all_terms, idf_of
from gitmem.recall.conditions import count_statuses, hit_condition, is_sound, withheld_condition
from gitmem.recall.query import SESSION, SNIPPET, RecallResult, narrow
from gitmem.recall.scoring import lexical_of, rank, ranking_of, signals_of
from gitmem.store.scopes import LISTED, PROJECT, SOURCE
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitmem.index.catalog import Catalog, Transaction
    from gitmem.model import IndexText
    from gitmem.recall.query import Query
    from gitmem.recall.scoring import RankedMemory, Ranking, RecallRun, Signals
    from gitmem.recall.searched_store import SearchedStore
    from gitmem.recall.semantic import Sources, VectorQuery
    from gitmem.recall.when import When

# The least number of candidates that an engine returns, so that the factors have a choice. Twice as many cost 4 ms more
# and change nDCG@10 by .005 at most (measured on the recall benchmark).
CANDIDATES = 60
# All listed stores together give as many candidates as this many of them would. Reading and scoring a candidate takes
# 0.1 ms, so 20 stores cost six starts of Python more if each gives its own.
LISTED_POOL = 2
# The policy's upper bound (`policy`, candidate_multiplier); a setting of the environment has none.
MULTIPLIER_AT_MOST = 1000.0
# How many near misses are shown at most: they help to ask again, not to answer.
NEAR_MISSES = 3
# One of them, or a year, is in every query that names a time.
_TIME_WORDS = """
latest newest recent last past oldest earliest original first since after before until till between today yesterday ago
this days weeks months years january february march april may june july august september october november december
neueste neuester neuestes neuesten jüngste aktuellste letzte letzter letztes letzten vergangenen älteste ältester
ältesten erste erster erstes ersten seit nach vor bis heute gestern januar februar märz mai juni juli oktober dezember
récent récente récents récentes dernier dernière derniers dernières premier première depuis après avant hier janvier
février mars avril juin juillet août septembre octobre novembre décembre reciente recientes último última desde después
antes hasta ayer pasado primero primera primer enero febrero marzo abril mayo junio julio agosto septiembre octubre
noviembre diciembre ultimo ultima scorso dopo prima primo ieri oggi gennaio febbraio aprile maggio giugno luglio
settembre ottobre dicembre depois ontem hoje passado primeiro primeira janeiro fevereiro março maio junho julho setembro
outubro novembro dezembro nieuwste laatste oudste eerste sinds voor tot gisteren vandaag januari februari maart mei
augustus
quarter quarters quartal quartale quartals trimestre trimestres trimestri kwartaal kwartalen q1 q2 q3 q4 spring summer
autumn fall winter frühling frühjahr sommer herbst printemps été automne hiver primavera verano otoño invierno estate
autunno inverno verão outono lente voorjaar zomer herfst najaar tag tagen woche wochen monat monaten jahr jahren jour
jours semaine semaines mois an ans année années día días semana semanas mes meses año años giorno giorni settimana
settimane mese mesi anno anni dia dias mês ano anos dag dagen weken maand maanden jaar jaren
weekend week-end wochenende tonight vorgestern avant-hier anteayer anoche hace avantieri anteontem eergisteren stunde
stunden heure heures vorletzte vorletzten avant-dernier avant-dernière antepasada antepasado retrasada retrasado hier ce
cette esta este geleden fa atrás há her zuvor vorig vorige afgelopen letztem vergangene vergangener vergangenes
últimos últimas ultimi ultime dernières derniers voorlaatste pasada passada scorsa aujourd'hui hoy vorletzter vorletztes
"""
# One of these is in every time of Chinese and Japanese that is read.
_TIME_CHARACTERS = frozenset("昨今前上先本这這去最")


class Readings:
    """A fixed state of each of some stores, as a context manager (``Catalog.reading``)."""

    def __init__(self, sources: Iterable[SearchedStore]) -> None:
        self._readings: list[Transaction] = [source.catalog.reading() for source in sources]

    def __enter__(self) -> None:
        """Begin reading all stores."""
        for reading in self._readings:
            reading.__enter__()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End all reads."""
        for reading in self._readings:
            reading.__exit__(kind)


def recall(
    sources: Sequence[SearchedStore],
    query: Query,
    run: RecallRun,
    *,
    meaning: VectorQuery | None = None,
    date_of: Callable[[str], float | None] = lambda _: None,
) -> RecallResult:
    """Rank the memories of some stores for a query, best first; without a search text, newest first.

    If none of its words is in any memory, memories that contain parts of the words are returned, with a notice. With
    *meaning*, memories near to the query are found as well, even if they share no word with it. *date_of* returns the
    time of a version, which a query may name.
    """
    if not query.text.strip():
        from gitmem.recall import inventory

        results = [inventory.newest(s.catalog, s.ground, s.narrow(query), now=run.now) for s in sources]
        return inventory.merge_results(sources, results, query.limit)
    terms = {s.catalog.language: tokens.query_terms(query.text, s.catalog.language) for s in sources}
    ranker = Ranker(sources, query, terms, run)
    ranker.add_forms()
    ranker.search()
    # What nobody asked for is shown only if its words match (`gate`): then parts of words and spellings help no one.
    is_asked = query.reader not in (START, PROMPT)
    notice = "" if ranker.has_found or not is_asked else ranker.search_parts()
    if meaning is not None:
        ranker.search_by(meaning)
    if not ranker.has_found:
        suggestion = ranker.suggestion() if is_asked else ""
        near = near_misses(sources, query, run, suggestion) if query.near_misses else ()
        return RecallResult((), 0, suggestion=suggestion, near=near)
    if may_name_time(query.text):
        from gitmem.recall.when import find_when

        ranker.when = find_when(query.text, run.now, date_of, ranker.date_of_event)
    ranked = ranker.rank()
    return replace(ranked, notice=notice) if ranked.hits else ranked


def near_misses(sources: Sequence[SearchedStore], query: Query, run: RecallRun, suggestion: str) -> tuple[Hit, ...]:
    """Return what a query that found nothing finds among adopted facts, in another spelling, or without its filters."""
    corrected = replace(query, text=suggestion or query.text)
    adopted = query if query.kinds else replace(query, kinds=(ADOPTED,))
    for other in (adopted, corrected, _without_filters(query, run), _without_filters(corrected, run)):
        if other == query:
            continue
        terms = {s.catalog.language: tokens.query_terms(other.text, s.catalog.language) for s in sources}
        ranker = Ranker(sources, replace(other, limit=NEAR_MISSES), terms, run)
        ranker.search()
        if ranker.has_found:
            return ranker.rank().hits
    return ()


def _without_filters(query: Query, run: RecallRun) -> Query:
    """Return a query without the filters on properties of a memory; its stores and what its reader gets stay."""
    free = replace(query, kinds=(), tags=(), paths=(), statuses=(), tasks=(), named_domains=(), workspaces=(), by=())
    return narrow(run.policy, free)


def may_name_time(text: str) -> bool:
    """Return whether a query may name a time, which ``recall.when`` then reads."""
    words = {word.strip(".,;:?!()[]\"'`") for word in text.lower().replace("\u2019", "'").split()}
    words |= {word[2:] for word in words if word[:2] in ("l'", "d'")}
    if not words.isdisjoint(_TIME_WORDS.split()) or any(
        word[:2] in ("19", "20") and word[:4].isdigit() for word in words
    ):
        return True
    return not text.isascii() and not _TIME_CHARACTERS.isdisjoint(text)


def ranker_of(
    source: SearchedStore, query: Query, terms: Sequence[str], numbers: Sequence[int], run: RecallRun
) -> Ranker:
    """Return a ranker of memories of one store that an engine found by some terms."""
    language = source.catalog.language
    ranker = Ranker([source], query, {language: terms}, run)
    ranker.add(0, numbers)
    return ranker


def conditions(
    catalog: Catalog, ground: int | None, query: Query, *, now: int
) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the condition on hits; for a strict query, also that on the memories that are only counted."""
    yield hit_condition(catalog, ground, query, now=now)
    if query.strict:
        yield withheld_condition(catalog, ground, query, now=now)


def candidates_for(query: Query, run: RecallRun) -> int:
    """Return how many candidates to request from an engine."""
    multiplier = min(
        run.config.recall_candidate_multiplier or run.policy.recall.candidate_multiplier, MULTIPLIER_AT_MOST
    )
    return max(CANDIDATES, int(query.limit * multiplier) + 1)


class Ranker:
    """Collects the candidates of some stores and ranks them together.

    The memory *id* of the n-th of N stores has the number id × N + n: with one store, its own number.
    """

    def __init__(
        self, sources: Sequence[SearchedStore], query: Query, terms: Mapping[str, Sequence[str]], run: RecallRun
    ) -> None:
        """Prepare a query; *terms* has its analysed terms by language."""
        self._sources, self._query, self._terms = sources, query, dict(terms)
        self._run = run
        self._languages = [source.catalog.language for source in sources]
        self._own = [source.narrow(query) for source in sources]
        self._engines = [FtsEngine(source.catalog.connection, source.catalog.query_cache()) for source in sources]
        self._limit = candidates_for(query, run)
        self._found: list[dict[int, None]] = [{} for _ in sources]
        self._states: list[dict[int, state.MemoryStatus]] = [{} for _ in sources]
        self._texts: list[dict[int, IndexText]] = [{} for _ in sources]
        self._stats: dict[tuple[str, ...], list[Stats]] = {}
        self._meaning: VectorQuery | None = None
        self.when: When | None = None
        self._events: list[tuple[str, set[str], int]] | None = None

    @property
    def has_found(self) -> bool:
        """Return whether there are any candidates."""
        return any(self._found)

    def add(self, nth: int, numbers: Iterable[int]) -> None:
        """Add candidates of the n-th store, given its own numbers."""
        self._found[nth].update(dict.fromkeys(numbers))

    def _conditions(self, nth: int) -> Iterator[tuple[str, Sequence[object]]]:
        source = self._sources[nth]
        return conditions(source.catalog, source.ground, self._own[nth], now=self._run.now)

    def search(self) -> None:
        """Search each store for the terms, separately."""
        best_by_store: list[list[list[tuple[int, float]]]] = []
        for nth, source in enumerate(self._sources):
            terms = all_terms(self._terms[self._languages[nth]], self._languages[nth])
            engine = source.engine or self._engines[nth]
            best_by_store.append([])
            for condition, values in self._conditions(nth):
                limit = self._limit * (min(len(source.parts), LISTED_POOL) if source.parts else 1)
                own = engine.candidates(terms, limit=limit, where=condition, parameters=values)
                best_by_store[nth].append([(candidate.number, candidate.rank_score) for candidate in own])
        self._add_best(best_by_store, self._scales() if self._is_pooled else [])

    def add_forms(self) -> None:
        """Search for words that no memory has in their other forms."""
        for language, terms in self._terms.items():
            # The same statistics as for the scores, which are cached.
            known = self.frequencies(all_terms(terms, language)).frequency
            if not all(term in known for term in terms):
                from gitmem.recall.other_forms import other_forms

                def starting_with(beginning: str, its: str = language) -> list[str]:
                    return self._list_terms(its, beginning)

                self._terms[language] = other_forms(self._query.text, terms, known, language, starting_with)

    def _list_terms(self, language: str, beginning: str) -> list[str]:
        """Return the terms of the stores in a language that begin with a text, at most some from each."""
        engines = [engine for engine, its in zip(self._engines, self._languages, strict=True) if its == language]
        return list(dict.fromkeys(term for engine in engines for term in engine.list_terms(beginning)))

    @property
    def _is_pooled(self) -> bool:
        return sum(source.scope == LISTED for source in self._sources) > LISTED_POOL

    def _scales(self) -> list[float]:
        """Return how much more the words of the query are worth in all stores together than in each of them."""
        scales = []
        for nth, language in enumerate(self._languages):
            terms = tuple(all_terms(self._terms[language], language))
            own, common = idf_of(self._frequencies(terms)[nth]), idf_of(self.frequencies(terms))
            scales.append(sum(common[term] for term in own) / (sum(own.values()) or 1.0))
        return scales

    def _add_best(self, found: Sequence[Sequence[Sequence[tuple[int, float]]]], scales: Sequence[float]) -> None:
        """Add the candidates of each store, for each condition with their scores; of the listed stores, the best ones.

        The scores of each store are multiplied by its scale.
        """
        for own in zip(*found, strict=True):
            pool = []
            for nth, (source, scored) in enumerate(zip(self._sources, own, strict=True)):
                if source.scope == LISTED and self._is_pooled:
                    pool += [(-score * scales[nth], at, nth, number) for at, (number, score) in enumerate(scored)]
                else:
                    self.add(nth, [number for number, _ in scored])
            for _, _, nth, number in sorted(pool)[: LISTED_POOL * self._limit]:
                self.add(nth, [number])

    def search_parts(self) -> str:
        """Search for parts of words if no store knows any word of the query.

        Returns:
            A line that says so; empty if nothing was found.
        """
        from gitmem.recall import suggestions

        parts = suggestions.parts_of(self._query.text)
        if not parts or any(self.frequencies(terms).frequency for terms in self._terms.values()):
            return ""
        by: dict[str, list[str]] = {}
        for nth, source in enumerate(self._sources):
            for condition, values in self._conditions(nth):
                self.add(
                    nth,
                    suggestions.list_containing(
                        source.catalog, parts, limit=self._limit, where=condition, parameters=values
                    ),
                )
            texts = texts_of(source.catalog, self._found[nth]).values()
            by.setdefault(self._languages[nth], []).extend(suggestions.terms_with(texts, parts, self._languages[nth]))
        self._terms = {language: list(dict.fromkeys(terms)) for language, terms in by.items()}
        if not self.has_found:
            return ""
        return f"no memory contains a whole word of {self._query.text!r}; these contain parts of them"

    def search_by(self, meaning: VectorQuery) -> None:
        """Add memories near to the query, and use their nearness in the scores."""
        self._meaning = meaning
        best = [
            [list(meaning.nearest(nth, *condition, limit=self._limit).items()) for condition in self._conditions(nth)]
            for nth in range(len(self._sources))
        ]
        self._add_best(best, [1.0] * len(self._sources))

    def suggestion(self) -> str:
        """Return the query with corrected spelling if that finds something, or an empty string."""
        from gitmem.recall import suggestions

        for source, engine in zip(self._sources, self._engines, strict=True):
            terms = tokens.query_terms(self._query.text, source.catalog.language)
            if suggested := suggestions.suggestion(source.catalog, engine, self._query.text, terms):
                return suggested
        return ""

    def frequencies(self, terms: Sequence[str]) -> Stats:
        """Return the engines' combined statistics of some terms."""
        return together(self._frequencies(tuple(terms)))

    def _frequencies(self, terms: tuple[str, ...]) -> list[Stats]:
        """Return each engine's statistics of some terms."""
        if terms not in self._stats:
            self._stats[terms] = [engine.frequencies(terms) for engine in self._engines]
        return self._stats[terms]

    def rank(self, *, is_exact: bool = False) -> RecallResult:
        """Rank the candidates, best first; if *is_exact*, keep those far below the best."""
        dense, limit = self._run.policy.recall.dense, self._query.limit
        runs = [run for nth in range(len(self._sources)) for run in self._read_texts(nth)]
        texts = self._all_texts()
        lexical = self._lexical(texts, runs)
        made_of: dict[int, Sources] = {}
        if self._meaning is not None:
            fused = self._meaning.combine(lexical, texts, dense)
            lexical = {number: worth for number, (worth, _) in fused.items()}
            made_of = {number: parts for number, (_, parts) in fused.items()}
        signals = self._signals(lexical)
        if runs:
            from gitmem.recall import conversation

            signals = conversation.with_talk(signals, self._query.text, texts, runs)
        if self.when is not None:
            signals = self._with_time(signals, self.when)
        ranking = ranking_of(self._run, self._query)
        ranked, kept_back = self._rank(signals, replace(ranking, floor=0.0) if is_exact else ranking)
        if self._meaning is not None:
            ranked = [*self._meaning.diversify(ranked, limit, dense)]
        hits = with_sources(self._hits(ranked[:limit]), [ranked_memory.number for ranked_memory in ranked], made_of)
        return RecallResult(tuple(hits), max(0, len(ranked) - limit), withheld=kept_back)

    def date_of_event(self, words: str) -> float | None:
        """Return when the only candidate whose title says that an event has happened was created, or None."""
        if self._events is None:
            self._events = list(self._list_events())
        languages = {language for language, _, _ in self._events}
        wanted = {language: set(tokens.query_terms(words, language)) for language in languages}
        dates = {created for language, title, created in self._events if wanted[language] and wanted[language] <= title}
        return float(dates.pop()) if len(dates) == 1 else None

    def _list_events(self) -> Iterator[tuple[str, set[str], int]]:
        """Yield the language, the words of the title and the creation of each candidate that tells of an event."""
        from gitmem.recall.when import says_that_it_happened

        for source, numbers in zip(self._sources, self._found, strict=True):
            language = source.catalog.language
            for text in texts_of(source.catalog, numbers).values():
                if says_that_it_happened(text.title):
                    (created,) = source.catalog.row("SELECT created FROM memory WHERE id = ?", (text.number,))
                    yield language, set(tokens.terms(text.title, language)), created

    def _with_time(self, signals: list[Signals], when: When) -> list[Signals]:
        """Return the signals with the factor for the time that the query names."""
        from gitmem.recall.when import factors

        times: dict[int, list[int]] = {}
        count = len(self._sources)
        for nth, source, numbers in self._split(signal.number for signal in signals):
            rows = source.catalog.each("SELECT id, created, updated FROM memory WHERE id IN ({})", numbers)
            for number, *own in rows:
                times[number * count + nth] = [*own, self._states[nth][number].at]
        found = factors({signal.number: signal.lexical for signal in signals}, times, when)
        return [replace(signal, time=found[signal.number]) for signal in signals]

    def _read_texts(self, nth: int) -> list[list[int]]:
        """Read the texts of a store's candidates and of their neighbours in logs; return the runs of the logs."""
        source, count = self._sources[nth], len(self._sources)
        texts = self._texts[nth] = texts_of(source.catalog, self._found[nth])
        if not any(SESSION in text.tags for text in texts.values()):
            return []
        from gitmem.recall import conversation

        condition, values = hit_condition(source.catalog, source.ground, self._own[nth], now=self._run.now)
        runs = conversation.runs_of(source.catalog, texts, condition, values)
        texts |= texts_of(source.catalog, [number for run in runs for number in run if number not in texts])
        return [[number * count + nth for number in run] for run in runs]

    def _all_texts(self) -> dict[int, IndexText]:
        if len(self._sources) == 1:
            return self._texts[0]
        count = len(self._sources)
        return {
            text.number * count + nth: replace(text, number=text.number * count + nth)
            for nth, texts in enumerate(self._texts)
            for text in texts.values()
        }

    def _lexical(self, texts: Mapping[int, IndexText], runs: Sequence[Sequence[int]]) -> dict[int, float]:
        """Return the lexical score of each candidate that has a word of the query in its store's language."""
        scores: dict[int, float] = {}
        for language, terms in self._terms.items():
            own = {number: text for number, text in texts.items() if self._language_of(number) == language}
            its = [run for run in runs if self._language_of(run[0]) == language]
            scores |= lexical_of(terms, own, self.frequencies, self._run.policy, its, language=language)
        return scores

    def _language_of(self, number: int) -> str:
        return self._languages[number % len(self._languages)]

    def _split(self, numbers: Iterable[int]) -> Iterator[tuple[int, SearchedStore, list[int]]]:
        """Yield each store that has some of these memories, with their numbers in it."""
        split: list[list[int]] = [[] for _ in self._sources]
        for number in numbers:
            split[number % len(split)].append(number // len(split))
        for nth, source in enumerate(self._sources):
            if split[nth]:
                yield nth, source, split[nth]

    def _signals(self, lexical: Mapping[int, float]) -> list[Signals]:
        """Return the signals of each candidate."""
        factors, count = fields_of(self._run.policy.recall.scope), len(self._sources)
        signals = []
        for nth, source, numbers in self._split(lexical):
            catalog, ground, texts = source.catalog, source.ground, self._texts[nth]
            own = {number: lexical[number * count + nth] for number in numbers}
            chains = state.suspects(catalog, ground)
            statuses = self._states[nth] = state.statuses_of(catalog, ground, numbers, now=self._run.now, chains=chains)
            for signal in signals_of(catalog, source.local, own, texts, statuses, query=self._own[nth], run=self._run):
                factor = factors.get(source.scope_of(signal.key), 1.0)
                is_same = count == 1 and factor == signal.scope
                signals.append(signal if is_same else replace(signal, number=signal.number * count + nth, scope=factor))
        return signals

    def _rank(
        self, signals: Sequence[Signals], ranking: Ranking
    ) -> tuple[list[RankedMemory], tuple[tuple[str, int], ...]]:
        """Return the ranked candidates; for a strict query only sound ones, and the numbers of others by status."""
        if not self._query.strict:
            return self._with_documents(signals, ranking), ()
        count = len(self._sources)
        statuses = {id_ * count + nth: status for nth, own in enumerate(self._states) for id_, status in own.items()}
        sound = [signal for signal in signals if is_sound(statuses[signal.number])]
        ranked = self._with_documents(sound, ranking)
        unsound = [signal for signal in signals if not is_sound(statuses[signal.number])]
        others = rank(unsound, limit=max(1, len(signals)), ranking=ranking)
        least = ranked[0].score * ranking.floor if ranked else 0.0
        return ranked, count_statuses(statuses[other.number].status for other in others if other.score >= least)

    def _with_documents(self, signals: Sequence[Signals], ranking: Ranking) -> list[RankedMemory]:
        """Rank memories with pulled documents, which never come before a memory of the same score, nor drop one."""
        limit = max(1, len(signals))
        ranked = rank(signals, limit=limit, ranking=ranking)
        pulled = {nth for nth, source in enumerate(self._sources) if source.scope == SOURCE}
        if not pulled or len(pulled) == len(self._sources):
            return ranked
        count = len(self._sources)
        memories = rank(
            [signal for signal in signals if signal.number % count not in pulled], limit=limit, ranking=ranking
        )
        documents = [ranked_memory for ranked_memory in ranked if ranked_memory.number % count in pulled]
        return sorted([*memories, *documents], key=lambda ranked: -ranked.score)

    def _hits(self, ranked: Sequence[RankedMemory]) -> list[Hit]:
        """Return the hits for ranked candidates, in the same order."""
        hits: dict[int, Hit] = {}
        by_number = {ranked_memory.number: ranked_memory for ranked_memory in ranked}
        for nth, source, numbers in self._split(by_number):
            columns = f"m.id, m.kind, m.created, m.folder, m.key, {state.gone_column(self._run.now)}"
            sql = f"SELECT {columns} FROM memory m WHERE m.id IN ({{}})"
            refs = refs_of(source.catalog, numbers)
            ids = source.short_ids({number: self._texts[nth][number].key for number in numbers})
            for number, kind, created, folder, key, gone in source.catalog.each(sql, numbers):
                whole, text = number * len(self._sources) + nth, self._texts[nth][number]
                scored, language = by_number[whole], self._languages[nth]
                snippet, matches = self._snippet(text.body, language)
                status = self._states[nth][number].status
                hit = Hit(
                    text.key, kind, text.title, status, round(scored.score, 4), PROJECT, snippet, created,
                    f"{folder}/{text.key}.md", gone, scored.factors, matches=tuple(matches), refs=refs.get(number, ()),
                    store=source.part_of(key), short_id=ids.get(number, ""),
                )  # fmt: skip
                hits[whole] = source.locate(hit)
        return [hits[ranked_memory.number] for ranked_memory in ranked]

    def _snippet(self, body: str, language: str) -> tuple[str, list[tuple[int, int]]]:
        if not self._query.snippets:
            return "", []
        return tokens.snippet(body, self._terms[language], width=SNIPPET, language=language)


def with_sources(hits: Sequence[Hit], numbers: Sequence[int], sources: Mapping[int, Sources]) -> list[Hit]:
    """Return the hits with the scores of words and meaning; unchanged if only words were used."""
    if not sources:
        return list(hits)
    return [
        replace(hit, factors=(("relevance", hit.factors[0][1]), *hit.factors[1:]), sources=sources[number])
        for hit, number in zip(hits, numbers, strict=False)
    ]


def together(stats: Sequence[Stats]) -> Stats:
    """Combine the statistics of several stores' engines, as if they were one store."""
    if len(stats) == 1:
        return stats[0]
    documents = sum(stat.documents for stat in stats)
    frequency: dict[str, int] = {}
    for stat in stats:
        for term, df in stat.frequency.items():
            frequency[term] = frequency.get(term, 0) + df
    totals = ([length * stat.documents for length in stat.lengths] for stat in stats)
    lengths = tuple(sum(column) / max(documents, 1) for column in zip(*totals, strict=True))
    return Stats(documents, frequency, lengths)
