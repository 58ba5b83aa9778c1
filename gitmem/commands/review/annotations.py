"""A review as annotations of GitHub Actions (``hygiene.workflow_command``): errors first, ten of each level."""

from __future__ import annotations

from gitmem.commands.review import model as f
from gitmem.text import unlike_command, workflow_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.review.model import Review, ReviewFinding

# GitHub shows this many annotations per level and step, and drops the others silently.
SHOWN = 10
LEVELS = {f.ERROR: "error", f.WARNING: "warning", f.NOTE: "notice"}


def commands(review: Review) -> str:
    """Return one workflow command per shown finding, and the summary as a plain line."""
    lines = [f"gitmem review: {unlike_command(review.summary)}"]
    for severity, level in LEVELS.items():
        those = [finding for finding in review.findings if finding.severity == severity]
        lines += [_command(level, finding) for finding in those[:SHOWN]]
        if len(those) > SHOWN:
            lines.append(f"gitmem review: {len(those) - SHOWN} more of level {severity}: see the step's summary")
    lines += [f"gitmem review: {unlike_command(note)}" for note in review.notes]
    return "\n".join(lines) + "\n"


def _command(level: str, finding: ReviewFinding) -> str:
    values = {"file": finding.path} if finding.path else {}
    values |= {"line": str(finding.line)} if finding.path and finding.line else {}
    values["title"] = " ".join(filter(None, (finding.key, finding.code)))
    message = f"{finding.message} ({finding.hint})" if finding.hint else finding.message
    return workflow_command(level, message, values)
