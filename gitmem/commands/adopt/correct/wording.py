"""Ways to word the correction of a false claim: the changed lines of a draft, best first. Pure.

Each is only a proposal: ``Draft.replace`` decides whether the document is right with it.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from urllib.parse import quote

from gitmem.commands.adopt.claims.claim import COMMAND, PATH, VERSION
from gitmem.commands.adopt.claims.commands import spell_script
from gitmem.commands.adopt.correct.draft import Wording
from gitmem.commands.adopt.findings import HOLDS
from gitmem.commands.adopt.statements import CODE, ROW
from gitmem.frozen import replace
from gitmem.text.corrections import (
    as_exact,
    code_spans,
    is_same_type,
    like_case,
    replace_path,
    replace_target,
    replace_word,
    word_places,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.correct.draft import Draft
    from gitmem.commands.adopt.correct.successor import Successor
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.statements import Statement

# The most ways to write several mentions of one path that are tried.
MOST_WAYS = 8
_VALUE = re.compile(r"[^\s`|<>*,]{1,60}")


def wordings_of(finding: JudgedClaim, successor: Successor, draft: Draft, number: int) -> Iterator[Wording]:
    """Yield the ways to correct a finding on one of its lines."""
    statement = draft.statement_at(number)
    if statement is None:
        return
    kind = finding.claim.kind
    if successor.path and not successor.is_retired:
        old = finding.home or finding.then
        yield from path_wordings(draft, number, (old, successor.path), finding, is_home=bool(finding.home))
    elif successor.name and kind == COMMAND:
        yield from _command_wordings(finding, successor.name, statement)
    elif successor.value:
        yield from _value_wordings(finding, successor.value, statement, number)


def path_wordings(
    draft: Draft, number: int, move: tuple[str, str], finding: JudgedClaim | None = None, *, is_home: bool = False
) -> Iterator[Wording]:
    """Yield the ways to write another path on a line: all of its mentions at once, then one by one.

    Args:
        draft: The document.
        number: The line.
        move: The old path and the new one.
        finding: The finding that is about it; without one, what is below the old path moves with it.
        is_home: Whether the old file is still there, and only what the line says is in it moved.
    """
    statement, (old, new) = draft.statement_at(number), move
    if statement is None:
        return
    judged = [
        (claim, judged) for claim, judged in draft.judged(statement) if claim.kind == PATH and claim.line == number
    ]
    if any(one is not None and one.verdict == HOLDS and one.source and one.source.path == new for _, one in judged):
        return  # the line names it already
    line = statement.lines[number - statement.line]
    found: list[tuple[Claim, str, list[str]]] = []
    for claim, one in judged:
        below = _part_below(claim, one, old, finding, is_home=is_home)
        if below is not None:
            there = f"{new}{below}"
            for twin in _twins(claim, line):
                found.append((twin, there, respell(twin, draft.document, f"{old}{below}", there)))
    groups = [found, *([item] for item in found if len(found) > 1)]
    for group in groups:
        ways = itertools.product(*(spelled for _, _, spelled in group))
        for tokens in itertools.islice(ways, MOST_WAYS) if group else ():
            changed, places = line, {}
            for (claim, there, _), token in zip(group, tokens, strict=True):
                changed = _with_path(changed, claim, token, statement)
                places[claim.tool == "link", there] = True
            main = next((at for at, item in enumerate(group) if finding and item[0] == finding.claim), 0)
            yield Wording({number: changed}, tokens[main], group[main][0].token, _path_test(finding, places))


def _twins(claim: Claim, line: str) -> list[Claim]:
    """Return a claim, and the same path in the other form: a link names it in its text and in its target."""
    if claim.tool not in ("", "link"):
        return [claim]
    other = replace(claim, tool="" if claim.tool else "link")
    has_other = (replace_path if claim.tool else replace_target)(line, claim.token, "") != line
    return [claim, other] if has_other else [claim]


def _part_below(
    claim: Claim, judged: JudgedClaim | None, old: str, finding: JudgedClaim | None, *, is_home: bool
) -> str | None:
    """Return the part of a path below another one, with its slash; None if the claim is not about it."""
    if judged is not None and judged.verdict == HOLDS:
        return "" if is_home and judged.source is not None and judged.source.path == old else None
    then = judged.then if judged is not None else ""
    if finding is not None:
        is_named = claim.name == finding.claim.name or old in claim.places or claim.tool == "tree"
        is_same = then == old or (not then and is_named)
        return "" if is_same and not is_home else None
    near = next((place for place in (then, *claim.places) if place == old or place.startswith(f"{old}/")), None)
    return None if near is None else near[len(old) :]


def _path_test(finding: JudgedClaim | None, places: Mapping[tuple[bool, str], bool]) -> Callable[[JudgedClaim], bool]:
    def is_right(judged: JudgedClaim) -> bool:
        claim, where = judged.claim, judged.source.path if judged.source else ""
        if judged.verdict != HOLDS:
            return False
        if finding is not None and finding.home:
            return claim.kind == finding.claim.kind and claim.name == finding.claim.name
        is_link = claim.tool == "link"
        # A link leads where its own folder says, not to what only has the same name.
        return claim.kind == PATH and (is_link, where) in places and (not is_link or claim.places[:1] == (where,))

    return is_right


def respell(claim: Claim, document: Document, old: str, new: str) -> list[str]:
    """Return the ways to write a new path like an old one: relative to the same place, with the same ends."""
    token = claim.token
    beside = posixpath.dirname(document.path)
    if claim.tool == "tree":
        # An entry stays in its folder: it may only have another name there.
        parents = {posixpath.dirname(place) for place in claim.places}
        if new == document.folder and "/" not in claim.name:  # the document's own folder
            return [posixpath.basename(new)]
        is_beside = posixpath.dirname(new) in parents and new.count("/") == old.count("/")
        return [posixpath.basename(new)] if is_beside else []
    end = "/" if token.endswith("/") else ""
    if claim.tool == "link":
        return [_as_link(token, posixpath.relpath(new, beside or "."), new, end)]
    if token.startswith("/"):
        return [f"/{new}{end}"]
    if token.startswith("."):
        start = "./" if token.startswith("./") else ""
        near = [posixpath.relpath(new, base or ".") for base in dict.fromkeys((document.folder, beside))]
        # What was written from the root stays so.
        rooted = [new] if start and posixpath.normpath(token) == old else []
        return [
            f"{'' if spelling.startswith('..') else start}{spelling}{end}"
            for spelling in dict.fromkeys((*rooted, *near))
        ]
    bare = token.strip("/")
    prefix = old[: -len(bare)].rstrip("/") if old.endswith(bare) else ""
    bases = (prefix, document.folder, beside) if prefix else ()
    inside = [new[len(base) + 1 :] for base in bases if base and new.startswith(f"{base}/")]
    return [f"{spelling}{end}" for spelling in dict.fromkeys((*inside, new))]


def _as_link(token: str, relative: str, new: str, end: str) -> str:
    """Return a link's new target, from the root or relative as the old one, and escaped like it."""
    start = "./" if token.startswith("./") and not relative.startswith(".") else ""
    target = f"/{new}{end}" if token.startswith("/") else f"{start}{relative}{end}"
    if re.fullmatch(r"[\w/.~+@,\-\[\]]*", target) and "%" not in token:
        return target
    return quote(target, safe="/-._~" if "%" in token else "/-._~+@,[]")


