"""The judgement of each claim, as data. Pure."""

from __future__ import annotations

import re
from collections import Counter

from gitmem.commands.adopt.claims.claim import COMMAND, PATH, SUBCOMMAND, is_denied, is_log, is_refused
from gitmem.commands.adopt.documents import INSTRUCTIONS
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.ignored import IgnoredStatement
    from gitmem.commands.adopt.statements import Statement

# A section with so many bare names of files that never existed, and fewer that exist, is about files elsewhere.
_MOST_LOST = 3
# A path that is certain to mean one: with an ending, or as a folder.
_FILE_OR_FOLDER = re.compile(r"\.\w{1,10}$|/$")
_STANDS_FOR_OTHERS = re.compile(
    r"[\[\]]|YYYY|XXX|NNN|(?-i:X\.Y)|(?-i:MAJOR|MINOR|VERSION|NAME)|(?:snake|kebab|camel|pascal)[-_]?case|"
    r"(?<![a-z])(?:foo|bar|baz|your|my|some|example|path/to)(?![a-z])|^file\.",
    re.I,
)
# A known statement is false and in the baseline.
HOLDS, FALSE, NEVER, KNOWN = "holds", "false", "never-held", "known"


@frozen
class Mention:
    """A claim, with the statement and the document that make it."""

    document: Document
    statement: Statement
    claim: Claim

    @property
    def is_past(self) -> bool:
        """Return whether the statement or its remark says that the thing is gone, or it is an entry of a log."""
        statement, text = self.statement, self.statement.text
        return is_denied(text, self.claim.token) or is_log(statement.section, text) or is_refused(statement.remark)


@frozen
class Source:
    """The place in the code that decides a claim.

    Attributes:
        path: The file.
        line: The line; 0 for the file as a whole.
        actual: The text there.
    """

    path: str
    line: int = 0
    actual: str = ""

    @property
    def where(self) -> str:
        """Return it as ``file:line``."""
        return f"{self.path}:{self.line}" if self.line else self.path


@frozen
class Probe:
    """How to decide a claim in the past.

    Attributes:
        path: The file.
        holds: Returns whether the claim holds for a text of it.
        near: A word in every line that matters; empty if there is none.
    """

    path: str
    holds: Callable[[str], bool]
    near: str = ""


@frozen
class Culprit:
    """The commit that made a claim false.

    Attributes:
        commit: The commit.
        subject: The first line of its message.
        author: The author's name.
        date: When it was written.
        merge: The merge into the first-parent line; None for a commit on that line.
    """

    commit: str
    subject: str = ""
    author: str = ""
    date: str = ""
    merge: Culprit | None = None


@frozen
class JudgedClaim:
    """One claim, judged.

    Attributes:
        mention: The claim, and where it is made.
        verdict: ``holds``, ``false``, ``never-held`` or ``known``.
        source: The place in the code that confirms or contradicts it.
        held: Whether it held when the line was written; None if unknown.
        wrote: The commit that last wrote the line; empty if it was not looked up.
        then: The path that it meant when the line was written, and that no longer exists.
        now: The present path of that file; empty if it was deleted.
        probe: How to decide it in the past; None for a path.
        culprit: The commit that made it false; for a path that did not exist when its line was written, the commit that
            had removed it, if any.
        more: Other lines of the document that say the same.
        fix: The replacement for the token; empty if unknown.
        cut: The lines to delete, because their subject no longer exists; empty for none.
        is_surplus: Whether to delete only the token, from a list of names.
        check: The built-in check that proves it, as the mapping of a fact; None if there is none.
        home: The file that the statement says has the name, if the name is no longer defined there.
        left: The test or example that still has a name which is gone from the program; empty if none has.
        is_contradicted: Whether the source contradicts the claim; otherwise it confirmed it in the past.
        right: Where other documents say what this one should say, as ``file:line``.
    """

    mention: Mention
    verdict: str
    source: Source | None = None
    held: bool | None = None
    wrote: str = ""
    then: str = ""
    now: str = ""
    probe: Probe | None = None
    culprit: Culprit | None = None
    more: tuple[int, ...] = ()
    fix: str = ""
    cut: range = range(0)
    is_surplus: bool = False
    check: Mapping[str, Any] | None = None
    home: str = ""
    left: str = ""
    is_contradicted: bool = False
    right: tuple[str, ...] = ()

    @property
    def document(self) -> Document:
        """Return the document that makes the claim."""
        return self.mention.document

    @property
    def statement(self) -> Statement:
        """Return the statement that makes it."""
        return self.mention.statement

    @property
    def claim(self) -> Claim:
        """Return the claim."""
        return self.mention.claim


