"""The settings of a store: a class for each section of ``gitmem.toml``, and the readers of their values. Pure.

Reading and checking a policy, a new store's file and the reference page are all made from these rows. A reader returns
the value or says what is allowed. The sources are the five systems whose features gitmem combines, beadboard, Beans,
AI Memory Module, Agent Swarm and the dotfiles' agent memory (docs/profiles.md).
"""

from __future__ import annotations

from gitmem.config import Setting, WrongValue, rows_of, setting, settings
from gitmem.model import ENGLISH, FACTORS, NO_LANGUAGE, is_plain_command, parse_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

DAY_S = 86_400

# The fields that a kind may require, to detect misspelt ones: those of a memory file.
FIELDS = frozenset(
    """
    title kind tags domains paths refs verify ttl timeout network outside independent refute requires produces
    supersedes superseded_by confidence importance priority category workspace project created by task parent
    """.split()
)

# Folders at the root of a store that hold no memories of a kind (the private and run boards).
RESERVED_FOLDERS = frozenset(("archive", "verdicts", "private", "runs"))


# The most that a branch can make an agent read at once: the maximum budget of MCP's `context`.
MOST_TOKENS = 8000
# More folders than any project's tools have, and names that no check should see.
MOST_WORK_FOLDERS = 16
NEVER_SEEN = frozenset({".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".local"})


# What the policy may ask signatures of.
VERDICTS, MEMORIES, APPROVALS = SIGNED = ("verdicts", "memories", "approvals")


def read_number(low: float, high: float = 1e9, *, is_open: bool = False) -> Callable[[Any], float]:
    """Return a reader for numbers from *low* (or above it, if *is_open*) to *high*."""

    def read(value: Any) -> float:
        # `nan` fails both comparisons.
        if type(value) not in (int, float) or not low <= value <= high or (is_open and value == low):
            least, most = ("above", " and at most") if is_open else ("from", " to")
            raise WrongValue(f"a number {least} {low:g}" + (f"{most} {high:g}" if high < 1e9 else ""))
        return float(value)

    return read


def read_one_of(*words: str) -> Callable[[Any], str]:
    """Return a reader for one of some words, one of which may be empty."""
    *most, last = (f'"{word}"' for word in words if word)
    wanted = (f"{', '.join(most)} or " if most else "") + last + (", or empty" if "" in words else "")

    def read(value: Any) -> str:
        if value not in words:
            raise WrongValue(wanted)
        return str(value)

    return read


read_rung = read_one_of("", "none", "landlock", "seatbelt", "bubblewrap")
read_profile = read_one_of("", "bmad")


def read_share_or_off(value: Any) -> float:
    """Read a share above 0; ``"off"`` is 0.

    Raises:
        WrongValue: It is invalid.
    """
    if value == "off":
        return 0.0
    try:
        return read_number(0, 1, is_open=True)(value)
    except WrongValue as err:
        raise WrongValue('a number above 0 and at most 1, or "off"') from err


def read_whole(low: int, high: int = 1_000_000_000) -> Callable[[Any], int]:
    """Return a reader for whole numbers from *low* to *high*."""

    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise WrongValue(f"a whole number from {low}" + (f" to {high}" if high < 1_000_000_000 else ""))
        return value

    return read


def read_budget(low: int) -> Callable[[Any], int]:
    """Return a reader for tokens shown to an agent: at most ``MOST_TOKENS``, whatever a branch says."""
    return lambda value: min(read_whole(low)(value), MOST_TOKENS)


def read_flag(value: Any) -> bool:
    """Read a boolean."""
    if not isinstance(value, bool):
        raise WrongValue("true or false")
    return value


def read_line(value: Any) -> str:
    """Read text on one line; it may be empty."""
    if not isinstance(value, str) or not value.isprintable():
        raise WrongValue("text on one line")
    return value


def read_command(value: Any) -> str:
    """Read a shell command; it may be empty."""
    if not isinstance(value, str) or not is_plain_command(value):
        raise WrongValue("a shell command without invisible characters")
    return value


def read_lines(value: Any) -> tuple[str, ...]:
    """Read a list of texts, none of them empty."""
    if not isinstance(value, list) or not all(isinstance(part, str) and part and part.isprintable() for part in value):
        raise WrongValue("a list of strings")
    return tuple(value)


def read_signed(value: Any) -> tuple[str, ...]:
    """Read a list of what must be signed."""
    names = read_lines(value)
    if not set(SIGNED).issuperset(names):
        raise WrongValue(f"a list of {', '.join(SIGNED)}")
    return names


def read_factors(value: Any) -> tuple[str, ...]:
    """Read a list of factors of a score."""
    names = read_lines(value)
    if not set(FACTORS).issuperset(names):
        raise WrongValue(f"a list of factors ({', '.join(FACTORS)})")
    return names


def read_field_names(value: Any) -> tuple[str, ...]:
    """Read a list of the fields of a memory file."""
    names = read_lines(value)
    if not FIELDS.issuperset(names):
        raise WrongValue(f"a list of fields ({', '.join(sorted(FIELDS))})")
    return names


def read_lifetime(value: Any) -> int | None:
    """Read a length of time in seconds, or None for ``never``."""
    return None if value == "never" else _seconds(value, 'a length of time such as "30d" or "12h", or "never"')


def read_time_limit(value: Any) -> int:
    """Read a time limit of a check in seconds, at most a day."""
    wanted = 'a length of time such as "30s" or "5m", at most a day'
    seconds = _seconds(value, wanted)
    if seconds > DAY_S:
        raise WrongValue(wanted)
    return seconds


def _seconds(value: Any, wanted: str) -> int:
    try:
        return parse_duration(value if isinstance(value, str) else "")
    except ValueError as err:
        raise WrongValue(wanted) from err


def read_language(value: Any) -> str:
    """Read the language for word stems; ``none`` to search words unchanged."""
    if value in (ENGLISH, NO_LANGUAGE):
        return str(value)
    if not isinstance(value, str):
        raise WrongValue(f'the name of a language, such as "german", or "{NO_LANGUAGE}"')
    import Stemmer  # 1 ms, and not for English

    known = Stemmer.algorithms()
    if value not in known:
        raise WrongValue(f'"{NO_LANGUAGE}" or one of {", ".join(known)}')
    return value


def read_collection(value: Any) -> str:
    """Read the name of a collection; empty for none."""
    if value != "" and not (isinstance(value, str) and is_slug(value)):
        raise WrongValue("one word in lower case, or empty")
    return str(value)


def read_folder(value: Any) -> str:
    """Read the name of a folder for memories."""
    if not isinstance(value, str) or not is_slug(value) or value in RESERVED_FOLDERS:
        raise WrongValue(f"one word in lower case, and none of {', '.join(sorted(RESERVED_FOLDERS))}")
    return value


def read_work_folders(value: Any) -> tuple[str, ...]:
    """Read a list of folders of the work tree that checks may see; sorted, without duplicates.

    The memory branch's authors write it, so nothing in it may lead out of the work tree, to git's own folder, or to
    where a person keeps keys (a work tree may be someone's home).
    """
    work_folders = tuple(sorted({name.rstrip("/") for name in read_lines(value)}))
    parts = [name.split("/") for name in work_folders]
    is_nested = any(other != part and other[: len(part)] == part for part in parts for other in parts)
    if is_nested or len(work_folders) > MOST_WORK_FOLDERS or not all(_is_inside(part) for part in parts):
        raise WrongValue(
            f"a list of at most {MOST_WORK_FOLDERS} folders of the work tree, none in another, without '..',"
            f" and none of {', '.join(sorted(NEVER_SEEN))}"
        )
    return work_folders


def _is_inside(parts: list[str]) -> bool:
    names = (not part.strip(".") or part.lower() in NEVER_SEEN for part in parts)
    return not any(names) and all(char.isalnum() or char in "._-+@" for part in parts for char in part)


def is_slug(name: str) -> bool:
    """Return whether a text can name a kind or its folder: 2 to 40 of a-z, 0-9, ``_``, ``-``, a letter first."""
    joined = name.replace("_", "").replace("-", "")
    return (
        2 <= len(name) <= 40
        and name.isascii()
        and joined.isalnum()
        and joined == joined.lower()
        and name[0].isalpha()
        and name[-1].isalnum()
    )


@settings
class Weights:
    """The weight of a word's occurrence in each field, >= 0."""

    # Measured on the recall benchmark's public half: tags 2 and key 0.5 instead of 1 give LoCoMo's turns 0.509 nDCG@10
    # instead of 0.500 and change the other tasks by less than 0.003; a title of 2 loses 0.003 there, 4 wins as much. A
    # key repeats its title: counted whole, it would weigh these words twice.
    title: float = setting(3.0, read_number(0, 1000), "what a word in the title counts")
    tags: float = setting(2.0, read_number(0, 1000), "what a word in the tags counts")
    key: float = setting(0.5, read_number(0, 1000), "what a word in the key counts")
    paths: float = setting(1.0, read_number(0, 1000), "what a word in the paths counts")
    body: float = setting(1.0, read_number(0, 1000), "what a word in the body counts")


@settings
class StatusFactors:
    """The factor of a memory's score by its status, > 0; 1 for a memory without a status."""

    # Of two equal matches the better proved one comes first, and a much better match comes first whatever its status.
    verified: float = setting(1.1, read_number(0, 10, is_open=True), "score factor of verified memories")
    stale: float = setting(0.95, read_number(0, 10, is_open=True), "score factor of stale memories")
    unproven: float = setting(0.9, read_number(0, 10, is_open=True), "score factor of unproven memories")
    blocked: float = setting(0.9, read_number(0, 10, is_open=True), "score factor of blocked memories")
    suspect: float = setting(0.7, read_number(0, 10, is_open=True), "score factor of suspect memories")
    failed: float = setting(0.5, read_number(0, 10, is_open=True), "score factor of failed memories")


@settings
class ScopeFactors:
    """The factor of a memory's score by its scope, > 0: of two equal matches, the nearer one comes first."""

    project: float = setting(1.0, read_number(0, 10, is_open=True), "score factor of project memories")
    private: float = setting(0.95, read_number(0, 10, is_open=True), "score factor of private memories")
    domain: float = setting(0.9, read_number(0, 10, is_open=True), "score factor of domain memories")
    universal: float = setting(0.85, read_number(0, 10, is_open=True), "score factor of universal memories")
    listed: float = setting(0.8, read_number(0, 10, is_open=True), "score factor of listed memories")
    source: float = setting(0.75, read_number(0, 10, is_open=True), "score factor of pulled documents")


@settings
class FactorSizes:
    """The largest change of a score by each factor, as a share of it (``recall.Ranking`` says why)."""

    recency: float = setting(0.5, read_number(0, 1), "maximum share of a score that age removes")
    importance: float = setting(0.2, read_number(0, 0.99), "maximum share that it adds or removes")
    confidence: float = setting(0.3, read_number(0, 0.99), "maximum share that doubt removes")
    workspace: float = setting(0.2, read_number(0, 10), "maximum share added for memories learned in this folder")
    provenance: float = setting(
        0.15, read_number(0, 0.99), "maximum share removed from an agent's memory without a check"
    )


@settings
class WorkPoints:
    """Points for a relation to the current work: their sum orders a digest, each is a factor of recall."""

    # Beans: "path_overlap × 3 + dependency_match × 5 + recency × 1".
    path: float = setting(3.0, read_number(0, 1000), "points of a memory about the place you work in")
    dependency: float = setting(5.0, read_number(0, 1000), "points of a memory linked to your work")
    recency: float = setting(1.0, read_number(0, 1000), "points of a new memory, in a session's digest")
    # A memory about exactly this place counts 1.5 times: that lifts a second place to the first (`recall.rank`).
    double: float = setting(6.0, read_number(0, 1000, is_open=True), "points that double the score of a hit")


@settings
class DenseSettings:
    """The weight of meaning (an embedding provider's vectors) besides words; 0 switches each off."""

    # Measured (`recall.fuse`, `recall.distinctive_words`). A weight of 0.5 to 1 and a power of 2 to 6 change the mean
    # of the four tasks by .007 at most; 0.15 to 0.5 for `common` by less.
    weight: float = setting(0.7, read_number(0, 10), "weight of meaning, where words have 1; 0 = off")
    adapt: float = setting(4.0, read_number(0, 10), "extra weight if the nearest memories are distinct; 0 = none")
    common: float = setting(
        0.4, read_number(0, 1), "share of memories above which a word is ignored in a question's meaning"
    )
    # Measured: it decides between hits of nearly the same score, and costs .004 nDCG@10 on Cranfield and nothing
    # elsewhere; 0.2 costs .016 there and .006 on CoSQA.
    mmr: float = setting(0.05, read_number(0, 1), "weight of differing from higher hits; 0 = off")
    # Dotfiles, for automatic context: "any hit whose score falls below 60% of the best is dropped", per turn a
    # "0.85 relative tail floor" and an "absolute top-cosine 0.55 gate". Measured with MiniLM: of the benchmark's
    # questions put to a store of another task none passes (talk in a store of code reaches 0.45 at best), of those
    # put to their own store 40 to 85 %.
    gate: float = setting(0.55, read_number(0, 1), "minimum cosine of the best hit for automatic context; 0 = none")
    floor: float = setting(0.6, read_number(0, 1), "minimum share of the best score for automatic context; 0 = none")
    turn_floor: float = setting(0.85, read_number(0, 1), "the same for context with every prompt")


@settings
class RecallSettings:
    """How recall ranks hits, and cuts the list."""

    # Agent Swarm, "Configuration": MEMORY_RECENCY_HALF_LIFE_DAYS 14, MEMORY_ACCESS_BOOST_MAX 1.5,
    # MEMORY_ACCESS_RECENCY_HOURS 48, MEMORY_CANDIDATE_MULTIPLIER 3.
    half_life_days: float = setting(
        14.0, read_number(0, is_open=True), "days until age has half its effect, for kinds without half_life"
    )
    access_boost_max: float = setting(1.5, read_number(1, 10), "factor for memories that are read often")
    access_recency_hours: float = setting(48.0, read_number(0), "hours in which a read counts fully")
    candidate_multiplier: float = setting(3.0, read_number(1, 1000), "candidates ranked for each hit")
    # Measured: 0.1 drops 3 % of the ten best on the recall benchmark and 0.1 % of the right ones (`recall.rank`).
    relative_floor: float = setting(0.1, read_number(0, 1), "hits below this share of the best are dropped")
    weights: Weights = Weights()
    status: StatusFactors = StatusFactors()
    scope: ScopeFactors = ScopeFactors()
    factors: FactorSizes = FactorSizes()
    points: WorkPoints = WorkPoints()
    dense: DenseSettings = DenseSettings()
    without: tuple[str, ...] = setting((), read_factors, "factors that are switched off: recency, status, …")
    work: str = setting(
        "asked",
        read_one_of("asked", "always"),
        '"always" = recall always considers changed files and the tasks you hold',
    )
    domains: tuple[str, ...] = setting((), read_lines, "domains of this project, whose memories are also read here")
    language: str = setting(
        ENGLISH, read_language, 'language for word stems in search: "german", "french", …; or "none"'
    )


# The findings for which `check` fails: facts that become false; also unchecked facts; or none.
FAIL_ON = ("newly_false", "unchecked", "never")


@settings
class CheckSettings:
    """The findings for which `check` fails."""

    # A stranger's unapproved fact, or a machine without a sandbox, is not the change's fault.
    fail_on: str = setting(
        "newly_false",
        read_one_of(*FAIL_ON),
        '"newly_false", "unchecked" (also facts that could not be checked) or "never"',
    )


@settings
class VerifySettings:
    """How checks run, and which verdicts are effective."""

    setup: str = setting("", read_command, "shell command run before each check")
    folders: tuple[str, ...] = setting(
        (), read_work_folders, 'ignored folders that checks can see: [".venv", "node_modules"]'
    )
    # Our choice: a minute is long for a check and for a person who waits; a test suite sets its own.
    timeout_s: int = setting(60, read_time_limit, "time limit of checks without their own")
    # Beans: "Default TTL: 30 days".
    ttl_s: int | None = setting(30 * DAY_S, read_lifetime, "how long a verdict is valid")
    outside_ttl_s: int | None = setting(
        DAY_S,
        read_lifetime,
        "the same for checks that depend on the network, on git's "
        "tags and branches, or on what `outside: true` declares",
    )
    jobs: int = setting(0, read_whole(0, 1024), "checks run in parallel; 0 = one per core")
    min_sandbox: str = setting("", read_rung, '"landlock" or "bubblewrap": verdicts from weaker sandboxes do not count')
    claimed: bool = setting(True, read_flag, "whether verdicts made in other clones count")
    independent: bool = setting(False, read_flag, "whether a fact needs a verdict by someone other than its author")
    default_branch: str = setting("", read_line, "branch whose verdicts are committed; empty = found from git")
    trace: str = setting(
        "auto", read_one_of("auto", "off"), '"auto" = observe the files checks read, if strace works; "off" = never'
    )


@settings
class SignatureSettings:
    """What counts only with the ssh signature of an allowed signer."""

    required: tuple[str, ...] = setting(
        (), read_signed, '"verdicts", "memories", "approvals": what counts only if an allowed signer signed its commit'
    )


@settings
class ContextSettings:
    """The size of a session's context."""

    # Beans: "Token budget: ~4000 default", "closed beans from last 7 days". AI Memory Module: 500 tokens a shard.
    budget_tokens: int = setting(4000, read_budget(1), "tokens of a session's digest")
    max_memory_tokens: int = setting(500, read_budget(1), "tokens shown of one memory")
    recent_days: int = setting(7, read_whole(0, 36500), "number of days that count as recent work")


@settings
class DuplicateSettings:
    """When a memory counts as a duplicate."""

    # AI Memory Module, "Duplicate Detection": "Semantic Duplicate (similarity > 0.85)". On 153 labelled pairs the
    # measure of words is the same from 0.75 to 0.9 (`likeness`, benchmarks/README.md).
    threshold: float = setting(0.85, read_share_or_off, 'minimum similarity of a duplicate, which is refused; or "off"')


@settings
class ReviewSettings:
    """The findings for which a review fails."""

    fail_on: str = setting(
        "error",
        read_one_of("error", "warning", "note", "never"),
        '"error", "warning", "note" or "never": findings that fail a review',
    )


@settings
class StopSettings:
    """What to do when an agent stops; nothing is captured from it at that point."""

    worktree: bool = setting(False, read_flag, "whether a sub-agent is asked to commit everything in its work tree")
    # Others write the memory branch: this setting is still accepted for older stores, but has no effect.
    push: bool = setting(
        False,
        read_flag,
        "no effect: set gitmem.stopPush in your own configuration",
        instead="git config --global gitmem.stopPush true",
    )
    task: bool = setting(False, read_flag, "whether it is asked to end its tasks, and the bead of its branch")
    # beadboard, "Exempt: worker-supervisor (low-level tasks that don't produce architectural insight)".
    exempt: tuple[str, ...] = setting(
        ("worker-supervisor",), read_lines, "types of sub-agents that are never asked to do anything"
    )
    log: str = setting(
        "off",
        read_one_of("off", "activity", "responses"),
        '"activity" = log stops in each clone; "responses" = also log responses and dispatched prompts',
    )


@settings
class CaptureSettings:
    """What to capture automatically while an agent works; explicit learnings are always captured."""

    # The AI Memory Module stores each edit. git has them all already, and hundreds a day would bury the rest: that
    # system's document says that its session start "returns random code patterns (low relevance)". So only where a
    # store wants it.
    edits: str = setting(
        "off", read_one_of("off", "patterns"), '"patterns" = definitions in edits become code patterns; "off" = none do'
    )
    fixes: bool = setting(True, read_flag, "whether failures that later pass become candidates for gotchas")
    notes: bool = setting(True, read_flag, "whether note files that agents write become memories")
    # beadboard, "Exempt: worker-supervisor (low-level tasks that don't produce architectural insight)".
    exempt: tuple[str, ...] = setting(
        ("worker-supervisor",), read_lines, "types of sub-agents whose work is never captured automatically"
    )


@settings
class SecretSettings:
    """The rules for secrets that are switched off, only by a person's own configuration."""

    # Like `stops.push`.
    allow: tuple[str, ...] = setting(
        (),
        read_lines,
        "no effect: set gitmem.secretsAllow in your own configuration",
        instead="git config --add gitmem.secretsAllow RULE",
    )


@settings
class RotationSettings:
    """When old memories of a kind are archived."""

    # beadboard: "When knowledge.jsonl exceeds 1,000 lines, the oldest 500 are moved to knowledge.archive.jsonl".
    limit: int = setting(
        1000, read_whole(0), "live memories of a kind, without imported ones, before the oldest are archived; 0 = never"
    )
    move: int = setting(500, read_whole(1), "how many are archived at a time")
    kinds: tuple[str, ...] = setting(("learned", "session"), read_lines, "the kinds to rotate")


@settings
class SourceSettings:
    """The pulled sources that are read besides the memories, by kind (docs, code, github, jira) or name."""

    recall: tuple[str, ...] = setting(("docs",), read_lines, "sources that plain recall searches")
    prompts: tuple[str, ...] = setting(
        ("docs",), read_lines, "sources that may answer a prompt where memories leave room"
    )
    starts: tuple[str, ...] = setting(("docs",), read_lines, "sources that may be shown at a start, for its topic")


@settings
class SessionSettings:
    """The automatic context of an agent's session."""

    profile: str = setting("", read_profile, '"bmad" = session summaries at the start, nothing with prompts')
    # Issue 6: "a digest of a store of 1,000 memories <= 1,500 tokens by default".
    budget_tokens: int = setting(1500, read_budget(1), "tokens of context at a session's start")
    spec_tokens: int = setting(500, read_budget(0), "a longer topic specification is replaced by a pointer")
    worklog_entries: int = setting(10, read_whole(0, 100), "recent commands and edits shown after a compaction")
    # Beadboard: "displays the 5 most recent deduplicated entries when a new session begins".
    newest: int = setting(5, read_whole(0, 100), "newest memories shown at the start")
    discipline: bool = setting(True, read_flag, "whether the start explains how to back claims")
    prompt: bool = setting(True, read_flag, "whether memories are recalled for each prompt")
    prompts: bool = setting(False, read_flag, "whether session summaries repeat what people asked their agents")
    # Dotfiles: "up to three matching capsules". Its floors and its gate by meaning are those of ``[recall.dense]``.
    limit: int = setting(3, read_whole(1, 20), "maximum number of memories for a prompt or topic")
    # Measured on the task `developer` and seven small stores: 236 prompts that a memory answers, 378 that none does.
    # This pair shows the answer for 161 and something for 15; a share of .3 for 159 and 15; a gate of 1 for 173 and 50.
    gate: float = setting(
        1.25, read_number(0, 1000), "minimum score of a prompt's best hit, in words unique to one memory"
    )
    coverage: float = setting(0.25, read_number(0, 1), "minimum share of a prompt's words in its best hit")


@settings
class WorkflowSettings:
    """The input and output of workflow steps."""

    # AI Memory Module: "Developer 1000", pre-work-search "--limit: Max results (default: 3)"; "Per-Shard Limits":
    # 50 to 500 tokens.
    budget_tokens: int = setting(1000, read_budget(1), "tokens shown before work")
    limit: int = setting(3, read_whole(1, 20), "maximum number of memories in each part")
    min_tokens: int = setting(50, read_budget(0), "minimum tokens of a memory stored after work")
    max_tokens: int = setting(500, read_budget(1), "maximum tokens of a memory stored after work")


# The sections of a policy by name; a subsection by its full name.
SECTIONS: dict[str, Any] = {
    "recall": RecallSettings(),
    "recall.weights": Weights(),
    "recall.status": StatusFactors(),
    "recall.scope": ScopeFactors(),
    "recall.factors": FactorSizes(),
    "recall.points": WorkPoints(),
    "recall.dense": DenseSettings(),
    "verify": VerifySettings(),
    "check": CheckSettings(),
    "signatures": SignatureSettings(),
    "context": ContextSettings(),
    "session": SessionSettings(),
    "stops": StopSettings(),
    "capture": CaptureSettings(),
    "workflow": WorkflowSettings(),
    "secrets": SecretSettings(),
    "rotation": RotationSettings(),
    "sources": SourceSettings(),
    "duplicates": DuplicateSettings(),
    "review": ReviewSettings(),
}


def keys_of(table: type[object]) -> Mapping[str, Setting]:
    """Return the rows of a section, a kind or a role, by their keys in a policy."""
    return {row.key: row for row in rows_of(table).values()}


# The settings of each section, by key.
ROWS = {section: keys_of(type(defaults)) for section, defaults in SECTIONS.items()}
# Settings that only a person's own configuration can set, and the command for it.
OWN = {f"{section}.{key}": row.instead for section, rows in ROWS.items() for key, row in rows.items() if row.instead}
