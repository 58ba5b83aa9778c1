"""Culprits: recorded while a failure lasts, and described by commit, author and subject."""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.git.ancestry import is_shallow
from gitmem.git.history import read_summaries
from gitmem.index.catalog import fact_state
from gitmem.model import FAILS
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.git import Git
    from gitmem.git.history import CommitSummary
    from gitmem.index.catalog import Catalog
    from gitmem.model import Verdict
    from gitmem.store.local import LocalState

SHORT = 12
# Characters of a name and of a subject on a line.
NAME_LIMIT, SUBJECT_LIMIT = 60, 100


def describe_culprits(git: Git, named: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a phrase for each pair of a verdict's ``culprit`` and ``culprit_after``, cleaned, on one line.

    If the commit is not in this clone (a shallow clone, a rewritten history), only its name is given. Pairs without a
    culprit are left out.
    """
    pairs = {pair for pair in named if pair[0]}
    summaries = read_summaries(git, (culprit for culprit, _ in pairs)) if pairs else {}
    return {pair: phrase(*pair, summaries.get(pair[0])) for pair in pairs}


def last_held_commit(git: Git, verdict: Verdict) -> str:
    """Return the last commit where a failed fact is known to have held.

    This is the commit right before the culprit, if known; otherwise the commit where the fact was last judged to hold.
    """
    if not verdict.culprit:
        return verdict.held_commit
    if verdict.culprit_after:
        return verdict.culprit_after
    result = git.run("rev-parse", "--verify", "-q", f"{verdict.culprit}^", check=False)
    return result.stdout.decode("ascii", "replace").strip() or verdict.held_commit


def with_last_held(git: Git, verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """Return verdicts with ``held_commit`` set to the last commit where each failed fact is known to have held."""
    culprits = {(v.culprit, v.culprit_after): v for v in verdicts.values() if v.outcome == FAILS and v.culprit}
    held = {pair: last_held_commit(git, verdict) for pair, verdict in culprits.items()}
    return {
        key: replace(v, held_commit=held.get((v.culprit, v.culprit_after), v.held_commit))
        for key, v in verdicts.items()
    }


def phrase(culprit: str, after: str, commit: CommitSummary | None = None, *, outcome: str = FAILS) -> str:
    """Describe what broke a fact, as ``broken by 1234abcd5678 (Ana: Use EdDSA)``, or since when it is unsteady."""
    whose = ""
    if commit is not None:
        name, _, _ = commit.author.rpartition(" <")
        whose = f" ({_cut(name, NAME_LIMIT)}: {_cut(commit.subject, SUBJECT_LIMIT)})"
    if outcome != FAILS:
        at_most = f" (steady at {after[:SHORT]})" if after else ""
        return f"unsteady since {culprit[:SHORT]}{whose}{at_most}"
    if after:
        return f"broken after {after[:SHORT]}, by {culprit[:SHORT]}{whose} at the latest"
    return f"broken by {culprit[:SHORT]}{whose}"


def reasons_of(
    catalog: Catalog, git: Git, ground: int | None, keys: Sequence[str], local: LocalState
) -> dict[str, tuple[str, str]]:
    """Return why facts fail on a ground, by key: the reasons in their verdicts, and the culprits; empty if unknown."""
    verdicts = fact_state.verdicts_of(catalog, ground, keys, local)
    phrases = describe_culprits(git, ((v.culprit, v.culprit_after) for v in verdicts.values()))
    return {key: (v.because, phrases.get((v.culprit, v.culprit_after), "")) for key, v in verdicts.items()}


def with_culprit(verdict: Verdict, git: Git, catalog: Catalog, local: LocalState) -> Verdict:
    """Return a verdict with the known culprit of a failure that still lasts, if the commit is part of its history."""
    if verdict.outcome != FAILS or verdict.culprit:
        return verdict
    branch, mine = fact_state.branch_verdicts(catalog, [verdict.key]), local.verdicts([verdict.key])
    both = branch.get(verdict.key, ()), mine.get(verdict.key, ())
    before = fact_state.merge_verdicts(*both, spec=verdict.spec, claim=verdict.claim)
    if not any(v.culprit for v in before):
        return verdict
    # Results of another branch are irrelevant here. The newest commit counts, not the time, since a clock may be wrong.
    # Of several verdicts in one second the one that was last kept here counts, but the branch may know its culprit.
    newest = _list_newest(git, {v.commit for v in before}, verdict.commit)
    last = max((v for v in before[::-1] if v.commit in newest), key=lambda v: v.at, default=None)
    same = [v for v in before if last and (v.outcome, v.inputs, v.at) == (FAILS, last.inputs, last.at)]
    known = next((v for v in same if v.culprit), None)
    if known is None or not is_behind(git, known.culprit, verdict.commit):
        return verdict
    return replace(verdict, culprit=known.culprit, culprit_after=known.culprit_after)


def is_behind(git: Git, culprit: str, commit: str) -> bool:
    """Return whether a culprit is a commit or an ancestor of it; after a squash or a rebase it is none.

    In a shallow clone, a missing commit may be one.
    """
    if not git.has(culprit, "commit"):
        return is_shallow(git)
    return git.is_ancestor(culprit, commit)


def _list_newest(git: Git, commits: set[str], head: str) -> set[str]:
    """Return those in the history of *head* that no other one contains, and those that are not in this clone."""
    here = {commit for commit in commits if git.has(commit, "commit")}
    behind = [commit for commit in here if commit == head or git.is_ancestor(commit, head)]
    if len(behind) > 1:
        behind = git.run("merge-base", "--independent", *behind).stdout.decode("ascii").split()
    return commits - here | set(behind)


def as_table(commit: str, commits: Mapping[str, CommitSummary]) -> dict[str, Any] | None:
    """Return a commit as the documented JSON; None for no commit; only its name if it is not in this clone."""
    if not commit:
        return None
    summary = commits.get(commit)
    phrase = (summary.author, summary.date, summary.subject) if summary else ("", "", "")
    return {"commit": commit, "author": phrase[0], "date": phrase[1], "subject": phrase[2]}


def _cut(text: str, limit: int) -> str:
    shown = display(" ".join(text.split()))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
