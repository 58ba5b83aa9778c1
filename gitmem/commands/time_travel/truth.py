"""The truth of a fact over the code's history: from its verdicts, their inputs, and ancestry.

A verdict of the same check and claim whose inputs equal those of a commit *proves* the fact's state there, whenever it
was made. A state without such a proof is described by the known states before and after it on its line of history.
"""

from __future__ import annotations

from gitmem.errors import NotFoundError, ProcessError
from gitmem.frozen import frozen, replace
from gitmem.git.ancestry import in_order
from gitmem.index.catalog import fact_state
from gitmem.model import FAILED, FAILS, HOLDS, STALE, UNPROVEN, VERIFIED
from gitmem.verify.due import digester
from gitmem.verify.inputs import CodeTree
from gitmem.verify.past_verdicts import KnownCommit, counting_of, list_known_commits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.git import Git
    from gitmem.model import Verdict

WORDS = {HOLDS: "held", FAILS: "failed"}


@frozen
class Segment:
    """Known commits on one line of history with the same outcome, without the opposite outcome in between.

    Attributes:
        outcome: ``holds`` or ``fails``.
        first: The first of them.
        last: The last of them; may be the first.
        culprit: Whether a bisection found that the first one broke the fact.
        because: Why it failed.
        number: The number of commits.
    """

    outcome: str
    first: str
    last: str
    culprit: bool = False
    because: str = ""
    number: int = 1


@frozen
class Truth:
    """The present knowledge about a fact at one commit of the code, and on its line of history.

    Attributes:
        status: ``verified``, ``failed``, ``stale`` (it held before, and is unknown here) or ``unproven``.
        line: The explanation in one line.
        segments: The known segments of its line of history, oldest first; between two, the state is unknown.
        proof: The commit at which the proving verdict was made, or empty.
    """

    status: str
    line: str
    segments: tuple[Segment, ...] = ()
    proof: str = ""


def truth_at(git: Git, commit: str, fact: fact_state.FactRow, verdicts: Sequence[Verdict]) -> Truth:
    """Return the truth of a fact at a commit of the code.

    The fact has the specification and the claim in question; verdicts of another one are ignored, except failures,
    which outlive an edit of the words (``fact_state.merge_verdicts``).
    """
    verdicts = fact_state.merge_verdicts((), verdicts, spec=fact.spec, claim=fact.claim)
    known = {known.commit: known for known in list_known_commits(verdicts)}
    proof = _find_proof(git, commit, fact, verdicts)
    if proof is not None:
        known[commit] = KnownCommit(
            commit, proof.outcome, known[commit].how if commit in known else "judged", proof.because
        )
    order, behind = in_order(git, {*known, commit})
    line = [
        other_commit
        for other_commit in order
        if other_commit == commit or other_commit in behind[commit] or commit in behind[other_commit]
    ]
    segments = _segments([known[other_commit] for other_commit in line if other_commit in known], behind)
    if commit in known:
        status = VERIFIED if known[commit].outcome == HOLDS else FAILED
        where = proof.commit if proof else commit
        return Truth(status, _describe_proof(known[commit], where), segments, where)
    before = [known[other_commit] for other_commit in line if other_commit in behind[commit] and other_commit in known]
    before = [known for known in before if not any(known.commit in behind[other.commit] for other in before)]
    after = [known[other_commit] for other_commit in line if other_commit in known and commit in behind[other_commit]]
    after = [known for known in after if not any(other.commit in behind[known.commit] for other in after)]
    has_failed = any(known.outcome == FAILS for known in before)
    status = FAILED if has_failed else STALE if before else UNPROVEN
    return Truth(status, _describe_gap(before, after), segments)


def _find_proof(git: Git, commit: str, fact: fact_state.FactRow, verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the effective verdict on the exact inputs of the commit, or None."""
    try:
        tree = CodeTree(git, commit)
    except (NotFoundError, ProcessError):
        return None  # in a shallow or broken clone
    digest_of = digester(tree, fact)
    same = [v for v in verdicts if v.inputs == digest_of(v)]
    return counting_of(same) if same else None


def _segments(line: Sequence[KnownCommit], behind: dict[str, frozenset[str]]) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    for known in line:
        last = segments[-1] if segments else None
        if last is not None and last.outcome == known.outcome and last.last in behind[known.commit]:
            segments[-1] = replace(last, last=known.commit, number=last.number + 1)
        else:
            segments.append(Segment(known.outcome, known.commit, known.commit, known.how == "culprit", known.because))
    return tuple(segments)


def _describe_proof(known: KnownCommit, where: str) -> str:
    message = f"{WORDS[known.outcome]} here"
    if where != known.commit:
        return f"{message}: judged at {where[:12]}, which has the same inputs"
    return f"{message}: this commit broke it" if known.how == "culprit" else f"{message}: judged at this commit"


def _describe_gap(before: Sequence[KnownCommit], after: Sequence[KnownCommit]) -> str:
    """Return the known states before and after a commit without a proof."""
    if not before and not after:
        return "never judged on this line of history"
    if not before:
        return f"first known at {after[0].commit[:12]}, where it {WORDS[after[0].outcome]}; unknown before"
    then = " and ".join(f"{WORDS[known.outcome]} at {known.commit[:12]}" for known in sorted(before, key=_sort_key))
    if len({known.outcome for known in before}) > 1:
        then += ", on branches merged since"
    if not after:
        return f"{then}, not judged since"
    later = " and ".join(_describe_later(known, before) for known in sorted(after, key=_sort_key))
    return f"{then}, {later}, unknown between"


def _sort_key(known: KnownCommit) -> tuple[bool, bool, str]:
    return known.outcome != HOLDS, known.how == "culprit", known.commit


def _describe_later(known: KnownCommit, before: Sequence[KnownCommit]) -> str:
    if known.outcome == FAILS:
        was = all(other.outcome == FAILS for other in before)
        return f"{'failed again' if was else 'failed'} {'at' if was else 'from'} {known.commit[:12]}" + (
            ", which broke it" if known.how == "culprit" else ""
        )
    held = all(other.outcome == HOLDS for other in before)
    return f"also held at {known.commit[:12]}" if held else f"held again from {known.commit[:12]}"


def as_table(segment: Segment) -> dict[str, Any]:
    """Return a segment as the documented JSON."""
    return {
        "outcome": segment.outcome,
        "from": segment.first,
        "to": segment.last,
        "known": segment.number,
        "culprit": segment.first if segment.culprit else "",
        "because": segment.because,
    }
