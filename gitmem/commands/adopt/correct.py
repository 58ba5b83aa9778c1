"""Corrections: what a document should say instead of a false claim, and the corrected text."""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.findings import FALSE
from gitmem.frozen import frozen, replace
from gitmem.text.corrections import as_exact, path_replaced, value_replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.findings import Finding
    from gitmem.commands.adopt.past import Past


@frozen
class Correction:
    """One line of a document, corrected.

    Attributes:
        path: The document.
        line: The line, from 1.
        before: What it says.
        after: What it should say.
    """

    path: str
    line: int
    before: str
    after: str


def with_fixes(findings: Iterable[Finding], head: Code, past: Past, base: str = "") -> list[Finding]:
    """Return the findings, each false one with what the document should say, where that is known.

    Args:
        findings: What was found.
        head: The code.
        past: Its past.
        base: The commit before the change that made them false; empty where their culprits are asked.
    """
    return [
        replace(one, fix=_fix(one, head, past, base)) if one.verdict == FALSE and not one.fix else one
        for one in findings
    ]


def _fix(finding: Finding, head: Code, past: Past, base: str) -> str:
    """Return what replaces the claim's token."""
    claim, source = finding.claim, finding.source
    # Of a change, what all of it did counts: one of its commits may have moved only a part of a folder.
    commit = head.commit if base else finding.culprit.commit if finding.culprit else ""
    if finding.then and commit:
        moved = past.renamed(finding.then, commit, base)
        return _as_written(finding, moved) if moved and head.has(moved) else ""
    if claim.kind not in ("version", "value") or source is None or not re.search(r"\w", source.actual):
        return ""
    if claim.kind == "version":
        numbers = re.findall(r"\d+(?:\.\d+)*", source.actual)
        return as_exact(claim.stated, numbers[0]) if numbers else ""
    return source.actual


def _as_written(finding: Finding, moved: str) -> str:
    """Return a new path in the way the old one is written: relative to the same place, with the same ends."""
    token, old = finding.claim.token, finding.then
    bare = token.strip("/")
    if old.endswith(bare) and not token.startswith("."):
        base = old[: len(old) - len(bare)].rstrip("/")
    else:
        base = posixpath.dirname(finding.document.path) if token.startswith("..") else finding.document.folder
    inside = (
        moved[len(base) + 1 :]
        if base and moved.startswith(f"{base}/")
        else moved
        if not base
        else posixpath.relpath(moved, base)
    )
    start = "./" if token.startswith("./") and not inside.startswith(".") else ""
    return f"{start}{inside}{'/' if token.endswith('/') else ''}"


def corrections(
    findings: Iterable[Finding], committed: Mapping[str, Sequence[str]], texts: Mapping[str, Sequence[str]]
) -> list[Correction]:
    """Return the corrected lines of documents, in order; several false claims of one line are one correction.

    Args:
        findings: What was found.
        committed: The lines of each document that was judged.
        texts: Its lines as they are now; a line that was changed or moved since is left alone.
    """
    lines: dict[tuple[str, int], str] = {}
    for finding in findings:
        if finding.verdict != FALSE or not finding.fix:
            continue
        for number in (finding.claim.line, *finding.more):
            key = finding.document.path, number
            have = texts.get(key[0], ())
            if list(have[number - 1 : number]) == list(committed[key[0]][number - 1 : number]):
                lines[key] = _replaced(lines.get(key, have[number - 1]), finding)
    return [
        Correction(path, number, texts[path][number - 1], after)
        for (path, number), after in sorted(lines.items())
        if after != texts[path][number - 1]
    ]


def _replaced(line: str, finding: Finding) -> str:
    claim = finding.claim
    if claim.kind in ("version", "value") and claim.tool != "count":
        return value_replaced(line, claim.name, claim.stated, finding.fix)
    return path_replaced(line, claim.token, finding.fix)
