"""What is told without being asked for: nothing unless the best hit is good enough, then what is nearly as good (E10).

By words, a hit is good enough where those that it shares with the question are rare and much of it; or where one rare
word is what it is about, and nothing else comes near. Words that most prompts to an agent have ("fix", "test", "file")
tell nothing, however rare they are in a store: of 30 memories, two may have "failing".

Measured on 12 stores of 30 memories each from the task `developer` with 12 of its questions, 33 prompts that need
nothing ("open a pull request") and 18 that nothing answers, and on the task's whole store: see benchmarks/README.md.
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.index.catalog.packed_texts import text_of
from gitmem.index.engine import Stats
from gitmem.index.fts import FtsEngine, quoted
from gitmem.model import ENGLISH, SUMMARY
from gitmem.recall.bm25 import coverage, rarity, worth
from gitmem.recall.fuse import admitted
from gitmem.store.scope import LISTED
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.index.catalog.catalog import Catalog
    from gitmem.model import Hit
    from gitmem.policy.policy import Policy
    from gitmem.recall.query import RecallResult


# One word is enough where the best hit's score is so many times that of a word which only one memory has, and so many
# times that of the next hit.
SINGLE, SCORE, AHEAD = 0.7, 2.0, 2.5
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


def good_hits(
    query: str,
    found: RecallResult,
    policy: Policy,
    *,
    catalog_of: Callable[[str], Catalog | None],
    is_new: Callable[[Hit], bool] = lambda _: True,
    floor: float | None = None,
) -> list[Hit]:
    """Return the hits good enough to show unprompted, the best first.

    Args:
        query: The question.
        found: What recall found for it.
        policy: The store's policy.
        catalog_of: Returns the catalog of a scope, or None where there is no such store.
        is_new: Whether a hit may be shown at all: what a session has seen neither opens the gate nor raises the floor.
        floor: The share of the best score that a hit must have; None for that of a prompt.
    """
    hits = [hit for hit in found.hits if hit.scope != LISTED and is_new(hit)]
    if not hits or found.notice:
        return []
    dense, ranked = policy.recall.dense, [(place, hit.score) for place, hit in enumerate(hits)]
    cosines: dict[int, float] = {}
    if not _is_good(query, hits, policy, catalog_of(hits[0].scope)):
        # Not by its words: then a model has to know it, and `admitted` says how near is near enough.
        cosines = {place: cosine for place, hit in enumerate(hits) if (cosine := _cosine(hit)) is not None}
        if 0 not in cosines:
            return []
    floor = dense.turn_floor if floor is None else floor
    return [hits[place] for place in admitted(ranked, cosines, floor=floor, settings=dense)]


def _cosine(hit: Hit) -> float | None:
    return dict(hit.sources).get("cosine")


def _is_good(query: str, hits: Sequence[Hit], policy: Policy, catalog: Catalog | None) -> bool:
    """Return whether the best hit is about the question by its words."""
    best = hits[0]
    if catalog is None:
        return False
    common = everyday() if catalog.language == ENGLISH else frozenset[str]()
    terms = [term for term in tokens.query_terms(query, catalog.language) if term not in common]
    text, stats = text_of(catalog, best.key)[1], _of_knowledge(catalog, terms)
    shared, settings = worth(terms, text, stats), policy.session
    if shared >= settings.gate and coverage(terms, text, stats) >= settings.coverage:
        return True
    is_ahead = len(hits) < 2 or best.score >= AHEAD * hits[1].score
    return shared >= SINGLE and is_ahead and best.score >= SCORE * rarity(stats.documents, 1)


def _of_knowledge(catalog: Catalog, terms: Sequence[str]) -> Stats:
    """Return in how many memories each term is, summaries of sessions not counted: they say what was worked on."""
    stats = FtsEngine(catalog.connection).frequencies(terms)
    (number,) = catalog.row("SELECT count(*) FROM memory WHERE kind = ?", (SUMMARY,))
    if not number:
        return stats
    told = {term: df - _in_summaries(catalog, term) for term, df in stats.frequency.items()}
    return Stats(stats.documents - number, {term: df for term, df in told.items() if df > 0}, stats.lengths)


def _in_summaries(catalog: Catalog, term: str) -> int:
    found = catalog.row(
        "SELECT count(*) FROM fts CROSS JOIN memory m ON m.id = fts.rowid WHERE fts MATCH ? AND m.kind = ?",
        (quoted(term), SUMMARY),
    )
    return int(found[0])


@lru_cache(maxsize=1)
def everyday() -> frozenset[str]:
    """Return the analysed words that most prompts to an agent have."""
    return frozenset(tokens.stems(_EVERYDAY.split()))
