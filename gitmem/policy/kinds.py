"""The kinds of memories, the roles of readers, and the words of tags: the built-in tables. Pure."""

from __future__ import annotations

from gitmem.config import setting
from gitmem.config import settings as table  # the submodule ``settings`` takes that name
from gitmem.policy.settings import (
    DAY_S,
    RESERVED_FOLDERS,
    read_budget,
    read_collection,
    read_field_names,
    read_flag,
    read_folder,
    read_lifetime,
    read_line,
    read_lines,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@table
class Role:
    """The context for a role at a session's start."""

    budget_tokens: int = setting(0, read_budget(0), "tokens of what its start tells at most; 0 = the session's")
    kinds: tuple[str, ...] = setting((), read_lines, "the kinds that it reads, besides critical memories; empty = all")


# AI Memory Module, collection `discussions`, and "SM: needs story outcomes".
_DISCUSSIONS = ("decision", "discussion", "session", "outcome")


# AI Memory Module, collection `code-patterns`, and the kinds of gitmem's own that say how code is written here and
# what breaks it.
_CODE = tuple(
    """
    code_pattern pattern anti_pattern recipe gotcha mistake_pattern convention best_practice fact learned
    """.split()
)


ROLES: dict[str, Role] = {
    # AI Memory Module, "Per-Agent Token Budgets" and "Agent Memory Summary Table".
    "architect": Role(1500, (*_CODE, *_DISCUSSIONS)),
    "analyst": Role(1200, _DISCUSSIONS),
    "pm": Role(1200, _DISCUSSIONS),
    "developer": Role(1000, _CODE),
    "tea": Role(1000, _CODE),
    "tech_writer": Role(1000, ("convention", "best_practice", *_DISCUSSIONS)),
    "ux_designer": Role(1000, _DISCUSSIONS),
    "quick_flow": Role(1000, (*_CODE, *_DISCUSSIONS)),
    "sm": Role(800, _DISCUSSIONS),
    # Dotfiles, "Memory flow during a Ralph run"; the planner gets the broadest slice.
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


@table
class Kind:
    """One row of the policy: the rules for every memory of a kind.

    Attributes:
        name: The kind, as the frontmatter names it.
    """

    name: str
    folder: str = setting("", read_folder, "the folder of the store that has its files")
    description: str = setting("", read_line, "one line for people")
    ttl_s: int | None = setting(None, read_lifetime, "how long a memory counts that names no `ttl` itself")
    # The time in which age takes half of its largest effect on a score; 0: as in `[recall] half_life_days`; None: age
    # does not matter, because a rule holds until someone changes it.
    half_life_s: int | None = setting(
        0, read_lifetime, "in how long age takes half of what it can; 0: `recall.half_life_days`"
    )
    # A fact becomes stale instead, and is never hidden.
    expires: bool = setting(False, read_flag, "whether a memory leaves search after its `ttl`; it stays in the store")
    # If the author gives none, the writer fills in ``created``, ``project`` and ``importance: medium``.
    required: tuple[str, ...] = setting((), read_field_names, "frontmatter fields that a memory must have")
    needs_refs: bool = setting(False, read_flag, "whether its `refs` must name lines of the code, `path:line`")
    needs_verify: bool = setting(False, read_flag, "whether it must have a check")
    collection: str = setting("", read_collection, "the collection it is in (`[collections.NAME]`)")


# What is learned about a code base outlasts the fortnight in which agent-swarm lets its memories fade. Half a
# year is our choice: on worlds that the figures of the benchmark of factors are not from, nDCG@5 is .532 with
# 14 days for all kinds, .573 without recency, .578 with 180 days and .588 with 365.
_LASTING_S = 180 * DAY_S


# AI Memory Module, "Metadata Validation": unique_id, group_id, type, timestamp, importance. The key is the first, the
# kind the third.
_METADATA = ("project", "created", "importance")


_TABLE = (
    # Beans: "If you can't write a verify command, it's not a bn fact"; "Default TTL: 30 days". Also the dotfiles'
    # capsule `fact`.
    Kind("fact", "facts", "true while its check holds", ttl_s=30 * DAY_S, half_life_s=_LASTING_S, needs_verify=True),
    # `adopt --apply`. Built-in checks run again with every change of their inputs, so age does not matter.
    Kind(
        "claim",
        "claims",
        "a fact adopted from a document; shown only when it fails",
        half_life_s=_LASTING_S,
        needs_verify=True,
    ),
    # Beans: tasks and facts are one structure; a task's check is its completion gate.
    Kind("task", "tasks", "should become true; its check is the gate for closing it"),
    # beadboard: type `learned`, from a `LEARNED:` comment. It is also what a memory is that names no kind.
    Kind("learned", "learned", "something an agent learned while working", half_life_s=_LASTING_S),
    # the dotfiles, capsule kinds: fact / gotcha / pattern / anti_pattern / recipe / principle / doc.
    Kind("gotcha", "gotchas", "a trap, and how to avoid it", half_life_s=_LASTING_S),
    Kind("pattern", "patterns", "a way of doing things that works here", half_life_s=_LASTING_S),
    Kind("anti_pattern", "anti_patterns", "a way of doing things that does not work here", half_life_s=_LASTING_S),
    Kind("recipe", "recipes", "the steps that lead to a result", half_life_s=_LASTING_S),
    Kind("principle", "principles", "a rule to decide by", half_life_s=None),
    Kind("doc", "docs", "a chunk of an ingested document"),
    # AI Memory Module, collection `discussions`: decisions, session summaries, agents' reasoning.
    Kind(
        "decision",
        "decisions",
        "a decision, with its reason",
        required=_METADATA,
        collection="discussions",
        half_life_s=_LASTING_S,
    ),
    Kind("discussion", "discussions", "reasoning worth keeping", required=_METADATA, collection="discussions"),
    # Agent Swarm, TTL table: session_summary 3 days, "Session context is ephemeral".
    Kind(
        "session",
        "sessions",
        "the summary of one session",
        ttl_s=3 * DAY_S,
        expires=True,
        required=_METADATA,
        collection="discussions",
    ),
    # Agent Swarm, TTL table: task_completion 7 days, "Task outputs become stale quickly".
    Kind("outcome", "outcomes", "how a task ended, and what went wrong", ttl_s=7 * DAY_S, expires=True),
    # Agent Swarm, TTL table: file_index 30 days, "File contents may change".
    Kind("note", "notes", "a note file that an agent wrote", ttl_s=30 * DAY_S, expires=True),
    # AI Memory Module, collection `code-patterns`: "Must include file:line references."
    Kind(
        "code_pattern",
        "code_patterns",
        "how something was built, with code locations",
        half_life_s=_LASTING_S,
        required=_METADATA,
        needs_refs=True,
        collection="code-patterns",
    ),
    # AI Memory Module, collection `conventions`: shared by all projects.
    Kind(
        "convention",
        "conventions",
        "how things are done here",
        half_life_s=None,
        required=_METADATA,
        collection="conventions",
    ),
    # AI Memory Module, collections `github` and `jira-data`: what is pulled from there.
    Kind("github", "github", "an issue, pull request, commit or release", required=_METADATA, collection="github"),
    Kind("jira", "jira", "an issue or comment from Jira", required=_METADATA, collection="jira"),
    # Agent Swarm, "Memory Categories" of injected learnings; manual sources never expire.
    Kind("mistake_pattern", "mistake_patterns", "a common mistake to avoid", half_life_s=_LASTING_S),
    Kind("best_practice", "best_practices", "the preferred approach", half_life_s=_LASTING_S),
    Kind("codebase_knowledge", "codebase_knowledge", "how this code base is structured", half_life_s=_LASTING_S),
    Kind("preference", "preferences", "a preference of a user or team", half_life_s=None),
    # the dotfiles, entries of a run's blackboard, and its queue of open questions.
    Kind("observation", "observations", "an observation of a worker in a run"),
    Kind("analysis", "analyses", "a conclusion of a worker in a run"),
    Kind("calculation", "calculations", "a result of a worker in a run"),
    Kind("strategy", "strategies", "how a run pursues its goal"),
    Kind("gap", "gaps", "something a run does not know yet"),
    Kind("contradiction", "contradictions", "two findings of a run that cannot both hold"),
    Kind("signal", "signals", "an open question of a run"),
)


KINDS: dict[str, Kind] = {kind.name: kind for kind in _TABLE}


# Kinds that belong on a board (``gitmem.plugins.board``). Stores of earlier versions may have memories of them; no new
# ones are written.
BOARD_KINDS = frozenset(("observation", "analysis", "calculation", "strategy", "gap", "contradiction", "signal"))


# The readers of collections (``policy.collections``): a session's start and `context`, `pre-work`, a prompt, and
# explicit requests; and the collections that only the last one reads.
START, WORK, PROMPT, REQUEST = "start", "work", "prompt", "request"


PULLED = ("github", "jira")


# The writers: a person or agent on purpose, the steps of a workflow, hooks, and `import`.
REMEMBER, WORKFLOW, CAPTURE, IMPORT = "remember", "workflow", "capture", "import"


# beadboard, "Auto-detected from content via keyword scan": the words of each tag. They are found whole, in any case and
# inflection, also as parts of an identifier. Left out are words whose stem is one of everyday prose (authorization:
# author, dependency: depends, documentation: document, exception: except, performance: performs, settings: set,
# typing: type): a tag that everything has ranks nothing.
TAG_WORDS: dict[str, tuple[str, ...]] = {
    "api": ("api", "endpoint", "openapi", "swagger", "webhook", "graphql", "grpc"),
    # `task group` and `sendable`: beadboard's own example of a text that is tagged async.
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


def nearest_kind(name: str, kinds: Mapping[str, Kind]) -> str:
    """Return the kind that a misspelt one means; empty if it is known, or none is near.

    It means the kind whose folder it names, whose letters it has in another order, or whose name is much the same.
    The first letter is the same: ``reference`` is a word of its own, and not ``preference``.
    """
    if name in kinds:
        return ""
    from difflib import get_close_matches  # 3 ms, and only for a kind without a row

    by_folder = next((kind.name for kind in kinds.values() if kind.folder == name), "")
    alike = [kind for kind in kinds if kind[:1] == name[:1]]
    reordered = (kind for kind in alike if sorted(kind) == sorted(name))
    return by_folder or next(reordered, "") or next(iter(get_close_matches(name, alike, n=1, cutoff=0.8)), "")


def describe_kinds(counts: Mapping[str, int]) -> str:
    """Return how many memories there are of each kind: ``2 facts, 1 gotcha``."""
    plural = {kind: KINDS[kind].folder if kind in KINDS else kind for kind in counts}
    named = [f"{number} {kind if number == 1 else plural[kind]}" for kind, number in counts.items()]
    return ", ".join(named).replace("_", " ")


def plain_row(name: str) -> Kind:
    """Return the row of a kind that the policy does not name: a folder of its name."""
    return Kind(name, "memories" if name in RESERVED_FOLDERS else name)
