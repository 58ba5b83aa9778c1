"""The state of each fact at a commit of the code: computed from its verdicts and cached in the catalog."""

from __future__ import annotations

from gitmem.document.meaning import parse_foundations
from gitmem.frozen import frozen, replace
from gitmem.index.catalog.state import ANCHORED, CHANGED, LIVE, NOT_PASSED, NOT_RUN
from gitmem.model import FAILS, HOLDS, RUNGS, Verdict, is_weaker
from gitmem.store.verdicts.environment import difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.model import Blocked
    from gitmem.store.local import LocalState

# How many code commits have their statuses cached: enough for the branches and work trees that a user switches between.
KEPT_GROUNDS = 8
# The columns of a ``FactRow``.
_FACT = "f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s"
# The boolean columns of a verdict: weak and confirmed.
_FLAGS = (11, 12)
# Prefix of a claimed verdict's environment, where it is stored among the fingerprints of tools.
CLAIMED = "@"
# Prefix of the sandbox's rung there.
RUNG = "+"


@frozen
class ReadStore:
    """A store as it is read: one catalog, at one commit of the code and one time.

    Attributes:
        catalog: The catalog.
        git: The repository.
        local: The local state of this clone.
        ground: The ground of the code's commit; None if statuses are unknown.
        now: Epoch seconds.
    """

    catalog: Catalog
    git: Git
    local: LocalState
    ground: int | None
    now: int


@frozen
class FactRow:
    """The columns from which a fact's state is computed.

    Attributes:
        id: Its number in the catalog.
        key: Its key.
        spec: Hash of its specification.
        claim: Hash of its claim.
        form: ``shell``, ``program`` or ``builtin``.
        words: The check's words as JSON.
        inputs: What it reads, as JSON.
        ttl_s: How many seconds a verdict counts; None for ever.
    """

    id: int
    key: str
    spec: str
    claim: str
    form: str
    words: str
    inputs: str
    ttl_s: int | None


def facts_without_state(catalog: Catalog, ground: int) -> list[FactRow]:
    """Return the facts whose state on a ground is not yet computed, sorted by key."""
    rows = catalog.rows(
        f"SELECT {_FACT} FROM fact f JOIN memory m ON m.id = f.id LEFT JOIN state s ON s.ground = ? AND s.fact = f.id"
        " WHERE s.fact IS NULL AND m.shadowed = 0 AND m.archived = 0 ORDER BY m.key",
        (ground,),
    )
    return [FactRow(*row) for row in rows]


def anchored_without_state(catalog: Catalog, ground: int) -> list[tuple[int, str]]:
    """Return memories without a check that have anchored references not yet compared on a ground, sorted by number.

    Each comes with its fields as JSON.
    """
    return catalog.rows(
        "SELECT m.id, t.fields FROM packed p JOIN text t ON t.id = p.id JOIN memory m ON m.id = p.id"
        " LEFT JOIN fact f ON f.id = m.id LEFT JOIN state s ON s.ground = ? AND s.fact = m.id"
        f" WHERE {ANCHORED} AND f.id IS NULL AND s.fact IS NULL AND {LIVE} ORDER BY m.id",
        (ground,),
    )


def open_ground(catalog: Catalog, code: str, local_serial: int, now: int) -> int:
    """Return the number of a code commit, adding it if new; its states are deleted if local verdicts have changed."""
    db = catalog.connection
    row = catalog.row("SELECT id, local_serial FROM ground WHERE code = ?", (code,))
    if row is None:
        db.execute(
            "INSERT INTO ground (code, complete, local_serial, used) VALUES (?, 0, ?, ?)", (code, local_serial, now)
        )
        new = int(catalog.row("SELECT id FROM ground WHERE code = ?", (code,))[0])
        # The new ground is kept even if it looks older: the clock may have been set back.
        old = catalog.rows(
            "SELECT id FROM ground WHERE id <> ? ORDER BY used DESC, id DESC LIMIT -1 OFFSET ?", (new, KEPT_GROUNDS - 1)
        )
        for (ground,) in old:
            db.execute("DELETE FROM state WHERE ground = ?", (ground,))
            db.execute("DELETE FROM rest WHERE ground = ?", (ground,))
            db.execute("DELETE FROM ground WHERE id = ?", (ground,))
        return new
    if row[1] != local_serial:
        db.execute("DELETE FROM state WHERE ground = ?", (row[0],))
        db.execute("UPDATE ground SET local_serial = ?, complete = 0 WHERE id = ?", (local_serial, row[0]))
    return int(row[0])


def pick(verdicts: Sequence[Verdict], digest: str) -> tuple[Verdict | None, bool]:
    """Return the verdict that counts for inputs with this digest, and whether it was made of them.

    A verdict of these inputs beats a later one of other inputs; otherwise the latest counts. If this clone has a
    verdict of these inputs, a verdict that is only claimed cannot turn it into "holds".
    """
    return pick_fresh(verdicts, lambda v: v.inputs == digest)


