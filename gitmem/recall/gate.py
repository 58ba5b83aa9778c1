"""Decide what to show unprompted: nothing unless the best hit is good enough, then the hits nearly as good.

By its words, a hit is good enough if the words that it shares with the prompt are rare and cover much of it, or if two
of them are rare and not common in software; or if it is about one rare word and no other hit comes near. Words of most
prompts to an agent ("fix", "test", "file") are ignored, however rare they are in a store: of 30 memories, two may have
"failing". The one rare word must not be in the body alone, nor common in software ("user", "query"): in a small store
every word is rare. If the best hit is not good enough, the next one may be, by words that are not common in
software. A hit about a file that the prompt names is good enough, however many others are about it.
"""

from __future__ import annotations

from gitmem.index import FtsEngine, Stats, quote
from gitmem.index.catalog import text_of
from gitmem.memo import lru_cache
from gitmem.model import ENGLISH, SUMMARY
from gitmem.recall.bm25 import idf_of, rarity
from gitmem.recall.fuse import admit
from gitmem.store.scopes import LISTED
from gitmem.text import tokens
from gitmem.text.globs import without_lines
from gitmem.text.tokens import joined_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.model import Hit, IndexText
    from gitmem.policy import Policy
    from gitmem.recall.query import RecallResult


# One word is enough if the best hit's score is this many times that of a word which only one memory has, and this many
# times that of the next hit.
SINGLE, SCORE, AHEAD = 0.7, 2.0, 2.5
# In a long prompt, words that are not common in software are enough if they weigh as much as two words that only one
# memory has, and all shared words are this share of the prompt.
TWO, SHARE = 2.0, 0.12
# How many hits are tried: a memory whose one common word is in its title can be ahead of one that shares several.
FIRST = 2
_EVERYDAY = """
add answer ask call change check clean close come commit complete continue convert copy correct create debug delete
describe do does done did explain fail find finish fix follow format generate get give go handle help implement improve
install investigate keep know let look make merge move need open print push put read refactor remove rename replace
request return review rewrite run say see set show start stop summarise summarize support take tell test think translate
try understand update use want work write

argument branch bug class code comment doc docstring documentation error example feature file function input issue
line list method module name number object output package parameter problem project pull repo repository result string
todo type unit value variable

able best better big different easy extra fast few first good large last least less long many more most much new next
old other private public quick right same short simple small some wrong

again all also another any anything below above both can could else every everything here instead it just later left
maybe might must nothing now only please possible really same shall should something still sure than thank thanks that
there these thing this those today too very way will would yes no not ok okay
"""
# Words of software, and of the calendar, that say too little on their own.
_COMMON = """
access account action address admin app application array backend block box browser build button call chart client
column config configuration content context control count customer dashboard data database default deploy design desktop
developer device dialog docker document email endpoint entry environment event export field filter folder form frontend
group header history host icon id image import index info integration item job key language layer layout level library
link list load local log loop machine main member menu message mobile mode model network note notification option order
page panel part password path pattern payload permission picture place platform port process product production profile
program property provider query queue record reference release report resource response role root route row rule schema
screen script search section select server service session setting sidebar site size source space stack staging state
status step storage store stream structure style switch system tab table tag task team template text theme thread tool
upload url user version view web website week widget window worker

time second minute hour day month year date weekend morning night january february march april may june july august
september october november december

all both each every one two three four five half double single whole
"""


def good_hits(
    query: str,
    results: RecallResult,
    policy: Policy,
    *,
    catalog_of: Callable[[Hit], Catalog | None],
    is_new: Callable[[Hit], bool] = lambda _: True,
    floor: float | None = None,
) -> list[Hit]:
    """Return the hits good enough to show unprompted, best first.

    Args:
        query: The prompt.
        results: The result of recall for it.
        policy: The store's policy.
        catalog_of: Returns the catalog that has a hit, or None if there is no such store.
        is_new: Whether a hit may be shown at all; one that the session has seen does not affect gate and floor.
        floor: The share of the best score that a hit must have; None for the policy's ``turn_floor``.
    """
    hits = [hit for hit in results.hits if hit.scope != LISTED and is_new(hit)]
    if not hits or results.notice:
        return []
    cosines: dict[int, float] = {}
    places = range(min(len(hits), FIRST) if _cosine(hits[0]) is None else 1)
    good = next((at for at in places if _is_good(query, hits, policy, catalog_of(hits[at]), at=at)), None)
    hits = hits[good or 0 :]
    dense, ranked = policy.recall.dense, [(place, hit.score) for place, hit in enumerate(hits)]
    if good is None:
        # Its words are not enough: then a model must find it near, and `admitted` decides how near.
        cosines = {place: cosine for place, hit in enumerate(hits) if (cosine := _cosine(hit)) is not None}
        if 0 not in cosines:
            return []
    floor = dense.turn_floor if floor is None else floor
    return [hits[place] for place in admit(ranked, cosines, floor=floor, settings=dense)]


