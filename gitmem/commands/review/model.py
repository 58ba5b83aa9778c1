"""What a review says: changes, statuses and findings, as data. Every text in it is clean already (``sanitize``)."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.verify.overview.finding import ERROR, NOTE, WARNING, ReviewFinding

__all__ = ("ERROR", "NOTE", "WARNING", "ReviewFinding")  # what is named here for the other modules of the review

SEVERITIES = (ERROR, WARNING, NOTE)
# What ``--fail-on`` takes besides.
NEVER = "never"

# What happened to a memory.
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

# What a piece of a text is to a change.
SAME, GONE, NEW = "=", "-", "+"


@frozen
class WordRun:
    """A run of words: ``=`` in both texts, ``-`` in the old one only, ``+`` in the new one only."""

    op: str
    text: str


@frozen
class FieldChange:
    """One field of a frontmatter, or one setting of the policy; an empty text where it was, or is, not there.

    Of a list, only what differs is named.
    """

    name: str
    before: str
    after: str


@frozen
class CheckCommand:
    """What is run to prove a memory, where that is new or changed.

    Attributes:
        form: ``shell``, ``program`` or ``builtin``.
        text: The command, whole, with its hidden characters spelt out; may have several lines.
        was: What it was before, or empty.
        asks: What else is part of it: the policy's setup, the counterexample, the network, folders, the time limit.
        approval: ``approved``, ``denied``, ``not approved``, or ``not needed`` for a built-in check.
        history: Whether it was ever run, and what came of it, one line.
        answer: What a built-in check says of the code that the statuses are of, one line; else empty.
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
    """What happened to one memory.

    Attributes:
        what: One of ``KINDS``.
        key: Its key.
        kind: Its kind; empty where the file cannot be read.
        title: Its title, as it is now (as it was, where it is gone).
        path: Where it is now; where it lay, where it is gone.
        old_path: Where it lay before, where that is another place.
        because: Why it was retired, by what it was superseded, what it was called.
        by: Who wrote it, by its own word.
        agent: The agent among these, or empty.
        words: The title's words, of one that is changed.
        body: The body's words: all ``+`` for a new memory, none where it did not change.
        fields: What differs of its other fields.
        command: Its check, where that is new or changed; else None.
        raw: The beginning of a file that cannot be read.
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
        before: Its status before; empty where it had none, or was not there.
        after: Its status now.
        because: Why, one line; or empty.
        chain: For a suspect, what is between it and the failed fact, that fact last.
        path: Where it is.
    """

    key: str
    title: str
    before: str
    after: str
    because: str = ""
    chain: tuple[str, ...] = ()
    path: str = ""


@frozen
class Review:
    """What a change of the memory branch means.

    Attributes:
        base: The commit before it; empty for nothing.
        head: The commit behind it.
        asked: The two as they were named.
        code: The commit of the code that the statuses are of; empty where they are not known.
        commits: How many commits are between; -1 where that cannot be determined.
        authors: Who made them and how many, the most first.
        changes: What happened to memories, by what happened, then by key.
        settings: What differs of the policy.
        verdicts: How many verdict files the change brings, changes and removes.
        shifts: Statuses that differ, the gravest first.
        findings: What to look at, the gravest first, then by path.
        notes: What else a reader should know, a line each.
        fail_on: From which severity on the memory's own policy calls it failed.
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

    def of(self, *kinds: str) -> list[MemoryChange]:
        """Return the changes of these kinds."""
        return [change for change in self.changes if change.what in kinds]

    def count(self, severity: str) -> int:
        """Return how many findings have a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def is_failed(self, fail_on: str) -> bool:
        """Return whether there is a finding of at least a severity; never for ``never``."""
        return fail_on != NEVER and any(
            SEVERITIES.index(finding.severity) <= SEVERITIES.index(fail_on) for finding in self.findings
        )

    @property
    def summary(self) -> str:
        """Return the whole in one line."""
        counts = [(what, len(self.of(what))) for what in KINDS]
        lines = [f"{number} {what}" for what, number in counts if number]
        lines += [_number(len(self.settings), "setting")] if self.settings else []
        lines += [_number(len(self.shifts), "status differs", "statuses differ")] if self.shifts else []
        found = [_number(self.count(s), s) for s in SEVERITIES if self.count(s)]
        return f"{', '.join(lines) or 'no memory changed'}; {', '.join(found) or 'nothing found'}"


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def in_order(findings: tuple[ReviewFinding, ...]) -> tuple[ReviewFinding, ...]:
    """Return findings, each once, the gravest first, then by path and line."""
    return tuple(
        sorted(dict.fromkeys(findings), key=lambda f: (SEVERITIES.index(f.severity), f.path, f.line, f.code, f.message))
    )


# Memories of one cause that are named; all are counted.
NAMED = 5


@frozen
class FindingGroup:
    """Findings that say the same of several memories or files.

    Attributes:
        first: One of them.
        others: The others, in their order; empty where it is alone.
    """

    first: ReviewFinding
    others: tuple[ReviewFinding, ...] = ()

    @property
    def names(self) -> str:
        """Return the memories, or files, that it is about, the first ones by name and the others counted."""
        names = list(dict.fromkeys(one.key or one.path for one in (self.first, *self.others)))
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return ", ".join(names[:NAMED]) + more

    @property
    def hint(self) -> str:
        """Return what to do, where that is the same for all."""
        return self.first.hint if {one.hint for one in self.others} <= {self.first.hint} else ""


def folded(findings: tuple[ReviewFinding, ...]) -> tuple[FindingGroup, ...]:
    """Return findings by cause, in their order: those with the same words about several memories are one.

    An error that has a line stays alone: whoever mends it goes there.
    """
    groups: dict[tuple[str, str, str, str], list[ReviewFinding]] = {}
    for one in findings:
        own = f"{one.path}:{one.line}" if one.severity == ERROR and one.line else ""
        groups.setdefault((one.severity, one.code, one.message, own), []).append(one)
    return tuple(FindingGroup(group[0], tuple(group[1:])) for group in groups.values())
