"""A finding about a fact: the common form of results that ``check`` and ``verify`` report."""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.index.catalog import short_ids
from gitmem.model import BLOCKED, VERIFIED
from gitmem.store.code_folder import is_home
from gitmem.verify.overview.cause import Case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog

# Kinds of findings.
BROKEN = "newly_false"
FAILED = "failed"
WRONG = "wrong_verdict"
SILENCED = "silenced"
SUSPECT = "suspect"
OUTDATED = "outdated"
UNCHECKED = "unchecked"
STILL = "still_false"
OUTSIDE = "outside"
UNSTEADY = "unsteady"
MENDED = "newly_true"
RETIRED = "retired"
HOLDS = "holds"

# Why a fact could not be checked: its command is approved neither here nor by a list.
NOT_APPROVED = "not approved"

# Severity of a finding.
ERROR = "error"
WARNING = "warning"
NOTE = "note"


@frozen
class FindingWords:
    """How one kind of finding is shown, in every output format.

    Attributes:
        status: The status whose mark and colour it has.
        level: ``error``, ``warning``, ``note``, or empty where nothing is wrong.
        phrase: The text after the key.
        many: The same for several facts.
        heading: The heading of a list of them.
        meaning: What the kind means, one sentence.
        case: Its element in a JUnit report: ``failure``, ``error``, ``skipped``, or empty for a test that passed.
    """

    status: str
    level: str
    phrase: str
    many: str
    heading: str
    meaning: str
    case: str = ""


# All kinds, the most important first.
WORDS = {
    BROKEN: FindingWords(
        FAILED,
        ERROR,
        "becomes false",
        "become false",
        "Becomes false",
        meaning="The fact held before the change and does not hold with it.",
        case="failure",
    ),
    FAILED: FindingWords(
        FAILED,
        ERROR,
        "does not hold",
        "do not hold",
        "Failed",
        meaning="The fact's check says that it does not hold.",
        case="failure",
    ),
    WRONG: FindingWords(
        FAILED,
        ERROR,
        "has a wrong verdict",
        "have wrong verdicts",
        "Wrong verdicts",
        meaning="A verdict on the memory branch differs from the answer of its built-in check for the same inputs.",
        case="failure",
    ),
    SILENCED: FindingWords(
        FAILED,
        WARNING,
        "is silenced by the change",
        "are silenced by the change",
        "Silenced by this change",
        meaning="The change's own memories hide, remove, supersede or weaken this fact, and the change touches files "
        "that it reads.",
        case="failure",
    ),
    SUSPECT: FindingWords(
        SUSPECT,
        WARNING,
        "is suspect",
        "are suspect",
        "Suspect",
        meaning="A fact that this memory requires does not hold.",
        case="failure",
    ),
    OUTDATED: FindingWords(
        SUSPECT,
        WARNING,
        "is documented with an old path",
        "are documented with old paths",
        "Documents with old paths",
        meaning="The fact holds at the place that the change moves its files to, but the document names the old place.",
        case="skipped",
    ),
    # JUnit: a fact that could not be checked is a test that could not run.
    UNCHECKED: FindingWords(
        BLOCKED,
        WARNING,
        "could not be checked",
        "could not be checked",
        "Could not be checked",
        meaning="A fact that had to be checked could not be checked.",
        case="error",
    ),
    UNSTEADY: FindingWords(
        SUSPECT,
        WARNING,
        "is unsteady",
        "are unsteady",
        "Unsteady",
        meaning="The check holds, but gives different answers on the same code.",
        case="skipped",
    ),
    # JUnit: a fact that was false before is not a failure of this change.
    STILL: FindingWords(
        FAILED,
        NOTE,
        "was false before and still is",
        "were false before and still are",
        "False before and after",
        meaning="The change does not fix this fact.",
        case="skipped",
    ),
    OUTSIDE: FindingWords(
        FAILED,
        NOTE,
        "fails for a cause outside the repository",
        "fail for a cause outside the repository",
        "Failed for a cause outside the repository",
        meaning="The check depends on more than the repository, such as a date; the change is not to blame.",
        case="skipped",
    ),
    MENDED: FindingWords(
        VERIFIED,
        "",
        "becomes true",
        "become true",
        "Becomes true",
        meaning="The fact did not hold before the change and holds with it.",
    ),
    RETIRED: FindingWords(
        VERIFIED,
        "",
        "is retired by the change",
        "are retired by the change",
        "Retired by this change",
        meaning="The document that the fact was adopted from no longer says so.",
    ),
    HOLDS: FindingWords(VERIFIED, "", "holds", "hold", "Holds", meaning="The fact holds."),
}
KINDS = tuple(WORDS)
# The kinds that are listed one by one; facts that hold are only counted.
LISTED = tuple(kind for kind in KINDS if kind != HOLDS)


