"""Format the findings of ``check`` and ``verify`` for forges and other programs.

Text from a memory or a check is cleaned here, once, before it goes into any format: it may contain secrets, terminal
escapes, and text that imitates markup or a command of the forge.
"""

from __future__ import annotations

from gitmem.commands.report import code_quality, github, junit, sarif
from gitmem.frozen import replace
from gitmem.text import display
from gitmem.text.secrets import redact, safe_output
from gitmem.verify.overview.notice.notice import render as notice
from gitmem.verify.overview.notice.permalinks import Links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.verify.overview.finding import FactFinding, FindingRow, Findings, Spot, StatedLine

WRITERS: dict[str, Callable[[Findings], str]] = {
    "github": github.commands,
    "sarif": sarif.log,
    "junit": junit.suites,
    "codequality": code_quality.report,
}
# The largest page of Markdown in bytes: what a forge accepts as the summary of a step.
PAGE_LIMIT = 1024 * 1024 - 4096
# The most characters shown of one text: a report is read by people, and forges cut long messages.
TEXT_KEPT = 500


def render(form: str, findings: Findings, links: Links | None = None) -> str:
    """Return the findings in one of the formats of ``WRITERS``, or as ``markdown``; ends with a line feed."""
    if form == "markdown":
        return notice(clean(findings), links or Links(), PAGE_LIMIT)
    return WRITERS[form](clean(findings))


def clean(findings: Findings) -> Findings:
    """Return findings with one-line texts, without secrets and with hidden characters spelled out."""
    return replace(
        findings,
        summary=_clean_line(findings.summary),
        findings=tuple(_clean_finding(finding) for finding in findings.findings),
        notes=tuple(_clean_line(note) for note in findings.notes),
        untouched=tuple((key, _clean_line(how)) for key, how in findings.untouched),
        sections=tuple(replace(section, rows=tuple(map(_clean_row, section.rows))) for section in findings.sections),
    )


def _clean_row(row: FindingRow) -> FindingRow:
    return replace(
        row,
        text=_clean_line(row.text),
        key=_clean_line(row.key),
        path=redact(display(row.path)),
        code=_clean_line(row.code),
    )


def _clean_finding(finding: FactFinding) -> FactFinding:
    return replace(
        finding,
        title=_clean_line(finding.title),
        because=_clean_line(finding.because),
        by=_clean_line(finding.by),
        fact=_clean_spot(finding.fact) if finding.fact is not None else None,
        places=tuple(_clean_spot(spot) for spot in finding.places),
        stated=tuple(_clean_statement(line) for line in finding.stated),
    )


def _clean_statement(line: StatedLine) -> StatedLine:
    # A correction that cannot be shown exactly would be a wrong one.
    is_plain = redact(display(line.corrected)) == line.corrected and len(line.corrected) <= TEXT_KEPT
    corrected = line.corrected if is_plain else ""
    return replace(
        line,
        spot=_clean_spot(line.spot),
        text=_clean_line(line.text),
        where=_clean_line(line.where),
        corrected=corrected,
    )


def _clean_spot(spot: Spot) -> Spot:
    return replace(spot, path=redact(display(spot.path)))


def _clean_line(text: str) -> str:
    shown = " ".join(safe_output(text, max(len(text) * 12, 1)).split())
    return shown if len(shown) <= TEXT_KEPT else shown[: TEXT_KEPT - 1] + "…"
