"""The tables of a store's settings, roles, kinds and tag words: a class for each section of ``gitmem.toml``. Pure.

Reading and checking a policy, a new store's file and the reference page are all made from these rows. The sources are
the five systems whose features gitmem combines, named by the letters of ``FEATURES.md``: A beadboard, B Beans, C the AI
Memory Module, D Agent Swarm, E the dotfiles' agent memory.
"""

from __future__ import annotations

from gitmem.config import Setting, rows_of, setting, settings
from gitmem.model import ENGLISH
from gitmem.policy import values as read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


DAY_S = 86_400


@settings
class Weights:
    """The weight of a word's occurrence in each field, >= 0."""

    # Measured on the recall benchmark's public half: tags 2 and key 0.5 instead of 1 give LoCoMo's turns 0.509 nDCG@10
    # instead of 0.500 and change the other tasks by less than 0.003; a title of 2 loses 0.003 there, 4 wins as much. A
    # key repeats its title: counted whole, it would weigh these words twice.
    title: float = setting(3.0, read.number(0, 1000), "what a word in the title counts")
    tags: float = setting(2.0, read.number(0, 1000), "what a word in the tags counts")
    key: float = setting(0.5, read.number(0, 1000), "what a word in the key counts")
    paths: float = setting(1.0, read.number(0, 1000), "what a word in the paths counts")
    body: float = setting(1.0, read.number(0, 1000), "what a word in the body counts")


@settings
class StatusFactors:
    """The factor of a memory's score by its status, > 0; 1 for a memory without a status."""

    # The order is the design's (section 1). The sizes are ours: of two equal matches the better proved one comes first,
    # and a much better match comes first whatever its status.
    verified: float = setting(1.1, read.number(0, 10, is_open=True), "score factor of verified memories")
    stale: float = setting(0.95, read.number(0, 10, is_open=True), "score factor of stale memories")
    unproven: float = setting(0.9, read.number(0, 10, is_open=True), "score factor of unproven memories")
    blocked: float = setting(0.9, read.number(0, 10, is_open=True), "score factor of blocked memories")
    suspect: float = setting(0.7, read.number(0, 10, is_open=True), "score factor of suspect memories")
    failed: float = setting(0.5, read.number(0, 10, is_open=True), "score factor of failed memories")


@settings
class ScopeFactors:
    """The factor of a memory's score by its scope, > 0: of two equal matches, the nearer one comes first."""

    project: float = setting(1.0, read.number(0, 10, is_open=True), "score factor of project memories")
    private: float = setting(0.95, read.number(0, 10, is_open=True), "score factor of private memories")
    domain: float = setting(0.9, read.number(0, 10, is_open=True), "score factor of domain memories")
    universal: float = setting(0.85, read.number(0, 10, is_open=True), "score factor of universal memories")
    listed: float = setting(0.8, read.number(0, 10, is_open=True), "score factor of listed memories")


@settings
class FactorSizes:
    """The largest change of a score by each factor, as a share of it (``recall.score.Ranking`` says why)."""

    recency: float = setting(0.5, read.number(0, 1), "maximum share of a score that age removes")
    importance: float = setting(0.2, read.number(0, 0.99), "maximum share that it adds or removes")
    confidence: float = setting(0.3, read.number(0, 0.99), "maximum share that doubt removes")
    workspace: float = setting(0.2, read.number(0, 10), "maximum share added for memories learned in this folder")
    provenance: float = setting(
        0.15, read.number(0, 0.99), "maximum share removed from an agent's memory without a check"
    )


@settings
class WorkPoints:
    """Points for a relation to the current work: their sum orders a digest, each is a factor of recall."""

    # Beans (B5): "path_overlap × 3 + dependency_match × 5 + recency × 1".
    path: float = setting(3.0, read.number(0, 1000), "points of a memory about the place you work in")
    dependency: float = setting(5.0, read.number(0, 1000), "points of a memory linked to your work")
    recency: float = setting(1.0, read.number(0, 1000), "points of a new memory, in a session's digest")
    # A memory about exactly this place counts 1.5 times: that lifts a second place to the first (`recall.score`).
    double: float = setting(6.0, read.number(0, 1000, is_open=True), "points that double the score of a hit")


