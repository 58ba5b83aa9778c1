"""Facts of the base that a change's own memories silence: hidden, removed, superseded, or given another check.

A change must not choose the claims that judge it. The base's claims are judged on the head whatever the head's memories
say, and each touched fact that the head judges differently is a finding of its own.
"""

from __future__ import annotations

import json

from gitmem.commands.check.facts import list_facts
from gitmem.frozen import frozen, replace
from gitmem.store.code_folder import is_home
from gitmem.verify.overview.finding import HOLDS, KINDS, SILENCED, SUSPECT, UNCHECKED, WORDS, WRONG, FactFinding, Spot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from gitmem.commands.check.facts import HeadFact
    from gitmem.index.catalog import Catalog
    from gitmem.index.catalog.fact_state import FactRow

REMOVED, ARCHIVED = "removes it", "archives it"


@frozen
class SilencedFact:
    """A fact of the base that the head's memories do not judge like the base.

    Attributes:
        fact: The fact in the base's version.
        how: What the change does to it, a clause whose subject is the change.
        spot: The file of the code tree that does it.
    """

    fact: HeadFact
    how: str
    spot: Spot

    @property
    def key(self) -> str:
        """Return the fact's key."""
        return self.fact.row.key


def find_silenced(
    before: Catalog, behind: Catalog, facts: Iterable[HeadFact], keys: Collection[str]
) -> list[SilencedFact]:
    """Return the facts of the base that the head judges less strictly or not at all, by key.

    *facts* are the live facts of the head; *keys* limits the result to these facts, unless it is empty.
    """
    live = {fact.row.key: fact for fact in facts}
    lost = [f for f in list_facts(before, keys) if not _is_as_strict(live.get(f.row.key), f.row)]
    silenced = []
    for fact in lost:
        how, path = _describe_how(fact, live.get(fact.row.key), behind)
        silenced.append(SilencedFact(fact, how, Spot(path, 0 if how == REMOVED else 1)))
    return silenced


def _is_as_strict(now: HeadFact | None, before: FactRow) -> bool:
    """Return whether the head judges a fact by the same check, on the same inputs, and as often."""
    if now is None or now.row.spec != before.spec:
        return False
    if before.ttl_s is not None and (now.row.ttl_s is None or now.row.ttl_s > before.ttl_s):
        return False
    old, new = json.loads(before.inputs), json.loads(now.row.inputs)
    return bool(old[0] == new[0] and set(old) <= set(new))


def _describe_how(fact: HeadFact, now: HeadFact | None, behind: Catalog) -> tuple[str, str]:
    """Return what the change does to a fact, and the file that does it."""
    key = fact.row.key
    if now is not None:
        what = "changes its check" if now.row.spec != fact.row.spec else "changes its paths or ttl"
        hides = "" if now.path == fact.path else f" in {now.path}, which hides {fact.path}"
        return f"{what}{hides}", now.path
    rows = behind.rows(
        "SELECT m.path, m.archived, m.superseded, m.kind FROM memory m WHERE m.key = ? AND m.shadowed = 0", (key,)
    )
    if not rows:
        (is_bad,) = behind.row("SELECT count(*) FROM problem WHERE path = ?", (fact.path,))
        return ("makes its file unreadable" if is_bad else REMOVED), fact.path
    path, archived, superseded, kind = rows[0]
    if archived:
        return ARCHIVED, path if is_home(path) else fact.path
    if superseded:
        return _find_successor(key, path, behind)
    hides = "" if path == fact.path else f" in {path}, which hides {fact.path}"
    return f"{'makes it a task' if kind == 'task' else 'removes its check'}{hides}", path


def _find_successor(key: str, path: str, behind: Catalog) -> tuple[str, str]:
    rows = behind.rows(
        "SELECT s.path FROM link l JOIN memory s ON s.id = l.source WHERE l.relation = 'supersedes' AND l.target = ?"
        " AND s.archived = 0 AND s.shadowed = 0 ORDER BY s.path",
        (key,),
    )
    home = next((source for (source,) in rows if is_home(source)), path)
    return f"supersedes it in {home}", home


def is_revised(silenced: SilencedFact, findings: Iterable[FactFinding]) -> bool:
    """Return whether a commit in progress changes a fact of the code tree together with its code.

    Its own file says something else, which is judged, or is retired. (This does not excuse a pull request.)
    """
    if not is_home(silenced.fact.path):
        return False
    kinds = {f.kind for f in findings if f.key == silenced.key}
    return silenced.how == ARCHIVED or (silenced.spot.path == silenced.fact.path and bool(kinds & {HOLDS, UNCHECKED}))


def live_keys(catalog: Catalog) -> set[str]:
    """Return the keys of the memories that are not archived."""
    return {key for (key,) in catalog.rows("SELECT key FROM memory WHERE archived = 0")}


def with_silenced(
    findings: Sequence[FactFinding],
    judged: Sequence[FactFinding],
    silenced: Sequence[SilencedFact],
    *,
    places: Mapping[str, tuple[Spot, ...]],
    live: Collection[str],
) -> list[FactFinding]:
    """Return the head's findings, with those for the base's claims, and one for each silenced fact.

    Args:
        findings: The findings for the head's facts.
        judged: The findings for touched silenced facts on the head, and the base's suspects.
        silenced: All silenced facts.
        places: The places that the change touches in each fact's inputs, by key.
        live: The keys of the head's memories.
    """
    lost = {silenced_fact.key: silenced_fact for silenced_fact in silenced}
    worst = {f.key: f for f in findings if f.kind != WRONG}
    more = list({f.key: f for f in (*judged, *findings) if f.kind == WRONG}.values())
    for base in (f for f in judged if f.kind != WRONG):
        head, silenced_fact = worst.get(base.key), lost.get(base.key)
        if base.kind == SUSPECT and (head is not None or (silenced_fact is None and base.key not in live)):
            continue
        how = silenced_fact.how if silenced_fact is not None else "disconnects it from a memory that it requires"
        if head is None or KINDS.index(base.kind) < KINDS.index(head.kind):
            worst[base.key] = replace(base, because=_add_reason(base.because, how))
        because = f"the change {how}; as the base has it, it {WORDS[base.kind].phrase}"
        spots, spot = places.get(base.key, base.places), silenced_fact.spot if silenced_fact is not None else base.fact
        more.append(replace(base, kind=SILENCED, because=because, places=spots, fact=spot))
    return [*worst.values(), *more]


def _add_reason(because: str, how: str) -> str:
    return f"{because}; the change {how}" if because else f"the change {how}"
