"""The built-in kinds of memory and tag words, the larger part of the policy; and what a value in a policy may be.

The sources are the five systems whose features gitmem unites, named by the letters of ``FEATURES.md``: A beadboard,
B Beans, C the AI Memory Module, D Agent Swarm, E the dotfiles' agent memory.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.model import ENGLISH, FACTORS, NO_LANGUAGE, is_plain_command, parse_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_DAY_S = 86_400


@frozen
class Kind:
    """One row of the policy: what holds for every memory of a kind.

    Attributes:
        name: The kind, as the frontmatter names it.
        folder: The folder of the store in which its files lie.
        description: One line for people.
        ttl_s: How long it counts, in seconds; None = for ever. A memory's own ``ttl`` goes before it.
        half_life_s: In how many seconds a memory loses half of what age can take of its score; 0 = as the store
            says (``[recall] half_life_days``), None = age does not matter: a rule holds until somebody changes it.
        expires: Whether it leaves search when that time has passed (it stays in the store); a fact becomes stale
            instead and is never hidden.
        required: The frontmatter fields that it must have. Where the author gives none, the writer fills in
            ``created``, ``project`` and ``importance: medium``.
        needs_refs: Whether it must point at lines of the code (``path:line`` or ``path:line-line`` in ``refs``).
        needs_verify: Whether it must have a check.
        collection: The collection of C that it belongs to, or empty.
    """

    name: str
    folder: str
    description: str = ""
    ttl_s: int | None = None
    half_life_s: int | None = 0
    expires: bool = False
    required: tuple[str, ...] = ()
    needs_refs: bool = False
    needs_verify: bool = False
    collection: str = ""


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
    Kind("learned", "learned", "something an agent learnt while it worked", half_life_s=_LASTING_S),
    # E, capsule kinds: fact / gotcha / pattern / anti_pattern / recipe / principle / doc.
    Kind("gotcha", "gotchas", "a trap, and how to stay out of it", half_life_s=_LASTING_S),
    Kind("pattern", "patterns", "a way of doing things that works here", half_life_s=_LASTING_S),
    Kind("anti_pattern", "anti_patterns", "a way of doing things that does not work here", half_life_s=_LASTING_S),
    Kind("recipe", "recipes", "the steps that lead to a result", half_life_s=_LASTING_S),
    Kind("principle", "principles", "a rule to decide by", half_life_s=None),
    Kind("doc", "docs", "a chunk of an ingested document"),
    # C, collection `discussions`: decisions, session summaries, agents' reasoning.
    Kind(
        "decision",
        "decisions",
        "what was decided, and why",
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
        *("code_pattern", "code_patterns", "how something was built, with the lines of code"),
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
    Kind("codebase_knowledge", "codebase_knowledge", "how this code base is made", half_life_s=_LASTING_S),
    Kind("preference", "preferences", "what a user or team prefers", half_life_s=None),
    # E, entries of a run's blackboard, and its queue of open questions.
    Kind("observation", "observations", "what a worker of a run saw"),
    Kind("analysis", "analyses", "what a worker of a run concluded"),
    Kind("calculation", "calculations", "what a worker of a run worked out"),
    Kind("strategy", "strategies", "how a run goes about its goal"),
    Kind("gap", "gaps", "what a run does not know yet"),
    Kind("contradiction", "contradictions", "two findings of a run that cannot both hold"),
    Kind("signal", "signals", "an open question of a run"),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _TABLE}

# The fields that a kind may require, so that a misspelt one is found: the design's field names (DESIGN, section 3).
FIELDS = frozenset(
    (
        *("title", "kind", "tags", "domains", "paths", "refs", "verify", "ttl", "timeout", "network", "refute"),
        *("requires", "produces", "supersedes", "superseded_by", "confidence", "importance", "priority", "category"),
        *("workspace", "project", "created", "by", "task", "parent"),
    )
)

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

# Folders at the root of a store that hold no memories of a kind (DESIGN, section 2; the private and run boards).
RESERVED_FOLDERS = frozenset(("archive", "verdicts", "private", "runs"))


# What a branch may make an agent read at once: as much as MCP's `context` takes for a budget.
MOST_TOKENS = 8000
# More folders than any project's tools keep, and names that no check has any business with.
MOST_WORK_FOLDERS = 16
NEVER_SEEN = frozenset({".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".local"})


class WrongValue(Exception):  # noqa: N818 - it is not an error of its own: the policy's reader makes a ConfigError of it
    """A value cannot be used; the message says what it must be."""


def number(low: float, high: float = 1e9, *, is_open: bool = False) -> Callable[[Any], float]:
    """Return a reader for numbers from *low* (or above it, if *is_open*) to *high*."""
    wanted = f"a number {'above' if is_open else 'from'} {low:g}" + (f" to {high:g}" if high < 1e9 else "")

    def read(value: Any) -> float:
        # `nan` fails both comparisons.
        if type(value) not in (int, float) or not low <= value <= high or (is_open and value == low):
            raise WrongValue(wanted)
        return float(value)

    return read


def one_of(*words: str) -> Callable[[Any], str]:
    """Return a reader for one of some words, of which there are at least two."""
    *most, last = (f'"{word}"' for word in words)
    wanted = f"{', '.join(most)} or {last}"

    def read(value: Any) -> str:
        if value not in words:
            raise WrongValue(wanted)
        return str(value)

    return read


looking = one_of("asked", "always")
stop_log = one_of("off", "activity", "responses")
edits = one_of("off", "patterns")
severity = one_of("error", "warning", "note", "never")
tracing = one_of("auto", "off")
fail_on = one_of("newly_false", "unchecked", "never")


def share_or_off(value: Any) -> float:
    """Read a share above 0; ``"off"`` is 0.

    Raises:
        WrongValue: It is neither.
    """
    if value == "off":
        return 0.0
    try:
        return number(0, 1, is_open=True)(value)
    except WrongValue as err:
        raise WrongValue('a number above 0 and at most 1, or "off"') from err


def whole(low: int, high: int = 1_000_000_000) -> Callable[[Any], int]:
    """Return a reader for whole numbers from *low* to *high*."""

    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise WrongValue(f"a whole number from {low} to {high}")
        return value

    return read


def budget(low: int) -> Callable[[Any], int]:
    """Return a reader for tokens that an agent is shown: whatever a branch says, ``MOST_TOKENS`` at most count."""
    return lambda value: min(whole(low)(value), MOST_TOKENS)


def flag(value: Any) -> bool:
    """Read a boolean."""
    if not isinstance(value, bool):
        raise WrongValue("true or false")
    return value


def line(value: Any) -> str:
    """Read text on one line; it may be empty."""
    if not isinstance(value, str) or not value.isprintable():
        raise WrongValue("text on one line")
    return value


def command(value: Any) -> str:
    """Read a shell command; it may be empty."""
    if not isinstance(value, str) or not is_plain_command(value):
        raise WrongValue("a shell command of characters that show as what they are")
    return value


def lines(value: Any) -> tuple[str, ...]:
    """Read a list of texts, none of them empty."""
    if not isinstance(value, list) or not all(isinstance(part, str) and part and part.isprintable() for part in value):
        raise WrongValue("a list of texts")
    return tuple(value)


def factors(value: Any) -> tuple[str, ...]:
    """Read a list of the factors of a score."""
    names = lines(value)
    if not set(FACTORS).issuperset(names):
        raise WrongValue(f"a list of factors ({', '.join(FACTORS)})")
    return names


def field_names(value: Any) -> tuple[str, ...]:
    """Read a list of the design's fields."""
    names = lines(value)
    if not FIELDS.issuperset(names):
        raise WrongValue(f"a list of fields ({', '.join(sorted(FIELDS))})")
    return names


