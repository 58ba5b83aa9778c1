"""Find what two documents about the same folder say differently where the code does not decide. Pure."""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.claims.claim import COMMAND, VALUE, VERSION, is_example
from gitmem.commands.adopt.claims.commands import list_commands
from gitmem.commands.adopt.documents import DECISION
from gitmem.commands.adopt.findings import HOLDS, Contradiction, Mention, Side
from gitmem.commands.adopt.judge.products import parts_of, product_of
from gitmem.commands.adopt.judge.values import is_same
from gitmem.commands.adopt.kinds.project.style import STYLE
from gitmem.commands.adopt.statements import CODE, TREE
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.claims.commands import Command
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.statements import Statement

    Read = tuple[Document, Statement, Sequence[Claim]]

# Prompts and examples: what they say is about any project.
_GENERAL = re.compile(r"(?:^|/)(?:skills|prompts|agents|commands|chatmodes|examples?|templates?)/", re.I)
# Sentences and headings about a part, another machine, another time or a choice.
_SCOPED = re.compile(
    r"\b(?:if|when|unless|before|until|since|prior|earlier|older|newer than|legacy|optional(?:ly)?|"
    r"alternative(?:s|ly)?|recommend(?:ed|s)?|windows|macos|linux|wsl|docker|container|CI|production|staging|deploy\w*|"
    r"tests?|tested|examples?|upgrad\w+|migrat\w+|plan\w*|future|compatib\w+|also)\b|推荐|建议",
    re.I,
)
# The scripts that start a project's server.
_SERVING = frozenset({"dev", "start", "serve", "develop"})
_MANAGERS = {"npm": "package-lock.json", "pnpm": "pnpm-lock.yaml", "yarn": "yarn.lock", "bun": "bun.lock"}
# A name that means the same wherever it is written.
_SPECIFIC = re.compile(r"[A-Za-z0-9][_.-][A-Za-z0-9]|[a-z][A-Z]")
_ENTERED = re.compile(r"(?<![\w-])cd +\.?/?([\w][\w./-]{0,200})")
_SIGNS = {"at-least": "{}+"}


@frozen
class _Saying:
    """What a line says about a subject."""

    topic: tuple[str, str, str]  # what is compared, its name, the folder
    subject: str
    value: str
    relation: str
    path: str
    line: int
    source: str


def find_contradictions(
    read: Iterable[Read], findings: Iterable[JudgedClaim], files: Container[str]
) -> list[Contradiction]:
    """Return what documents say differently, by subject.

    Only documents about the same folder are compared; one that says several things about a subject says nothing of it
    as a whole. Where the code decides, the false statement is an alarm, and no contradiction.

    Args:
        read: The statements with their claims, document by document.
        findings: The judged claims.
        files: The paths of the code.
    """
    judged = {(finding.document.path, finding.claim): finding for finding in findings}
    topics: dict[tuple[str, str, str], dict[str, list[_Saying]]] = {}
    for saying in _list_sayings(list(read), judged, files):
        topics.setdefault(saying.topic, {}).setdefault(saying.path, []).append(saying)
    contradictions = []
    for by_document in topics.values():
        clear = [those for those in by_document.values() if all(_agree(those[0], saying) for saying in those)]
        if (contradiction := _compare([_clearest(those) for those in clear])) is not None:
            contradictions.append(contradiction)
    return sorted(contradictions, key=lambda contradiction: (contradiction.sides[0].places[0], contradiction.subject))


def _list_sayings(
    read: Sequence[Read], judged: dict[tuple[str, Claim], JudgedClaim], files: Container[str]
) -> Iterator[_Saying]:
    folders = _folders_by_section(read)
    sections: dict[tuple[str, str], set[str]] = {}
    for document, statement, claims in read:
        if scripts := _scripts_in(claims):
            sections.setdefault((document.path, statement.section), set()).update(scripts)
    for document, statement, claims in read:
        if document.kind == DECISION or _GENERAL.search(document.path):
            continue
        entered = folders.get((document.path, statement.section), set())
        if len(entered) < 2:
            folder = posixpath.normpath(posixpath.join(document.folder, next(iter(entered), "")))
            yield from _managers(document, statement, claims, "" if folder == "." else folder, files)
        if statement.kind == TREE or _is_about_a_part(statement):
            continue
        for claim in claims:
            finding = judged.get((document.path, claim))
            is_past = Mention(document, statement, claim).is_past
            if is_past or (finding is not None and finding.verdict != HOLDS):
                continue  # history, an alarm, or one that was never true
            source = finding.source.where if finding and finding.source else ""
            if topic := _topic_of(
                claim, _scripts_in(claims) or sections.get((document.path, statement.section), set())
            ):
                where = document.path, claim.line
                yield _Saying((*topic[:2], document.folder), topic[2], claim.stated, claim.relation, *where, source)


def _is_about_a_part(statement: Statement) -> bool:
    return _SCOPED.search(f"{statement.section} {statement.text}") is not None or is_example(statement.text)


