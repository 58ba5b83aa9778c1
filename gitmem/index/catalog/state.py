"""Statuses: computed on every read from the verdicts that count, which are cached per code commit."""

from __future__ import annotations

from itertools import pairwise

from gitmem.frozen import frozen
from gitmem.model import ADOPTED, FAILED, FAILS, HOLDS, STALE, SUSPECT, UNPROVEN, VERIFIED
from gitmem.statuses import DEPTH, RewordedChain, combine_status, explain_chain, own_status, suspicion_chains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy

# The outcome of a memory without a check that refers to changed lines of code.
CHANGED = "changed"
# SQL condition: the memory's references to lines of code are anchored (``document.anchors``).
ANCHORED = "instr(p.marks, ' anchors ') > 0"
# SQL condition: the fact asks for a verdict by someone other than its author.
INDEPENDENT = "instr(p.marks, ' independent ') > 0"
LIVE = "m.shadowed = 0 AND m.archived = 0 AND m.superseded = 0"
# The memories that count for some keys, by the index of keys: SQLite would scan all unshadowed ones (measured: 2 ms at
# 10,000 instead of 0.1).
BY_KEY = "FROM memory m INDEXED BY memory_key WHERE m.shadowed = 0 AND m.key IN ({})"
# A task's check is its gate for closing and claims nothing about the code: a failure only means that work remains.
CLAIM = "m.kind <> 'task'"
# When a state becomes stale: a verdict that depends on things outside the repository counts for a shorter time.
EXPIRES = "s.until"
# What the last attempt to run a check here showed, in the column ``blocked``: it could not be run, or it did not pass
# and nothing showed that the code is the cause. Or it did not pass, and no document of this commit states the fact.
NOT_RUN, NOT_PASSED, WITHDRAWN = 1, 2, 3
# Why a withdrawn fact does not count.
NOT_STATED = "its document no longer says so on this branch, or it holds by another place"
# SQL expression: the memory has conflicting versions by two people (``document.conflict``).
TO_SETTLE = "instr(t.marks, ' conflict ')"


@frozen
class MemoryStatus:
    """A memory's status and the reason for it.

    Attributes:
        status: The status shown to readers; empty if there is none.
        own: Its status without suspicion; empty if it has no check.
        chain: For a suspect, the memories between it and the failed fact, that fact last.
        at: When its verdict was made, in epoch seconds; 0 if there is none.
        is_own: Whether the verdict was made in this clone.
        weak: Whether its check also holds in an empty folder.
        is_claim: Whether its check claims something about the code; a task's is its gate.
        flapping: How many more runs must agree before the fact counts as steady; 0 if it is.
        moved: Whether its check is judged on the names to which git renamed its files.
        why: Why it is suspect, stale or withdrawn, or why a spot check failed, on one line; otherwise empty.
    """

    status: str
    own: str = ""
    chain: tuple[str, ...] = ()
    at: int = 0
    is_own: bool = False
    weak: bool = False
    is_claim: bool = True
    flapping: int = 0
    moved: bool = False
    why: str = ""


@frozen
class StaleCheck:
    """The built-in check of a fact that is not verified at the present code: key, specification and words as JSON."""

    key: str
    spec: str
    words: str


def gone_column(now: int) -> str:
    """Return the SQL for why plain searches leave a memory out (``model.Hit.gone``)."""
    return (
        "CASE WHEN m.archived THEN 'archived' WHEN m.superseded THEN 'superseded'"
        f" WHEN m.expires <= {now:d} THEN 'expired' ELSE '' END"
    )


def ground_of(catalog: Catalog, code: str, local_serial: int) -> int | None:
    """Return the number of a code commit whose statuses are all computed; None if some are not."""
    row = catalog.row("SELECT id, complete, local_serial FROM ground WHERE code = ?", (code,))
    return row[0] if row and row[1] and row[2] == local_serial else None


def visible_condition(ground: int | None) -> str:
    """Return an SQL condition that excludes adopted facts unless they fail on a ground."""
    failing = f"SELECT 1 FROM state q WHERE q.ground = {ground or 0} AND q.fact = m.id AND q.outcome = '{FAILS}'"
    return f"(m.kind <> '{ADOPTED}' OR EXISTS ({failing}))"


def referring_to_changed_lines(catalog: Catalog, ground: int | None) -> list[int]:
    """Return the memories without a check whose references are wrong on a ground, sorted by number."""
    rows = _by_index(catalog, ground, "m.id", "state_changed", f"s.outcome = '{CHANGED}'")
    return sorted(row[0] for row in rows)


