"""Score how well a memory's words match a query: BM25F on the candidates' own text, refined by some cheap steps.

The scores are computed from the candidates' texts, so that every engine ranks alike. Pure: no clock, no index.

The numbers were chosen on the public half of the recall benchmark (LoCoMo turns and sessions, CoSQA, Cranfield: 1,496
questions, one setting for all). nDCG@10 there, each step added to the ones before: BM25F alone 0.489 0.781 0.393 0.526;
pairs 0.494 0.796 0.407 0.537; coverage 0.495 0.798 0.405 0.535; related words 0.510 0.800 0.423 0.569; short and long
forms 0.510 0.800 0.432 0.569; titles 0.529 0.798 0.439 0.574; a log's neighbours and talk (``recall.conversation``)
0.592 0.798 0.439 0.574; speakers in a log, and a higher weight for neighbours, 0.630 (each of six conversations gains).
"""

from __future__ import annotations

from _collections import _count_elements  # type: ignore[import-not-found]  # what `Counter` counts with
from itertools import pairwise
from math import exp, log

from gitmem.frozen import frozen
from gitmem.index import FIELD_WEIGHTS
from gitmem.memo import lru_cache
from gitmem.model import ENGLISH
from gitmem.text.tokens import joined_terms, stems, word_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.index import Stats
    from gitmem.model import IndexText

    # Two words, and the text of both.
    _Pair = tuple[tuple[str, str], str]


@frozen
class Bm25Weights:
    """The weights that turn words into a score.

    Attributes:
        fields: The weight of an occurrence in each field, in the order of ``FIELDS``.
        k1: The saturation: with a low value, repeated occurrences of a term soon stop adding to the score; >= 0.
        b: The penalty for long memories, 0 to 1.
        pair: The weight of two adjacent query words that are also adjacent in a title or body, relative to one word.
        coverage: The share of the score that depends on how much of the query the memory contains, 0 to 1.
        related: The share that comes from words which the best memories have in common, 0 to 1.
        related_memories: How many of the best memories these words come from.
        related_terms: The number of such words.
        shorthand: The weight of a word's short or long form if the word itself is missing, relative to the word.
        title: How much a title made only of the query's words adds, as a share of the score.
        window: The weight of the words around a memory in a log, relative to its own.
        speaker: How much such a title adds to the score of the words around a memory in a log, where the title names
        the speaker and the other speakers are addressed by name.
        around: The share of each neighbour in that window, by its distance; negative distances are before the memory.

    Source: Robertson, Zaragoza, Taylor 2004, "Simple BM25 extension to multiple weighted fields" (fields, k1, b with
    their usual values); Lavrenko, Croft 2001, "Relevance-based language models", in the form RM3 with its usual 10
    memories (related); the other values: see the module.
    """

    fields: tuple[float, ...] = FIELD_WEIGHTS
    k1: float = 1.2
    b: float = 0.75
    pair: float = 0.3
    coverage: float = 0.2
    related: float = 0.4
    related_memories: int = 10
    related_terms: int = 40
    shorthand: float = 0.8
    title: float = 0.3
    window: float = 2.0
    speaker: float = 0.8
    around: tuple[tuple[int, float], ...] = ((-3, 0.25), (-2, 0.45), (-1, 0.8), (1, 0.5), (2, 0.3), (3, 0.15))


WEIGHTS = Bm25Weights()


@frozen
class Words:
    """The analysed words of a memory, counted.

    Attributes:
        weights: The weights of the fields.
        counts: How often each term occurs, weighted by field.
        length: The number of terms, weighted by field.
        title: The distinct terms of its title.
    """

    weights: tuple[float, ...]
    counts: Mapping[str, float]
    length: float
    title: frozenset[str]


@frozen
class _Bag:
    """The analysed words of one candidate.

    Attributes:
        number: The memory's row in the catalog.
        counts, length, title: See ``Words``.
        norm: BM25's k1, normalized for this length.
        pairs: How often each pair of query words occurs in title and body.
    """

    number: int
    counts: Mapping[str, float]
    length: float
    norm: float
    pairs: Mapping[tuple[str, str], int]
    title: frozenset[str]


@frozen
class _Question:
    """The terms of the query with their weights.

    Attributes:
        terms: The rarity of each known term of the query.
        short: For every known short or long form, the term that it stands in for, and its weight.
        total: The sum of the rarities of all terms.
    """

    terms: Mapping[str, float]
    short: Mapping[str, tuple[str, float]]
    total: float


