"""Find the facts that are due, from states computed once per code commit and stored in the catalog.

A fact is due if there is no conclusive verdict for its specification and claim, if its inputs differ from those of the
verdict, if its check was blocked at the last run, if its TTL has passed, or if it is requested. Nothing else runs.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
from functools import cache
from itertools import takewhile

from gitmem.document.meaning import format_foundations
from gitmem.document.spec import format_spec, spec_hash, spec_of
from gitmem.document.times import parse_time
from gitmem.errors import FormatError
from gitmem.frozen import frozen, replace
from gitmem.index.catalog import fact_state, state
from gitmem.model import FAILS, HOLDS, RUNGS, Check, Document, Spec, is_weaker
from gitmem.statuses import SKEW_S
from gitmem.store.local import is_busy, is_unwritable
from gitmem.store.verdicts.environment import describe_environment, parse_environment
from gitmem.system.environment import search_path
from gitmem.text import display, parse_json
from gitmem.text.globs import escape
from gitmem.verify.inputs import CodeTree, digest, with_values_of
from gitmem.verify.moves import digest_after_moves, find_path_move, is_moved
from gitmem.verify.trace.programs import differs_here, list_changed_programs, list_changed_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.policy import Policy
    from gitmem.store.local import LocalState, Withdrawal
    from gitmem.verify.code_files import CodeFiles

# How the reason of a blocked check ends if the environment is the probable cause.
ENVIRONMENT = "the environment changed"
_JUDGED = {HOLDS: "verified", FAILS: "failed"}
# From this number of facts on, all verdicts are read at once.
MANY = 500


@frozen
class Due:
    """A fact to be judged.

    Attributes:
        row: Its row in the catalog.
        document: The memory; its ``text`` is empty (the catalog keeps fields and body).
        spec: Its specification.
        digest: Digest of its inputs in the judged code.
        verdict: The verdict that has counted so far, or None.
        why: Why it is due: ``new``, ``inputs``, ``blocked`` (at the last run), ``tools``, ``environment`` (of a claim),
            ``sandbox`` (it failed in a weaker one), ``ttl``, ``foundation`` (it was reworded), ``asked``, or ``wrong``
            (a claimed verdict is).
        changed: A few of its changed inputs or tools, if they were requested.
        latest: The latest verdict of its specification and claim, whatever its inputs, or None.
        moved: The new paths of the files that the check names, if git renamed them (``verify.moves``).
        rests: The facts that it requires and their present meaning (``document.meaning``), as lines.
        steadiness: How many equal answers its check has given since it flapped.
        attempt: Why its check did not pass here the last time, if nothing showed that the code is the cause; or empty.
    """

    row: fact_state.FactRow
    document: Document
    spec: Spec
    digest: str
    verdict: Verdict | None
    why: str
    changed: tuple[str, ...] = ()
    latest: Verdict | None = None
    moved: str = ""
    rests: str = ""
    steadiness: int = 0
    attempt: str = ""

    @property
    def approved_line(self) -> str:
        """The line of an approved list that allows its command to run."""
        return list_line(self.row.spec, self.row.key, format_spec(self.spec))

    @property
    def reads(self) -> tuple[list[str], Check]:
        """Return its declared inputs and its check."""
        return parse_json(self.row.inputs), self.spec.check

    @property
    def written_at(self) -> int:
        """When the fact was written and so probably held, epoch seconds; 0 if unknown."""
        try:
            return parse_time(str(self.document.fields.get("created", "")))
        except (FormatError, ValueError):
            return 0


def list_line(spec: str, key: str, command: str) -> str:
    """Return the line of an approved list that allows a command.

    Args:
        spec: Hash of the whole specification.
        key: The fact.
        command: The command as it is shown.
    """
    return display(f"{spec}  {key}  {command}")


@frozen
class KnownFacts:
    """What is known about the facts of a store, and by what they are judged.

    Attributes:
        catalog: The catalog.
        local: Local state, for the verdicts made here.
        policy: The store's policy.
        now: Epoch seconds.
        reviewed: Returns the code's default branch, a full ref or empty, where allowed signers are listed.
    """

    catalog: Catalog
    local: LocalState
    policy: Policy
    now: int
    reviewed: Callable[[], str] = lambda: ""

    def accepts(self) -> Callable[[Verdict], bool]:
        """Return a test of whether a verdict counts, by the policy and by what facts demand of their verdicts."""

        def accepts(verdict: Verdict) -> bool:
            return is_accepted(verdict, self.policy, now=self.now)

        if not state.asks_who(self.catalog, self.policy):
            return accepts
        refuse = self.refusals()
        return lambda verdict: accepts(verdict) and not refuse(verdict)

    def refusals(self) -> Callable[[Verdict], str]:
        """Return a function that says on one line why a verdict does not count as its maker's; empty if it does."""
        if not state.asks_who(self.catalog, self.policy):
            return lambda _: ""
        from gitmem.verify.signed import demands_of  # 8 ms, and only where the policy or a fact asks

        return demands_of(self.catalog, self.policy).refusal

    def is_settled(self, git: Git) -> bool:
        """Return whether it is known who made what the policy or a fact asks about."""
        if not state.asks_who(self.catalog, self.policy):
            return True
        from gitmem.verify.signed import is_settled

        return is_settled(self.catalog, git, self.policy, self.reviewed())

    def settle(self, git: Git) -> None:
        """Find out who made what the policy or a fact asks about, inside a transaction."""
        if not self.is_settled(git):
            from gitmem.verify.signed import settle

            settle(self.catalog, git, self.policy, self.reviewed())


