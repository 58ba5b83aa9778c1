"""What came of each claim, as data. Pure."""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

HOLDS, FALSE, NEVER = "holds", "false", "never-held"


@frozen
class Source:
    """Where the code says what a claim is about.

    Attributes:
        path: The file.
        line: The line; 0 for the file as a whole.
        actual: What it says there.
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
    """What decides a claim in the past.

    Attributes:
        path: The file.
        holds: Returns whether the claim holds for a text of it.
        near: A word of every line that the answer depends on; empty if there is none.
    """

    path: str
    holds: Callable[[str], bool]
    near: str = ""


@frozen
class Culprit:
    """The commit after which a claim was false.

    Attributes:
        commit: The commit.
        subject: The first line of its message.
        author: The author's name.
        date: When it was written.
        merge: The merge that brought it to the line of first parents; None for a commit on that line.
    """

    commit: str
    subject: str = ""
    author: str = ""
    date: str = ""
    merge: Culprit | None = None


@frozen
class Finding:
    """One claim, judged.

    Attributes:
        document: Where it is claimed.
        statement: The statement.
        claim: The claim.
        verdict: ``holds``, ``false`` or ``never-held``.
        source: Where the code says so, or says otherwise.
        held: Whether it held when the line was written; None if that is not known.
        wrote: The commit that last wrote the line; empty if it was not looked up.
        then: What its places were called when the line was written: the path that is gone.
        now: Where that path is now; empty if it is gone altogether.
        probe: How the past is asked about it; None for a path.
        culprit: The commit that made it false; of a path that was not there when its line was written, the commit that
            removed it, if it ever was there.
        more: Other lines of the document that say the same.
        fix: What the document should say instead of the token; empty if that is not known.
        cut: The lines that should go, because what they are about is gone; empty for none.
        is_surplus: Whether the token alone should go, from a list of names.
        check: The built-in check that proves it, as the mapping of a fact; None if there is none.
    """

    document: Document
    statement: Statement
    claim: Claim
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


@frozen
class Adoption:
    """What the documents of one commit say, judged.

    Attributes:
        commit: The commit.
        documents: The documents that were read.
        findings: The claims, by document and line.
        unchecked: Statements without a claim that can be checked, with their documents.
        notes: What a reader should know besides: what was cut short.
        base: The commit before the change whose false statements these are; empty if all of them are.
    """

    commit: str
    documents: Sequence[Document]
    findings: Sequence[Finding]
    unchecked: Sequence[tuple[Document, Statement]]
    notes: Sequence[str] = ()
    base: str = ""

    def of(self, verdict: str) -> list[Finding]:
        """Return the findings with a verdict."""
        return [finding for finding in self.findings if finding.verdict == verdict]
