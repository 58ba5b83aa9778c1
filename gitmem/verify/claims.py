"""Compare claimed verdicts of built-in checks with what the checks answer here.

A verdict file is only a claim of the person who pushed it. A built-in check starts no process, so its answer is
computed from the commit instead of trusting the claim, with one batch of git reads for all of them.
"""

from __future__ import annotations

import json

from gitmem.frozen import replace
from gitmem.index.catalog import commit_and_tree, fact_state, state
from gitmem.model import BUILTIN, Check
from gitmem.text import display
from gitmem.verify import builtin_answers
from gitmem.verify.due import KnownFacts, digester, list_due
from gitmem.verify.inputs import CodeTree
from gitmem.verify.options import SAYS, WrongClaim
from gitmem.verify.overview.finding import WRONG, FactFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.store.local import LocalState

# Characters of a reason.
LINE_KEPT = 200


def find_wrong(
    catalog: Catalog, local: LocalState, tree: CodeTree, keys: Collection[str] = (), *, is_noted: bool = False
) -> list[WrongClaim]:
    """Return the claimed verdicts of built-in checks that are wrong for a tree of the code, by key.

    Only claims about the inputs of this tree are compared; a claim that the check cannot answer is not wrong.

    Args:
        catalog: The catalog.
        local: The local state, for the verdicts made here.
        tree: The code.
        keys: Only these facts; empty for all.
        is_noted: Whether to record in the local state that nothing is wrong, so that the comparison is not repeated.
    """
    claims = _list_claims(catalog, local, keys)
    current = []
    for row, title, claimed in claims:
        digest_of = digester(tree, row)
        current += [(row, title, v) for v in claimed if digest_of(v) == v.inputs]
    checks = [Check(row.form, tuple(json.loads(row.words))) for row, _, _ in current]
    if any(verdict.moved for _, _, verdict in current):
        from gitmem.verify.moves import Moves, place_check

        moves = Moves(tree.git, tree)
        checks = [
            place_check(tree, check, moves.trusted_moves(v, check))
            for check, (_, _, v) in zip(checks, current, strict=True)
        ]
    answers = builtin_answers.answer_all(tree.git, tree, checks) if checks else {}
    wrong_claims = []
    for (row, title, verdict), check in zip(current, checks, strict=True):
        answer = answers[check]
        if answer.outcome in SAYS and answer.outcome != verdict.outcome:
            because = display(answer.because)[:LINE_KEPT]
            wrong_claims.append(
                WrongClaim(row.key, title, path_of(catalog, row), verdict.outcome, answer.outcome, because)
            )
    if is_noted and not wrong_claims and not keys:
        local.note_right(" ".join(commit_and_tree(catalog)), tree.commit if claims else "")
    return wrong_claims


def answer_claims(known: KnownFacts, git: Git, commit: str, *, ground: int, facts: Sequence[int]) -> dict[int, str]:
    """Recompute claimed verdicts before their facts are shown; return the right outcomes of wrong ones, by number.

    The right verdicts are kept in this clone, where they outweigh the claims; ``verify`` reports and records them.
    """
    catalog, local = known.catalog, known.local
    keys = {key: fact for fact, key in catalog.each("SELECT id, key FROM memory WHERE id IN ({})", facts)}
    tree = CodeTree(git, commit)
    wrong = {wrong.key: wrong.answer for wrong in find_wrong(catalog, local, tree, keys)} if keys else {}
    if wrong:
        from gitmem.verify.run.batch import judge_builtin  # threads and more, only if a claim is wrong

        dues = list_due(known, ground, keys=wrong)
        results = judge_builtin(tree, [replace(due, verdict=None) for due in dues], now=known.now)
        local.add_verdicts(result.verdict for result in results if result.verdict is not None)
    catalog.answered |= {(ground, fact) for key, fact in keys.items() if key not in wrong}
    return {keys[key]: outcome for key, outcome in wrong.items()}


def path_of(catalog: Catalog, row: fact_state.FactRow) -> str:
    """Return the path of a fact's verdict on the memory branch; empty if there is none."""
    found = catalog.row("SELECT path FROM verdict WHERE key = ? AND spec = ? ORDER BY path", (row.key, row.spec))
    return str(found[0]) if found else ""


def _list_claims(
    catalog: Catalog, local: LocalState, keys: Collection[str]
) -> list[tuple[fact_state.FactRow, str, list[Verdict]]]:
    """Return the built-in facts with claimed verdicts, and these verdicts, by key."""
    rows = catalog.rows(
        "SELECT f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s, m.title FROM fact f JOIN memory m"
        " ON m.id = f.id WHERE f.form = ? AND EXISTS (SELECT 1 FROM verdict v WHERE v.key = m.key AND v.spec = f.spec"
        f" AND v.claim = f.claim) AND {state.LIVE} AND {state.CLAIM} ORDER BY m.key",
        (BUILTIN,),
    )
    facts = [(fact_state.FactRow(*row[:8]), row[8]) for row in rows if not keys or row[1] in keys]
    if not facts:
        return []
    names = [row.key for row, _ in facts]
    branch, mine = fact_state.branch_verdicts(catalog, names), local.verdicts(names)
    claims = []
    for row, title in facts:
        known = fact_state.merge_verdicts(
            branch.get(row.key, ()), mine.get(row.key, ()), spec=row.spec, claim=row.claim
        )
        claimed = [v for v in known if not v.own]
        claims += [(row, title, claimed)] if claimed else []
    return claims


def findings_of(wrong: Iterable[WrongClaim]) -> list[FactFinding]:
    """Return wrong claims as findings."""
    return [FactFinding(w.key, w.title, WRONG, w.message, path=w.path) for w in wrong]
