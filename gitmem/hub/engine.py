"""The search index of one node: Tantivy on local disk, made from the database and worthless without it.

Texts are analysed by gitmem, so Tantivy only splits at blanks. It finds candidates; ``search`` ranks them with the
scorer that ranks at home. What that needs of each memory, and what is shown of it, is in ``records``. Whatever offers
the methods of ``Engine`` can replace all this.
"""

from __future__ import annotations

import json
import marshal
import sys
from heapq import heappush, heappushpop
from math import ceil, log
from pathlib import Path

import tantivy
from tantivy import Occur, Query

from gitmem.frozen import fields_of, frozen
from gitmem.hub.records import Records
from gitmem.index import FIELD_WEIGHTS, FIELDS, Stats, distinctive
from gitmem.model import ADOPTED, FAILED, STALE, SUSPECT, VERIFIED
from gitmem.recall.bm25 import Words, count_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from gitmem.hub.records import RecordView

# Increase this whenever a field or its analysis changes: an index of another format, or Python, is made again.
FORMAT = f"6 {sys.implementation.cache_tag}"
# Memory for documents that are not written yet: Tantivy takes 15 MB at least for each of its threads.
HEAP_BYTES = 64_000_000
# Tantivy knows only rounded lengths. A memory's length there is made as many times its own as the largest weight of a
# field, and is rounded down: no memory has more of FTS5's score than of Tantivy's. So candidates are read in Tantivy's
# order until none that follows can be among the best; as many times as many are fetched at first, and at most, if more
# memories are that much alike.
SPARE = (3, 20)
STRETCH = ceil(max(FIELD_WEIGHTS))
# What fills up a memory's length: PostgreSQL has no text with it.
FILLER = "\0"
# How much smaller than FTS5's score Tantivy's may be because it calculates in single precision.
ROUNDING = 1.0001
# Those of FTS5's bm25() (sqlite.org/fts5.html, section 5.1.1), by which the engine at home picks its candidates.
_K1, _B = 1.2, 0.75
# What a view remembers of what readers asked for, who choose the words and the repositories: some 20 MB of counts, and
# some 10 MB of places. Memories themselves are read again for each search: to hold 4,000 took 50 MB and more time than
# it saved (measured: 100,000 memories, questions of random words), and would tell what others ask.
MOST_COUNTS, MOST_FILTERS = 100_000, 1000
# Tantivy's own limit on the number of groups in an answer.
MOST_REPOSITORIES = 65_000
# What a plain search returns; what it returns only if their kind is asked for; and what it never returns.
LIVE, ADOPTED_SOUND, HIDDEN = 1, 2, 0
# Fields of the index by whose values a search filters and counts; those of a filter are attributes of ``Filter``.
FACETS = ("kind", "status", "owner", "language")
COUNTED = ("repository", *FACETS)
# Values of a facet that are counted.
MOST_VALUES = 50
# What is read of each memory that Tantivy finds.
_COLUMNS = ("seq", "state", "expires", "at")
# A filter by at most so many values looks up each of them. Measured: ten times as fast for one value, three times for
# ten, equally fast for 100.
FEW_VALUES = 100


@frozen
class Filter:
    """What a search may return.

    Attributes:
        repositories: The numbers of the repositories that the reader may see and asks for; None for all.
        now: Epoch seconds: what has expired by then is left out.
        kind: Only these kinds; empty for all.
        unread: None of these kinds.
        status: Only these statuses, as they are at the time ``now``.
        owner: Only memories of these people or agents.
        language: Only texts in these languages.
        suspects: The memories, by repository and path, that are suspect whatever status they have here.
    """

    repositories: frozenset[int] | None
    now: int
    kind: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    owner: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    suspects: frozenset[tuple[int, str]] = frozenset()