def _by_index(catalog: Catalog, ground: int | None, columns: str, index: str, condition: str) -> list[Any]:
    """Return columns of the live memories whose states on a ground meet a condition, sorted by key.

    Few do, and every read asks for them. SQLite does not choose the *index* of these alone by itself: that saves 16 ms
    at 100,000 memories.
    """
    return catalog.rows(
        f"SELECT {columns} FROM state s INDEXED BY {index} CROSS JOIN memory m ON m.id = s.fact"
        f" LEFT JOIN fact f ON f.id = m.id WHERE s.ground = ? AND {condition} AND {LIVE} ORDER BY m.key",
        (ground or 0,),
    )


def list_claimed(catalog: Catalog, keys: Iterable[str]) -> set[str]:
    """Return the memories that no allowed signer signed, if the policy counts only signed ones (``verify.signed``)."""
    if "memories" not in catalog.meta("origins"):
        return set()
    unsigned = "o.path = m.path AND o.name = '' AND o.mark = m.oid AND o.signer = ''"
    return {
        key
        for (key,) in catalog.each(
            f"SELECT m.key FROM memory m JOIN origin o ON {unsigned} WHERE m.key IN ({{}})", keys
        )
    }


def counts_only_signed(catalog: Catalog) -> bool:
    """Return whether verdicts of other clones count only if an allowed signer signed them (``verify.signed``)."""
    return "verdicts" in catalog.meta("origins")


def has_statuses(catalog: Catalog) -> bool:
    """Return whether any memory can have a status: there is a fact or an anchored reference."""
    anchored = f"SELECT 1 FROM packed p WHERE {ANCHORED}"
    return catalog.row(f"SELECT 1 FROM fact UNION ALL {anchored} LIMIT 1") is not None


def asks_who(catalog: Catalog, policy: Policy) -> bool:
    """Return whether the policy or a fact asks who signed or made something (``verify.signed``)."""
    if policy.signatures.required or policy.verify.independent:
        return True
    return catalog.row(f"SELECT 1 FROM packed p WHERE {INDEPENDENT} LIMIT 1") is not None


def list_flapping(catalog: Catalog, ground: int | None) -> list[tuple[str, str, int, str, str]]:
    """Return key, title, number, spec and claim of each fact whose check gives varying results, sorted by key."""
    columns = "m.key, m.title, m.id, f.spec, f.claim"
    return _by_index(catalog, ground, columns, "state_flapping", f"s.flapping > 0 AND {CLAIM}")


def list_moved(catalog: Catalog, ground: int | None) -> list[str]:
    """Return the keys of the live facts that are judged on the names to which git renamed their files, sorted."""
    return [key for (key,) in _by_index(catalog, ground, "m.key", "state_moved", f"s.moved = 1 AND {CLAIM}")]


def list_blocked(catalog: Catalog, ground: int | None) -> list[tuple[str, str, int, str]]:
    """Return key, title, number and path of each fact that does not pass here and is not known to fail, sorted by key.

    Its check could not be run, or nothing shows that the code is the cause.
    """
    condition = f"s.blocked > 0 AND s.outcome <> 'fails' AND {CLAIM}"
    return _by_index(catalog, ground, "m.key, m.title, m.id, m.path", "state_blocked", condition)


def is_withdrawn(catalog: Catalog, ground: int | None, key: str) -> bool:
    """Return whether a fact does not count on a ground, since no document states it there."""
    withdrawn = (
        "SELECT 1 FROM state s JOIN memory m ON m.id = s.fact WHERE s.ground = ? AND m.key = ? AND s.blocked = ?"
    )
    return catalog.row(f"{withdrawn} AND {LIVE}", (ground or 0, key, WITHDRAWN)) is not None


def suspects(catalog: Catalog, ground: int | None, *, with_elsewhere: bool = True) -> dict[str, tuple[str, ...]]:
    """Return every suspect with its chain of causes, which ends with the failed fact or the reworded memory.

    A closed task is never suspect: its foundations held when it was done.

    Args:
        catalog: The catalog.
        ground: The ground; None if statuses are unknown.
        with_elsewhere: Whether failures in other repositories count: not on a page that others see.
    """
    found: dict[str, tuple[str, ...]] = dict(find_reworded(catalog, ground))
    failed = list_failed(catalog, ground) if ground is not None else []
    found |= chains(catalog, failed, catalog.wrong_elsewhere if with_elsewhere else ())
    closed = list_closed(catalog, found)
    return {key: chain for key, chain in found.items() if key not in closed}


