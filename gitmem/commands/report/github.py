"""Annotations of GitHub Actions: workflow commands that its runner reads from a job's output.

Source: GitHub Docs, "Workflow commands for GitHub Actions"; the runner's ActionCommand.cs and the toolkit's command.ts
for what is escaped: a line that begins with ``::`` is a command, and so is ``##[`` anywhere in a line.
"""

from __future__ import annotations

from gitmem.commands.report.sentences import sentence
from gitmem.text import unlike_command, workflow_command
from gitmem.verify.overview.cause import few
from gitmem.verify.overview.finding import ERROR, WARNING, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.verify.overview.finding import FactFinding, FindingRow, Findings, Spot

# GitHub shows this many annotations per level and step, and drops the others silently.
SHOWN = 10


def commands(findings: Findings) -> str:
    """Return one workflow command per finding that needs action, and the summary as a plain line."""
    lines = [f"gitmem {findings.command}: {unlike_command(findings.summary)}"]
    for level in (ERROR, WARNING):
        those = [_row(level, row) for section in findings.sections if section.level == level for row in section.rows]
        those += [
            _command(level, f, spot)
            for f in findings.findings
            if WORDS[f.kind].level == level and not f.is_waiting
            for spot in _spots(f)
        ]
        lines += those[:SHOWN]
        if len(those) > SHOWN:
            lines.append(
                f"gitmem {findings.command}: {len(those) - SHOWN} more of level {level}: see the step's summary"
            )
    if waiting := [finding.key for finding in findings.findings if finding.is_waiting]:
        lines.append(f"gitmem {findings.command}: not checked until they are approved: {few(waiting)}")
    lines += [f"gitmem {findings.command}: {unlike_command(note)}" for note in findings.notes]
    return "\n".join(lines) + "\n"


def _row(level: str, row: FindingRow) -> str:
    code, _, message = row.text.partition(": ")
    title = " ".join(filter(None, (row.key, code)))
    return workflow_command(level, message, title=title, path=row.path, line=row.line)


def _spots(finding: FactFinding) -> list[Spot | None]:
    """Return the places at which to show a finding.

    These are the lines of documents that state the fact, or its own lines and the first changed code that it reads. A
    warning is shown at one place only, since few of them are shown at all.
    """
    if finding.stated:
        return [line.spot for line in finding.stated]
    spots = [spot for spot in (finding.fact, *finding.places[:1]) if spot is not None]
    return [*spots[: None if WORDS[finding.kind].level == ERROR else 1]] or [None]


def _command(level: str, finding: FactFinding, spot: Spot | None) -> str:
    title = f"{finding.key} {WORDS[finding.kind].phrase}"
    path, line = (spot.path, spot.line) if spot is not None else ("", 0)
    return workflow_command(level, sentence(finding), title=title, path=path, line=line)
