"""Corrections of documents: replacements for false claims, lines to delete, and the corrected text."""

from __future__ import annotations

import itertools
import posixpath
import re

from gitmem.commands.adopt.claims.claim import COMMAND, PATH
from gitmem.commands.adopt.findings import FALSE, HOLDS
from gitmem.commands.adopt.judge.occurrence import is_defined_in
from gitmem.commands.adopt.judge.targets import targets_in
from gitmem.commands.adopt.removal import block_of, is_entry_of, without
from gitmem.frozen import frozen, replace
from gitmem.text.code.languages import is_prose
from gitmem.text.corrections import as_exact, move_path, replace_path, replace_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.past import Past


@frozen
class Correction:
    """One line of a document, corrected.

    Attributes:
        path: The document.
        line: The line, from 1.
        before: Its text.
        after: Its corrected text; None to delete the line.
    """

    path: str
    line: int
    before: str
    after: str | None


def add_fixes(findings: Iterable[JudgedClaim], head: Code, past: Past, base: str = "") -> list[JudgedClaim]:
    """Return the findings, false ones with the replacement or the lines to delete.

    *base* is the commit before the change that made them false; without it, their culprits count.
    """
    fixed = [_fix_of(one, head, past, base) if one.verdict == FALSE and not one.fix else one for one in findings]
    return _add_removals(fixed, head)


def _fix_of(finding: JudgedClaim, head: Code, past: Past, base: str) -> JudgedClaim:
    # For a change, its total effect counts: one of its commits may have moved only part of a folder.
    commit = head.commit if base else finding.culprit.commit if finding.culprit else ""
    if finding.then and commit:
        moved = past.find_new_name(finding.then, commit, base)
        is_there = bool(moved) and head.has(moved)
        return replace(finding, now=moved, fix=_like_old_path(finding, moved)) if is_there else finding
    before = base or f"{commit}^"
    if finding.home:
        return replace(finding, fix=_new_home(finding, head, past, before, commit) if commit else "")
    return replace(finding, fix=_find_value(finding, past, before, commit))


def _new_home(finding: JudgedClaim, head: Code, past: Past, before: str, commit: str) -> str:
    """Return the only file that defines a name since the commit that took it out of the stated one."""
    changed = [path for path in past.list_changes(before, commit) if path != finding.home and not is_prose(path)]
    found = [path for path, text in head.texts(changed).items() if is_defined_in(text, finding.claim.name)]
    return found[0] if len(found) == 1 else ""


def _find_value(finding: JudgedClaim, past: Past, before: str, commit: str) -> str:
    """Return the replacement for a claim's token that is not a path."""
    claim, source = finding.claim, finding.source
    if claim.kind == COMMAND and source is not None and commit:
        target = _find_new_target(finding, past, before, commit)
        return re.sub(rf"{re.escape(claim.name)}$", lambda _: target, claim.token) if target else ""
    if claim.kind not in ("version", "value") or source is None or not re.search(r"\w", source.actual):
        return ""
    if claim.kind == "version":
        numbers = re.findall(r"\d+(?:\.\d+)*", source.actual)
        return as_exact(claim.stated, numbers[0]) if numbers else ""
    return source.actual


def _find_new_target(finding: JudgedClaim, past: Past, before: str, commit: str) -> str:
    """Return a target's new name: the only new one in its file that does the same."""
    assert finding.source is not None
    path, name = finding.source.path, finding.claim.name
    texts = past.texts([before, commit], path)
    was, now = (_bodies(path, texts.get(at, "")) for at in (before, commit))
    same = [other for other, body in now.items() if other not in was and body and body == was.get(name)]
    return same[0] if len(same) == 1 else ""


def _bodies(path: str, text: str) -> dict[str, str]:
    """Return the bodies of a file's targets: their lines, without the names."""
    targets = targets_in(path, text)
    if not targets:
        return {}
    lines, starts = text.split("\n"), sorted({*targets.values()})
    ends = dict(zip(starts, [*starts[1:], len(lines) + 1], strict=True))
    found = {}
    for name, line in targets.items():
        own, below = [lines[line - 1].replace(name, "", 1).rstrip(",")], lines[line : ends[line] - 1]
        if path.endswith((".json", ".jsonc")):
            below = []
        elif path.endswith((".toml", ".ini", ".cfg")):
            below = list(itertools.takewhile(lambda other: not other.startswith("["), below))
        else:  # a recipe is indented, and its rule names its prerequisites
            own, below = [], list(itertools.takewhile(lambda other: other[:1].isspace(), below))
        found[name] = "\n".join(map(str.strip, (*own, *below))).strip()
    return found