@frozen
class Correction:
    """One line of a document, corrected.

    Attributes:
        path: The document.
        line: The line, from 1.
        before: Its text.
        after: Its corrected text; None to delete the line.
        context: The lines that it depends on, by number: it, and those of its paragraph, list, table or tree.
    """

    path: str
    line: int
    before: str
    after: str | None
    context: Mapping[int, str]


@frozen
class Side:
    """What one or several documents say.

    Attributes:
        says: The value.
        places: Where they say so, as ``file:line``, sorted.
        source: The place in the code that says the same, as ``file`` or ``file:line``; empty if there is none.
    """

    says: str
    places: tuple[str, ...]
    source: str = ""


@frozen
class Contradiction:
    """What documents say differently.

    Attributes:
        subject: What it is about, such as ``The package manager``.
        sides: What they say, at least two, in the order of their first places.
    """

    subject: str
    sides: tuple[Side, ...]


@frozen
class Adoption:
    """The judged statements in the documents of one commit.

    Attributes:
        commit: The commit.
        documents: The documents that were read.
        findings: The claims, by document and line.
        unchecked: Statements without a checkable claim, with their documents.
        notes: Further notes, for example on limits that were reached.
        base: The commit before the change whose false statements these are; empty if they are all false statements.
        corrections: The corrected lines, by document and line, each proved in its document.
        ignored: The statements that comments tell to ignore, with their documents.
        since: The commit after which the statements were written; empty if they are all statements.
        closed: The documents that were left out, because they are about work that is done.
        contradictions: What two documents say differently where the code does not decide, by the first place; empty
            with ``base`` or ``since``.
        unjudged: The statements that were left out because the CPU time was used up, with their documents.
    """

    commit: str
    documents: Sequence[Document]
    findings: Sequence[JudgedClaim]
    unchecked: Sequence[tuple[Document, Statement]]
    notes: Sequence[str] = ()
    base: str = ""
    corrections: Sequence[Correction] = ()
    ignored: Sequence[tuple[Document, IgnoredStatement]] = ()
    since: str = ""
    closed: Sequence[Document] = ()
    contradictions: Sequence[Contradiction] = ()
    unjudged: Sequence[tuple[Document, Statement]] = ()

    def list_unfounded(self) -> list[list[JudgedClaim]]:
        """Return the commands and files that never were there, those of instruction files first.

        Each comes with all places that name it. Entries of folder trees, placeholders, and words that only look like
        paths (``if/else``) are left out. So are bare names in a section that names more of those that never were than
        of the repository's: it is about an archive, a home folder or what the program writes.
        """
        by_token: dict[tuple[str, str], list[JudgedClaim]] = {}
        lost, there = (Counter(map(_section_of, filter(_is_bare, self.of(verdict)))) for verdict in (NEVER, HOLDS))
        for judged in self.of(NEVER):
            claim = judged.claim
            is_path = claim.kind == PATH and claim.tool != "tree" and _FILE_OR_FOLDER.search(claim.token)
            part = _section_of(judged)
            is_elsewhere = _is_bare(judged) and lost[part] >= _MOST_LOST and lost[part] > there[part]
            is_meant = claim.kind in (COMMAND, SUBCOMMAND) or (is_path and not is_elsewhere)
            is_meant = is_meant and not stands_for_others(claim.token)
            if is_meant and judged.held is not None:
                by_token.setdefault((claim.kind, claim.token), []).append(judged)
        # Agents try what their instructions name.
        for places in by_token.values():
            places.sort(key=lambda judged: judged.document.kind != INSTRUCTIONS)
        return sorted(by_token.values(), key=lambda places: places[0].document.kind != INSTRUCTIONS)

    def of(self, verdict: str) -> list[JudgedClaim]:
        """Return the findings with a verdict."""
        return [finding for finding in self.findings if finding.verdict == verdict]


def stands_for_others(token: str) -> bool:
    """Return whether a path or command stands for many: `docs/NNNN-name.md`, `path/to/file.py`."""
    return _STANDS_FOR_OTHERS.search(token) is not None


def _is_bare(finding: JudgedClaim) -> bool:
    return finding.claim.kind == PATH and "/" not in finding.claim.token.rstrip("/")


def _section_of(finding: JudgedClaim) -> tuple[str, str]:
    return finding.document.path, finding.statement.section
