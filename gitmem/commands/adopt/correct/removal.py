"""What to delete from a document when something that it names no longer exists, without a successor. Pure.

An entry of a list, table or tree that only says where the thing is is deleted with everything nested below it; from a
list of names, only the name is deleted. A sentence that says more is left to a person.
"""

from __future__ import annotations

import re

from gitmem.commands.adopt.findings import HOLDS
from gitmem.commands.adopt.statements import BULLET, ROW, TREE, cells_of, depth_in_tree, indentation_of, is_rule
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from gitmem.commands.adopt.correct.draft import Draft
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.statements import Statement

# The longest label such as `**RPC layer**`: a longer text has content of its own.
LABEL_LIMIT = 40
_MARKER = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_EMPHASIS = re.compile(r"\*\*|__")
_LINK = re.compile(r"\[[^\]]{0,300}\]\(([^)\s]{1,500})\)")
_SUBJECT = re.compile(r"((?:`[^`]+`(?:, | and | & )?)+)(?:$|\s*[-–—:：(=→])")
_LABELLED = re.compile(rf"[^`]{{1,{LABEL_LIMIT}}}(?:[:：]|\s[-–—→])\s*((?:`[^`]+`(?:, | and |、)?)+)[.。]?$")
_IN_BRACKETS = re.compile(rf"[^`]{{1,{LABEL_LIMIT}}}\s\((`[^`]+`)\)[:.]?$")
_NAME = re.compile(r"`([^`]+)`")
_CONNECTOR = re.compile(r"[├└]|[|+`](?=--)")
_NUMBERED = re.compile(r"^(\s*)(\d{1,3})([.)]\s.*)$")
_NUMBER_NAMED = re.compile(
    r"\b(?:steps?|items?|rules?|points?|numbers?|no\.|entry|sections?) *#?\d|\(\d{1,2}\)|#\d", re.I
)
# Words beside a list of names that say how many these are, or speak of several.
_SEVERAL = re.compile(
    r"\b(?:both|either|neither|each|between|two|three|four|five|six|seven|eight|nine|ten|\d+|respectively|all|pair|"
    r"former|latter|together|same|versus|vs)\b|两|三|四|五",
    re.I,
)
_AND = r"(?:,? and |,? or | & |, |、)"
_PLURAL = re.compile(r"\b(?!(?:this|is|its|as|has|was|uses|contains|defines|class|always)\b)[A-Za-z]{3,}s[: ]*$")


def remove(gone: Iterable[JudgedClaim], known: Iterable[JudgedClaim], draft: Draft) -> list[JudgedClaim]:
    """Delete what is about things that are gone from a document, and return their findings, each with what was deleted.

    Args:
        gone: False findings of one document, in the order of their lines, whose subject has no successor.
        known: All findings of the document that are about paths and commands.
        draft: The document.
    """
    gone = list(gone)
    lost = {id(judged) for judged in gone}
    alive = {
        judged.claim.line for judged in known if (judged.verdict == HOLDS or judged.fix) and id(judged) not in lost
    }
    names: dict[int, set[str]] = {}
    for judged in gone:
        for number in _lines_of(judged):
            names.setdefault(number, set()).add(judged.claim.token)
    cut: dict[int, range] = {}
    dropped = set()
    for finding in gone:
        for number in _lines_of(finding):
            block = _cut(draft, number, names, alive)
            cut |= dict.fromkeys(block, block)
            if number not in cut and _drop_name(draft, number, finding.claim.token):
                dropped.add((id(finding), number))
    return [
        replace(judged, cut=cut.get(judged.claim.line, range(0)), is_surplus=(id(judged), judged.claim.line) in dropped)
        for judged in gone
    ]


def _lines_of(finding: JudgedClaim) -> tuple[int, ...]:
    return finding.claim.line, *finding.more


def _cut(draft: Draft, number: int, names: Mapping[int, set[str]], alive: Container[int]) -> range:
    """Delete the entry on a line that only says where something is that is gone, and return its lines."""
    statement = draft.statement_at(number)
    if statement is None:
        return range(0)
    gone = set().union(*(names.get(at, set()) for at in range(statement.line, statement.last + 1)))
    if not is_entry_of(statement, gone):
        return range(0)
    block = block_of(draft.lines(), statement)
    changed = None if any(at in alive for at in block) else edits_without(draft.lines(), block, statement)
    return block if changed is not None and draft.remove(changed) else range(0)


def _drop_name(draft: Draft, number: int, token: str) -> bool:
    """Delete a name from its list of names, and return whether that was possible."""
    line = draft.line(number) or ""
    changed = without(line, token)
    return changed != line and draft.remove({number: changed}, token)


def edits_without(lines: Sequence[str], block: range, statement: Statement) -> dict[int, str | None] | None:
    """Return the edits that delete a block of lines, with what follows from it; None if too much would change.

    The last entry of a folder in a tree keeps its corner, numbers count on, and no list or table becomes empty.
    """
    edits: dict[int, str | None] = dict.fromkeys(block)
    if statement.kind == TREE:
        return edits | _corners(lines, block)
    if statement.kind == ROW:
        above, below = (lines[at] if 0 <= at < len(lines) else "" for at in (block.start - 2, block.stop - 1))
        has_other = below.lstrip().startswith("|") or (above.lstrip().startswith("|") and not is_rule(above))
        return edits if has_other else None
    if not _has_sibling(lines, block, statement):
        return None
    numbered = _NUMBERED.match(statement.lines[0])
    if numbered is None:
        return edits
    later = _renumbered(lines, block, len(numbered[1]), int(numbered[2]))
    if later and any(_NUMBER_NAMED.search(line) for line in lines):
        return None
    return edits | later