@frozen
class Found:
    """A candidate with all that its score depends on.

    Attributes:
        seq: The number of its last change, which no other state of any memory has.
        repository_id: The number of its repository.
        path: Its file on the memory branch.
        key: Its key.
        kind: Its kind.
        status: Its status by the last published verdict.
        language: The language of its text.
        terms: The analysed terms of each field, separated by blanks, in the order of ``FIELDS``.
        fields: What else ``hub.memory_rows`` stores of it.
        words: Its terms, counted; None for a memory that is not a candidate yet.
        shown: Its title and its text; empty for a candidate, of which ``View.texts`` returns them.
    """

    seq: int
    repository_id: int
    path: str
    key: str
    kind: str
    status: str
    language: str
    terms: tuple[str, ...]
    fields: Mapping[str, Any]
    words: Words | None = None
    shown: tuple[str, ...] = ()


class _Known:
    """A memory as it is stored. Most candidates are only scored; those that stay become a ``Found``.

    Attributes:
        seq: The number of its last change.
        place: The number of its repository, and its path.
    """

    __slots__ = ("_counts", "_length", "_values", "_weighted", "place", "seq")

    def __init__(self, stored: bytes) -> None:
        """Read what ``_stored`` returned, and no other bytes: the record had the right checksum."""
        self._values: tuple[Any, ...]
        self._length, self._weighted, self._counts, self._values = marshal.loads(stored)  # noqa: S302 - the checksum was right
        self.seq, self.place = self._values[0], self._values[1:3]

    def score(self, rarities: Mapping[str, float], average: float) -> float:
        """Return the score of FTS5's bm25() with the weights of the fields."""
        counts, norm = self._counts, _K1 * (1 - _B + _B * self._length / average)
        score = 0.0
        for term in filter(counts.__contains__, rarities):  # most memories have few of the terms
            count = counts[term]
            score += rarities[term] * count * (_K1 + 1) / (count + norm)
        return score

    @property
    def found(self) -> Found:
        """Return the memory."""
        words = Words(FIELD_WEIGHTS, self._counts, self._weighted, frozenset(self._values[7][0].split()))
        all_values: Any = (*self._values, words, ())
        return Found(*all_values)


def _stored(hit: Found, length: int) -> bytes:
    """Return a memory of so many terms in the form of ``_Known``, for this version of Python.

    Its words are counted here: of 171 words, that takes 33 microseconds, and to read their counts 7 (measured).
    """
    words = count_words([part.split() for part in hit.terms])
    values: Any = tuple(fields_of(hit).values())[:-2]
    return marshal.dumps((length, words.length, {**words.counts}, values))


if TYPE_CHECKING:

    class View(Protocol):
        """One state of an index, which changes that are applied meanwhile leave as it is."""

        def candidates(self, terms: Sequence[str], only: Filter, *, limit: int) -> list[Found]:
            """Return at most *limit* memories with any of the analysed *terms*, best first."""

        def facets(self, terms: Sequence[str], only: Filter, *, limit: int) -> dict[str, dict[Any, int]]:
            """Return for each facet how many memories with the terms by which candidates are found have each value."""

        def frequencies(self, terms: Sequence[str], repositories: frozenset[int] | None) -> Stats:
            """Return the statistics of some repositories, or of all: nothing of the others is in them."""

        def texts(self, hits: Iterable[Found]) -> list[tuple[str, str] | None]:
            """Return the title and the text of each of these candidates; None of one that went."""

    class Engine(Protocol):
        """A search index of a node; it can be deleted at any time."""

        def view(self) -> View:
            """Return the present state."""

        def apply(self, changed: Iterable[Found], removed: Iterable[tuple[int, str]]) -> None:
            """Replace memories, and remove those of a repository's number and a path, all or nothing."""

        def close(self) -> None:
            """Release the folder."""