@settings
class DenseSettings:
    """The weight of meaning (an embedding provider's vectors) besides words; 0 switches each off."""

    # Measured (`recall.fuse`, `recall.distinctive_words`). A weight of 0.5 to 1 and a power of 2 to 6 change the mean
    # of the four tasks by .007 at most; 0.15 to 0.5 for `common` by less.
    weight: float = setting(0.7, read.number(0, 10), "weight of meaning, where words have 1; 0 = off")
    adapt: float = setting(4.0, read.number(0, 10), "extra weight if the nearest memories are distinct; 0 = none")
    common: float = setting(
        0.4, read.number(0, 1), "share of memories above which a word is ignored in a question's meaning"
    )
    # Measured: it decides between hits of nearly the same score, and costs .004 nDCG@10 on Cranfield and nothing
    # elsewhere; 0.2 costs .016 there and .006 on CoSQA.
    mmr: float = setting(0.05, read.number(0, 1), "weight of differing from higher hits; 0 = off")
    # Dotfiles, for automatic context: "any hit whose score falls below 60% of the best is dropped", per turn a
    # "0.85 relative tail floor" and an "absolute top-cosine 0.55 gate". Measured with MiniLM: of the benchmark's
    # questions put to a store of another task none passes (talk in a store of code reaches 0.45 at best), of those
    # put to their own store 40 to 85 %.
    gate: float = setting(0.55, read.number(0, 1), "minimum cosine of the best hit for automatic context; 0 = none")
    floor: float = setting(0.6, read.number(0, 1), "minimum share of the best score for automatic context; 0 = none")
    turn_floor: float = setting(0.85, read.number(0, 1), "the same for context with every prompt")


@settings
class RecallSettings:
    """How recall ranks hits, and cuts the list."""

    # Agent Swarm, "Configuration": MEMORY_RECENCY_HALF_LIFE_DAYS 14, MEMORY_ACCESS_BOOST_MAX 1.5,
    # MEMORY_ACCESS_RECENCY_HOURS 48, MEMORY_CANDIDATE_MULTIPLIER 3.
    half_life_days: float = setting(
        14.0, read.number(0, is_open=True), "days until age has half its effect, for kinds without half_life"
    )
    access_boost_max: float = setting(1.5, read.number(1, 10), "factor for memories that are read often")
    access_recency_hours: float = setting(48.0, read.number(0), "hours in which a read counts fully")
    candidate_multiplier: float = setting(3.0, read.number(1, 1000), "candidates ranked for each hit")
    # Measured: 0.1 drops 3 % of the ten best on the recall benchmark and 0.1 % of the right ones (`recall.score`).
    relative_floor: float = setting(0.1, read.number(0, 1), "hits below this share of the best are dropped")
    weights: Weights = Weights()
    status: StatusFactors = StatusFactors()
    scope: ScopeFactors = ScopeFactors()
    factors: FactorSizes = FactorSizes()
    points: WorkPoints = WorkPoints()
    dense: DenseSettings = DenseSettings()
    without: tuple[str, ...] = setting((), read.factors, "factors that are switched off: recency, status, …")
    work: str = setting(
        "asked", read.looking, '"always" = recall always considers changed files and the tasks you hold'
    )
    domains: tuple[str, ...] = setting((), read.lines, "domains of this project, whose memories are also read here")
    language: str = setting(
        ENGLISH, read.language, 'language for word stems in search: "german", "french", …; or "none"'
    )


# The findings for which `check` fails: facts that become false; also unchecked facts; or none.
FAIL_ON = ("newly_false", "unchecked", "never")