def _with_path(line: str, claim: Claim, token: str, statement: Statement) -> str:
    if claim.tool == "link":
        return replace_target(line, claim.token, token)
    if claim.tool == "tree":
        entry = re.search(
            rf"(?<=[\s─–-]){re.escape(claim.token)}(?=[/\s]|$)|^{re.escape(claim.token)}(?=[/\s]|$)", line
        )
        return replace_word(line, [entry.span()] if entry else [], token, is_aligned=True)
    return replace_path(line, claim.token, token, is_aligned=statement.kind in (CODE, ROW))


def _command_wordings(finding: JudgedClaim, name: str, statement: Statement) -> Iterator[Wording]:
    """Yield the ways to write a command with another target, in each place where the old one may be."""
    claim = finding.claim
    old = claim.token.rpartition(" ")[2]
    new = spell_script(claim.token, name) if claim.tool == "script" else name
    fix = f"{claim.token.removesuffix(old)}{new}"

    def is_right(judged: JudgedClaim) -> bool:
        return judged.verdict == HOLDS and judged.claim.kind == COMMAND and judged.claim.name == name

    for at, line in enumerate(statement.lines, statement.line):
        inside = [(0, len(line))] if statement.kind == CODE else code_spans(line)
        places = [
            place for place in word_places(line, old) if _is_argument(line, place[0], claim.token.split()[0], inside)
        ]
        for some in (places, *([place] for place in places if len(places) > 1)):
            if some:
                changed = replace_word(line, some, new, is_aligned=statement.kind == CODE)
                yield Wording({at: changed}, fix, claim.token, is_right)


def _is_argument(line: str, at: int, tool: str, inside: Sequence[tuple[int, int]]) -> bool:
    """Return whether a place in a line is in code, behind a program's name in the same command."""
    start = next((first for first, last in inside if first <= at < last), None)
    return start is not None and re.search(rf"(?<![\w-]){re.escape(tool)}\s[^&|;#]*$", line[start:at]) is not None


def _value_wordings(finding: JudgedClaim, value: str, statement: Statement, number: int) -> Iterator[Wording]:
    """Yield the ways to write a value instead of the stated one, that behind its name first.

    None if the statement has the value more than once: who reads it must decide which of them are meant.
    """
    claim = finding.claim
    line = statement.lines[number - statement.line]
    if finding.fix:  # the judge has worded it
        old, new = claim.token, value
    else:
        old, new = (
            claim.stated,
            as_exact(claim.stated, value) if claim.kind == VERSION else like_case(claim.stated, value),
        )
    if not finding.fix and not (is_same_type(old, new) and all(_VALUE.fullmatch(value) for value in (old, new))):
        return

    def is_right(judged: JudgedClaim) -> bool:
        one = judged.claim
        is_it = one.name == claim.name and new in (one.stated, one.token)
        return judged.verdict == HOLDS and one.kind == claim.kind and is_it

    named, places = max(line.find(claim.name), 0), word_places(line, old)
    if claim.kind != VERSION and sum(len(word_places(line, old)) for line in statement.lines) > 1:
        return
    # Of "Go 1.24 to 1.26, must build on 1.24" only one mention is read; "1.24 apples" are something else.
    loose = [place for place in places if not re.match(r" \w", line[place[1] :])] if claim.kind == VERSION else []
    for place in sorted(places, key=lambda spot: (spot[0] < named, spot[0])):
        if any(spot != place for spot in loose):
            continue
        changed = replace_word(line, [place], new, is_aligned=statement.kind in (CODE, ROW))
        yield Wording({number: changed}, new, old, is_right)
