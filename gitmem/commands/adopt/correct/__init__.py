"""Correct documents: find what replaced a false claim, or what to delete, and prove each correction in place.

Every correction of a document passes ``Draft``: the corrected document is split and judged again. What does not pass is
shown without a correction.
"""

from __future__ import annotations

from gitmem.commands.adopt.claims.claim import COMMAND, PATH
from gitmem.commands.adopt.correct.draft import Draft
from gitmem.commands.adopt.correct.removal import remove
from gitmem.commands.adopt.correct.successor import find_successor
from gitmem.commands.adopt.correct.wording import wordings_of
from gitmem.commands.adopt.findings import FALSE, Correction
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.correct.draft import Judge
    from gitmem.commands.adopt.correct.successor import Successor
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.repository_history import Past


def add_corrections(
    findings: Sequence[JudgedClaim], head: Code, past: Past, judge: Judge, *, base: str = ""
) -> tuple[list[JudgedClaim], list[Correction]]:
    """Return the findings, false ones with the replacement or the lines to delete, and the corrected lines.

    Args:
        findings: The findings.
        head: The code.
        past: Its past.
        judge: Judges the claims of a statement at the head.
        base: The commit before the change that made the claims false; empty if their culprits count.
    """
    corrected_findings, corrected = list(findings), []
    false: dict[str, list[int]] = {}
    for at, finding in enumerate(corrected_findings):
        if finding.verdict == FALSE:
            false.setdefault(finding.document.path, []).append(at)
    for path, places in false.items():
        draft = Draft(corrected_findings[places[0]].document, head.text(path), judge)
        places.sort(key=lambda at: corrected_findings[at].claim.line)
        successors = {at: find_successor(corrected_findings[at], head, past, base) for at in places}
        for at in places:
            corrected_findings[at] = _correct(corrected_findings[at], successors[at], draft)
        gone = [at for at in places if successors[at].is_gone]
        remaining = [
            judged
            for judged in corrected_findings
            if judged.document.path == path and judged.claim.kind in (PATH, COMMAND)
        ]
        for at, finding in zip(gone, remove([corrected_findings[at] for at in gone], remaining, draft), strict=True):
            corrected_findings[at] = finding
        corrected += draft.corrections()
    return corrected_findings, corrected


def _correct(finding: JudgedClaim, successor: Successor, draft: Draft) -> JudgedClaim:
    """Return a finding with its replacement, if this passes; other lines that say the same are corrected likewise."""
    fix = ""
    for number in (finding.claim.line, *finding.more):
        wordings = wordings_of(finding, successor, draft, number)
        passed = next((wording for wording in wordings if draft.replace(wording)), None)
        if passed is not None and number == finding.claim.line:
            fix = passed.fix
    return replace(finding, fix=fix, now=successor.path)


def applicable(corrections: Iterable[Correction], texts: Mapping[str, Sequence[str]]) -> list[Correction]:
    """Return the corrections of lines that are the same in other texts, with the ends of lines there.

    Args:
        corrections: The corrections.
        texts: The lines of each document. A correction is left out if a line that it depends on was changed or moved.
    """
    found = []
    for correction in corrections:
        have = texts.get(correction.path, ())
        if all(_is_same(have, number, text) for number, text in correction.context.items()):
            line = have[correction.line - 1]
            end = "\r" if line.endswith("\r") else ""
            found.append(
                replace(correction, before=line, after=None if correction.after is None else correction.after + end)
            )
    return found


def _is_same(lines: Sequence[str], number: int, text: str) -> bool:
    return 0 < number <= len(lines) and lines[number - 1].removesuffix("\r") == text