@settings
class CheckSettings:
    """The findings for which `check` fails."""

    # A stranger's unapproved fact, or a machine without a sandbox, is not the change's fault.
    fail_on: str = setting(
        "newly_false", read.fail_on, '"newly_false", "unchecked" (also facts that could not be checked) or "never"'
    )


@settings
class VerifySettings:
    """How checks run, and which verdicts are effective."""

    setup: str = setting("", read.command, "shell command run before each check")
    folders: tuple[str, ...] = setting(
        (), read.work_folders, 'ignored folders that checks can see: [".venv", "node_modules"]'
    )
    # Our choice: a minute is long for a check and for a person who waits; a test suite sets its own.
    timeout_s: int = setting(60, read.time_limit, "time limit of checks without their own")
    # Beans: "Default TTL: 30 days".
    ttl_s: int | None = setting(30 * DAY_S, read.lifetime, "how long a verdict is valid")
    outside_ttl_s: int | None = setting(
        DAY_S,
        read.lifetime,
        "the same for checks that depend on the network, on git's "
        "tags and branches, or on what `outside: true` declares",
    )
    jobs: int = setting(0, read.whole(0, 1024), "checks run in parallel; 0 = one per core")
    min_sandbox: str = setting("", read.rung, '"landlock" or "bubblewrap": verdicts from weaker sandboxes do not count')
    claimed: bool = setting(True, read.flag, "whether verdicts made in other clones count")
    default_branch: str = setting("", read.line, "branch whose verdicts are committed; empty = found from git")
    trace: str = setting("auto", read.tracing, '"auto" = observe the files checks read, if strace works; "off" = never')


@settings
class ContextSettings:
    """The size of a session's context."""

    # Beans: "Token budget: ~4000 default", "closed beans from last 7 days". AI Memory Module: 500 tokens a shard.
    budget_tokens: int = setting(4000, read.budget(1), "tokens of a session's digest")
    max_memory_tokens: int = setting(500, read.budget(1), "tokens shown of one memory")
    recent_days: int = setting(7, read.whole(0, 36500), "number of days that count as recent work")


@settings
class DuplicateSettings:
    """When a memory counts as a duplicate."""

    # C, "Duplicate Detection": "Semantic Duplicate (similarity > 0.85)". On 153 labelled pairs the lexical measure is
    # the same from 0.75 to 0.9 (`likeness`, benchmarks/README.md).
    threshold: float = setting(0.85, read.share_or_off, 'minimum similarity of a duplicate, which is refused; or "off"')


@settings
class ReviewSettings:
    """The findings for which a review fails."""

    fail_on: str = setting("error", read.severity, '"error", "warning", "note" or "never": findings that fail a review')


@settings
class StopSettings:
    """What to do when an agent stops; nothing is captured from it at that point."""

    worktree: bool = setting(False, read.flag, "whether a sub-agent is asked to commit everything in its work tree")
    # Others write the memory branch: this setting is still accepted for older stores, but has no effect.
    push: bool = setting(
        *(False, read.flag, "no effect: set gitmem.stopPush in your own configuration"),
        instead="git config --global gitmem.stopPush true",
    )
    task: bool = setting(False, read.flag, "whether it is asked to end its tasks, and the bead of its branch")
    # A, "Exempt: worker-supervisor (low-level tasks that don't produce architectural insight)".
    exempt: tuple[str, ...] = setting(
        ("worker-supervisor",), read.lines, "types of sub-agents that are never asked to do anything"
    )
    log: str = setting(
        "off",
        read.stop_log,
        '"activity" = log stops in each clone; "responses" = also log responses and dispatched prompts',
    )


