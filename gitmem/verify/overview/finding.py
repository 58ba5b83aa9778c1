"""A finding about a fact: the common form of results that ``check`` and ``verify`` report."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.model import BLOCKED, VERIFIED
from gitmem.store.code_tree import is_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git.binary import Git

# What came of a fact.
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
HOLDS = "holds"

# Why a fact could not be checked: nobody here, and no list, approves its command.
NOT_APPROVED = "not approved"

# How grave a finding is.
ERROR = "error"
WARNING = "warning"
NOTE = "note"


@frozen
class FindingWords:
    """How one kind of finding is shown, in every form.

    Attributes:
        status: The status whose mark and colour it has.
        level: ``error``, ``warning``, ``note``, or empty where there is nothing to complain of.
        phrase: What follows the key.
        many: The same of several.
        heading: The heading of a list of them.
        meaning: What the kind means, one sentence.
        case: What it is in a report of JUnit: ``failure``, ``error``, ``skipped``, or empty for a test that passed.
    """

    status: str
    level: str
    phrase: str
    many: str
    heading: str
    meaning: str
    case: str = ""


# The one table of them, the most important first.
WORDS = {
    BROKEN: FindingWords(
        *(FAILED, ERROR, "becomes false", "become false", "Becomes false"),
        meaning="The fact held before the change and does not hold with it.",
        case="failure",
    ),
    FAILED: FindingWords(
        *(FAILED, ERROR, "does not hold", "do not hold", "Failed"),
        meaning="The fact's check says that it does not hold.",
        case="failure",
    ),
    WRONG: FindingWords(
        *(FAILED, ERROR, "has a wrong verdict", "have wrong verdicts", "Wrong verdicts"),
        meaning="A verdict on the memory branch differs from the answer of its built-in check for the same inputs.",
        case="failure",
    ),
    SILENCED: FindingWords(
        *(FAILED, WARNING, "is silenced by the change", "are silenced by the change", "Silenced by this change"),
        meaning="The change's own memories hide, remove, supersede or weaken this fact, and the change touches files "
        "that it reads.",
        case="failure",
    ),
    SUSPECT: FindingWords(
        *(SUSPECT, WARNING, "is suspect", "are suspect", "Suspect"),
        meaning="A fact that this memory requires does not hold.",
        case="failure",
    ),
    OUTDATED: FindingWords(
        *(
            SUSPECT,
            WARNING,
            "is documented with an old path",
            "are documented with old paths",
            "Documents with old paths",
        ),
        meaning="The fact holds at the place that the change moves its files to, but the document names the old place.",
        case="skipped",
    ),
    # A fact that nobody could check is a test that could not run.
    UNCHECKED: FindingWords(
        *(BLOCKED, WARNING, "could not be checked", "could not be checked", "Could not be checked"),
        meaning="A fact that had to be checked could not be checked.",
        case="error",
    ),
    UNSTEADY: FindingWords(
        *(SUSPECT, WARNING, "is unsteady", "are unsteady", "Unsteady"),
        meaning="The check holds, but gives different answers on the same code.",
        case="skipped",
    ),
    # What was false before is not this change's failure.
    STILL: FindingWords(
        *(FAILED, NOTE, "was false before and still is", "were false before and still are", "False before and after"),
        meaning="The change does not fix this fact.",
        case="skipped",
    ),
    OUTSIDE: FindingWords(
        *(FAILED, NOTE, "fails for a cause outside the repository", "fail for a cause outside the repository"),
        *("Failed for a cause outside the repository",),
        meaning="The check depends on more than the repository, such as a date; the change is not to blame.",
        case="skipped",
    ),
    MENDED: FindingWords(
        *(VERIFIED, "", "becomes true", "become true", "Becomes true"),
        meaning="The fact did not hold before the change and holds with it.",
    ),
    HOLDS: FindingWords(*(VERIFIED, "", "holds", "hold", "Holds"), meaning="The fact holds."),
}
KINDS = tuple(WORDS)
# Those listed one by one; facts that hold are only counted.
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
        where: What contradicts it, ``path:line``; empty where that is not known.
        corrected: What the line should say; empty where that is not known.
        is_in_diff: Whether the change's difference shows the line.
        cut: The lines that should go, because what they are about is gone; empty for none.
    """

    spot: Spot
    text: str
    where: str = ""
    corrected: str = ""
    is_in_diff: bool = False
    cut: range = range(0)

    @property
    def remove(self) -> str:
        """Return which lines should go, as a request; empty for none."""
        return f"remove {describe_lines(self.cut)}" if self.cut else ""