def list_closed(catalog: Catalog, keys: Collection[str]) -> set[str]:
    """Return those of some memories that are closed tasks."""
    closed = "SELECT m.key FROM memory m JOIN task k ON k.id = m.id WHERE k.state = 'closed' AND m.key IN ({})"
    return {row[0] for row in catalog.each(closed, keys)} if keys else set()


def find_reworded(catalog: Catalog, ground: int | None) -> dict[str, RewordedChain]:
    """Return every memory with a foundation whose meaning has changed since it was confirmed, with that foundation.

    A memory is confirmed by its own verdict or by a person; either records the meaning of its foundations at the time.
    """
    recorded = "SELECT 1 FROM rest WHERE ground = ? UNION ALL SELECT 1 FROM confirmation LIMIT 1"
    if not catalog.row(recorded, (ground or 0,)):  # most stores: compiling the query below takes 0.3 ms
        return {}
    live_target = f"t.key = r.target AND r.meaning <> t.meaning AND {LIVE.replace('m.', 't.')} AND t.kind <> 'task'"
    # The query starts from the recorded meanings: few differ, and every read runs it.
    rows = catalog.rows(
        "SELECT m.key, r.target FROM rest r CROSS JOIN memory t INDEXED BY memory_key CROSS JOIN memory m"
        " ON m.id = r.fact JOIN state s"
        f" ON s.ground = r.ground AND s.fact = r.fact WHERE r.ground = ? AND {live_target} AND {LIVE} UNION"
        " SELECT m.key, r.target FROM confirmation r CROSS JOIN memory t INDEXED BY memory_key CROSS JOIN memory m"
        f" ON m.id = r.source WHERE {live_target} AND {LIVE}",
        (ground or 0,),
    )
    if not rows:
        return {}
    known = _confirmed(catalog, ground, {row[0] for row in rows})
    now = _meanings(catalog, {target for _, target in rows})
    changed = {pair for pair in rows if now[pair[1]] not in known[pair]}
    needs = requirers_of(catalog, tuple(sorted({target for _, target in changed}))) if changed else {}
    causes_by_key = {key: [cause for cause in causes if (key, cause) in changed] for key, causes in needs.items()}
    return {key: RewordedChain(causes[:1]) for key, causes in sorted(causes_by_key.items()) if causes}


def _confirmed(catalog: Catalog, ground: int | None, keys: Iterable[str]) -> dict[tuple[str, str], set[str]]:
    """Return the meanings that each foundation had when these memories were confirmed, by memory and foundation."""
    known: dict[tuple[str, str], set[str]] = {}
    rows = catalog.each(
        "SELECT m.key, r.target, r.meaning FROM memory m JOIN (SELECT source AS id, target, meaning FROM confirmation"
        f" UNION ALL SELECT fact, target, meaning FROM rest WHERE ground = {ground or 0}) r ON r.id = m.id"
        " WHERE m.key IN ({})",
        keys,
    )
    for key, target, meaning in rows:
        known.setdefault((key, target), set()).add(meaning)
    return known


def foundations(catalog: Catalog, requires: Iterable[str]) -> dict[str, str]:
    """Return the meanings of the live memories named by these keys and labels, by key; tasks are left out."""
    names = set(requires)
    produced = catalog.each(
        "SELECT m.key FROM link l JOIN memory m ON m.id = l.source WHERE l.relation = 'produces' AND"
        f" {LIVE} AND l.target IN ({{}})",
        names,
    )
    return _meanings(catalog, {*names, *(row[0] for row in produced)})


def requirements_of(catalog: Catalog, keys: Iterable[str]) -> dict[str, set[str]]:
    """Return the keys and labels that each of these memories requires, without those that require nothing."""
    requirements: dict[str, set[str]] = {}
    rows = catalog.each(
        "SELECT m.key, l.target FROM memory m JOIN link l ON l.source = m.id WHERE l.relation = 'requires'"
        f" AND {LIVE} AND m.key IN ({{}})",
        keys,
    )
    for key, target in rows:
        requirements.setdefault(key, set()).add(target)
    return requirements


def requirers(catalog: Catalog, key: str) -> list[str]:
    """Return the live memories that require this one, by key or by a label that it produces, sorted."""
    return sorted(requirers_of(catalog, (key,)))


def _meanings(catalog: Catalog, keys: Iterable[str]) -> dict[str, str]:
    rows = catalog.each(f"SELECT m.key, m.meaning FROM memory m WHERE {LIVE} AND {CLAIM} AND m.key IN ({{}})", keys)
    return dict(rows)