def _cosine(hit: Hit) -> float | None:
    return dict(hit.sources).get("cosine")


def _is_good(query: str, hits: Sequence[Hit], policy: Policy, catalog: Catalog | None, *, at: int) -> bool:
    """Return whether the words of the best hit, or of the one at a place, show that it is about the prompt."""
    best = hits[at]
    if catalog is None:
        return False
    common = everyday() if catalog.language == ENGLISH else frozenset[str]()
    terms = [term for term in tokens.query_terms(query, catalog.language) if term not in common]
    text, stats = text_of(catalog, best.key)[1], _of_knowledge(catalog, terms)
    if _names_path(query, text):
        return True
    shared, settings = worth(terms, text, stats), policy.session
    telling = [term for term in terms if catalog.language != ENGLISH or term not in common_words()]
    own = worth(telling, text, stats)
    if (own if at else shared) >= settings.gate and coverage(terms, text, stats) >= settings.coverage:
        return True
    is_ahead = at == 0 and (len(hits) < 2 or best.score >= AHEAD * hits[1].score)
    if own >= TWO and coverage(terms, text, stats) >= SHARE and catalog.language == ENGLISH:
        return True
    is_best = own >= SINGLE and is_ahead and best.score >= SCORE * rarity(stats.documents, 1)
    return is_best and not _is_in_body_alone(telling, text)


def _is_in_body_alone(terms: Sequence[str], text: IndexText) -> bool:
    """Return whether a query and a memory share a single word, which only the memory's body has."""
    shared = _terms_of(text).intersection(terms)
    return len(shared) == 1 and all(shared.isdisjoint(joined_terms(part).split()) for part in text.texts()[:-1])


def _names_path(query: str, text: IndexText) -> bool:
    """Return whether a query names a file that a memory is about; how many others are about it does not matter."""
    named = {word.strip("`'\"()[]<>,;:?!.").removeprefix("./") for word in query.split()}
    files = {word for word in named if "/" in word and "." in word.rsplit("/", 1)[1]}
    return bool(files) and not files.isdisjoint(without_lines(path) for path in text.paths.split())


def _of_knowledge(catalog: Catalog, terms: Sequence[str]) -> Stats:
    """Return how many memories contain each term, without summaries of sessions, which only say what was worked on."""
    stats = FtsEngine(catalog.connection).frequencies(terms)
    (number,) = catalog.row("SELECT count(*) FROM memory WHERE kind = ?", (SUMMARY,))
    if not number:
        return stats
    outside = {term: df - _in_summaries(catalog, term) for term, df in stats.frequency.items()}
    return Stats(stats.documents - number, {term: df for term, df in outside.items() if df > 0}, stats.lengths)


def _in_summaries(catalog: Catalog, term: str) -> int:
    row = catalog.row(
        "SELECT count(*) FROM fts CROSS JOIN memory m ON m.id = fts.rowid WHERE fts MATCH ? AND m.kind = ?",
        (quote(term), SUMMARY),
    )
    return int(row[0])


@lru_cache(maxsize=1)
def everyday() -> frozenset[str]:
    """Return the analysed words that occur in most prompts to an agent."""
    return frozenset(tokens.stems(_EVERYDAY.split()))


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """Return the analysed words that are common in prompts about software: one of them shows nothing on its own."""
    return frozenset(tokens.stems(_COMMON.split()))


def coverage(query: Sequence[str], text: IndexText, stats: Stats) -> float:
    """Return how much of a query a memory contains, from 0 to 1, weighted by the rarity of its terms.

    Unlike a score it is comparable across queries, so an absolute gate can use it. A term that no memory has counts as
    the rarest.
    """
    held = _terms_of(text)
    worth = {term: rarity(stats.documents, stats.frequency.get(term, 0)) for term in query}
    total = sum(worth.values())
    return sum(value for term, value in worth.items() if term in held) / total if total else 0.0


def worth(query: Sequence[str], text: IndexText, stats: Stats) -> float:
    """Return how specific the words that query and memory share are, measured in words that only one memory has.

    Like ``coverage`` it is comparable across queries, and it grows with longer queries, so the two together make a
    gate. Divided by the logarithm of the store's size, because in a larger store more words coincide by chance.
    """
    held = _terms_of(text)
    return sum(value for term, value in idf_of(stats).items() if term in query and term in held) / rarity(
        stats.documents, 1
    )


def _terms_of(text: IndexText) -> set[str]:
    """Return the terms of a memory: those stored in the index of its store if there are any, else analysed here."""
    return set().union(*(part.split() for part in text.terms or map(joined_terms, text.texts())))