@frozen
class Spot:
    """A place in a file of the code.

    Attributes:
        path: The file.
        line: Its line, from 1; 0 where none can be named.
    """

    path: str
    line: int = 0


@frozen
class StatedLine:
    """A line of a document that states a fact.

    Attributes:
        spot: Where it is at the head.
        text: The line.
        where: The place that contradicts it, ``path:line``; empty if unknown.
        corrected: What the line should say; empty if unknown.
        is_in_diff: Whether the diff of the change shows the line.
        cut: The lines that should be removed, because their subject is gone; empty for none.
    """

    spot: Spot
    text: str
    where: str = ""
    corrected: str = ""
    is_in_diff: bool = False
    cut: range = range(0)

    @property
    def remove(self) -> str:
        """Return a request to remove these lines; empty for none."""
        return f"remove {describe_lines(self.cut)}" if self.cut else ""


def describe_lines(lines: range) -> str:
    """Format a range of line numbers in words."""
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"


@frozen
class FactFinding:
    """The result for one fact, or for a memory that rests on one.

    Attributes:
        key: Its key.
        title: Its title, as written.
        kind: One of ``KINDS``.
        because: The reason, on one line; empty where there is nothing to say.
        by: The author, or empty.
        fact: Where it is in the code tree; None if it is on the memory branch.
        places: The changed inputs, the most relevant first.
        path: Its path in its store.
        chain: For a suspect, the memories between it and the failed fact, that fact last.
        is_new: Whether the change itself introduces it: a fact without a base, or a memory that was not suspect before.
        culprit: The commit that broke it, where known.
        culprit_after: If only a range is known: the commit before the range that ends with ``culprit``; else empty.
        seconds: How long its check ran.
        moved: Where git renamed the files that the check names, if the change moved them (``verify.moves``).
        stated: The lines of documents that state it, if it becomes false, or that name an old path.
        short_id: Its short id; empty if it is not known.
    """

    key: str
    title: str
    kind: str
    because: str = ""
    by: str = ""
    fact: Spot | None = None
    places: tuple[Spot, ...] = ()
    path: str = ""
    chain: tuple[str, ...] = ()
    is_new: bool = False
    culprit: str = ""
    culprit_after: str = ""
    seconds: float = 0.0
    moved: str = ""
    stated: tuple[StatedLine, ...] = ()
    short_id: str = ""

    @property
    def name(self) -> str:
        """Return by what it is named to a person: its short id, else its key."""
        return self.short_id or self.key

    @property
    def is_waiting(self) -> bool:
        """Return whether it is waiting for a person's approval, which no change to the code can give."""
        return self.kind == UNCHECKED and self.because == NOT_APPROVED


def name_findings(findings: Iterable[FactFinding], catalog: Catalog) -> tuple[FactFinding, ...]:
    """Return findings with the short ids of their memories."""
    every = list(findings)
    ids = short_ids(catalog, [finding.key for finding in every])
    return tuple(replace(finding, short_id=ids.get(finding.key, "")) for finding in every)


def case_of(finding: FactFinding, *, more: str = "") -> Case:
    """Return what is grouped by cause: a finding in the words of its kind, with *more* in brackets."""
    words = WORDS[finding.kind]
    return Case(
        finding.key,
        words.status,
        words.phrase,
        finding.because,
        (finding.culprit, finding.culprit_after),
        finding.chain,
        many=words.many,
        more=more,
        title=finding.title,
        short_id=finding.short_id,
    )