@settings
class CaptureSettings:
    """What to capture automatically while an agent works; explicit learnings are always captured."""

    # C stores each edit (C3). git has them all already, and hundreds a day would bury the rest: C's own document
    # says of its session start that it "returns random code patterns (low relevance)". So only a store that wants it.
    edits: str = setting("off", read.edits, '"patterns" = definitions in edits become code patterns; "off" = none do')
    fixes: bool = setting(True, read.flag, "whether failures that later pass become candidates for gotchas")
    notes: bool = setting(True, read.flag, "whether note files that agents write become memories")
    # A, "Exempt: worker-supervisor (low-level tasks that don't produce architectural insight)".
    exempt: tuple[str, ...] = setting(
        ("worker-supervisor",), read.lines, "types of sub-agents whose work is never captured automatically"
    )


@settings
class SecretSettings:
    """The rules for secrets that are switched off, only by a person's own configuration."""

    # Like `stops.push`.
    allow: tuple[str, ...] = setting(
        *((), read.lines, "no effect: set gitmem.secretsAllow in your own configuration"),
        instead="git config --add gitmem.secretsAllow RULE",
    )


@settings
class RotationSettings:
    """When old memories of a kind are archived."""

    # A: "When knowledge.jsonl exceeds 1,000 lines, the oldest 500 are moved to knowledge.archive.jsonl".
    limit: int = setting(1000, read.whole(0), "live memories of a kind before the oldest are archived; 0 = never")
    move: int = setting(500, read.whole(1), "how many are archived at a time")
    kinds: tuple[str, ...] = setting(("learned", "session"), read.lines, "the kinds to rotate")


@settings
class SessionSettings:
    """The automatic context of an agent's session."""

    profile: str = setting("", read.profile, '"bmad" = session summaries at the start, nothing with prompts')
    # Issue 6: "a digest of a store of 1,000 memories <= 1,500 tokens by default".
    budget_tokens: int = setting(1500, read.budget(1), "tokens of context at a session's start")
    spec_tokens: int = setting(500, read.budget(0), "a longer topic specification is replaced by a pointer")
    worklog_entries: int = setting(10, read.whole(0, 100), "recent commands and edits shown after a compaction")
    # Beadboard: "displays the 5 most recent deduplicated entries when a new session begins".
    newest: int = setting(5, read.whole(0, 100), "newest memories shown at the start")
    discipline: bool = setting(True, read.flag, "whether the start explains how to back claims")
    prompt: bool = setting(True, read.flag, "whether memories are recalled for each prompt")
    prompts: bool = setting(False, read.flag, "whether session summaries repeat what people asked their agents")
    # Dotfiles: "up to three matching capsules". Its floors and its gate by meaning are those of ``[recall.dense]``.
    limit: int = setting(3, read.whole(1, 20), "maximum number of memories for a prompt or topic")
    # Measured on the task `developer` (188 questions with an answer, 18 without) and 33 prompts about nothing in it
    # ("open a pull request"): this pair tells something for 134, 2 and 0, and for 120 of the 134 what helps.
    gate: float = setting(
        1.25, read.number(0, 1000), "minimum score of a prompt's best hit, in words unique to one memory"
    )
    coverage: float = setting(0.3, read.number(0, 1), "minimum share of a prompt's words in its best hit")


@settings
class WorkflowSettings:
    """The input and output of workflow steps."""

    # AI Memory Module: "Developer 1000", pre-work-search "--limit: Max results (default: 3)"; "Per-Shard Limits":
    # 50 to 500 tokens.
    budget_tokens: int = setting(1000, read.budget(1), "tokens shown before work")
    limit: int = setting(3, read.whole(1, 20), "maximum number of memories in each part")
    min_tokens: int = setting(50, read.budget(0), "minimum tokens of a memory stored after work")
    max_tokens: int = setting(500, read.budget(1), "maximum tokens of a memory stored after work")


@settings
class Role:
    """The context for a role at a session's start."""

    budget_tokens: int = setting(0, read.budget(0), "tokens of what its start tells at most; 0 = the session's")
    kinds: tuple[str, ...] = setting((), read.lines, "the kinds that come first")


