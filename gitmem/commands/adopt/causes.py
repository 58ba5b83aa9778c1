"""Order false statements by proof, and group those of one cause. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.adopt.findings import JudgedClaim

# So many of one cause are listed as one. A second one in full takes little more room than a line that counts it.
FEWEST = 3


def group_by_cause(findings: Sequence[JudgedClaim]) -> list[list[JudgedClaim]]:
    """Return false statements by cause, best proof first: the commit, or else the line of code that contradicts them.

    Fewer than three of one cause are a group each.
    """
    causes: dict[str, list[JudgedClaim]] = {}
    for number, judged in enumerate(sorted(findings, key=_proof)):
        causes.setdefault(name_cause(judged)[1] or f"{number}", []).append(judged)
    groups = [
        part
        for group in causes.values()
        for part in ([group] if len(group) >= FEWEST else [[judged] for judged in group])
    ]
    return sorted(groups, key=lambda group: _proof(group[0]))


def name_cause(finding: JudgedClaim) -> tuple[str, str]:
    """Return what kind of cause a false statement has, and which one: a commit or a line; both empty if unknown."""
    if finding.culprit:
        return "commit", finding.culprit.commit
    source = finding.source
    return ("line", source.where) if source and source.line else ("", "")


def _proof(finding: JudgedClaim) -> int:
    """Return the rank of the proof: 0 is the best."""
    if finding.culprit:
        has_correction = finding.fix or finding.cut or finding.is_surplus
        return 0 if has_correction else 1
    return 2 if finding.source and (finding.claim.stated or finding.is_contradicted) else 3