def all_terms(query: Sequence[str], language: str = ENGLISH) -> list[str]:
    """Return a query's terms and their short and long forms, each once: the terms to search and count.

    Short forms are known only for English.
    """
    if language != ENGLISH:
        return list(query)
    return list(dict.fromkeys([*query, *(other for term in query for other in variants(term))]))


def lexical_scores(
    query: Sequence[str],
    texts: Iterable[IndexText],
    stats: Stats,
    *,
    weights: Bm25Weights = WEIGHTS,
    frequencies: Callable[[Sequence[str]], Stats] | None = None,
    runs: Iterable[Sequence[int]] = (),
    counted: Mapping[int, Words] | None = None,
) -> dict[int, float]:
    """Score candidates by their words.

    Args:
        query: Analysed terms, each once (``analysis.query_terms``).
        texts: The candidates, a few hundred at most, because each is analysed here.
        stats: The engine's statistics of ``all_terms``.
        weights: The weights that turn words into a score.
        frequencies: Looks up more terms (an engine's ``frequencies``). Without it, no related words are used.
        runs: Lists of numbers of consecutive memories in a log.
        counted: The words of candidates by number, where they are counted already.

    Returns:
        A score > 0 by number for every candidate that has a term of the query, or is close to one that has in a
        log; comparable within one call only.
    """
    question = _question(query, stats, weights)
    pairs = [(pair, " ".join(pair)) for pair in pairwise(question.terms)]
    average = _average(stats, weights)
    known = counted or {}
    bags = {text.number: _bag(text, known.get(text.number), pairs, average, weights) for text in texts}
    own = {number: _question_score(bag, question, weights) for number, bag in bags.items()}
    found = [bag for bag in bags.values() if own[bag.number] > 0]
    scores = {bag.number: own[bag.number] for bag in found}
    _add_pairs(scores, found, stats.documents, weights)
    if frequencies and weights.related and found:
        _mix_related(scores, found, question, frequencies, weights)
    for bag in found:
        scores[bag.number] *= 1 + weights.title * _title_share(bag, question)
    for run in runs:
        _add_windows(scores, [bags[number] for number in run], question, stats, weights)
    return scores


def _question(query: Sequence[str], stats: Stats, weights: Bm25Weights) -> _Question:
    idf = idf_of(stats)
    terms = {term: idf[term] for term in query if term in idf}
    short: dict[str, tuple[str, float]] = {}
    for term in query if weights.shorthand else ():
        for other in variants(term):
            if other in idf and other not in terms:
                short.setdefault(other, (term, weights.shorthand * min(idf[other], idf.get(term, idf[other]))))
    return _Question(terms, short, sum(terms.values()))


def idf_of(stats: Stats) -> dict[str, float]:
    """Return the weight of each known word."""
    return {term: rarity(stats.documents, df) for term, df in stats.frequency.items()}


def rarity(documents: int, df: int) -> float:
    """Return the weight of a word by how many of all memories contain it: > 0, and larger for fewer memories."""
    # Always > 0, also for a term in every memory. Source: Lucene's BM25Similarity.
    return log(1 + (max(documents, df) - df + 0.5) / (df + 0.5))


def _bag(text: IndexText, words: Words | None, pairs: Iterable[_Pair], average: float, weights: Bm25Weights) -> _Bag:
    terms = text.terms or tuple(map(joined_terms, text.texts()))
    if words is None or words.weights != weights.fields:
        words = _count_once(terms, weights.fields)
    counts, length = words.counts, words.length
    both = [pair for pair in pairs if pair[0][0] in counts and pair[0][1] in counts]
    near = _pairs((terms[0], terms[-1]), both) if both else {}
    return _Bag(text.number, counts, length, _norm(length, average, weights), near, words.title)


@lru_cache(maxsize=1000)  # 10 MB when full; a long-lived process scores the same memories again and again
def _count_once(terms: tuple[str, ...], weights: tuple[float, ...]) -> Words:
    return count_words([part.split() for part in terms], weights)


def count_words(fields: Sequence[Sequence[str]], weights: tuple[float, ...] = FIELD_WEIGHTS) -> Words:
    """Count the terms of each field of a memory."""
    *others, (body, weight) = zip(fields, weights, strict=True)
    counts: dict[str, float] = {}
    _count_elements(counts, body)  # in C: most of the words
    if weight != 1:
        counts = {term: count * weight for term, count in counts.items()}
    length = weight * len(body)
    for bag, weight in others:
        length += weight * len(bag)
        for term in bag:
            counts[term] = counts[term] + weight if term in counts else weight
    return Words(weights, counts, length, frozenset(fields[0]))