def list_failed(catalog: Catalog, ground: int) -> list[str]:
    """Return the keys of the live facts that fail on a ground, sorted."""
    rows = _by_index(catalog, ground, "m.key, f.spec", "state_failed", f"s.outcome = 'fails' AND {CLAIM}")
    failed = {key for key, spec in rows if catalog.spot_answers.get((ground, key, spec), ("",))[0] != HOLDS}
    questions = {key for at, key, _ in catalog.spot_answers if at == ground}
    specs = catalog.each(
        f"SELECT m.key, f.spec FROM memory m JOIN fact f ON f.id = m.id WHERE {LIVE} AND {CLAIM} AND m.key IN ({{}})",
        questions,
    )
    failed |= {key for key, spec in specs if catalog.spot_answers.get((ground, key, spec), ("",))[0] == FAILS}
    return sorted(failed)


def chains(
    catalog: Catalog, keys: Collection[str], elsewhere: Iterable[tuple[str, ...]] = ()
) -> dict[str, tuple[str, ...]]:
    """Return every memory to which one of these passes suspicion, with its chain, which ends with that one.

    Args:
        catalog: The catalog.
        keys: The failed facts.
        elsewhere: Chains of references in other repositories: from a memory there to the one that failed.
    """
    roots, needed = {*keys}, dict[str, set[str]]()
    for chain in elsewhere:
        roots.add(chain[-1])
        for requirer, cause in pairwise(chain):
            needed.setdefault(cause, set()).add(requirer)
    if not roots:
        return {}

    def requirers(level: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        found = dict(requirers_of(catalog, level))
        for cause in level:
            for requirer in needed.get(cause, ()):
                found[requirer] = tuple(sorted({*found.get(requirer, ()), cause}))
        return found

    found = suspicion_chains(roots, requirers=requirers)
    there = {requirer for requirers in needed.values() for requirer in requirers}
    return {key: chain for key, chain in found.items() if key not in there}


def requirers_of(catalog: Catalog, keys: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return for each live memory that requires one of these, by key or label, which of them it requires, sorted."""
    names: dict[str, set[str]] = {key: {key} for key in keys}
    produced = catalog.each(
        "SELECT l.target, m.key FROM link l JOIN memory m ON m.id = l.source WHERE l.relation = 'produces' AND"
        f" {LIVE} AND m.key IN ({{}})",
        keys,
    )
    for label, key in produced:
        names.setdefault(label, set()).add(key)
    found: dict[str, set[str]] = {}
    rows = catalog.each(
        "SELECT m.key, l.target FROM link l JOIN memory m ON m.id = l.source WHERE l.relation = 'requires' AND"
        f" {LIVE} AND l.target IN ({{}})",
        names,
    )
    for key, target in rows:
        found.setdefault(key, set()).update(names[target])
    return {key: tuple(sorted(causes - {key})) for key, causes in found.items() if causes - {key}}


def count_live(catalog: Catalog, *, without: Iterable[str], now: int) -> int:
    """Return how many memories are live, without those of some kinds.

    Uses two indexes: a single condition would read every memory (measured: 12 ms at 10,000, not 1).
    """
    kinds = tuple(without)
    counting = f"SELECT count(*) FROM memory m {{}} WHERE {LIVE} AND m.kind NOT IN ({','.join('?' * len(kinds))})"
    live = catalog.row(counting.format("INDEXED BY memory_live"), kinds)[0]
    expired = catalog.row(f"{counting.format('INDEXED BY memory_expires')} AND m.expires <= ?", (*kinds, now))[0]
    return int(live) - int(expired)


def recompute_claims(catalog: Catalog, ground: int | None, ids: Collection[int] | None = None) -> dict[int, str]:
    """Recompute the claimed verdicts of built-in checks of some facts, or of all.

    Returns the right outcomes of the facts whose claim is wrong, by number. A verdict on the branch is only a claim of
    the person who pushed it, and a built-in check starts no process, so it is answered before its fact is shown as
    verified; once for the same inputs.
    """
    if catalog.answer_claims is None or ground is None:
        return {}
    claimed = (
        "SELECT s.fact FROM state s{} CROSS JOIN fact f ON f.id = s.fact WHERE s.ground = {:d} AND s.own = 0"
        " AND s.checked = 0 AND s.fresh = 1 AND s.outcome IN ('holds', 'fails') AND f.form = 'builtin'"
    )
    if ids is None:
        rows = catalog.rows(claimed.format(" INDEXED BY state_claimed", ground))
    else:
        rows = list(catalog.each(claimed.format("", ground) + " AND s.fact IN ({})", ids))
    facts = [fact for (fact,) in rows if (ground, fact) not in catalog.answered]
    return catalog.answer_claims(ground, facts) if facts else {}


def list_stale_checks(catalog: Catalog, ground: int, keys: Collection[str], *, now: int) -> list[StaleCheck]:
    """Return the built-in checks that are due on a ground among those of some facts and their foundations.

    The order is that of the keys; foundations, up to ``DEPTH`` links away, come last.
    """
    wanted = dict.fromkeys(keys)
    level: Collection[str] = wanted
    for _ in range(DEPTH):
        needs = requirements_of(catalog, level)
        if not needs:
            break
        level = [
            key
            for key in foundations(catalog, {name for names in needs.values() for name in names})
            if key not in wanted
        ]
        wanted |= dict.fromkeys(level)
    rows = catalog.each(
        "SELECT m.key, f.spec, f.words FROM memory m INDEXED BY memory_key CROSS JOIN fact f ON f.id = m.id"
        f" CROSS JOIN state s ON s.ground = {ground:d} AND s.fact = f.id WHERE f.form = 'builtin' AND {LIVE}"
        f" AND {CLAIM} AND s.blocked = 0 AND (s.outcome IN ('holds', 'fails') AND s.fresh = 0"
        f" OR s.outcome = 'holds' AND {EXPIRES} < {now:d}) AND m.key IN ({{}})",
        wanted,
    )
    stale_checks = {row[0]: StaleCheck(*row) for row in rows if (ground, row[0], row[1]) not in catalog.spot_answers}
    return [stale_checks[key] for key in wanted if key in stale_checks]


def statuses_of(
    catalog: Catalog, ground: int | None, ids: Iterable[int], *, now: int, chains: Mapping[str, tuple[str, ...]]
) -> dict[int, MemoryStatus]:
    """Return the status of each memory with one of these numbers."""
    ids = list(ids)
    wrong = recompute_claims(catalog, ground, ids)
    statuses: dict[int, MemoryStatus] = {}
    rows = catalog.each(
        "SELECT m.id, m.key, f.id, CASE s.outside WHEN 1 THEN f.outside_s ELSE f.ttl_s END, s.outcome, s.at, s.fresh,"
        f" s.own, s.weak, {CLAIM}, s.flapping, s.blocked, s.moved, f.spec FROM memory m LEFT JOIN fact f ON"
        f" f.id = m.id LEFT JOIN state s ON s.ground = {ground or 0} AND s.fact = m.id WHERE m.id IN ({{}})",
        ids,
    )
    for number, key, fact, ttl_s, outcome, at, fresh, is_own, weak, is_claim, flapping, attempt, is_moved, spec in rows:
        outcome, because = wrong.get(number, outcome), ""  # noqa: PLW2901
        if (answer := catalog.spot_answers.get((ground or 0, key, spec))) is not None:
            (outcome, because), fresh, at, is_own = answer, 1, now, 1  # noqa: PLW2901
        how = {"fresh": bool(fresh), "at": at or 0, "ttl_s": ttl_s, "attempt": attempt or 0}
        own = own_status(outcome or "", **how, now=now) if fact else STALE if outcome == CHANGED else ""
        if fact and not is_claim:  # a gate that was passed once stays passed; a gate not yet passed is not a failure
            own = VERIFIED if outcome == HOLDS else UNPROVEN
        chain = chains.get(key, ())
        status = combine_status(own, suspect=bool(chain))
        statuses[number] = MemoryStatus(
            status,
            own,
            chain if status != FAILED else (),
            at or 0,
            is_own=bool(is_own),
            weak=bool(weak),
            is_claim=bool(is_claim),
            flapping=flapping or 0,
            moved=bool(is_moved),
            why=because if status == FAILED else _reason(status, chain, outcome, attempt, is_fresh=bool(fresh)),
        )
    return statuses


def statuses_by_key(catalog: Catalog, ground: int | None, keys: Iterable[str], *, now: int) -> dict[str, MemoryStatus]:
    """Return the status of each memory with one of these keys."""
    numbers = dict(catalog.each(f"SELECT m.id, m.key {BY_KEY}", keys))
    statuses = statuses_of(catalog, ground, numbers, now=now, chains=suspects(catalog, ground))
    return {numbers[number]: status for number, status in statuses.items()}


def _reason(status: str, chain: tuple[str, ...], outcome: str | None, attempt: int | None, *, is_fresh: bool) -> str:
    if status == SUSPECT:
        return explain_chain(chain)
    if attempt == WITHDRAWN:
        return NOT_STATED
    if status != STALE:
        return ""
    if outcome == CHANGED:
        return "the lines of code that it refers to have changed"
    return "its time to live has passed" if is_fresh else "the code that it reads has changed"