_DISCUSSIONS = ("decision", "discussion")
ROLES: dict[str, Role] = {
    # AI Memory Module, "Per-Agent Token Budgets" and "Agent Memory Summary Table" (C7).
    "architect": Role(1500, ("code_pattern", *_DISCUSSIONS)),
    "analyst": Role(1200, _DISCUSSIONS),
    "pm": Role(1200, _DISCUSSIONS),
    "developer": Role(1000, ("code_pattern",)),
    "tea": Role(1000, ("code_pattern",)),
    "tech_writer": Role(1000, ("convention",)),
    "ux_designer": Role(1000, _DISCUSSIONS),
    "quick_flow": Role(1000, ("code_pattern", *_DISCUSSIONS)),
    "sm": Role(800, _DISCUSSIONS),
    # Dotfiles, "Memory flow during a Ralph run" (E7); the planner gets the broadest slice.
    "planner": Role(),
    "executor": Role(0, ("fact", "recipe", "gotcha", "anti_pattern", "pattern")),
    "reviewer": Role(0, ("gotcha", "anti_pattern")),
    "re_reviewer": Role(0, ("gotcha", "anti_pattern", "principle")),
}
# BMAD's names for agents that differ from the table's.
ROLE_ALIASES = {"dev": "developer", "quick_flow_solo_dev": "quick_flow"}


def role_name(typed: str) -> str:
    """Return a role's name in the table: ``tech_writer`` for ``Tech Writer``, ``developer`` for ``dev``."""
    name = "_".join(typed.lower().replace("-", " ").replace("_", " ").split())
    return ROLE_ALIASES.get(name, name)


@settings
class Kind:
    """One row of the policy: the rules for every memory of a kind.

    Attributes:
        name: The kind, as the frontmatter names it.
    """

    name: str
    folder: str = setting("", read.folder, "the folder of the store that has its files")
    description: str = setting("", read.line, "one line for people")
    ttl_s: int | None = setting(None, read.lifetime, "how long a memory counts that names no `ttl` itself")
    # The time in which age takes half of its largest effect on a score; 0: as in `[recall] half_life_days`; None: age
    # does not matter, because a rule holds until someone changes it.
    half_life_s: int | None = setting(
        0, read.lifetime, "in how long age takes half of what it can; 0: `recall.half_life_days`"
    )
    # A fact becomes stale instead, and is never hidden.
    expires: bool = setting(False, read.flag, "whether a memory leaves search after its `ttl`; it stays in the store")
    # If the author gives none, the writer fills in ``created``, ``project`` and ``importance: medium``.
    required: tuple[str, ...] = setting((), read.field_names, "frontmatter fields that a memory must have")
    needs_refs: bool = setting(False, read.flag, "whether its `refs` must name lines of the code, `path:line`")
    needs_verify: bool = setting(False, read.flag, "whether it must have a check")
    collection: str = setting("", read.collection, "the collection it is in (`[collections.NAME]`)")


# What is learned about a code base outlasts the fortnight in which agent-swarm lets its memories fade (D6). Half a
# year is our choice: on worlds that the figures of the benchmark of factors are not from, nDCG@5 is .532 with
# 14 days for all kinds, .573 without recency, .578 with 180 days and .588 with 365.
_LASTING_S = 180 * DAY_S

# C, "Metadata Validation": unique_id, group_id, type, timestamp, importance. The key is the first, the kind the third.
_C10 = ("project", "created", "importance")