def refresh_states(known: KnownFacts, git: Git, commit: str, tree: CodeTree | None = None) -> int:
    """Compute the missing states for one code commit and return the ground's number.

    If the catalog cannot be written to (a read-only or full disk, another writer), it is moved to memory, so that
    statuses are still correct.
    """
    catalog, now = known.catalog, known.now
    serial = known.local.serial()
    complete = state.ground_of(catalog, commit, serial)
    if complete is not None and known.is_settled(git):
        return complete

    def compute() -> int:
        with catalog.writing():
            known.settle(git)
            ground = fact_state.open_ground(catalog, commit, serial, now)
            facts = fact_state.facts_without_state(catalog, ground)
            anchored = fact_state.anchored_without_state(catalog, ground)
            if facts or anchored:
                code = tree or CodeTree(git, commit)
                if anchored:
                    fact_state.write_references(catalog, ground, _references(git, code, anchored))
                rows = states_on(known, code, facts)
            else:
                rows = []
            fact_state.write_states(catalog, ground, rows, now)
        return ground

    is_inner = catalog.connection.in_transaction
    try:
        return compute()
    except sqlite3.OperationalError as err:
        if is_inner or catalog.path is None or not (is_busy(err) or is_unwritable(err)):
            raise
    if catalog.connection.in_transaction:
        catalog.connection.execute("ROLLBACK")
    catalog.become(catalog.copy())
    return compute()


def _references(git: Git, tree: CodeTree, anchored: Sequence[tuple[int, str]]) -> list[tuple[int, bool]]:
    """Return for each memory, by number, whether it refers to lines that changed."""
    # Needs hashlib: only for references.
    from gitmem.verify.references import CHANGED, anchors_in, reference_states, references_past_end

    references = []
    all_fields = [parse_json(fields) for _, fields in anchored]
    past_end = references_past_end(git, tree, all_fields)
    for (number, _), fields, wrong in zip(anchored, all_fields, past_end, strict=True):
        states = wrong or reference_states(git, tree, anchors_in(fields), has_diff=False)
        references.append((number, any(reference.state == CHANGED for reference in states)))
    return references


