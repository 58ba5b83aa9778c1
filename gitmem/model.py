"""The words of the design as frozen data: memories, checks, verdicts, statuses and hits.

No I/O here. Times are seconds since the epoch in UTC (``int``) inside the program and RFC 3339 with ``Z`` in
files; paths inside a store or a code tree are ``str`` with ``/``; object names are full hex.
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The format of a store, as the key ``format`` of its policy names it. Since 2, verdicts are in buckets.
FORMAT = 2

# Outcomes of running a check: ``holds`` and ``fails`` are conclusive. ``blocked``, which is also a
# status, means that it does not pass here, apparently for a reason other than the code.
HOLDS = "holds"
FAILS = "fails"
BLOCKED = "blocked"

# Statuses, the strongest first: where several apply, the first one is shown.
FAILED = "failed"
SUSPECT = "suspect"
UNPROVEN = "unproven"
STALE = "stale"
VERIFIED = "verified"
STATUSES = (FAILED, SUSPECT, BLOCKED, UNPROVEN, STALE, VERIFIED)

# The kind of facts that were adopted from a document. Readers have the document, so they are shown only when they fail.
ADOPTED = "claim"

# The states of a task (as in Beans). After a failure it is open again; the failure is
# recorded in its attempts.
TASK = "task"
STATES = OPEN, CLAIMED, CLOSED = ("open", "claimed", "closed")

# The factors of a score besides the words, in the order of application; each can be switched off by its name.
FACTORS = tuple(
    """
    recency access status importance confidence path dependency workspace scope talk provenance time
    """.split()
)

# The default language of text analysis, and the policy's word for searching words unchanged.
ENGLISH, NO_LANGUAGE = "english", "none"

# The three forms of a check.
SHELL = "shell"
PROGRAM = "program"
BUILTIN = "builtin"


@frozen
class Check:
    """The proof of a fact: a shell command, a program, or a built-in check.

    Attributes:
        form: ``shell``, ``program`` or ``builtin``.
        words: The command alone (shell); the program and its arguments; or the name and the arguments of a built-in
            check (``builtin_checks.words_of``).
    """

    form: str
    words: tuple[str, ...]


@frozen
class Spec:
    """Everything that determines how a check runs: a verdict and an approval are valid for one spec only.

    Attributes:
        check: The check.
        setup: The policy's ``setup`` command, or empty.
        interpreter: ``sh`` for a shell command, empty otherwise.
        timeout_s: Seconds after which the run is killed, > 0; 0 for a built-in check, which needs none.
        network: Whether the check may reach the network.
        refute: The counterexample: a shell command that makes the check fail; or empty.
        folders: The folders of the work tree, ignored by git, that the check sees (``[verify] folders``).
        outside: Whether the memory declares that the check depends on the world outside the repository: then a failure
            is blamed on no commit.
        variables: The names of the environment variables that the check sees, sorted.
    """

    check: Check
    setup: str = ""
    interpreter: str = ""
    timeout_s: int = 0
    network: bool = False
    refute: str = ""
    folders: tuple[str, ...] = ()
    outside: bool = False
    variables: tuple[str, ...] = ()


@frozen
class Document:
    """One memory file, parsed.

    Attributes:
        key: The file's stem.
        path: Its path in the store; empty before it has one.
        fields: The frontmatter in file order: ``str``, ``int``, ``float``, ``bool``, ``None``, lists and mappings of
            these. Unknown fields are kept.
        body: The Markdown below the frontmatter.
        text: The exact text of the file.
    """

    key: str
    path: str
    fields: dict[str, Any]
    body: str
    text: str

    @property
    def title(self) -> str:
        """Return the title, or the first words of the body if there is none."""
        title = self.fields.get("title")
        if isinstance(title, str) and title:
            return title
        first = self.body.strip().split("\n", 1)[0].lstrip("# ").strip()
        return first[:80] or self.key

    @property
    def kind(self) -> str:
        """Return the kind; ``learned`` if the file names none."""
        kind = self.fields.get("kind")
        return kind if isinstance(kind, str) and kind else "learned"

    def strings(self, name: str) -> tuple[str, ...]:
        """Return a list field as a tuple of strings; a single string counts as a list of one."""
        value = self.fields.get(name)
        if not value:
            return ()
        if isinstance(value, str):
            return (value,)
        return tuple(map(str, value)) if isinstance(value, list) else ()


@frozen
class Problem:
    """One finding of ``doctor``: an invalid file or tree entry. It does not affect other files.

    Attributes:
        code: A stable word such as ``duplicate-key``.
        path: The file or tree entry in the store (it may contain any bytes, as surrogates: escape it for display).
        message: The reason.
        key: The memory's key, or empty.
        hint: How to repair it.
        severity: ``error`` (the memory is not served) or ``warning``.
    """

    code: str
    path: str
    message: str
    key: str = ""
    hint: str = ""
    severity: str = "error"


@frozen
class Verdict:
    """The outcome of a fact's check at one commit of the code.

    Attributes:
        key: The fact.
        spec: Hash of the specification that was run.
        claim: Hash of the claim's text (title and body).
        outcome: ``holds`` or ``fails``: only conclusive ones are verdicts of their own.
        commit: The code commit that was judged, full hex.
        inputs: Digest of the inputs at that commit; empty if unknown.
        at: When it ran, epoch seconds.
        because: One line for people: why it fails.
        sandbox: Its sandbox: ``bubblewrap``, ``seatbelt``, ``landlock``, ``none``, or ``builtin`` (no process).
        held_commit: The last commit where it held, or empty.
        held_at: When it last held, epoch seconds, or 0.
        weak: Whether the check also holds in an empty folder and nothing refutes it.
        confirmed: Whether a failure was confirmed at the last good commit (always true for ``holds``).
        culprit: The commit that broke it, if known; if commits before it could not be checked, the first one known to
            be bad.
        culprit_after: If commits could not be checked: the last one known to be good; the culprit is one of those
            after it, up to ``culprit``. Empty if the culprit is known.
        attempt: The last inconclusive attempt, as one line, or empty.
        attempt_at: When that was, or 0.
        seconds: How long it ran.
        reads: The files of the code that the run read (in the form of ``trace.observe``); empty if not observed.
        tools: A fingerprint of the programs of this machine that it ran; never leaves this clone. Empty if not
            observed.
        undeclared: The paths that it read and the declared ``paths`` do not include, separated by line feeds.
        flapping: How many more runs must agree until the fact counts as steady; 0 if it is.
        moved: The new names of files that the check names, if git renamed them (``verify.moves``); or empty.
        rests: The memories that it required, and their meanings then (``document.meaning``), as lines; or empty.
        outside: What the outcome depends on outside the repository (``trace.outside``), or empty; for a failure, it
            means that the cause is there and not a commit.
        environment: The environment of the run (``store.verdicts.environment``); empty for built-in checks, or if not
            observed.
        alike: How many equal outcomes in a row are known, up to the number that makes the fact steady
            (``run.confirm``).
        by: The address of who ran it, where the policy or the fact asks for it; a claim, like all of the file.
        signer: The allowed signer who signed it on the branch, if the policy asks for signatures; or empty.
        own: Whether it was made in this clone; otherwise it is a claim in a pushed file.
        cached: The allowed signer whose verdict came from the cache (``verify.cache``); empty for any other.
    """

    key: str
    spec: str
    claim: str
    outcome: str
    commit: str
    inputs: str
    at: int
    because: str = ""
    sandbox: str = ""
    held_commit: str = ""
    held_at: int = 0
    weak: bool = False
    confirmed: bool = True
    culprit: str = ""
    attempt: str = ""
    attempt_at: int = 0
    seconds: float = 0.0
    culprit_after: str = ""
    reads: str = ""
    tools: str = ""
    undeclared: str = ""
    flapping: int = 0
    moved: str = ""
    outside: str = ""
    rests: str = ""
    environment: str = ""
    alike: int = 0
    by: str = ""
    signer: str = ""
    own: bool = False
    cached: str = ""


# The rungs of the sandbox, the weakest first; a built-in check needs no sandbox.
RUNGS = ("none", "landlock", "seatbelt", "bubblewrap", "builtin")


def is_weaker(rung: str, other: str) -> bool:
    """Return whether a rung of the sandbox is weaker than another; an unknown one is weaker than all."""
    return (RUNGS.index(rung) if rung in RUNGS else -1) < (RUNGS.index(other) if other in RUNGS else -1)


# How the reason begins for a check that does not pass here, where no comparison shows whether the code is the cause.
NOT_HERE = "does not pass here"


@frozen
class Blocked:
    """A fact's check did not pass in this clone, and that does not show that the code is the cause.

    Attributes:
        key: The fact.
        spec: Hash of the specification that was run.
        claim: Hash of the claim's text.
        inputs: Digest of the inputs.
        at: When, epoch seconds.
        reason: Why, on one line for people.
    """

    key: str
    spec: str
    claim: str
    inputs: str
    at: int
    reason: str

    @property
    def is_unproven(self) -> bool:
        """Return whether the check ran, and nothing shows what the cause is."""
        return self.reason.startswith(NOT_HERE)

    @property
    def status(self) -> str:
        """Return the status of the fact, unless it is known to fail."""
        return UNPROVEN if self.is_unproven else BLOCKED


@frozen
class Hit:
    """One result of recall.

    Attributes:
        key: The memory's key.
        kind: Its kind.
        title: Its title, as written.
        status: Its status, or empty.
        score: The final score; comparable within one call only.
        scope: Where it is from: ``project``, ``private``, ``domain``, ``universal``, or ``listed``.
        snippet: One line of its body around the words of the query.
        created: Epoch seconds.
        path: Its path in the store.
        gone: Why plain searches leave it out: ``archived``, ``superseded`` or ``expired``; empty for a live memory.
        factors: Every factor of the score by name, in the order of application.
        sources: The parts of the first factor by name, if meaning was used besides words: each relative to the best,
            the weight of meaning in the score, and the cosine itself.
        tags: Its tags.
        weak: Whether its check would also hold in an empty folder; only lists show it.
        flapping: How many more runs of its check must agree until it counts as steady; only lists show it.
        moved: Whether its check is judged on the names to which git renamed its files; only lists show it.
        store: The name of another repository's store here; empty for this repository's.
        matches: The positions of the query's words in the snippet: ``(start, end)``, in order, without overlaps.
        refs: Its references as written: lines of files, URLs, issues.
        short_id: A few letters that every command accepts instead of the key.
    """

    key: str
    kind: str
    title: str
    status: str
    score: float
    scope: str
    snippet: str
    created: int
    path: str
    gone: str = ""
    factors: tuple[tuple[str, float], ...] = ()
    tags: tuple[str, ...] = ()
    weak: bool = False
    flapping: int = 0
    moved: bool = False
    sources: tuple[tuple[str, float], ...] = ()
    store: str = ""
    matches: tuple[tuple[int, int], ...] = ()
    refs: tuple[str, ...] = ()
    short_id: str = ""

    @property
    def reference(self) -> str:
        """Return the argument for ``show``: the key, after the name of another repository's store."""
        return f"{self.store}:{self.key}" if self.store else self.key