def _average(stats: Stats, weights: Bm25Weights) -> float:
    return sum(weight * length for length, weight in zip(stats.lengths, weights.fields, strict=True)) or 1.0


def _norm(length: float, average: float, weights: Bm25Weights) -> float:
    return weights.k1 * (1 - weights.b + weights.b * length / average)


def _pairs(texts: Iterable[str], pairs: Iterable[_Pair]) -> dict[tuple[str, str], int]:
    """Return how often each pair occurs in some analysed texts."""
    counts: dict[tuple[str, str], int] = {}
    for text in texts:
        for pair, joined in pairs:
            # Most are in neither; to look for a blank at the end is three times as slow (measured).
            if joined in text and (count := occurrences(joined, text)):
                counts[pair] = counts.get(pair, 0) + count
    return counts


def occurrences(words: str, text: str) -> int:
    """Return how often different words, separated by blanks, occur next to each other in an analysed text.

    Much faster than splitting the text, which is searched in C.
    """
    wanted, around, count = f" {words} ", f" {text} ", 0
    at = around.find(wanted)
    while at >= 0:
        count += 1
        at = around.find(wanted, at + len(wanted) - 1)  # in "a b a b", both need the blank between them
    return count


def _saturated(count: float, norm: float, weights: Bm25Weights) -> float:
    return count * (weights.k1 + 1) / (count + norm)


def _worth(bag: _Bag, values: Mapping[str, float], weights: Bm25Weights) -> float:
    """Return BM25's sum over the terms in the memory, each multiplied by its value."""
    counts, norm, most = bag.counts, bag.norm, weights.k1 + 1
    worth = 0.0
    for term in filter(counts.__contains__, values):  # inlined `_saturated`, which doubles the time of 2,400 terms
        count = counts[term]
        worth += values[term] * (count * most / (count + norm))
    return worth


def _question_score(bag: _Bag, question: _Question, weights: Bm25Weights) -> float:
    counts, terms = bag.counts, question.terms
    share = sum([terms[term] for term in terms if term in counts]) / question.total if question.total else 0
    own = _worth(bag, terms, weights) * (1 - weights.coverage + weights.coverage * share)
    if not question.short:
        return own
    forms = {form: worth for form, (term, worth) in question.short.items() if not counts.get(term)}
    return own + (_worth(bag, forms, weights) if forms else 0.0)


def _title_share(bag: _Bag, question: _Question) -> float:
    """Return the share of the title's words that are in the query; a title with no other words names the subject."""
    return len(question.terms.keys() & bag.title) / len(bag.title) if bag.title else 0.0


def _add_windows(
    scores: dict[int, float], run: Sequence[_Bag], question: _Question, stats: Stats, weights: Bm25Weights
) -> None:
    """Add scores for the words around each memory of a log, because an answer repeats little of the question."""
    average = _average(stats, weights) * (1 + sum(share for _, share in weights.around))
    for at, bag in enumerate(run):
        near = [(bag, 1.0)]
        near += [(run[at + step], share) for step, share in weights.around if 0 <= at + step < len(run)]
        norm = _norm(sum(share * bag.length for bag, share in near), average, weights)
        worth = 0.0
        for term, value in question.terms.items():
            if count := sum(share * bag.counts.get(term, 0.0) for bag, share in near):
                worth += value * _saturated(count, norm, weights)
        if worth:
            worth *= weights.window * (1 + weights.speaker * _title_share(bag, question))
            scores[bag.number] = scores.get(bag.number, 0.0) + worth


def _add_pairs(scores: dict[int, float], bags: list[_Bag], documents: int, weights: Bm25Weights) -> None:
    """Add scores for adjacent words; the rarity of a pair is counted among the candidates, which include nearly all."""
    df: dict[tuple[str, str], int] = {}
    for bag in bags:
        for pair in bag.pairs:
            df[pair] = df.get(pair, 0) + 1
    for bag in bags:
        for pair, count in bag.pairs.items():
            scores[bag.number] += weights.pair * rarity(documents, df[pair]) * _saturated(count, bag.norm, weights)