def states_on(known: KnownFacts, tree: CodeTree, facts: Sequence[fact_state.FactRow]) -> list[fact_state.FactState]:
    """Return the state of each fact on one tree of the code, in the same order."""
    keys = None if len(facts) > MANY else [f.key for f in facts]
    branch = fact_state.branch_verdicts(known.catalog, keys)
    mine, blocked = known.local.verdicts(keys), known.local.blocked()
    withdrawn = known.local.withdrawals()
    states, accepts = [], known.accepts()
    for fact in facts:
        of_branch, of_clone = branch.get(fact.key, ()), mine.get(fact.key, ())
        found = fact_state.state_of(
            fact,
            digester(tree, fact),
            of_branch,
            of_clone,
            accepts=accepts,
            blocked=blocked.get(fact.key),
        )
        if found.verdict is not None and found.is_fresh and found.verdict.moved:
            check = Check(fact.form, tuple(parse_json(fact.words)))
            moved = found.verdict.moved
            is_away = found.verdict.outcome == FAILS and find_path_move(tree, check, moved) is not None
            found = replace(found, is_moved=is_away or is_moved(tree, check, moved))
        is_true = found.is_fresh and found.verdict is not None and found.verdict.outcome == HOLDS
        if not is_true and any(is_withdrawn(withdrawal, fact, tree) for withdrawal in withdrawn.get(fact.key, ())):
            found = fact_state.FactState(fact.id, found.digest, None, False, True, attempt=state.WITHDRAWN)
        states.append(found)
    return states


def is_withdrawn(withdrawal: Withdrawal, fact: fact_state.FactRow, tree: CodeFiles) -> bool:
    """Return whether a withdrawal is about a fact as it is, and about the version of its document on a tree."""
    blob = blob_at(tree, withdrawal.document)
    return (withdrawal.spec, withdrawal.claim, withdrawal.blob) == (fact.spec, fact.claim, blob)


def blob_at(tree: CodeFiles, path: str) -> str:
    """Return the object name of a file on a tree; empty if there is none."""
    return next((oid for _, oid, found in tree.match(escape(path)) if found == path), "")


def digester(tree: CodeTree, fact: fact_state.FactRow) -> Callable[[Verdict | None], str]:
    """Return a function that gives the digest, on one tree, of the inputs that a verdict refers to (``state_of``)."""
    inputs, check = parse_json(fact.inputs), Check(fact.form, tuple(parse_json(fact.words)))
    known = digest(tree, inputs, check)

    def digest_of(verdict: Verdict | None) -> str:
        if verdict is None:
            return known
        is_known = not (verdict.reads or verdict.moved)
        return with_values_of(known if is_known else digest_by(tree, inputs, check, verdict), verdict, check)

    return digest_of


def digest_by(tree: CodeTree, inputs: Sequence[str], check: Check, verdict: Verdict | None) -> str:
    """Return the digest of a check's inputs on a tree; observed inputs are those that a verdict names.

    If the verdict names moves, the inputs at their new paths are used.
    """
    if verdict is None:
        return digest(tree, inputs, check)
    return digest_after_moves(tree, inputs, check, verdict.moved, verdict.reads, is_claim=not verdict.own)


def is_unconfirmed(verdict: Verdict) -> bool:
    """Return whether a failure of a command was not confirmed by contrast, so that it accuses nothing."""
    return verdict.outcome == FAILS and not verdict.confirmed and verdict.sandbox != RUNGS[-1]


def is_accepted(verdict: Verdict, policy: Policy, *, now: int) -> bool:
    """Return whether the policy accepts a verdict, by its source (this clone or a claim) and its sandbox.

    A verdict from the future is never accepted: it would override all later ones and never expire. Nor is a failure
    that was not confirmed: each clone judges such a fact itself.
    """
    if verdict.at > now + SKEW_S or is_unconfirmed(verdict):
        return False
    least = RUNGS.index(policy.verify.min_sandbox) if policy.verify.min_sandbox else 0
    rung = RUNGS.index(verdict.sandbox) if verdict.sandbox in RUNGS else 0
    return (verdict.own or policy.verify.claimed) and rung >= least


def list_publishable(catalog: Catalog, local: LocalState, ground: int) -> list[Verdict]:
    """Return this clone's verdicts that are valid on the ground and that the memory branch lacks, by key.

    They were made on another branch, or at an earlier commit with the same inputs, so no run is needed to record them.
    """
    rows = fact_state.list_unpublished(catalog, ground)
    if not rows:
        return []
    mine = local.verdicts([row.key for row in rows])
    digests = dict(catalog.rows("SELECT fact, digest FROM state WHERE ground = ? AND published = 0", (ground,)))
    verdicts = []
    for row in rows:
        lines = [v for v in mine.get(row.key, ()) if v.spec == row.spec and v.claim == row.claim]
        verdict, fresh = fact_state.pick(lines, digests[row.id])
        if verdict is not None and fresh:
            verdicts.append(verdict)
    return verdicts