_TABLE = (
    # B: "If you can't write a verify command, it's not a bn fact"; "Default TTL: 30 days". Also E's capsule `fact`.
    Kind("fact", "facts", "true while its check holds", ttl_s=30 * DAY_S, half_life_s=_LASTING_S, needs_verify=True),
    # `adopt --apply`. Built-in checks run again with every change of their inputs, so age does not matter.
    Kind(
        *("claim", "claims", "a fact adopted from a document; shown only when it fails"),
        half_life_s=_LASTING_S,
        needs_verify=True,
    ),
    # B: tasks and facts are one structure; a task's check is its completion gate.
    Kind("task", "tasks", "should become true; its check is the gate for closing it"),
    # A: type `learned`, from a `LEARNED:` comment. It is also what a memory is that names no kind.
    Kind("learned", "learned", "something an agent learned while working", half_life_s=_LASTING_S),
    # E, capsule kinds: fact / gotcha / pattern / anti_pattern / recipe / principle / doc.
    Kind("gotcha", "gotchas", "a trap, and how to avoid it", half_life_s=_LASTING_S),
    Kind("pattern", "patterns", "a way of doing things that works here", half_life_s=_LASTING_S),
    Kind("anti_pattern", "anti_patterns", "a way of doing things that does not work here", half_life_s=_LASTING_S),
    Kind("recipe", "recipes", "the steps that lead to a result", half_life_s=_LASTING_S),
    Kind("principle", "principles", "a rule to decide by", half_life_s=None),
    Kind("doc", "docs", "a chunk of an ingested document"),
    # C, collection `discussions`: decisions, session summaries, agents' reasoning.
    Kind(
        "decision",
        "decisions",
        "a decision, with its reason",
        required=_C10,
        collection="discussions",
        half_life_s=_LASTING_S,
    ),
    Kind("discussion", "discussions", "reasoning worth keeping", required=_C10, collection="discussions"),
    # D, TTL table: session_summary 3 days, "Session context is ephemeral".
    Kind(
        *("session", "sessions", "the summary of one session"),
        ttl_s=3 * DAY_S,
        expires=True,
        required=_C10,
        collection="discussions",
    ),
    # D, TTL table: task_completion 7 days, "Task outputs become stale quickly".
    Kind("outcome", "outcomes", "how a task ended, and what went wrong", ttl_s=7 * DAY_S, expires=True),
    # D, TTL table: file_index 30 days, "File contents may change".
    Kind("note", "notes", "a note file that an agent wrote", ttl_s=30 * DAY_S, expires=True),
    # C, collection `code-patterns`: "Must include file:line references."
    Kind(
        *("code_pattern", "code_patterns", "how something was built, with code locations"),
        half_life_s=_LASTING_S,
        required=_C10,
        needs_refs=True,
        collection="code-patterns",
    ),
    # C, collection `conventions`: shared by all projects (C13).
    Kind(
        *("convention", "conventions", "how things are done here"),
        half_life_s=None,
        required=_C10,
        collection="conventions",
    ),
    # C, collections `github` and `jira-data`: what is pulled from there.
    Kind("github", "github", "an issue, pull request, commit or release", required=_C10, collection="github"),
    Kind("jira", "jira", "an issue or comment from Jira", required=_C10, collection="jira"),
    # D, "Memory Categories" of injected learnings; manual sources never expire.
    Kind("mistake_pattern", "mistake_patterns", "a common mistake to avoid", half_life_s=_LASTING_S),
    Kind("best_practice", "best_practices", "the preferred approach", half_life_s=_LASTING_S),
    Kind("codebase_knowledge", "codebase_knowledge", "how this code base is structured", half_life_s=_LASTING_S),
    Kind("preference", "preferences", "a preference of a user or team", half_life_s=None),
    # E, entries of a run's blackboard, and its queue of open questions.
    Kind("observation", "observations", "an observation of a worker in a run"),
    Kind("analysis", "analyses", "a conclusion of a worker in a run"),
    Kind("calculation", "calculations", "a result of a worker in a run"),
    Kind("strategy", "strategies", "how a run pursues its goal"),
    Kind("gap", "gaps", "something a run does not know yet"),
    Kind("contradiction", "contradictions", "two findings of a run that cannot both hold"),
    Kind("signal", "signals", "an open question of a run"),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _TABLE}
