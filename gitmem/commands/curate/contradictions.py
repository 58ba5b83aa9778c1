"""Find contradicting memories in a whole store, and resolve those that evidence decides.

The rules are those of a review (``write.contradictions``); their results are worth a look, but no proof. So a memory is
superseded only if it has no check and the other's check holds; everything else is for a person.
"""

from __future__ import annotations

from gitmem.commands.curate.dedupe import DuplicateGroup, DuplicateReport, Member
from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.index.catalog.state import statuses_of, suspects
from gitmem.index.embed.choose import need_numpy
from gitmem.model import VERIFIED
from gitmem.write.contradictions import denies, find_opposed, find_opposed_checks, live_titles, parse_statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.index.catalog import Catalog
    from gitmem.repository.open_store import OpenStore
    from gitmem.write.contradictions import Title

# The number of pairs after which to stop: a store with so many was made to have them.
MOST_PAIRS = 5_000
# The cosine of two titles of which only one is negated. Measured with MiniLM: of the labelled pairs, all 13 opposed
# ones have 0.89 or more, and the nearest other one has 0.80; of 18 pairs in other words, 5 of 8 opposed ones have 0.83
# or more, and of the others one has 0.82 and the rest 0.68 or less.
NEAR = 0.83


@frozen
class ContradictoryPair:
    """A pair of contradicting memories.

    Attributes:
        one, other: The memories.
        why: The rule that found them.
        kept: The key of the one that evidence prefers; empty if a person must decide.
    """

    one: Member
    other: Member
    why: str
    kept: str


@frozen
class ContradictionReport:
    """The contradictions in a store, those decided by evidence first, and the number of compared memories."""

    pairs: tuple[ContradictoryPair, ...]
    compared: int


def find_contradictions(store: OpenStore) -> ContradictionReport:
    """Return the contradictions in a store; reads only."""
    catalog = store.catalog_at(store.find_tip())
    named = {frozenset((one.key, other.key)): (one, other, why) for one, other, why in _pairs(store, catalog)}
    keys = {key for pair in named for key in pair}
    rows = {row[1]: row for row in catalog.each(_MEMBERS, keys)}
    ground = store.ground(catalog)
    numbers = [row[0] for row in rows.values()]
    statuses = statuses_of(catalog, ground, numbers, now=store.now, chains=suspects(catalog, ground)) if numbers else {}
    members = {
        key: Member(key, kind, title, statuses[number].status, oid)
        for key, (number, _, kind, title, oid) in rows.items()
    }
    contradictions = [
        ContradictoryPair(members[one.key], members[other.key], why, _preference(members[one.key], members[other.key]))
        for one, other, why in named.values()
    ]
    contradictions.sort(key=lambda pair: (not pair.kept, pair.one.key, pair.other.key))
    return ContradictionReport(tuple(contradictions), catalog.row(_COUNT)[0])


_MEMBERS = "SELECT id, key, kind, title, oid FROM memory WHERE shadowed = 0 AND archived = 0 AND key IN ({})"
_COUNT = "SELECT count(*) FROM memory WHERE shadowed = 0 AND archived = 0 AND superseded = 0"


def _pairs(store: OpenStore, catalog: Catalog) -> Iterator[tuple[Title, Title, str]]:
    yield from _by_meaning(store, catalog)  # first: the rules' explanation of a pair is better, and counts
    yield from find_opposed(catalog, at_most=MOST_PAIRS)
    yield from find_opposed_checks(catalog)


def _by_meaning(store: OpenStore, catalog: Catalog) -> Iterator[tuple[Title, Title, str]]:
    """Yield memories whose titles mean nearly the same but only one is negated, if a model is set up."""
    if not store.config.embeds:
        return
    try:
        need_numpy(store.config.embed)
    except GitmemError as err:
        store.notices.append(f"contradictions were found by words only: {err.message}")
        return
    from gitmem.repository import query_vectors

    titles = live_titles(catalog)
    statements = {key: parse_statement(title.title, catalog.language) for key, title in titles.items()}
    denying = [key for key, title in statements.items() if title.wording.negations]
    texts = {key: title.title for key, title in titles.items()}
    for key, other, cosine in query_vectors.near_titles(store, denying, texts, floor=NEAR):
        if denies(statements[key], statements[other]):
            yield titles[key], titles[other], f"nearly the same meaning ({cosine:.2f}), and one denies it"


def _preference(one: Member, other: Member) -> str:
    """Return the one that evidence prefers: its check holds, and the other one has none."""
    for winner, loser in ((one, other), (other, one)):
        if winner.status == VERIFIED and not loser.status:
            return winner.key
    return ""


def as_duplicates(report: ContradictionReport) -> DuplicateReport:
    """Return the pairs decided by evidence as groups to supersede; no memory is kept and superseded."""
    members = {member.key: member for pair in report.pairs for member in (pair.one, pair.other)}
    lost: dict[str, list[str]] = {}
    gone = set[str]()
    for pair in report.pairs:
        loser = pair.other.key if pair.kept == pair.one.key else pair.one.key
        if pair.kept and loser not in gone:
            lost.setdefault(pair.kept, []).append(loser)
            gone.add(loser)

    groups = [
        DuplicateGroup(members[key], "its check holds", tuple(members[loser] for loser in losers))
        for key, losers in lost.items()
    ]
    return DuplicateReport(tuple(groups), report.compared)