def lifetime(value: Any) -> int | None:
    """Read a length of time in seconds, or None for ``never``."""
    return None if value == "never" else _seconds(value, 'a length of time such as "30d" or "12h", or "never"')


def time_limit(value: Any) -> int:
    """Read a time limit of a check in seconds, at most a day."""
    wanted = 'a length of time such as "30s" or "5m", at most a day'
    seconds = _seconds(value, wanted)
    if seconds > _DAY_S:
        raise WrongValue(wanted)
    return seconds


def _seconds(value: Any, wanted: str) -> int:
    try:
        return parse_duration(value if isinstance(value, str) else "")
    except ValueError as err:
        raise WrongValue(wanted) from err


def rung(value: Any) -> str:
    """Read a rung of the sandbox's ladder; empty for any."""
    if value not in ("", "none", "landlock", "seatbelt", "bubblewrap"):
        raise WrongValue('"none", "landlock", "seatbelt" or "bubblewrap", or empty')
    return str(value)


def language(value: Any) -> str:
    """Read the language whose stems words are searched by; ``none`` for words as they stand."""
    if value in (ENGLISH, NO_LANGUAGE):
        return str(value)
    import Stemmer  # 1 ms, and for no store in English

    known = Stemmer.algorithms()
    if not isinstance(value, str) or value not in known:
        raise WrongValue(f'"{NO_LANGUAGE}" or one of {", ".join(known)}')
    return value


def profile(value: Any) -> str:
    """Read what a session is told; empty for everything."""
    if value not in ("", "bmad"):
        raise WrongValue('"bmad", or empty')
    return str(value)


def folder(value: Any) -> str:
    """Read the name of a folder for memories."""
    if not isinstance(value, str) or not is_slug(value) or value in RESERVED_FOLDERS:
        raise WrongValue(f"one word in lower case, and none of {', '.join(sorted(RESERVED_FOLDERS))}")
    return value


def work_folders(value: Any) -> tuple[str, ...]:
    """Read a list of folders of the work tree that checks may see; sorted, each once.

    Whoever pushes to the memory branch writes it: nothing in it may lead out of the work tree, to git's own folder, or
    to where a person keeps keys (a work tree may be somebody's home).
    """
    found = tuple(sorted({name.rstrip("/") for name in lines(value)}))
    parts = [name.split("/") for name in found]
    is_nested = any(other != part and other[: len(part)] == part for part in parts for other in parts)
    if is_nested or len(found) > MOST_WORK_FOLDERS or not all(_is_inside(part) for part in parts):
        raise WrongValue(
            f"a list of at most {MOST_WORK_FOLDERS} folders of the work tree, none in another, without '..',"
            f" and none of {', '.join(sorted(NEVER_SEEN))}"
        )
    return found


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