def describe_lines(lines: range) -> str:
    """Return the numbers of lines, from first to last, in words."""
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"


@frozen
class Finding:
    """What came of one fact, or of a memory that rests on one.

    Attributes:
        key: Its key.
        title: Its title, as written.
        kind: One of ``KINDS``.
        because: Why, on one line; empty where there is nothing to say.
        by: Who wrote it, or empty.
        fact: Where it is in the code tree; None where it is on the memory branch.
        places: The files of the code to look at, the most telling first: what changed of what it reads.
        path: Where it is in its store.
        chain: For a suspect, the memories between it and the failed fact, that fact last.
        is_new: Whether the change itself brings it: a fact without a base, a suspect that was none.
        culprit: The commit that broke it, where known.
        culprit_after: Where it is known only that one of those after this one did, up to ``culprit``; else empty.
        seconds: How long its check ran.
        moved: Where git renamed what the check names to, if the change moved it (``verify.moves``).
        stated: The lines of documents that state it, if it becomes false, or that name an old path.
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

    @property
    def is_waiting(self) -> bool:
        """Return whether it waits for somebody's approval, which no change can give."""
        return self.kind == UNCHECKED and self.because == NOT_APPROVED


@frozen
class ReviewFinding:
    """One thing about a change of memories that a reviewer should look at.

    Attributes:
        severity: ``error``, ``warning`` or ``note``.
        code: A stable word such as ``secret`` (docs/review.md lists them).
        message: What is the matter, one line.
        key: The memory, or empty.
        path: The file, or empty.
        line: Its line, from 1; 0 where none can be named.
        hint: What to do about it, or empty.
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
    """What a reviewer of a change should look at besides the facts that it makes false, the gravest first in each part.

    Attributes:
        edits: Changes of what decides what is checked: the approved list, gitmem's workflows.
        programs: Changes of files that checks run, and what their facts say with those files as they were.
        memory: What ``gitmem review`` finds in the change's own memories.
    """

    edits: tuple[ReviewFinding, ...] = ()
    programs: tuple[ReviewFinding, ...] = ()
    memory: tuple[ReviewFinding, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Return whether it says no to the change by itself."""
        return any(one.severity == ERROR for one in (*self.edits, *self.programs, *self.memory))


NOTHING_TO_REVIEW = ChangeReview()


@frozen
class FindingRow:
    """One line of a section.

    Attributes:
        text: What it says, one line.
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
    """What else a reader of findings should see, under a heading of its own.

    Attributes:
        heading: Its heading.
        level: ``error``, ``warning`` or ``note``; a note is folded.
        rows: Its lines, the most important first; never empty.
        is_first: Whether it comes before all findings.
        memory: The commit of a memory that its files are of; empty for files of the code.
    """

    heading: str
    level: str
    rows: tuple[FindingRow, ...]
    is_first: bool = False
    memory: str = ""


@frozen
class Findings:
    """What one command found.

    Attributes:
        command: ``check`` or ``verify``.
        summary: The whole in one line.
        findings: One for each fact and suspect, and one for each silenced fact, the most important first, then by key.
        head: The commit that was judged.
        base: The commit that it was compared with, or empty.
        at: When, epoch seconds.
        notes: What else a reader should know, a line each.
        untouched: Facts that a change hides, removes, supersedes or weakens without touching what they read, each with
            what it does to them.
        sections: What else a reader should see, each under its own heading.
        memory: The commit of the memory branch that was judged by, or empty.
        held: How many facts hold, besides those among the findings.
    """

    command: str
    summary: str
    findings: tuple[Finding, ...]
    head: str
    base: str
    at: int
    notes: tuple[str, ...] = ()
    untouched: tuple[tuple[str, str], ...] = ()
    sections: tuple[FindingSection, ...] = ()
    memory: str = ""
    held: int = 0

    def of(self, *kinds: str) -> list[Finding]:
        """Return the findings of these kinds."""
        return [f for f in self.findings if f.kind in kinds]


def fact_spot(git: Git, commit: str, path: str) -> Spot | None:
    """Return where a fact's check is in its file of the code tree; None for one of the memory branch."""
    if not is_home(path):
        return None
    text = next((content for _, content in git.read_blobs([f"{commit}:{path}"]) if content is not None), b"")
    return Spot(path, next((at for at, line in enumerate(text.split(b"\n"), 1) if line.startswith(b"verify:")), 1))


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings, the most important first, then by key."""
    return tuple(sorted(findings, key=lambda f: (KINDS.index(f.kind), f.key)))