def list_due(
    known: KnownFacts,
    ground: int,
    *,
    keys: Iterable[str] = (),
    everything: bool = False,
    rung: Callable[[], str] = lambda: "",
) -> list[Due]:
    """Return the facts to judge, by key.

    Args:
        known: The facts.
        ground: The ground, whose states must be complete.
        keys: Only these facts, whether due or not; empty for the facts that are due.
        everything: Whether to return all facts, due or not.
        rung: Returns the rung of the sandbox that commands run in here; called only if a failure depends on it.
    """
    catalog, local, policy, now = known.catalog, known.local, known.policy, known.now
    wanted = set(keys)
    is_named = bool(wanted) or everything
    others, reworded = _other_tools(catalog, ground, rung), state.find_reworded(catalog, ground)
    reasons = [f"s.outcome = '' OR s.fresh = 0 OR s.blocked > 0 OR {state.EXPIRES} < {now:d}"]
    reasons += [f"s.tools IN ({', '.join(map(str, sorted(others)))})"] if others else []
    slugs = ", ".join(f"'{key}'" for key in sorted(reworded))
    reasons += [f"s.fact IN (SELECT id FROM memory WHERE key IN ({slugs}))"] if reworded else []
    condition = "1" if is_named else " OR ".join(reasons)
    gates = "" if wanted else f" AND {state.CLAIM}"
    rows = catalog.rows(
        "SELECT f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s, m.path, s.digest, s.outcome, s.fresh,"
        " s.blocked, s.tools"
        # Starting from the states, most of which are not due: 0.7 ms for 10,000 instead of 6.
        f" FROM state s CROSS JOIN fact f ON f.id = s.fact CROSS JOIN memory m ON m.id = f.id WHERE s.ground = ?"
        f" AND ({condition}) AND s.blocked < {state.WITHDRAWN} AND {state.LIVE}{gates} ORDER BY m.key",
        (ground,),
    )
    rows = [row for row in rows if not wanted or row[1] in wanted]
    names = [row[1] for row in rows]
    few = None if len(rows) > MANY else names
    branch, mine = fact_state.branch_verdicts(catalog, few), local.verdicts(few)
    needs, noted = state.requirements_of(catalog, names), local.blocked() if names else {}
    accepts = known.accepts()
    due_facts = []
    for *fields, path, inputs, outcome, is_fresh, is_blocked, tools in rows:
        fact, document, spec = read_fact(catalog, fact_state.FactRow(*fields), path, policy)
        if not outcome or not is_fresh:
            why = "inputs" if outcome else "new"
        elif is_blocked and not is_named:
            why = "blocked"
        else:
            why = others.get(tools) or ("asked" if is_named else "foundation" if fact.key in reworded else "ttl")
        own = mine.get(fact.key, ())
        verdicts = fact_state.merge_verdicts(branch.get(fact.key, ()), own, spec=fact.spec, claim=fact.claim)
        verdicts = [v for v in verdicts if accepts(v)]
        verdict, _ = fact_state.pick(verdicts, inputs)
        latest = fact_state.latest_of(verdicts)
        moved = verdict.moved if verdict is not None and verdict.own else ""
        rests = rests_of(catalog, needs.get(fact.key, ()))
        steadiness = _steadiness(own, fact.spec, latest)
        tried = noted.get(fact.key)
        is_same = tried is not None and (tried.spec, tried.claim) == (fact.spec, fact.claim)
        attempt = tried.reason if tried is not None and is_same else ""
        due_facts.append(Due(fact, document, spec, inputs, verdict, why, (), latest, moved, rests, steadiness, attempt))
    return due_facts


def rests_of(catalog: Catalog, requires: Iterable[str]) -> str:
    """Return foundations and their present meaning, in the form of a verdict."""
    return "\n".join(format_foundations(state.foundations(catalog, requires))) if requires else ""