@frozen
class ReviewFinding:
    """One thing that a reviewer of a change of memories should look at.

    Attributes:
        severity: ``error``, ``warning`` or ``note``.
        code: A stable word such as ``secret`` (docs/review.md lists them).
        message: What is wrong, on one line.
        key: The memory, or empty.
        path: The file, or empty.
        line: Its line, from 1; 0 where none can be named.
        hint: How to fix it, or empty.
    """

    severity: str
    code: str
    message: str
    key: str = ""
    path: str = ""
    line: int = 0
    hint: str = ""


@frozen
class ChangeReview:
    """What a reviewer should look at besides the facts that a change makes false, the most severe first in each part.

    Attributes:
        edits: Changes to files that decide what is checked: the approved list, gitmem's workflows.
        programs: Changes to files that checks run, and the results of their facts without those changes.
        memory: What ``gitmem review`` finds in the change's own memories.
    """

    edits: tuple[ReviewFinding, ...] = ()
    programs: tuple[ReviewFinding, ...] = ()
    memory: tuple[ReviewFinding, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Return whether this review alone is enough to reject the change."""
        return any(finding.severity == ERROR for finding in (*self.edits, *self.programs, *self.memory))


NOTHING_TO_REVIEW = ChangeReview()


@frozen
class FindingRow:
    """One line of a section.

    Attributes:
        text: The message, on one line.
        key: The memory that it is about, or empty.
        path: A file, of the code unless its section is about memory; or empty.
        line: Its line, from 1; 0 where none can be named.
        code: Text that is shown exactly, such as a command; or empty.
    """

    text: str
    key: str = ""
    path: str = ""
    line: int = 0
    code: str = ""


@frozen
class FindingSection:
    """Further information for a reader of findings, under its own heading.

    Attributes:
        heading: The heading.
        level: ``error``, ``warning`` or ``note``; a note is shown folded.
        rows: The lines, the most important first; never empty.
        is_first: Whether it comes before all findings.
        memory: The memory commit that its files belong to; empty for files of the code.
    """

    heading: str
    level: str
    rows: tuple[FindingRow, ...]
    is_first: bool = False
    memory: str = ""


@frozen
class Findings:
    """Everything that one command found.

    Attributes:
        command: ``check`` or ``verify``.
        summary: A summary, on one line.
        findings: One for each fact and suspect, and one for each silenced fact, the most important first, then by key.
        head: The commit that was judged.
        base: The commit that it was compared with, or empty.
        at: When it was judged, epoch seconds.
        notes: Further notes for the reader, one line each.
        untouched: Facts that a change hides, removes, supersedes or weakens without touching what they read, each with
            a description of the effect.
        sections: Further sections, each under its own heading.
        memory: The commit of the memory branch that the facts were read from, or empty.
        held: How many facts hold, besides those among the findings.
    """

    command: str
    summary: str
    findings: tuple[FactFinding, ...]
    head: str
    base: str
    at: int
    notes: tuple[str, ...] = ()
    untouched: tuple[tuple[str, str], ...] = ()
    sections: tuple[FindingSection, ...] = ()
    memory: str = ""
    held: int = 0

    def of(self, *kinds: str) -> list[FactFinding]:
        """Return the findings of these kinds."""
        return [f for f in self.findings if f.kind in kinds]


def fact_spot(git: Git, commit: str, path: str) -> Spot | None:
    """Return where a fact's check is in its file in the code tree; None for a fact on the memory branch."""
    if not is_home(path):
        return None
    text = next((content for _, content in git.read_blobs([f"{commit}:{path}"]) if content is not None), b"")
    return Spot(path, next((at for at, line in enumerate(text.split(b"\n"), 1) if line.startswith(b"verify:")), 1))


def in_order(findings: Iterable[FactFinding]) -> tuple[FactFinding, ...]:
    """Sort findings, the most important first, then by key."""
    return tuple(sorted(findings, key=lambda f: (KINDS.index(f.kind), f.key)))