def _folders_by_section(read: Iterable[Read]) -> dict[tuple[str, str], set[str]]:
    """Return the folders that sections enter with ``cd``, by document and section; a fresh clone is the root."""
    folders: dict[tuple[str, str], set[str]] = {}
    cloned = set()
    for document, statement, _ in read:
        place, text = (document.path, statement.section), statement.text
        if "git clone" in text:
            cloned.add(place)
        if "cd " in text and place not in cloned:
            folders.setdefault(place, set()).update(_ENTERED.findall(text))
    return folders


def _scripts_in(claims: Iterable[Claim]) -> set[str]:
    return {
        claim.name for claim in claims if claim.kind == COMMAND and claim.tool == "script" and claim.name in _SERVING
    }


def _topic_of(claim: Claim, scripts: set[str]) -> tuple[str, str, str] | None:
    """Return what a claim is compared with, the name there, and its subject as people say it; None if with nothing."""
    if claim.kind == VERSION and claim.relation in ("is", "at-least") and product_of(claim.name):
        return VERSION, product_of(claim.name), claim.name
    if claim.kind == VALUE and claim.tool == "port":
        name = next(iter(scripts), "")
        return ("port", name, f"The port of `{name}`") if len(scripts) == 1 else None
    if claim.kind == STYLE:
        return STYLE, claim.name, claim.name.capitalize()
    if claim.kind == VALUE and not claim.tool and claim.is_certain and _SPECIFIC.search(claim.name):
        return VALUE, claim.name, f"The default of `{claim.name}`"
    return None


def _managers(
    document: Document, statement: Statement, claims: Sequence[Claim], folder: str, files: Container[str]
) -> Iterator[_Saying]:
    """Yield the package managers that a statement runs the scripts of a folder with."""
    lines = {claim.line for claim in claims if claim.kind == COMMAND and claim.tool == "script" and claim.is_certain}
    for command in list_commands(statement) if any(tool in statement.text for tool in _MANAGERS) else ():
        tool = command.words[0]
        if tool in _MANAGERS and (command.line in lines or _installs_all(statement, command)):
            lock = posixpath.join(folder, _MANAGERS[tool])
            source = lock if lock in files else ""
            topic = "manager", "", folder
            yield _Saying(topic, "The package manager", tool, "is", document.path, command.line, source)


def _installs_all(statement: Statement, command: Command) -> bool:
    """Return whether a line of a code block installs what the project lists: no package, and no talk of installing."""
    is_install = command.words[1:2] in (("install",), ("i",), ("ci",))
    return statement.kind == CODE and is_install and all(word.startswith("-") for word in command.words[2:])


def _agree(one: _Saying, other: _Saying) -> bool:
    """Return whether both can be true of one project."""
    if one.topic[0] != VERSION:
        return is_same(one.value, other.value, one.topic[1])
    left, right = parts_of(one.value), parts_of(other.value)
    size = min(len(left), len(right))
    if left[:size] == right[:size]:
        return True
    if one.relation == other.relation:
        return False
    exact, least = (left, right) if one.relation == "is" else (right, left)
    return exact >= least


def _clearest(sayings: Sequence[_Saying]) -> _Saying:
    """Return the most exact one of sayings that agree, the first of equal ones."""
    return max(
        sayings,
        key=lambda saying: (
            (len(parts_of(saying.value)), -saying.line) if saying.topic[0] == VERSION else (0, -saying.line)
        ),
    )


def _compare(sayings: Sequence[_Saying]) -> Contradiction | None:
    """Return the contradiction between what documents say, one saying for each; None if they agree."""
    sides: list[list[_Saying]] = []
    for saying in sorted(sayings, key=lambda saying: (saying.path, saying.line)):
        same = next((side for side in sides if _agree(side[0], saying)), None)
        if same is None:
            sides.append([saying])
        else:
            same.append(saying)
    # The code has all of them: two servers, two packages.
    if len(sides) < 2 or all(any(saying.source for saying in side) for side in sides):
        return None
    return Contradiction(sayings[0].subject, tuple(map(_side, sides)))


def _side(sayings: Sequence[_Saying]) -> Side:
    first = sayings[0]
    source = next((saying.source for saying in sayings if saying.source), "")
    places = tuple(f"{saying.path}:{saying.line}" for saying in sayings)
    return Side(_SIGNS.get(first.relation, "{}").format(first.value), places, source)


def find_right_places(finding: JudgedClaim, findings: Iterable[JudgedClaim]) -> tuple[str, ...]:
    """Return where other documents say what a false statement should say, as ``file:line``, sorted."""
    right = (finding.fix, finding.now, finding.source.actual if finding.source else "")
    wanted = {text.strip("/") for text in right if text}
    right_places = {
        f"{judged.document.path}:{judged.claim.line}"
        for judged in findings
        if judged.verdict == HOLDS
        and judged.claim.kind == finding.claim.kind
        and judged.document.path != finding.document.path
        and judged.document.folder == finding.document.folder
        and _is_right(judged.claim, finding.claim, wanted)
    }
    return tuple(sorted(right_places))


def _is_right(claim: Claim, false: Claim, wanted: Container[str]) -> bool:
    if not false.stated:
        return claim.token.strip("/") in wanted or any(place in wanted for place in claim.places[:1])
    is_same_name = claim.name.lower() == false.name.lower() if false.kind == VERSION else claim.name == false.name
    return is_same_name and (claim.stated in wanted if false.tool else claim.stated != false.stated)