# The problem of a run that was ended with all others.
INTERRUPTED = "interrupted"


@frozen
class Ran:
    """How one program ended.

    Attributes:
        status: Exit status; negative signal number when a signal ended it; None when it could not start.
        timed_out: Whether it was killed at its time limit.
        output: The end of what it wrote (standard output and error together), decoded, at most the cap.
        cut: Whether output was dropped because it passed the cap.
        seconds: Wall seconds.
        problem: Why there is no exit status of its own (not started, ended by a limit, ``INTERRUPTED``), or empty.
        trace: What strace said of it; None where it was not traced, or said too much.
        is_setup: Whether it is the policy's setup, and not the check.
    """

    status: int | None
    timed_out: bool
    output: str
    cut: bool
    seconds: float
    problem: str = ""
    trace: bytes | None = None
    is_setup: bool = False


# Seconds in each unit of a length of time; months and years have no fixed length, so there are none.
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}

# A hundred years: past every use, and small enough for a 64-bit clock to be added to it.
_LONGEST_S = 100 * 366 * 86_400

# Characters that draw nothing, or change the one before them, although `str.isprintable` lets them pass (Unicode 15,
# categories Mn, Lo, So; measured): the combining grapheme joiner, Hangul and halfwidth fillers, Khmer inherent vowels,
# Mongolian selectors, the blank Braille pattern, and the variation selectors 1-16 and 17-256.
UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | frozenset(
    map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)