# Kinds that belong on a board (``gitmem.commands.board``). Stores of earlier versions may have memories of them; no new
# ones are written.
BOARD_KINDS = frozenset(("observation", "analysis", "calculation", "strategy", "gap", "contradiction", "signal"))
# The readers of collections (``policy.collections``): a session's start and `context`, `pre-work`, a prompt, and
# explicit requests; and the collections that only the last one reads.
START, WORK, PROMPT, REQUEST = "start", "work", "prompt", "request"
PULLED = ("github", "jira")
# The writers: a person or agent on purpose, the steps of a workflow, hooks, and `import`.
REMEMBER, WORKFLOW, CAPTURE, IMPORT = "remember", "workflow", "capture", "import"

# A, "Auto-detected from content via keyword scan": the words that give each tag. They are found whole, in any case and
# inflection, also as parts of an identifier. Left out are words whose stem is one of everyday prose (authorization:
# author, dependency: depends, documentation: document, exception: except, performance: performs, settings: set,
# typing: type): a tag that everything has ranks nothing.
TAG_WORDS: dict[str, tuple[str, ...]] = {
    "api": ("api", "endpoint", "openapi", "swagger", "webhook", "graphql", "grpc"),
    # `task group` and `sendable`: A's own example of a text that is tagged async.
    "async": ("async", "await", "asyncio", "coroutine", "event loop", "task group", "sendable"),
    "auth": (
        *("auth", "authentication", "oauth", "oidc", "saml", "jwt", "login", "logout", "rbac", "session cookie"),
        *("access token", "refresh token", "bearer"),
    ),
    "build": ("build system", "compiler", "makefile", "cmake", "bazel", "webpack", "vite", "linker", "gradle"),
    "cache": ("cache", "memcached", "etag"),
    "ci": ("ci", "continuous integration", "github actions", "gitlab ci", "jenkins", "pipeline"),
    "concurrency": (
        *("concurrency", "thread", "mutex", "deadlock", "race condition", "semaphore", "atomic", "goroutine"),
    ),
    "config": ("config", "configuration", "environment variable", "env var", "dotenv", "feature flag"),
    "database": (
        *("database", "postgres", "postgresql", "mysql", "sqlite", "mongodb", "migration", "orm", "transaction"),
        *("savepoint", "connection pool"),
    ),
    "deps": (
        *("lockfile", "lock file", "package manager", "dependency version", "dependency tree", "npm", "pnpm", "pip"),
        *("cargo", "poetry"),
    ),
    "docker": ("docker", "dockerfile", "container image", "compose file", "kubernetes", "podman"),
    "docs": ("docs", "readme", "changelog", "docstring"),
    "errors": ("traceback", "stack trace", "error handling", "error code", "unhandled exception", "panic"),
    "git": ("git", "rebase", "merge conflict", "worktree", "cherry-pick", "submodule"),
    "http": ("http", "https", "status code", "request header", "cors", "redirect", "reverse proxy"),
    "logging": ("logging", "logger", "log level", "stderr"),
    "performance": ("latency", "throughput", "benchmark", "profiler", "bottleneck", "memory leak", "slow query"),
    "security": (
        *("security", "vulnerability", "cve", "xss", "csrf", "sql injection", "sandbox", "encryption", "password"),
        *("tls", "certificate"),
    ),
    "sql": ("sql", "select statement", "join clause", "query plan", "stored procedure", "foreign key"),
    "testing": ("testing", "pytest", "fixture", "flaky", "coverage"),
    "types": ("type checker", "type hint", "type annotation", "type error", "mypy", "pyright", "typescript"),
    "ui": ("ui", "frontend", "css", "layout shift", "a11y", "jsx", "popup"),
}


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
    "context": ContextSettings(),
    "session": SessionSettings(),
    "stops": StopSettings(),
    "capture": CaptureSettings(),
    "workflow": WorkflowSettings(),
    "secrets": SecretSettings(),
    "rotation": RotationSettings(),
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