def _add_removals(findings: list[JudgedClaim], head: Code) -> list[JudgedClaim]:
    """Return the findings, with the lines or names to delete for removed things without a successor."""
    cuts: dict[tuple[str, int], range] = {}
    for path in dict.fromkeys(one.document.path for one in findings):
        mine = [one for one in findings if one.document.path == path]
        gone = [one for one in mine if _is_gone(one)]
        lines = head.text(path).split("\n")
        alive = {
            one.claim.line
            for one in mine
            if one.claim.kind in (PATH, COMMAND) and not _is_gone(one) and (one.verdict == HOLDS or one.fix)
        }
        for one in gone:
            names = {other.claim.token for other in gone if other.statement.line == one.statement.line}
            block = block_of(lines, one.statement)
            if is_entry_of(one.statement, names) and alive.isdisjoint(block):
                cuts |= {(path, line): block for line in block if len(block) > len(cuts.get((path, line), ()))}
    holding = {
        (one.document.path, one.claim.line) for one in findings if one.verdict == HOLDS and one.claim.kind == PATH
    }
    found = []
    for one in findings:
        key = one.document.path, one.claim.line
        if _is_gone(one) and key in cuts:
            found.append(replace(one, cut=cuts[key]))
        elif _is_gone(one) and key in holding:
            line = one.statement.lines[one.claim.line - one.statement.line]
            found.append(replace(one, is_surplus=without(line, one.claim.token) != line))
        else:
            found.append(one)
    return found


def _is_gone(finding: JudgedClaim) -> bool:
    """Return whether a finding is about something that existed and has no known successor."""
    return finding.verdict == FALSE and finding.claim.kind in (PATH, COMMAND) and not finding.fix


def _like_old_path(finding: JudgedClaim, moved: str) -> str:
    """Return a new path written like the old one: relative to the same place, with the same prefix and suffix."""
    token, old = finding.claim.token, finding.then
    bare = token.strip("/")
    if old.endswith(bare) and not token.startswith("."):
        base = old[: len(old) - len(bare)].rstrip("/")
    else:
        base = posixpath.dirname(finding.document.path) if token.startswith("..") else finding.document.folder
    inside = posixpath.relpath(moved, base) if base else moved
    start = "./" if token.startswith("./") and not inside.startswith(".") else ""
    return f"{start}{inside}{'/' if token.endswith('/') else ''}"


def corrections(
    findings: Iterable[JudgedClaim], committed: Mapping[str, Sequence[str]], texts: Mapping[str, Sequence[str]]
) -> list[Correction]:
    """Return the corrected lines of documents, in order; several false claims in a line give one correction.

    Args:
        findings: The findings.
        committed: The lines of each judged document.
        texts: Its present lines; a line that was changed or moved since is skipped.
    """
    lines: dict[tuple[str, int], str | None] = {}
    for finding in findings:
        if finding.verdict != FALSE or not (finding.fix or finding.cut or finding.is_surplus):
            continue
        path = finding.document.path
        have, was = texts.get(path, ()), committed[path]
        if finding.cut:
            if all(_is_unchanged(have, was, number) for number in finding.cut):
                lines |= dict.fromkeys(((path, number) for number in finding.cut), None)
            continue
        for number in (finding.claim.line, *finding.more):
            if _is_unchanged(have, was, number):
                line = lines.get((path, number), have[number - 1])
                lines[path, number] = _correct(line, finding) if line is not None else None
    return [
        Correction(path, number, texts[path][number - 1], after)
        for (path, number), after in sorted(lines.items(), key=lambda one: one[0])
        if after != texts[path][number - 1]
    ]


def _is_unchanged(have: Sequence[str], was: Sequence[str], number: int) -> bool:
    return 0 < number <= len(have) and list(have[number - 1 : number]) == list(was[number - 1 : number])


def _correct(line: str, finding: JudgedClaim) -> str:
    claim = finding.claim
    if finding.is_surplus:
        return without(line, claim.token)
    if claim.kind == COMMAND:
        # As written: `tox run -e unit` names the target of `tox unit`.
        tool, new = claim.token.split()[0], finding.fix[len(claim.token) - len(claim.name) :]
        named = rf"(\b{re.escape(tool)}\b[^`]*?(?<![\w/.-])){re.escape(claim.name)}(?![\w-])"
        return re.sub(named, lambda found: found[1] + new, line)
    if claim.kind in ("version", "value") and claim.tool != "count":
        return replace_value(line, claim.name, claim.stated, finding.fix)
    if finding.home:
        return move_path(line, posixpath.dirname(finding.document.path), finding.home, finding.fix)
    line = replace_path(line, claim.token, finding.fix)
    # A link often contains the path twice, in two forms.
    return move_path(line, posixpath.dirname(finding.document.path), finding.then, finding.now) if finding.now else line
