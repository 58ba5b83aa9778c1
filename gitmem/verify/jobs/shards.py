"""Shards: assign facts to N machines; each machine computes the same result from the branch and HEAD alone.

Every fact has an order of preference among the shards, derived from its key's hash, and goes to the first one with room
for it (consistent hashing with bounded loads: Mirrokni, Thorup and Zadimoghaddam, 2016).

The slowest facts choose first, and only the three highest bits of a duration count. So the shards finish at about the
same time, and a fact stays on its shard, with whatever is cached there, while others are added, removed or become a
little slower.
"""

from __future__ import annotations

from hashlib import sha256

from gitmem.frozen import frozen
from gitmem.index.catalog import fact_state, state
from gitmem.model import BUILTIN
from gitmem.verify.due import digester

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.verify.inputs import CodeTree

# The most machines of one run; a forge starts at most 256 jobs of a matrix (GitHub Actions, "Usage limits").
SHARDS_AT_MOST = 1024
# A shard accepts its preferred facts until its load exceeds the average by this share. A smaller share balances better
# but moves more facts: with a twentieth, most of 1,000 facts of mixed durations stay when one of them is replaced
# (tested).
ROOM = 0.05
# Significant bits of a duration in milliseconds.
BITS = 3


@frozen
class Shard:
    """One part of a run.

    Attributes:
        number: Its number, from 1.
        of: The number of shards.
    """

    number: int
    of: int

    def __str__(self) -> str:
        """Return it in the form ``I/N``."""
        return f"{self.number}/{self.of}"


@frozen
class Load:
    """The properties of a fact that decide where it is judged; they are the same on every machine.

    Attributes:
        key: The fact.
        seconds: How long it took when it was last judged; 0 if unknown.
        is_builtin: Whether its check is built in and starts no process.
        is_open: Whether the branch has no verdict for its present inputs. Such facts are assigned first, since they are
            the ones that are due by default.
    """

    key: str
    seconds: float
    is_builtin: bool
    is_open: bool


def parse_shard(text: str) -> Shard:
    """Parse a shard from ``I/N``.

    Raises:
        ValueError: It is not a valid shard.
    """
    number, slash, of = text.partition("/")
    plain = all(part.isascii() and part.isdigit() and len(part) <= 4 for part in (number, of))
    if not slash or not plain or not 1 <= int(number) <= int(of) <= SHARDS_AT_MOST:
        raise ValueError(f"must be I/N with 1 <= I <= N <= {SHARDS_AT_MOST}, such as 2/8, not {text!r}")
    return Shard(int(number), int(of))


def share_of(shard: Shard, catalog: Catalog, tree: CodeTree) -> Callable[[str], bool]:
    """Return a test of whether a fact is in a shard."""
    shards = share_out(list_loads(catalog, tree), shard.of)
    return lambda key: shards.get(key) == shard.number


def share_out(loads: Iterable[Load], of: int) -> dict[str, int]:
    """Return the number of the shard that judges each fact, by key, from 1.

    No shard's load exceeds the average by more than a twentieth plus one fact.
    """
    facts = sorted(loads, key=lambda load: load.key)
    usual = _median([load.seconds for load in facts if load.seconds > 0 and not load.is_builtin])
    shares: dict[str, int] = {}
    carried = [0] * of
    for wanted in (True, False):
        some = [(_weight(load, usual), load.key) for load in facts if load.is_open is wanted]
        room = (sum(carried) + sum(weight for weight, _ in some)) / of * (1 + ROOM)
        for weight, key in sorted(some, key=lambda pair: (-pair[0], pair[1])):
            shard = _place(key, weight, carried, room)
            carried[shard] += weight
            shares[key] = shard + 1
    return shares


def _place(key: str, weight: int, carried: Sequence[int], room: float) -> int:
    order = _preference(key, len(carried))
    for shard in order:
        if carried[shard] + weight <= room:
            return shard
    return min(order, key=lambda shard: carried[shard])


def _preference(key: str, of: int) -> list[int]:
    digest = sha256(key.encode()).digest()
    first, step = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big")
    return sorted(range(of), key=lambda shard: (first + shard * step) % 2**64)


def _weight(load: Load, usual: float) -> int:
    """Return a fact's load: whole milliseconds, so that sums are exact everywhere; 1 for a built-in check."""
    if load.is_builtin:
        return 1
    ms = max(1, round((load.seconds if load.seconds > 0 else usual) * 1000))
    lost = max(0, ms.bit_length() - BITS)
    return (ms >> lost) << lost


def _median(seconds: list[float]) -> float:
    return sorted(seconds)[len(seconds) // 2] if seconds else 1.0


def list_loads(catalog: Catalog, tree: CodeTree) -> list[Load]:
    """Return the load of every live fact by the branch and the code alone; verdicts of this machine are ignored."""
    rows = catalog.rows(
        "SELECT f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s FROM fact f JOIN memory m"
        f" ON m.id = f.id WHERE {state.LIVE} AND {state.CLAIM} ORDER BY m.key"
    )
    verdicts = fact_state.branch_verdicts(catalog)
    return [_load(fact_state.FactRow(*row), verdicts.get(row[1], ()), tree) for row in rows]


def _load(fact: fact_state.FactRow, verdicts: Sequence[Verdict], tree: CodeTree) -> Load:
    digest_of = digester(tree, fact)
    lines = [v for v in verdicts if v.spec == fact.spec]
    is_known = any(v.claim == fact.claim and v.inputs == digest_of(v) for v in lines)
    return Load(fact.key, max((v.seconds for v in lines), default=0.0), fact.form == BUILTIN, not is_known)
