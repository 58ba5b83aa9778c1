"""The built-in kinds of memory and tag words, the larger part of the policy. Pure.

The sources are the five systems whose features gitmem unites, named by the letters of ``FEATURES.md``: A beadboard,
B Beans, C the AI Memory Module, D Agent Swarm, E the dotfiles' agent memory.
"""

from __future__ import annotations

from gitmem.config.setting import setting, settings
from gitmem.policy import values as read

_DAY_S = 86_400


@settings
class Kind:
    """One row of the policy: what holds for every memory of a kind.

    Attributes:
        name: The kind, as the frontmatter names it.
    """

    name: str
    folder: str = setting("", read.folder, "the folder of the store that has its files")
    description: str = setting("", read.line, "one line for people")
    ttl_s: int | None = setting(None, read.lifetime, "how long a memory counts that names no `ttl` itself")
    # In how long a memory loses half of what age can take of its score; 0: as `[recall] half_life_days` says; None: age
    # does not matter, because a rule holds until somebody changes it.
    half_life_s: int | None = setting(
        0, read.lifetime, "in how long age takes half of what it can; 0: `recall.half_life_days`"
    )
    # A fact becomes stale instead, and is never hidden.
    expires: bool = setting(False, read.flag, "whether a memory leaves search after its `ttl`; it stays in the store")
    # Where the author gives none, the writer fills in ``created``, ``project`` and ``importance: medium``.
    required: tuple[str, ...] = setting((), read.field_names, "frontmatter fields that a memory must have")
    needs_refs: bool = setting(False, read.flag, "whether its `refs` must name lines of the code, `path:line`")
    needs_verify: bool = setting(False, read.flag, "whether it must have a check")
    collection: str = setting("", read.line, "a name for several kinds that are searched together")


# What is learnt about a code base outlasts the fortnight in which agent-swarm lets its memories fade (D6). Half a
# year is a choice of ours: on worlds that the figures of the benchmark of factors are not from, nDCG@5 is .532 with
# 14 days for all kinds, .573 without recency, .578 with 180 days and .588 with 365.
_LASTING_S = 180 * _DAY_S

# C, "Metadata Validation": unique_id, group_id, type, timestamp, importance. The key is the first, the kind the third.
_C10 = ("project", "created", "importance")

_TABLE = (
    # B: "If you can't write a verify command, it's not a bn fact"; "Default TTL: 30 days". Also E's capsule `fact`.
    Kind("fact", "facts", "true while its check holds", ttl_s=30 * _DAY_S, half_life_s=_LASTING_S, needs_verify=True),
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
        ttl_s=3 * _DAY_S,
        expires=True,
        required=_C10,
        collection="discussions",
    ),
    # D, TTL table: task_completion 7 days, "Task outputs become stale quickly".
    Kind("outcome", "outcomes", "how a task ended, and what went wrong", ttl_s=7 * _DAY_S, expires=True),
    # D, TTL table: file_index 30 days, "File contents may change".
    Kind("note", "notes", "a note file that an agent wrote", ttl_s=30 * _DAY_S, expires=True),
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
    # C, collections `github` and `jira-data`: written by the importers.
    Kind("github", "github", "an issue, pull request, commit or release", required=_C10, collection="github"),
    Kind("jira", "jira", "an issue or comment from Jira", required=_C10, collection="jira-data"),
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
