"""The content of a review as data: changes, statuses and findings. All texts are already cleaned (``sanitize``)."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text import count_of, list_some
from gitmem.verify.overview.finding import ERROR, NOTE, WARNING, ReviewFinding

__all__ = ("ERROR", "NOTE", "WARNING", "ReviewFinding")  # names used by the other modules of the review

SEVERITIES = (ERROR, WARNING, NOTE)
# The further values of ``--fail-on``.
NEVER = "never"

# The kinds of changes of a memory.
ADDED = "added"
CHANGED = "changed"
RETIRED = "retired"
SUPERSEDED = "superseded"
RESTORED = "restored"
RENAMED = "renamed"
MOVED = "moved"
DELETED = "deleted"
UNREADABLE = "unreadable"
KINDS = (UNREADABLE, ADDED, CHANGED, SUPERSEDED, RETIRED, DELETED, RESTORED, RENAMED, MOVED)

# The roles of a piece of text in a change.
SAME, GONE, NEW = "=", "-", "+"


@frozen
class WordRun:
    """A run of words: ``=`` in both texts, ``-`` in the old one only, ``+`` in the new one only."""

    op: str
    text: str


@frozen
class FieldChange:
    """A changed field of a frontmatter, or setting of the policy; an empty text if it does not exist on a side.

    Of a list, only differing elements are included.
    """

    name: str
    before: str
    after: str


@frozen
class CheckCommand:
    """A memory's check, if it is new or changed.

    Attributes:
        form: ``shell``, ``program`` or ``builtin``.
        text: The complete command, with its hidden characters spelled out; may have several lines.
        was: The previous command, or empty.
        asks: Its other parts: the policy's setup, the counterexample, the network, folders, the time limit.
        approval: ``approved``, ``denied``, ``not approved``, or ``not needed`` for a built-in check.
        history: Whether it was ever run, and the result, one line.
        answer: A built-in check's answer about the code used for statuses, one line; else empty.
    """

    form: str
    text: str
    was: str
    asks: tuple[str, ...]
    approval: str
    history: str
    answer: str = ""


@frozen
class MemoryChange:
    """The change of one memory.

    Attributes:
        what: One of ``KINDS``.
        key: Its key.
        kind: Its kind; empty if the file cannot be read.
        title: Its present title (its last one if it is gone).
        path: Its present path (its last one if it is gone).
        old_path: Its previous path, if different.
        because: Why it was retired, which memory superseded it, or its previous key.
        by: Its author, according to itself.
        agent: The agent among them, or empty.
        words: The words of a changed title.
        body: The body's words: all ``+`` for a new memory, none if it did not change.
        fields: Its other changed fields.
        command: Its check, if new or changed; else None.
        raw: The beginning of an unreadable file.
    """

    what: str
    key: str
    kind: str
    title: str
    path: str
    old_path: str = ""
    because: str = ""
    by: str = ""
    agent: str = ""
    words: tuple[WordRun, ...] = ()
    body: tuple[WordRun, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    command: CheckCommand | None = None
    raw: str = ""


@frozen
class Shift:
    """A status that differs between the two states of the memory, for one commit of the code.

    Attributes:
        key: The memory.
        title: Its title.
        before: Its status before; empty if it had none, or did not exist.
        after: Its status now.
        because: The reason, one line; or empty.
        chain: For a suspect, the memories from it to the failed fact, that fact last.
        path: Its path.
    """

    key: str
    title: str
    before: str
    after: str
    because: str = ""
    chain: tuple[str, ...] = ()
    path: str = ""


@frozen
class NewVerdict:
    """A verdict that a change brings.

    Attributes:
        key: The fact.
        outcome: ``holds`` or ``fails``.
        author: The address of the author of the fact's present text, or empty.
        prover: The prover's address: the signer's if it is signed, else the one in the verdict or its commit.
        signer: The allowed signer who signed the verdict, or empty.
        unsigned: Why no signature counts; empty if one does.
        machine: The sandbox and the environment in which it was made.
    """

    key: str
    outcome: str
    author: str
    prover: str
    signer: str
    unsigned: str
    machine: str

    @property
    def sentence(self) -> str:
        """Return it as a sentence, without the key."""
        signed = f"signed by {self.signer}" if self.signer else f"claimed ({self.unsigned})"
        where = f" on {self.machine}" if self.machine else ""
        return f"{self.outcome}: written by {self.author or 'unknown'}, proved by {self.prover}{where}, {signed}"


@frozen
class Review:
    """The result of a review.

    Attributes:
        base: The commit before it; empty for nothing.
        head: The commit after it.
        asked: The two as they were named.
        code: The commit of the code used for statuses; empty if they are unknown.
        commits: The number of commits between them; -1 if it cannot be determined.
        authors: The commits' authors and their numbers of commits, most first.
        changes: The changes of memories, by kind of change, then by key.
        settings: The changed settings of the policy.
        verdicts: The number of verdict files that the change adds, changes and removes.
        shifts: Changed statuses, most severe first.
        findings: The findings, most severe first, then by path.
        notes: Further notes, one line each.
        proofs: Who made each verdict of the change, by key.
        fail_on: The severity from which the memory's own policy calls the review failed.
    """

    base: str
    head: str
    asked: tuple[str, str]
    code: str
    commits: int
    authors: tuple[tuple[str, int], ...]
    changes: tuple[MemoryChange, ...]
    settings: tuple[FieldChange, ...]
    verdicts: tuple[int, int, int]
    shifts: tuple[Shift, ...]
    findings: tuple[ReviewFinding, ...]
    notes: tuple[str, ...]
    fail_on: str = ERROR
    proofs: tuple[NewVerdict, ...] = ()

    def of(self, *kinds: str) -> list[MemoryChange]:
        """Return the changes of these kinds."""
        return [change for change in self.changes if change.what in kinds]

    def count(self, severity: str) -> int:
        """Return the number of findings with a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def is_failed(self, fail_on: str) -> bool:
        """Return whether there is a finding of at least a severity; never for ``never``."""
        return fail_on != NEVER and any(
            SEVERITIES.index(finding.severity) <= SEVERITIES.index(fail_on) for finding in self.findings
        )

    @property
    def summary(self) -> str:
        """Return a one-line summary."""
        counts = [(what, len(self.of(what))) for what in KINDS]
        lines = [f"{number} {what}" for what, number in counts if number]
        lines += [count_of(len(self.settings), "setting")] if self.settings else []
        lines += [count_of(len(self.shifts), "status differs", "statuses differ")] if self.shifts else []
        found = [count_of(self.count(s), s) for s in SEVERITIES if self.count(s)]
        return f"{', '.join(lines) or 'no memory changed'}; {', '.join(found) or 'no problems'}"