def parse_duration(text: str) -> int:
    """Return a length of time such as ``90m``, ``12h``, ``30d`` or ``2w`` in seconds, from 1 s to 100 years.

    Raises:
        ValueError: It is none, or out of this range.
    """
    digits, unit = text[:-1], _UNITS.get(text[-1:], 0)
    # Nine digits: longer numbers are out of range in any unit, and `int` refuses 4,301 with another message.
    if not (unit and digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise ValueError(f"{text!r} is not a length of time: write a number and one of s, m, h, d, w")
    seconds = int(digits) * unit
    if not 1 <= seconds <= _LONGEST_S:
        raise ValueError(f"{text!r} is out of range: use one second to a hundred years")
    return seconds


def is_plain_command(text: str) -> bool:
    """Return whether each character of a command shows as what it is: printable, a newline or a tab.

    Nothing else can be approved by looking at it: a carriage return or an escape sequence hides half of a command on a
    terminal, a bidirectional override turns it around, and a no-break space is not a blank to the shell.
    """
    if not text.replace("\n", "").replace("\t", "").isprintable():
        return False
    return text.isascii() or UNSEEN.isdisjoint(text)


@frozen
class IndexText:
    """The words of one memory as they were written, and their terms where an index has kept them.

    Attributes:
        number: The memory's row in the catalog, > 0.
        title: Its title.
        tags: Its tags, domains and task, separated by white space.
        key: Its key.
        paths: Its paths and refs, separated by white space.
        body: Its body.
        terms: The analysed terms of each text, separated by spaces, in the order of ``FIELDS``; empty where they are
            not known: whoever needs them analyses the texts.
        kind: Its kind.
    """

    number: int
    title: str
    tags: str
    key: str
    paths: str
    body: str
    terms: tuple[str, ...] = ()
    kind: str = ""

    def texts(self) -> tuple[str, str, str, str, str]:
        """Return the texts that are searched, in the order of ``FIELDS``."""
        title, body = searched_of(self.kind, self.title, self.body)
        return title, self.tags, self.key, self.paths, body


# The kind of a session's summary, and the lines of one that repeat what a person typed (``session.rule_summary``).
SUMMARY = "session"
GOAL, ASKED, UNANSWERED = "Goal: ", "Asked later:", "- Not answered: "


def searched_of(kind: str, title: str, body: str) -> tuple[str, str]:
    """Return the title and body of a memory as they are searched: a session's summary without the prompts in it.

    A prompt echoes the next one on the same subject, and would outrank what answers it.
    """
    if kind != SUMMARY:
        return title, body
    prose, is_prompt = [], False
    for line in body.split("\n"):
        is_prompt = line == ASKED or (is_prompt and line.startswith("- "))
        if not is_prompt and not line.startswith((GOAL, UNANSWERED)):
            prose.append(line)
    # Where there is a goal, the title is its first sentence.
    return "" if body.startswith(GOAL) else title, "\n".join(prose)