def _mix_related(
    scores: dict[int, float],
    bags: list[_Bag],
    question: _Question,
    frequencies: Callable[[Sequence[str]], Stats],
    weights: Bm25Weights,
) -> None:
    """Mix in how well each candidate matches the related words, as if these were a query with as many terms.

    They never weigh more than the query: if every memory matches that, the rare words of the first ten would push all
    others below the floor. (Measured: of 120 equal hits ten stayed; this changes nDCG@10 by .001 at most.)
    """
    related = _related_terms(bags, scores, weights)
    idf = idf_of(frequencies(list(related)))
    values = {term: len(question.terms) * share * idf.get(term, 0.0) for term, share in related.items()}
    total = sum(values.values())
    scale = min(1.0, question.total / total) if total else 0.0
    # With few memories, the words that they have in common mean little.
    mixed = weights.related * min(1.0, len(bags) / weights.related_memories)
    for bag in bags:
        fit = scale * _worth(bag, values, weights)
        scores[bag.number] = (1 - mixed) * scores[bag.number] + mixed * fit


def _related_terms(bags: list[_Bag], scores: Mapping[int, float], weights: Bm25Weights) -> dict[str, float]:
    """Return the terms with the largest weight in the best candidates, with shares that add up to 1."""
    best = sorted(bags, key=lambda bag: (-scores[bag.number], bag.number))[: weights.related_memories]
    top = scores[best[0].number]
    shares: dict[str, float] = {}
    for bag in best:
        mass = exp(scores[bag.number] - top) / bag.length
        for term, count in bag.counts.items():
            shares[term] = shares.get(term, 0.0) + mass * count
    # Sort the shares first, in C; break ties by name only for terms that may be among the best.
    least = min(sorted(shares.values(), reverse=True)[: weights.related_terms], default=0.0)
    possible = [term for term, share in shares.items() if share >= least]
    strongest = sorted(possible, key=lambda term: (-shares[term], term))[: weights.related_terms]
    total = sum(shares[term] for term in strongest)
    return {term: shares[term] / total for term in strongest}


# The short forms that programmers write for words: a query for a directory also means ``dir``. Each row has one
# meaning: a word and its abbreviations in code, as in style guides and standard libraries (POSIX's ``dir``, ``cmd``,
# ``cwd``; Python's ``args``, ``dict``, ``len``; the web's ``req``, ``auth``). A short form with several usual meanings
# is in several rows.
_ABBREVIATIONS = """
abs absolute; acct account; addr address; app application; arg argument; args arguments; arr array
async asynchronous; attr attribute; attrs attributes; auth authentication; authz authorization; avg average mean
bin binary; bool boolean; btn button; buf buffer; calc calculate; cert certificate; char character
chars characters; cmd command; col column; cols columns; concat concatenate; config configuration conf cfg
conn connection; coord coordinate; ctx context; cur current; curr current; cwd directory; db database
dec decimal; decl declaration; del delete remove; delim delimiter; desc description; dest destination
dst destination; df dataframe; dict dictionary; diff difference; dir directory folder; div divide; doc document
docs documentation; dt datetime; elem element; env environment; enum enumerate; err error; eval evaluate
exc exception; exec execute; expr expression; fmt format; freq frequency; func function fn def; gen generate
grp group; hex hexadecimal; hr hour; id identifier; idx index; img image; impl implementation; info information
init initialize; int integer; iter iterate iterator; k8s kubernetes; lang language; len length size; lib library
loc location; lst list; mat matrix; max maximum; min minimum; mkdir directory; ms milliseconds; msg message
mul multiply; nav navigation; num number; obj object; opt option; opts options; param parameter
params parameters; passwd password; perm permission; pid process; pkg package; pos position; prev previous
prob probability; proc process; prop property; props properties; ptr pointer; pwd password; rand random
rnd random; ref reference; regex regexp; repo repository; req request; res response; resp response; resp reply
rm remove; sec second; secs seconds; sep separator; seq sequence; sig signature; sock socket; spec specification
sqrt square root; src source; srv server; stat statistics; stats statistics; std standard; stddev deviation
stmt statement; str string; sub subtract; svc service; sync synchronize; temp temporary; tmp temporary temp
ts timestamp; txn transaction; uid user; uniq unique; usr user; util utility; utils utilities; val value
var variable; vec vector; win window
"""


_ROWS = tuple([f" {row}" for row in _ABBREVIATIONS.replace("\n", ";").split(";")])


def all_variants() -> dict[str, tuple[str, ...]]:
    """Return for each analysed term with short or long forms those forms, sorted."""
    terms = {term for row in _ROWS for term in stems(row.split())}
    return {term: variants(term) for term in sorted(terms)}


@lru_cache(maxsize=1000)
def variants(term: str) -> tuple[str, ...]:
    """Return the short or long forms of an analysed term, sorted; may be empty."""
    start = f" {word_start(term)}"
    rows = [stems(row.split()) for row in _ROWS if start in row]
    return tuple(sorted({other for row in rows if term in row for other in row} - {term}))