class TantivyEngine:
    """The index in a folder; *records* has what is stored of its memories."""

    def __init__(self, folder: Path) -> None:
        """Open the index, or make an empty one; what is left of another format must have been deleted.

        Raises:
            ValueError: The folder is damaged, or another process writes to it.
        """
        folder.mkdir(0o700, parents=True, exist_ok=True)  # it has the texts of all repositories
        self._schema = _schema()
        self._index = tantivy.Index(self._schema, path=str(folder))
        blanks = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer("blanks", blanks)
        self._writer = self._index.writer(HEAP_BYTES, 1)
        # A process that was killed may have left files whose names are used again, and Tantivy replaces none.
        self._writer.garbage_collect_files()
        self.records = Records(folder)
        self._view = self._read()

    def _read(self) -> TantivyView:
        self._index.reload()
        return TantivyView(self._index.searcher(), self._schema, self.records.view())

    def view(self) -> TantivyView:
        """Return the present state."""
        return self._view

    def apply(
        self,
        changed: Iterable[Found],
        removed: Iterable[tuple[int, str]],
        begin: Callable[[list[int]], None] = lambda _: None,
    ) -> None:
        """Replace and remove memories, after calling *begin* with the places of the records that will be erased."""
        went, came = list(removed), list(changed)
        old = self._view.places([*went, *((hit.repository_id, hit.path) for hit in came)])
        begin(old)
        for number, path in went:
            self._writer.delete_documents_by_term("id", _id(number, path))
        for hit in came:
            self._writer.delete_documents_by_term("id", _id(hit.repository_id, hit.path))
            length = sum(len(part.split()) for part in hit.terms)
            at = self.records.append(_stored(hit, length), json.dumps(hit.shown or ("", "")).encode())
            self._writer.add_document(_document(hit, length, at))
        self.records.flush()  # before the index: it names no record that is not on the disk
        self._writer.commit()
        self._view = self._read()
        self.records.erase(old)  # a search that still reads the state before leaves these out

    def close(self) -> None:
        """Release the folder, once nothing writes to it any more."""
        self._writer.wait_merging_threads()
        self.records.close()