def pick_fresh(verdicts: Sequence[Verdict], is_fresh: Callable[[Verdict], bool]) -> tuple[Verdict | None, bool]:
    """Return the verdict that counts, and whether it was made of the current inputs (``is_fresh`` decides for each)."""
    same = [v for v in verdicts if is_fresh(v) and not _is_before_move(v, verdicts)]
    if mine := [v for v in same if v.own]:
        is_answered = any(v.sandbox == "builtin" for v in mine)  # its result depends on the inputs alone
        same = [v for v in same if v.own or not (v.outcome == HOLDS or is_answered or _is_foreign(v, mine))]
    # Of two equal verdicts, prefer the one that names a culprit: only this clone may know it.
    best = max(_without_older(same or verdicts), key=lambda v: (v.at, v.own, bool(v.culprit)), default=None)
    return best, bool(same)


def _without_older(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts, but of this clone's own only the one recorded last.

    A verdict that counts again is recorded once more, so the last one is the current one.
    """
    mine = [_made(v) for v in verdicts if v.own] if len(verdicts) > 1 else []
    last = max(mine, key=mine.index, default=None)  # copies from the branch come later in the list
    return [v for v in verdicts if not (v.own and mine) or _made(v) == last]


def _is_before_move(verdict: Verdict, verdicts: Sequence[Verdict]) -> bool:
    """Return whether a failure is older than a known move: then the file was only missing from its old place."""
    newer = (v for v in verdicts if v.own and v.moved and v.at > verdict.at)
    return verdict.outcome == FAILS and any(v.moved != verdict.moved for v in newer)


def _is_foreign(verdict: Verdict, mine: Iterable[Verdict]) -> bool:
    """Return whether a claimed failure is from another environment, or a weaker sandbox, than this clone's verdicts."""
    return all(
        is_weaker(verdict.sandbox, one.sandbox) or difference(one.environment, verdict.environment) for one in mine
    )


def latest_of(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the latest verdict of any inputs: whether a fact flaps does not depend on them."""
    return max(verdicts, key=lambda v: (v.at, bool(v.culprit)), default=None)


def moved_keys(catalog: Catalog) -> set[str]:
    """Return the keys of the facts with a verdict on the branch that records moved files."""
    return {key for (key,) in catalog.rows("SELECT DISTINCT key FROM verdict WHERE moved <> ''")}


def branch_verdicts(catalog: Catalog, keys: Iterable[str] | None = None) -> dict[str, list[Verdict]]:
    """Return the verdicts on the memory branch by key, of some facts or of all."""
    order = "ORDER BY key, spec, at DESC"
    if keys is None:
        rows: Iterable[tuple[Any, ...]] = catalog.rows(f"SELECT * FROM verdict {order}")
    else:
        rows = catalog.each(f"SELECT * FROM verdict WHERE key IN ({{}}) {order}", keys)
    verdicts: dict[str, list[Verdict]] = {}
    signers = _signers(catalog)
    for path, *columns, written in rows:  # the others are a verdict's fields in their order (``inserts``)
        values: list[Any] = [bool(v) if n in _FLAGS else v for n, v in enumerate(columns)]
        values.append(signers.get((path, f"{columns[0]} {columns[1][:16]}", written), ""))
        verdict = Verdict(*values)
        verdicts.setdefault(verdict.key, []).append(verdict)
    return verdicts


def _signers(catalog: Catalog) -> dict[tuple[str, str, str], str]:
    """Return who signed verdicts, by path, name and text; empty unless the policy asks for it (``verify.signed``)."""
    rows = catalog.rows("SELECT path, name, mark, signer FROM origin WHERE name <> '' AND signer <> ''")
    return {(path, name, mark): signer for path, name, mark, signer in rows}


def merge_verdicts(branch: Sequence[Verdict], local: Sequence[Verdict], *, spec: str, claim: str) -> list[Verdict]:
    """Return the verdicts of one specification and claim, marking this clone's own verdicts on the branch.

    A failure outlives an edit of the title or the body: the check is the same, and no run has shown otherwise since.
    """
    made_here = {_made(v) for v in local if v.own}
    lines = [replace(v, own=_made(v) in made_here) for v in branch]
    # This clone's first: of two equal ones, its count of runs until the fact is steady is exact.
    every = [v for v in (*local, *lines) if v.spec == spec]
    held = max((v.at for v in every if v.outcome == HOLDS), default=0)
    return [v for v in every if v.claim == claim or (v.outcome == FAILS and v.at >= held)]


def _made(v: Verdict) -> tuple[object, ...]:
    """Return everything in a verdict that affects a decision.

    Used to recognize this clone's own verdicts: one that only has the same time is not one of them.
    """
    judged = (v.spec, v.claim, v.inputs, v.commit, v.held_commit)
    return (*judged, v.outcome, v.at, v.sandbox, v.weak, v.confirmed)


@frozen
class FactState:
    """The state of one fact on one ground.

    Attributes:
        fact: The fact's number in the catalog.
        digest: Digest of its inputs there.
        verdict: The verdict that counts, or None.
        is_fresh: Whether that verdict was made of these inputs.
        is_published: Whether the memory branch has an equal verdict of these inputs.
        tools: The programs of this machine that the check ran, or a claimed verdict's environment; empty if not fresh.
        flapping: How many more runs must agree before the fact counts as steady; 0 if it is.
        attempt: ``NOT_RUN`` if its check was blocked here, ``NOT_PASSED`` if it did not pass and nothing showed that
            the code is the cause, with no verdict since that counts; else 0.
        is_moved: Whether the verdict that counts was made on the names to which git renamed the fact's files.
    """

    fact: int
    digest: str
    verdict: Verdict | None
    is_fresh: bool
    is_published: bool
    tools: str = ""
    flapping: int = 0
    attempt: int = 0
    is_moved: bool = False


def state_of(
    row: FactRow,
    digest_of: Callable[[Verdict | None], str],
    branch: Sequence[Verdict],
    local: Sequence[Verdict],
    *,
    accepts: Callable[[Verdict], bool],
    blocked: Blocked | None = None,
) -> FactState:
    """Return the state of a fact.

    Args:
        row: The fact.
        digest_of: Returns the current digest of the inputs that a verdict read; takes None if they are unknown.
        branch: The verdicts of the memory branch.
        local: The verdicts of this clone.
        accepts: Returns whether a verdict may count.
        blocked: How its check was blocked or did not pass in this clone, or None.
    """
    known = merge_verdicts(branch, local, spec=row.spec, claim=row.claim)
    verdict, fresh = pick_fresh([v for v in known if accepts(v)], lambda v: v.inputs == digest_of(v))
    now_digest = verdict.inputs if verdict is not None and fresh else digest_of(None)
    of_branch = {_made(v): v.culprit for v in branch}
    published = verdict is None or any(
        (v.outcome, v.flapping > 0) == (verdict.outcome, verdict.flapping > 0)
        and _made(v) in of_branch
        and (of_branch[_made(v)] or not verdict.culprit)
        and v.inputs == digest_of(v)
        for v in known
    )
    tools = tools_of(verdict) if verdict is not None and fresh else ""
    latest = latest_of([v for v in known if accepts(v)])
    flaps = latest.flapping if latest else 0
    counts = blocked is not None and _is_blocked(row, now_digest, verdict if fresh else None, blocked)
    attempt = (NOT_PASSED if blocked.is_unproven else NOT_RUN) if blocked is not None and counts else 0
    return FactState(row.id, now_digest, verdict, fresh, published, tools, flaps, attempt)


def tools_of(verdict: Verdict) -> str:
    """Return what a verdict depends on besides its inputs: programs of this machine, or a claimed one's environment.

    A failure also depends on the sandbox (``split_rung``).
    """
    text = verdict.tools if verdict.own else verdict.environment and f"{CLAIMED}{verdict.environment}"
    is_of_sandbox = verdict.outcome == FAILS and verdict.sandbox in RUNGS[:-1]
    return f"{text} {RUNG}{verdict.sandbox}" if is_of_sandbox else text


def split_rung(tools: str) -> tuple[str, str]:
    """Return what a verdict depends on (``tools_of``) without its sandbox, and the rung of that; empty if it holds."""
    text, _, last = tools.rpartition(" ")
    return (text, last[1:]) if last.startswith(RUNG) else (tools, "")


def _is_blocked(row: FactRow, digest: str, fresh: Verdict | None, blocked: Blocked) -> bool:
    """Return whether a fact is blocked: its check could not run on these inputs, or not since their last verdict.

    If the code goes back to earlier inputs, the environment that the check needs is still missing.
    """
    is_since = blocked.inputs == digest if fresh is None else fresh.outcome != FAILS and blocked.at >= fresh.at
    return is_since and (blocked.spec, blocked.claim) == (row.spec, row.claim)


def write_states(catalog: Catalog, ground: int, states: Iterable[FactState], now: int) -> None:
    """Write states and mark the ground as complete, inside a transaction."""
    db = catalog.connection
    states = list(states)
    toolsets = _toolsets(catalog, {s.tools for s in states if s.tools})
    db.executemany(
        "INSERT OR REPLACE INTO state"
        " WITH new (ground, fact, digest, outcome, at, fresh, own, weak, published, tools, flapping, blocked, moved,"
        " outside) AS (VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?))"
        " SELECT *, (SELECT at + CASE outside WHEN 0 THEN ttl_s ELSE outside_s END FROM fact WHERE id = new.fact), 0"
        " FROM new",
        [_state_row(ground, s, toolsets.get(s.tools, 0)) for s in states],
    )
    # A claim that was recomputed for these inputs need not be recomputed at this commit.
    db.execute(
        "UPDATE state SET checked = 1 WHERE ground = ? AND own = 0 AND fresh = 1 AND EXISTS (SELECT 1 FROM state o"
        " WHERE o.fact = state.fact AND o.checked = 1 AND o.digest = state.digest AND o.outcome = state.outcome"
        " AND o.at = state.at)",
        (ground,),
    )
    # The meaning of each foundation has its own row, so that reads can compare it without parsing.
    db.executemany("DELETE FROM rest WHERE ground = ? AND fact = ?", [(ground, s.fact) for s in states])
    db.executemany(
        "INSERT OR IGNORE INTO rest VALUES (?,?,?,?)",
        [
            (ground, s.fact, foundation.key, foundation.meaning)
            for s in states
            if s.verdict is not None and s.verdict.rests
            for foundation in parse_foundations(s.verdict.rests.split("\n"))
        ],
    )
    db.execute("UPDATE ground SET complete = 1, used = ? WHERE id = ?", (now, ground))


def _state_row(ground: int, state: FactState, toolset: int) -> tuple[object, ...]:
    verdict = state.verdict
    outcome, at, own, weak, outside = "", 0, False, False, False
    if verdict is not None:
        outcome, at, own, weak, outside = verdict.outcome, verdict.at, verdict.own, verdict.weak, bool(verdict.outside)
    place = (ground, state.fact, state.digest)
    here = (state.flapping, state.attempt, state.is_moved)
    return (*place, outcome, at, state.is_fresh, own, weak, state.is_published, toolset, *here, outside)


def write_references(catalog: Catalog, ground: int, states: Iterable[tuple[int, bool]]) -> None:
    """Write which memories, by number, refer to lines that have changed, inside a transaction."""
    catalog.connection.executemany(
        "INSERT OR REPLACE INTO state (ground, fact, digest, outcome, at, fresh, own, weak, published)"
        " VALUES (?, ?, '', ?, 0, 1, 1, 0, 1)",
        [(ground, number, CHANGED if is_changed else "") for number, is_changed in states],
    )


def _toolsets(catalog: Catalog, texts: Iterable[str]) -> dict[str, int]:
    """Return the numbers of fingerprints, adding new ones; a thousand facts share a few."""
    listed = sorted(texts)
    catalog.connection.executemany("INSERT OR IGNORE INTO toolset (text) VALUES (?)", [(text,) for text in listed])
    return {text: number for number, text in catalog.each("SELECT id, text FROM toolset WHERE text IN ({})", listed)}


def toolsets_of(catalog: Catalog, ground: int) -> list[tuple[int, str]]:
    """Return the fingerprints of the local programs that a ground's verdicts depend on, by number."""
    return catalog.rows(
        "SELECT t.id, t.text FROM toolset t WHERE t.id IN (SELECT DISTINCT tools FROM state WHERE ground = ? AND"
        " tools <> 0) ORDER BY t.id",
        (ground,),
    )


def list_unpublished(catalog: Catalog, ground: int) -> list[FactRow]:
    """Return the live facts whose verdict for these inputs only this clone has, sorted by key."""
    rows = catalog.rows(
        f"SELECT {_FACT} FROM state s INDEXED BY state_unpublished CROSS JOIN fact f ON f.id = s.fact"
        f" CROSS JOIN memory m ON m.id = f.id WHERE s.ground = ? AND s.published = 0 AND s.fresh = 1 AND {LIVE}"
        " ORDER BY m.key",
        (ground,),
    )
    return [FactRow(*row) for row in rows]


def verdicts_of(catalog: Catalog, ground: int | None, keys: Sequence[str], local: LocalState) -> dict[str, Verdict]:
    """Return by key the verdict that counts for each fact on a ground, from the branch or from this clone alone."""
    rows = catalog.each(
        "SELECT m.key, f.spec, f.claim, s.digest, s.outcome, s.at, s.own FROM fact f JOIN memory m ON m.id = f.id"
        f" JOIN state s ON s.ground = {ground or 0} AND s.fact = f.id WHERE {LIVE} AND m.key IN ({{}})",
        keys,
    )
    branch, mine = (branch_verdicts(catalog, keys), local.verdicts(keys)) if keys else ({}, {})
    found = {}
    for key, spec, claim, digest, *counts in rows:
        verdicts = merge_verdicts(branch.get(key, ()), mine.get(key, ()), spec=spec, claim=claim)
        verdict, _ = pick([v for v in verdicts if [v.outcome, v.at, v.own] == counts], digest)
        if verdict is not None:
            found[key] = verdict
    return found
