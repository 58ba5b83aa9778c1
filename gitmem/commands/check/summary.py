"""Describe a checked change in words: one line for all of it, and further notes."""

from __future__ import annotations

from gitmem.commands.check.branch_memory import note_of, section_of
from gitmem.text import count_of, list_some
from gitmem.verify.moves import describe_moves
from gitmem.verify.overview.finding import (
    BROKEN,
    ERROR,
    HOLDS,
    MENDED,
    NOTE,
    OUTDATED,
    OUTSIDE,
    RETIRED,
    STILL,
    UNCHECKED,
    WARNING,
    WORDS,
    FindingRow,
    Findings,
    FindingSection,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.commands.check.run import CheckResult
    from gitmem.verify.overview.finding import ReviewFinding

# The most keys named in a note; all are counted.
KEYS_SHOWN = 5


def findings_of(
    checked: CheckResult, *, now: int, memory_commit: str = "", names: Mapping[str, str] | None = None
) -> Findings:
    """Return the findings in the form used by reports.

    Args:
        checked: The result.
        now: The time, epoch seconds.
        memory_commit: The commit of the memory branch.
        names: How notes name facts, by key; others are named by their keys.
    """
    span = checked.span
    return Findings(
        "check",
        summary(checked),
        checked.findings,
        span.head,
        span.base,
        now,
        tuple(notes(checked, names)),
        checked.untouched,
        sections(checked),
        memory_commit,
    )


def sections(checked: CheckResult) -> tuple[FindingSection, ...]:
    """Return the further sections under headings of their own, most important first."""
    review = checked.review
    parts = ((_EDITS, review.edits), (_PROGRAMS, review.programs), (_MEMORY, review.memory))
    sections = []
    for headings, findings in parts:
        for level, heading in headings.items():
            rows = _rows([finding for finding in findings if finding.severity == level])
            if rows:
                sections.append(
                    FindingSection(heading, level, rows, is_first=level == ERROR or headings is not _MEMORY)
                )
    sections += [section_of(checked.branch)] if checked.branch is not None else []
    return tuple(sections)


# The headings for reviewers, by severity.
_EDITS = dict.fromkeys((ERROR, WARNING, NOTE), "Edits what decides about this change")
_PROGRAMS = {
    ERROR: "True only by an edited program",
    WARNING: "Edits what checks run",
    NOTE: "Edits what checks run, and the facts are the same with the base's version",
}
_MEMORY = {
    ERROR: "Errors in the memories of this change",
    WARNING: "Review of the memories of this change",
    NOTE: "Notes on the memories of this change",
}


def _rows(findings: Sequence[ReviewFinding]) -> tuple[FindingRow, ...]:
    """Return findings as rows, merging those with the same words."""
    groups: dict[tuple[str, str, str], list[ReviewFinding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.message, finding.key if finding.path == "" else ""), []).append(
            finding
        )
    rows = []
    for group in groups.values():
        finding = group[0]
        others = [other.key or other.path for other in group[1:]]
        text = f"{finding.code}: {finding.message}" + (f" (also {list_some(others, KEYS_SHOWN)})" if others else "")
        text += f"; {finding.hint}" if finding.hint and not others else ""
        rows.append(FindingRow(text, finding.key, finding.path, finding.line))
    return tuple(rows)


def summary(checked: CheckResult) -> str:
    """Return a one-line summary."""
    span = checked.span
    if span.base == span.head:
        return "nothing to check"
    if span.is_staged and not checked.files:
        return "nothing is staged"
    touched = len(checked.of(BROKEN, MENDED, STILL, OUTSIDE, OUTDATED, UNCHECKED, RETIRED, HOLDS))
    counts = [(len(checked.of(kind)), words) for kind, words in WORDS.items()]
    message = ", ".join(f"{number} {words.phrase if number == 1 else words.many}" for number, words in counts if number)
    waiting, unchecked = sum(finding.is_waiting for finding in checked.findings), len(checked.of(UNCHECKED))
    # The list below leaves out what only waits.
    message += f" ({waiting} of them not approved)" if 0 < waiting < unchecked else ""
    what = "changed" if not span.is_staged else "uncommitted" if span.is_dirty else "staged"
    files = count_of(checked.files, f"{what} file") + ("" if span.is_staged else f" since {span.base[:12]}")
    verb = "touches" if checked.files == 1 else "touch"
    facts = f"{touched} of {count_of(checked.facts, 'fact')}"
    return f"{files} {verb} {facts}" + (f": {message}" if message else "")


def notes(checked: CheckResult, names: Mapping[str, str] | None = None) -> list[str]:
    """Return further notes, one line each; *names* as in ``findings_of``."""

    def some(keys: Sequence[str]) -> str:
        return list_some([(names or {}).get(key, key) for key in keys], KEYS_SHOWN)

    lines = [checked.span.note] if checked.span.note else []
    lines += [note_of(checked.branch)] if checked.branch is not None else []
    if checked.hidden:
        lines.append(f"memories in .memory/ hide facts on the memory branch: {some(checked.hidden)}")
    if checked.brought:
        lines.append(f"new or changed facts in .memory/: {some(checked.brought)}")
    if checked.removed:
        lines.append(f"facts in .memory/ that this change removes: {some(checked.removed)}")
    if moved := describe_moves([f.moved for f in checked.findings if f.moved and f.kind == HOLDS]):
        lines.append(moved)
    if checked.whole:
        every = count_of(len(checked.whole), "fact is", "facts are")
        name = (names or {}).get(checked.whole[0], checked.whole[0])
        known = "the files that the command reads are unknown, or its paths match no file"
        known += f" (gitmem edit {name} --path GLOB)"
        lines.append(f"{every} touched by every change, because {known}: {some(checked.whole)}")
    return lines