class TantivyView:
    """One state of the index; threads may share it."""

    def __init__(self, searcher: Any, schema: tantivy.Schema, records: RecordView) -> None:
        """Read a state; *records* has what is stored of its memories."""
        self._searcher, self._schema, self._records = searcher, schema, records
        # Where the records of candidates are, by the numbers of their changes.
        self._places: dict[int, int] = {}
        self._totals = _totals(searcher)
        self._states = {state: int(searcher.doc_freq("state", state)) for state in (LIVE, ADOPTED_SOUND, HIDDEN)}
        # Until segments are merged, Tantivy counts what was deleted.
        self._documents = sum(self._states.values())
        self._is_exact = self._documents == self.memories
        # How many memories expire at some time.
        self._expiring = int(searcher.search(self._range("expires", 2**63), limit=1).count)
        self._average = self._average_length()
        self._counts: dict[tuple[frozenset[int] | None, str], int] = {}
        self._sums: dict[frozenset[int] | None, list[int]] = {}
        self._filters: dict[frozenset[int], list[tuple[Any, Query]]] = {}
        # Whether a filter leaves out any of the index's repositories: 10,000 are compared in 0.2 ms, several times.
        self._hides: dict[frozenset[int], bool] = {}
        # Else some repositories may be missing in the totals.
        self._is_whole = len(self._totals) < MOST_REPOSITORIES

    @property
    def memories(self) -> int:
        """Return how many memories there are."""
        return int(self._searcher.num_docs)

    def frequencies(self, terms: Sequence[str], repositories: frozenset[int] | None) -> Stats:
        """Return the statistics of some repositories, or of all: nothing of the others is in them."""
        repositories = self._needed(repositories)
        if (sums := self._sums.get(repositories)) is None:
            numbers = self._totals if repositories is None else self._totals.keys() & repositories
            columns = zip(*(self._totals[number] for number in numbers), strict=True)
            _make_room(self._sums, MOST_FILTERS)
            sums = self._sums[repositories] = [sum(column) for column in columns] or [0] * (1 + len(FIELDS))
        documents, *lengths = sums
        frequency = {term: df for term in terms if (df := self._count(term, repositories))}
        return Stats(documents, frequency, tuple(length / max(documents, 1) for length in lengths))

    def _needed(self, repositories: frozenset[int] | None) -> frozenset[int] | None:
        """Return a filter by repositories, or None if the index has no others."""
        if repositories is None:
            return None
        if (hides := self._hides.get(repositories)) is None:
            _make_room(self._hides, MOST_FILTERS)
            hides = self._hides[repositories] = not (self._is_whole and self._totals.keys() <= repositories)
        return repositories if hides else None

    def _within(self, repositories: frozenset[int] | None) -> list[tuple[Any, Query]]:
        """Return the clauses that leave out other repositories: by whichever list is shorter, for 2,000 cost 30 ms."""
        if (repositories := self._needed(repositories)) is None:
            return []
        if (clauses := self._filters.get(repositories)) is None:
            seen, hidden = self._totals.keys() & repositories, self._totals.keys() - repositories
            is_hidden_shorter = self._is_whole and len(hidden) < len(seen)
            values = hidden if is_hidden_shorter else seen if self._is_whole else repositories
            clauses = [(Occur.MustNot if is_hidden_shorter else Occur.Must, self._any("repository", values))]
            _make_room(self._filters, MOST_FILTERS)
            self._filters[repositories] = clauses
        return clauses

    def _count(self, term: str, repositories: frozenset[int] | None) -> int:
        """Return how many memories of some repositories contain a term."""
        if repositories is None and self._is_exact:
            return int(self._searcher.doc_freq("words", term))
        known = self._counts.get((repositories, term))
        if known is None:
            query = Query.term_query(self._schema, "words", term, "basic")
            within = self._within(repositories)
            clauses = [(Occur.Must, query), *((Occur.Must, chosen) for _, chosen in within)]
            known = int(self._searcher.search(Query.boolean_query(clauses), limit=1).count)
            # If the hidden ones are fewer, they are counted, and the rest is what remains of all: to count a frequent
            # word in nearly all of 100,000 memories takes 0.8 ms.
            if within and within[0][0] == Occur.MustNot:
                known = self._count(term, None) - known
            _make_room(self._counts, MOST_COUNTS)
            self._counts[repositories, term] = known
        return known

    def _any(self, field: str, values: Iterable[Any]) -> Query:
        """Return a filter by values of a field, which adds nothing to the score."""
        listed = sorted(values)
        if len(listed) > FEW_VALUES:
            return Query.const_score_query(Query.term_set_query(self._schema, field, listed), 0.0)
        each = [(Occur.Should, Query.term_query(self._schema, field, value, "basic")) for value in listed]
        return Query.const_score_query(Query.boolean_query(each), 0.0)

    def candidates(self, terms: Sequence[str], only: Filter, *, limit: int) -> list[Found]:
        """Return at most *limit* memories with any of the analysed *terms*, best first by the score of FTS5."""
        stats = self.frequencies(terms, only.repositories)
        rarities = _rarities(stats, limit)
        if not rarities:
            return []
        words = Query.boolean_query([(Occur.Should, self._word(term, worth)) for term, worth in rarities.items()])
        average = sum(stats.lengths) or 1.0
        most = ROUNDING * max(1.0, STRETCH * average / self._average)
        best: list[tuple[float, tuple[int, str], _Known]] = []
        for score, known in self._by_score(words, only, limit):
            if len(best) < limit:
                heappush(best, (known.score(rarities, average), known.place, known))
            elif score * most < best[0][0]:
                break
            else:
                # Of equal ones, the engine at home takes the last.
                heappushpop(best, (known.score(rarities, average), known.place, known))
        return [known.found for *_, known in sorted(best, reverse=True)]

    def _by_score(self, words: Query, only: Filter, limit: int) -> Iterator[tuple[float, _Known]]:
        """Yield memories that pass a filter with Tantivy's score, best first, each once."""
        unwanted, filters = self._unwanted(only), self._clauses(only)
        queries = [Query.boolean_query([(Occur.Must, words), *filters])] if filters else []
        # Without a filter, Tantivy skips what cannot be among the best. So what every search leaves out is skipped here
        # if it is little; all others are filtered there, and hidden repositories have no part in how long this takes.
        if 2 * self._hidden_at_most(only) <= self._documents and not self._chosen(only):
            queries.insert(0, words)
        seen: set[int] = set()
        for query in queries:
            for times in SPARE:
                hits = self._searcher.search(query, limit=limit * times, count=False).hits
                addresses = [address for _, address in hits]
                columns = [self._searcher.fast_field_values(name, addresses) for name in _COLUMNS]
                for (score, _), seq, state, expires, at in zip(hits, *columns, strict=True):
                    if seq not in seen:
                        seen.add(seq)
                        is_wanted = state not in unwanted and not 0 < expires <= only.now
                        if is_wanted and (known := self._read(seq, at)) is not None:
                            yield score, known
                if len(hits) < limit * times:
                    return

    def facets(self, terms: Sequence[str], only: Filter, *, limit: int) -> dict[str, dict[Any, int]]:
        """Return for each facet how many memories with the terms by which candidates are found have each value."""
        rarities = _rarities(self.frequencies(terms, only.repositories), limit)
        if not rarities:
            return {name: {} for name in COUNTED}
        words = self._any("words", rarities)
        request: dict[str, Any] = {
            name: {"terms": {"field": name, "size": MOST_REPOSITORIES if name == "repository" else MOST_VALUES}}
            for name in COUNTED
        }
        request["status"]["aggs"] = {"over": {"range": {"field": "until", "ranges": [{"from": 1, "to": only.now}]}}}
        clauses = [(Occur.Must, words), *self._clauses(only)]
        buckets = self._searcher.aggregate(Query.boolean_query(clauses), request)
        counts = {
            name: {bucket["key"]: int(bucket["doc_count"]) for bucket in buckets[name]["buckets"]} for name in COUNTED
        }
        counts["status"] = _count_statuses(buckets)
        if only.suspects:
            suspects = Query.boolean_query([*clauses, (Occur.Must, self._any("id", _ids(only.suspects)))])
            others = _count_statuses(self._searcher.aggregate(suspects, {"status": request["status"]}))
            for status, count in others.items():
                counts["status"][status] -= count
            counts["status"][SUSPECT] = counts["status"].get(SUSPECT, 0) + sum(others.values())
        return {
            name: {value: count for value, count in of.items() if value != "" and count} for name, of in counts.items()
        }

    def _word(self, term: str, worth: float) -> Query:
        """Return the query for a term that counts as much as in the repositories that are searched."""
        query = Query.term_query(self._schema, "words", term, "freq")
        own = log(1 + (self._documents - (df := self._searcher.doc_freq("words", term)) + 0.5) / (df + 0.5))
        return Query.boost_query(query, worth / own)

    def _range(self, field: str, end: int) -> Query:
        """Return the query for the values of a field from 1 to before an end."""
        return Query.range_query(self._schema, field, tantivy.FieldType.Unsigned, 1, max(end, 1), True, False)

    def _average_length(self) -> float:
        """Return the average length by which Tantivy scores: with what was deleted, and only in its explanations."""
        query = Query.term_query(self._schema, "words", FILLER, "freq")
        hits = self._searcher.search(query, limit=1, count=False).hits
        explained = json.loads(query.explain(self._searcher, hits[0][1]).to_json()) if hits else {}
        return _value_of(explained, "avgdl") or 1.0

    def _clauses(self, only: Filter) -> list[tuple[Any, Query]]:
        """Return the clauses of a filter."""
        hidden = [Query.term_query(self._schema, "state", state, "basic") for state in self._unwanted(only)]
        if self._expiring:
            hidden.append(self._range("expires", only.now + 1))
        return [*((Occur.MustNot, query) for query in hidden), *self._chosen(only)]

    def _unwanted(self, only: Filter) -> list[int]:
        """Return the states of the index's memories that are left out."""
        states = (HIDDEN,) if ADOPTED in only.kind else (HIDDEN, ADOPTED_SOUND)
        return [state for state in states if self._states[state]]

    def _hidden_at_most(self, only: Filter) -> int:
        """Return how many memories may be left out for their states and for having expired."""
        return sum(self._states[state] for state in self._unwanted(only)) + self._expiring

    def _chosen(self, only: Filter) -> list[tuple[Any, Query]]:
        """Return the clauses for what only some searches leave out."""
        clauses = [*self._within(only.repositories)]
        if only.status:
            clauses += self._statuses(only)
        for field in FACETS:
            if field != "status" and (values := getattr(only, field)):
                clauses.append((Occur.Must, self._any(field, values)))
        if only.unread:
            clauses.append((Occur.MustNot, self._any("kind", only.unread)))
        return clauses

    def _statuses(self, only: Filter) -> list[tuple[Any, Query]]:
        """Return the clauses of a filter by status: a verdict counts only until its time to live has passed."""
        until = Query.range_query(self._schema, "until", tantivy.FieldType.Unsigned, 1, max(only.now - 1, 1))
        over = Query.boolean_query([(Occur.Must, self._any("status", [VERIFIED])), (Occur.Must, until)])
        stored = self._any("status", only.status)
        if STALE in only.status:
            either = Query.boolean_query([(Occur.Should, stored), (Occur.Should, over)])
            clauses = [(Occur.Must, Query.const_score_query(either, 0.0))]
        else:
            clauses = [(Occur.Must, stored), (Occur.MustNot, over)]
        if not only.suspects:
            return clauses
        suspects = self._any("id", _ids(only.suspects))
        if SUSPECT not in only.status:
            return [*clauses, (Occur.MustNot, suspects)]
        either = Query.boolean_query([(Occur.Should, Query.boolean_query(clauses)), (Occur.Should, suspects)])
        return [(Occur.Must, Query.const_score_query(either, 0.0))]

    def _read(self, seq: int, at: int) -> _Known | None:
        """Return a stored memory; None if it went."""
        if (stored := self._records.scored(at)) is None:
            return None
        known = _Known(stored)
        if known.seq != seq:  # another node's file, for example
            raise self._records.damaged()
        _make_room(self._places, MOST_COUNTS)
        self._places[seq] = at
        return known

    def texts(self, hits: Iterable[Found]) -> list[tuple[str, str] | None]:
        """Return the title and the text of each of these candidates; None of one that went."""
        places = [self._places.get(hit.seq) or self._place("seq", hit.seq) for hit in hits]
        parts = [self._records.shown(at) if at is not None else None for at in places]
        return [tuple(json.loads(part)) if part is not None else None for part in parts]

    def places(self, memories: Iterable[tuple[int, str]]) -> list[int]:
        """Return where the records of some memories are, by repository and path; unknown ones are left out."""
        ids = _ids(memories) if self._documents else []
        return [at for id_ in ids if (at := self._place("id", id_)) is not None]

    def _place(self, field: str, value: Any) -> int | None:
        """Return where the record of the memory is that has a value of its own in a field; None if it went."""
        query = Query.term_query(self._schema, field, value, "basic")
        addresses = [address for _, address in self._searcher.search(query, limit=1, count=False).hits]
        return int(self._searcher.fast_field_values("at", addresses)[0]) if addresses else None