def _other_tools(catalog: Catalog, ground: int, rung: Callable[[], str]) -> dict[int, str]:
    """Return why facts are due, by the number of their fingerprint: other programs, environment or sandbox."""
    stamps: dict[str, str] = {}
    other_tools = {}
    for number, fingerprint in fact_state.toolsets_of(catalog, ground):
        text, failed_in = fact_state.split_rung(fingerprint)
        if failed_in and is_weaker(failed_in, RUNGS[-2]) and is_weaker(failed_in, rung()):
            other_tools[number] = "sandbox"
        elif text.startswith(fact_state.CLAIMED):
            if differs_here(text.removeprefix(fact_state.CLAIMED), search_path()):
                other_tools[number] = "environment"
        elif list_changed_variables(text):
            other_tools[number] = "environment"
        elif list_changed_programs(text, stamps):
            other_tools[number] = "tools"
    return other_tools


def list_elsewhere(catalog: Catalog, ground: int | None, keys: Iterable[str] | None = None) -> dict[str, str]:
    """Return the live facts whose verdict is from another environment, by key, each with a description.

    Args:
        catalog: The catalog.
        ground: The ground whose states are read.
        keys: Only these; None for all.
    """
    texts = {n: fact_state.split_rung(text)[0] for n, text in fact_state.toolsets_of(catalog, ground or 0)}
    describe = cache(lambda number, outcome: describe_elsewhere(texts[number], outcome))
    rows = catalog.rows(
        "SELECT m.key, s.outcome, s.tools FROM state s JOIN memory m ON m.id = s.fact WHERE s.ground = ? AND"
        f" s.tools <> 0 AND {state.LIVE} AND {state.CLAIM} ORDER BY m.key",
        (ground or 0,),
    )
    wanted = None if keys is None else set(keys)
    messages = {key: describe(number, outcome) for key, outcome, number in rows if wanted is None or key in wanted}
    return {key: message for key, message in messages.items() if message}


def describe_elsewhere(tools: str, outcome: str) -> str:
    """Describe that a verdict is from another environment than this one; empty if it is not.

    Args:
        tools: What the verdict depends on besides its inputs (``fact_state.tools_of``).
        outcome: Its outcome.
    """
    judged = _JUDGED.get(outcome, "judged")
    if not tools.startswith(fact_state.CLAIMED):
        names = list_changed_variables(tools)
        values = f"another value of {', '.join(names)}"
        return f"{judged} with {values}; not judged with the value here" if names else ""
    environment = tools.removeprefix(fact_state.CLAIMED)
    differs = differs_here(environment, search_path())
    if not differs:
        return ""
    variables = parse_environment(environment).variables
    what = differs if differs.partition(" ")[0] in variables else describe_environment(environment)
    return display(f"{judged} elsewhere: {what}; not judged here")


def _steadiness(mine: Sequence[Verdict], spec: str, latest: Verdict | None) -> int:
    """Return how many equal answers a check has given since it flapped.

    Args:
        mine: The verdicts of this clone, the oldest first, one for each set of inputs.
        spec: The specification.
        latest: The latest verdict, which may come from another clone, with the number known there.
    """
    if latest is not None and latest.flapping:
        return 0
    since = list(takewhile(lambda v: not v.flapping, (v for v in mine[::-1] if v.spec == spec)))
    known = [v.alike for v in (*since, latest) if v is not None]
    return max([sum(v.outcome == HOLDS for v in since), *known])


def read_fact(
    catalog: Catalog, fact: fact_state.FactRow, path: str, policy: Policy
) -> tuple[fact_state.FactRow, Document, Spec]:
    """Return a fact's row, its memory (without its text) and its specification.

    The specification is derived from the stored fields again, whatever hash the catalog has, so that exactly these
    fields are approved, shown and judged.
    """
    fields, body = catalog.row("SELECT fields, body FROM text WHERE id = ?", (fact.id,))
    document = Document(fact.key, path, parse_json(fields), body, "")
    how = policy.verify
    spec = spec_of(document, setup=how.setup, default_timeout_s=how.timeout_s, folders=how.folders)
    assert spec is not None, "only memories with a check have a row in fact"
    return replace(fact, spec=spec_hash(spec)), document, spec
