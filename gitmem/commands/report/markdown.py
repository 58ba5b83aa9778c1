"""A page of Markdown for a job's summary or a comment: safe in tables and HTML, below the size a forge takes."""

from __future__ import annotations

import re

from gitmem.verify.blame.culprit import phrase
from gitmem.verify.overview.cause import APART, Case, few, fit, group, title
from gitmem.verify.overview.finding import HOLDS, LISTED, WORDS
from gitmem.verify.overview.stock import cell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.verify.overview.finding import Finding, Findings, Spot, StatedLine

# GitHub refuses a step's summary of more than 1 MiB whole; what other steps of the job wrote is counted apart.
SIZE_LIMIT = 1024 * 1024 - 4096


def page(found: Findings, *, limit: int = SIZE_LIMIT) -> str:
    """Return the page; what does not fit into *limit* bytes is counted."""
    blocks = [f"## gitmem {found.command}\n\n{cell(found.summary)}\n\n"]
    if found.base:
        blocks.append(f"`{found.base[:12]}` → `{found.head[:12]}`\n\n")
    tail = "".join(f"> {cell(note)}\n>\n" for note in found.notes)
    left = limit - len("".join(blocks).encode()) - len(tail.encode())
    for kind in LISTED:
        findings = found.of(kind)
        if not findings:
            continue
        words = WORDS[kind]
        head = f"### {words.heading} ({len(findings)})\n\n{_causes(findings)}"
        head += "| fact | title | reason | location |\n|---|---|---|---|\n"
        rows, more = [], f"| … | and {len(findings)} more | | |\n\n"
        left -= len(head.encode()) + len(more.encode())
        for finding in findings:
            row = _row(finding)
            if left < len(row.encode()):
                break
            left -= len(row.encode())
            rows.append(row)
        rest = len(findings) - len(rows)
        blocks.append(head + "".join(rows) + (f"| … | and {rest} more | | |\n" if rest else "") + "\n")
        for line in (line for finding in findings for line in finding.stated if line.corrected):
            block = _correction(line)
            if left < len(block.encode()):
                break
            left -= len(block.encode())
            blocks.append(block)
    blocks.append(_untouched(found, left))
    held = len(found.of(HOLDS))
    blocks.append(f"{held} more hold.\n\n" if held else "")
    return "".join(blocks) + tail


def _untouched(found: Findings, left: int) -> str:
    """Return the facts that a change silences without touching what they read; those that fit."""
    if not found.untouched:
        return ""
    head = f"### Silenced, although the change touches nothing that they read ({len(found.untouched)})\n\n"
    more = "- …\n"
    left -= len(head.encode()) + len(more.encode())
    text = ""
    for key, how in found.untouched:
        line = f"- `{key}`: the change {cell(how)}\n"
        if left < len((text + line).encode()):
            text += more
            break
        text += line
    return f"{head}{text}\n"


def _causes(findings: Sequence[Finding]) -> str:
    """Return the causes that many of them share as a list; empty where there is none."""
    cases = [
        Case(f.key, WORDS[f.kind].status, WORDS[f.kind].many, f.because, (f.culprit, f.culprit_after))
        for f in findings
        if not f.chain
    ]
    phrases = {case.culprit: phrase(*case.culprit) for case in cases if case.culprit[0]}
    causes = [cause for cause in group(cases) if len(cause.cases) > APART]
    lines = [f"- {cell(title(cause, phrases))}: {few(cause.keys)}\n" for cause in causes[: fit(causes)]]
    return "".join(lines) + "\n" * bool(lines)


def _row(finding: Finding) -> str:
    why = [cell(finding.because)] if finding.because else []
    why += [phrase(finding.culprit, finding.culprit_after)] if finding.culprit else []
    why += [f"written by {cell(finding.by)}"] if finding.by else []
    spots = [
        *(line.spot for line in finding.stated),
        *([finding.fact] if finding.fact is not None else []),
        *finding.places,
    ]
    cells = (f"`{finding.key}`", cell(finding.title), "; ".join(why), "<br>".join(map(_place, spots)))
    return f"| {' | '.join(cells)} |\n"


def _correction(line: StatedLine) -> str:
    """Return what a document should say; a suggestion only where a forge takes one: in the lines that it shows."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", line.corrected)), default=0))
    against = f" ({cell(line.where)} contradicts it)" if line.where else ""
    form = "suggestion" if line.is_in_diff else "text"
    return f"{_place(line.spot)} should say{against}:\n\n{fence}{form}\n{line.corrected}\n{fence}\n\n"


def _place(spot: Spot) -> str:
    return cell(spot.path) + (f":{spot.line}" if spot.line else "")