def _make_room(held: dict[Any, Any], most: int) -> None:
    """Forget the oldest quarter of what is held if it has so many entries; forgetting all at once takes 40 ms."""
    if len(held) >= most:
        for key in list(held)[: most // 4 + 1]:
            held.pop(key, None)


def _value_of(explained: Mapping[str, Any], name: str) -> float:
    """Return a value by the begin of its description in an explanation of Tantivy; 0 if it is not there."""
    if explained.get("description", "").startswith(name):
        return float(explained["value"])
    return next((value for detail in explained.get("details", ()) if (value := _value_of(detail, name))), 0.0)


def _id(number: int, path: str) -> str:
    return f"{number}/{path}"


def _ids(memories: Iterable[tuple[int, str]]) -> list[str]:
    return [_id(*memory) for memory in memories]


def _count_statuses(found: Mapping[str, Any]) -> dict[Any, int]:
    """Return how many memories have each status, by an aggregate: a verdict counts only until its time is over."""
    counts: dict[Any, int] = {}
    for bucket in found["status"]["buckets"]:
        counts[bucket["key"]] = counts.get(bucket["key"], 0) + int(bucket["doc_count"])
        if bucket["key"] == VERIFIED:
            over = sum(int(part["doc_count"]) for part in bucket["over"]["buckets"] if part.get("from") == 1)
            counts[VERIFIED] -= over
            counts[STALE] = counts.get(STALE, 0) + over
    return counts


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("words", tokenizer_name="blanks", index_option="freq")
    for name in FIELDS:
        builder.add_unsigned_field(f"{name}_length", fast=True)
    for name in FACETS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("repository", "seq", "expires", "until", "state"):
        builder.add_unsigned_field(name, indexed=True, fast=True)
    builder.add_unsigned_field("at", fast=True)
    return builder.build()


def _document(hit: Found, total: int, at: int) -> tantivy.Document:
    """Return a memory of so many terms, whose record is at a place, for the index."""
    document = tantivy.Document()
    document.add_text("id", _id(hit.repository_id, hit.path))
    words: list[str] = []
    for name, text, weight in zip(FIELDS, hit.terms, FIELD_WEIGHTS, strict=True):
        length = text.count(" ") + 1 if text else 0
        document.add_unsigned(f"{name}_length", length)
        # A word counts as often as its field's weight says: Tantivy's score is then nearly that of the engine at home.
        words += [text] * ceil(weight) + [FILLER] * (length * (STRETCH - ceil(weight)))
    document.add_text("words", " ".join(words))
    for name, value in zip(FACETS, (hit.kind, hit.status, hit.fields["owner"], hit.language), strict=True):
        document.add_text(name, value)
    document.add_unsigned("repository", hit.repository_id)
    document.add_unsigned("seq", hit.seq)
    document.add_unsigned("expires", max(0, hit.fields["expires"] or 0))
    document.add_unsigned("until", max(0, (hit.fields["proof"] or {}).get("until") or 0))
    document.add_unsigned("state", _state(hit))
    document.add_unsigned("at", at)
    return document


def _state(hit: Found) -> int:
    if hit.fields["hidden"]:
        return HIDDEN
    return ADOPTED_SOUND if hit.kind == ADOPTED and hit.status != FAILED else LIVE


def _totals(searcher: Any) -> dict[int, list[int]]:
    """Return for each repository how many memories it has, and the sums of the lengths of their fields."""
    sums = {f"{name}_length": {"sum": {"field": f"{name}_length"}} for name in FIELDS}
    request = {"r": {"terms": {"field": "repository", "size": MOST_REPOSITORIES}, "aggs": sums}}
    buckets = searcher.aggregate(Query.all_query(), request)["r"]["buckets"]
    return {
        int(bucket["key"]): [int(bucket["doc_count"]), *(int(bucket[name]["value"] or 0) for name in sums)]
        for bucket in buckets
    }


def _rarities(stats: Stats, limit: int) -> dict[str, float]:
    """Return the terms by which candidates are found, with how much each counts; empty if no memory has any."""
    rarest = distinctive(sorted(stats.frequency, key=lambda term: (stats.frequency[term], term)), stats, limit)
    return {term: _rarity(stats.documents, stats.frequency[term]) for term in rarest}


def _rarity(documents: int, df: int) -> float:
    return max(log((documents - df + 0.5) / (df + 0.5)) if 2 * df < documents else 0.0, 1e-6)
