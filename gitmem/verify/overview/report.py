"""Convert the results of a verify run into findings."""

from __future__ import annotations

from gitmem.document.author import read_author
from gitmem.document.builtin_checks import globs_of
from gitmem.model import BLOCKED, BUILTIN, FAILS, UNPROVEN
from gitmem.model import HOLDS as HELD
from gitmem.text.globs import is_plain, normal, path_of
from gitmem.verify import claims
from gitmem.verify.overview.finding import (
    FAILED,
    HOLDS,
    SUSPECT,
    UNCHECKED,
    UNSTEADY,
    FactFinding,
    Findings,
    Spot,
    fact_spot,
    in_order,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git
    from gitmem.verify.due import Due
    from gitmem.verify.options import VerifyRun
    from gitmem.verify.run.judge import Result

# How many files are named for a fact.
SPOTS_NAMED = 3
# The kind of finding for a memory that needs a person.
KIND_OF = {FAILED: FAILED, SUSPECT: SUSPECT, BLOCKED: UNCHECKED, UNPROVEN: UNCHECKED}


def findings_of(run: VerifyRun, git: Git, *, summary: str, now: int) -> Findings:
    """Return the results of a run, earlier failures and suspect memories as findings."""
    findings = {result.due.row.key: _finding(result, git, run.commit) for result in run.results}
    for line in run.standing.lines:
        if line.key not in findings or findings[line.key].kind == HOLDS:
            kind = KIND_OF[line.status]
            findings[line.key] = FactFinding(
                line.key,
                line.title,
                kind,
                line.because,
                line.by,
                fact_spot(git, run.commit, line.path),
                path=line.path,
                chain=line.chain,
                culprit=line.culprit,
                culprit_after=line.culprit_after,
            )
    wrong = claims.findings_of(run.wrong)
    return Findings("verify", summary, in_order([*findings.values(), *wrong]), run.commit, "", now)


def _finding(result: Result, git: Git, commit: str) -> FactFinding:
    document = result.due.document
    held = UNSTEADY if result.is_marked else HOLDS
    kind = held if result.outcome == HELD else FAILED if result.outcome == FAILS else UNCHECKED
    is_broken = result.verdict is not None and kind == FAILED
    return FactFinding(
        result.due.row.key,
        document.title,
        kind,
        (result.verdict.attempt if result.verdict and kind == UNSTEADY else "") or result.because or result.reason,
        read_author(document.fields).label,
        fact_spot(git, commit, document.path) if kind != HOLDS else None,
        _places(result.due),
        document.path,
        culprit=result.verdict.culprit if result.verdict and is_broken else "",
        culprit_after=result.verdict.culprit_after if result.verdict and is_broken else "",
        seconds=result.seconds,
    )


def _places(due: Due) -> tuple[Spot, ...]:
    """Return the files that a fact names by their full paths; the line that failed is not known."""
    check = due.spec.check
    globs = globs_of(check.words) if check.form == BUILTIN else due.document.strings("paths")
    return tuple(Spot(path_of(glob)) for glob in globs if is_plain(normal(glob)))[:SPOTS_NAMED]