def in_order(findings: tuple[ReviewFinding, ...]) -> tuple[ReviewFinding, ...]:
    """Return findings without duplicates, most severe first, then by path and line."""
    return tuple(
        sorted(dict.fromkeys(findings), key=lambda f: (SEVERITIES.index(f.severity), f.path, f.line, f.code, f.message))
    )


# The most memories of one cause that are named; all are counted.
NAMES_SHOWN = 5


@frozen
class FindingGroup:
    """Findings with the same message about several memories or files.

    Attributes:
        first: One of them.
        others: The others, in order; empty if there are none.
    """

    first: ReviewFinding
    others: tuple[ReviewFinding, ...] = ()

    @property
    def names(self) -> str:
        """Return the memories, or files, that it is about, the first ones by name and the others counted."""
        names = list(dict.fromkeys(finding.key or finding.path for finding in (self.first, *self.others)))
        return list_some(names, NAMES_SHOWN)

    @property
    def hint(self) -> str:
        """Return the hint, if it is the same for all."""
        return self.first.hint if {finding.hint for finding in self.others} <= {self.first.hint} else ""


def group_findings(findings: tuple[ReviewFinding, ...]) -> tuple[FindingGroup, ...]:
    """Group findings by cause, in order: those with the same words about several memories become one.

    An error with a line is not grouped, since its line is needed for the fix.
    """
    groups: dict[tuple[str, str, str, str], list[ReviewFinding]] = {}
    for finding in findings:
        own = f"{finding.path}:{finding.line}" if finding.severity == ERROR and finding.line else ""
        groups.setdefault((finding.severity, finding.code, finding.message, own), []).append(finding)
    return tuple(FindingGroup(group[0], tuple(group[1:])) for group in groups.values())