def _corners(lines: Sequence[str], block: range) -> dict[int, str]:
    """Return the lines of a tree that change when the last entry of a folder is deleted: the entry above becomes it."""
    first = lines[block.start - 1]
    mark = _CONNECTOR.search(first)
    if mark is None or mark[0] not in "└`":
        return {}
    column = mark.start()
    changed: dict[int, str] = {}
    for number in range(block.start - 1, 0, -1):
        line = lines[number - 1]
        if not line.strip():
            continue
        match = _CONNECTOR.search(line)
        if match is not None and match.start() == column:
            corner = "└" if match[0] == "├" else "`" if match[0] == "|" else match[0]
            return {**changed, number: line[:column] + corner + line[column + 1 :]}
        if match is None or match.start() < column:
            break
        if line[column : column + 1] in ("│", "|"):
            changed[number] = f"{line[:column]} {line[column + 1 :]}"
    return {}


def _has_sibling(lines: Sequence[str], block: range, statement: Statement) -> bool:
    """Return whether a list has another entry, or what is above it makes sense without one."""
    depth = indentation_of(statement.lines[0])
    for number in range(block.stop, len(lines) + 1):
        line = lines[number - 1]
        if line.strip():
            if indentation_of(line) == depth and _MARKER.match(line):
                return True
            break
    for number in range(block.start - 1, 0, -1):
        line = lines[number - 1]
        if line.strip() and indentation_of(line) <= depth:
            is_entry = _MARKER.match(line) is not None
            if is_entry and indentation_of(line) == depth:
                return True
            return is_entry and depth > 0 and not line.rstrip().endswith((":", "："))
    return False


def _renumbered(lines: Sequence[str], block: range, depth: int, start: int) -> dict[int, str]:
    """Return the later entries of a numbered list, each one less; none if all of them have the same number."""
    changed: dict[int, str] = {}
    for number in range(block.stop, len(lines) + 1):
        line = lines[number - 1]
        if not line.strip() or indentation_of(line) > depth:
            continue
        match = _NUMBERED.match(line)
        if match is None or len(match[1]) != depth or int(match[2]) != start + len(changed) + 1:
            break
        changed[number] = f"{match[1]}{start + len(changed)}{match[3]}"
    return changed


def is_entry_of(statement: Statement, gone: Container[str]) -> bool:
    """Return whether a statement only says where something is, and all of that is gone."""
    if statement.kind == TREE:  # two trees may be drawn beside each other
        return len(_CONNECTOR.findall(statement.lines[0])) < 2
    if statement.kind not in (BULLET, ROW):
        return False
    text = cells_of(statement.lines[0])[0] if statement.kind == ROW else _MARKER.sub("", statement.text)
    if statement.kind == ROW and _is_labelled(text):
        return False
    plain = _LINK.sub(r"`\1`", _EMPHASIS.sub("", text)).strip()
    match = _SUBJECT.match(plain) or (
        (_LABELLED.match(plain) or _IN_BRACKETS.match(plain)) if statement.kind == BULLET else None
    )
    return match is not None and all(name in gone for name in _NAME.findall(match[1]))


def _is_labelled(cell: str) -> bool:
    """Return whether a cell links a name of something else, which the other cells of its row may be about."""
    match = _LINK.search(cell)
    return match is not None and match[0][1:].partition("]")[0].strip("`") not in match[1]


def block_of(lines: Sequence[str], statement: Statement) -> range:
    """Return the lines of an entry and of everything nested below it, numbered from 1."""
    if statement.kind not in (BULLET, TREE):
        return range(statement.line, statement.last + 1)
    measure = depth_in_tree if statement.kind == TREE else indentation_of
    depth, last = measure(statement.lines[0]), statement.last
    for number in range(statement.last + 1, len(lines) + 1):
        line = lines[number - 1]
        if line.strip():
            if measure(line) <= depth or line.lstrip().startswith(("```", "~~~")):
                break
            last = number
    return range(statement.line, last + 1)


def without(line: str, name: str) -> str:
    """Return a line without one of several names that it lists; the unchanged line if it lists no others.

    It is also unchanged if it says how many there are, or would speak of one name as of several.
    """
    quoted = re.escape(f"`{name}`")
    if len(re.findall(quoted, line)) != 1 or _SEVERAL.search(re.sub(r"`[^`]*`|\]\([^)]{0,1000}\)", "", line)):
        return line
    for pattern, replacement in (
        (rf"(?<=`), {quoted}(?=,? (?:and|or|&) `|, `)", ""),  # in the middle
        (rf"{quoted}(?:, |、)(?!and |or )(?=`)", ""),  # the first of several
        (rf"(?<!, ){quoted} (?:and|or|&) (?=`)", ""),  # the first of two
        (rf"(?<!, )(?<!、)(?P<first>`[^`]+`) (?:and|or|&) {quoted}", r"\g<first>"),  # the second of two
        (rf"(?<=`)(?:, |、){quoted}(?!,? (?:and|or|&) )", ""),  # the last one
    ):
        changed, count = re.subn(pattern, replacement, line)
        if count:
            return line if _is_read_as_several(line, quoted) else changed
    return line


def _is_read_as_several(line: str, quoted: str) -> bool:
    """Return whether a sentence would speak of one name as of several without another: "the files `a`", "`a` are"."""
    listed = re.search(rf"(?:`[^`]+`{_AND})*{quoted}(?:{_AND}`[^`]+`)*", line)
    if listed is None or len(_NAME.findall(listed[0])) > 2:
        return False
    before, after = line[: listed.start()], line[listed.end() :]
    return _PLURAL.search(before) is not None or re.match(r"\s*[A-Za-z]", after) is not None
