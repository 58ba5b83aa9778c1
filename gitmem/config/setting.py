"""The rows of the table of a person's settings (``GITMEM_*`` variables, ``git config gitmem.*``).

Parsing, checking, guarding and documenting a setting all read its row, so a new setting is one new line of ``Config``.
The settings of a store are rows of the same form (``policy.settings``).
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")

# git's words for a boolean (git-config(1), VALUES).
BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
# Separates several values of a setting: neither git nor the environment allows it in a value.
SEPARATOR = "\0"


class WrongValue(Exception):  # noqa: N818 - it is not an error of its own: whoever reads a file makes a ConfigError of it
    """A value cannot be used; the message says what it must be."""


class Setting:
    """One row of a table of settings.

    Not ``frozen``: every start makes 140 of them, and assignments take half of the time (0.3 ms, measured).

    Attributes:
        default: Its default value.
        read: Parses a value, or raises WrongValue.
        about: One line of Markdown that describes it.
        guarded: The effect that a person must accept before a repository's own configuration may set it; empty for a
            setting that any configuration may set.
        alias: A variable of another program that is read as well.
        policy: The setting of the store's policy that is used if this one is empty.
        instead: The command for a setting of the policy that only a person's own configuration decides.
        name: The attribute with its value; the suffix ``_s`` means seconds.
    """

    __slots__ = ("about", "alias", "default", "guarded", "instead", "name", "policy", "read")

    def __init__(
        self,
        default: Any,
        read: Callable[[Any], Any],
        about: str,
        *,
        guarded: str = "",
        alias: str = "",
        policy: str = "",
        instead: str = "",
    ) -> None:
        """Make a row; the class in which it is written sets its name."""
        self.default = default
        self.read = read
        self.about = about
        self.guarded = guarded
        self.alias = alias
        self.policy = policy
        self.instead = instead
        self.name = ""

    def __set_name__(self, _: type[object], name: str) -> None:
        """Set the name of the attribute, when its class is created."""
        self.name = name

    @property
    def key(self) -> str:
        """Return its name in the form for people, without the unit."""
        return self.name.removesuffix("_s")

    @property
    def variable(self) -> str:
        """Return the variable of the environment."""
        return f"GITMEM_{self.key.upper()}"

    @property
    def git_name(self) -> str:
        """Return its name in git config, which allows no underscores."""
        first, *rest = self.key.split("_")
        return f"gitmem.{first}{''.join(word.capitalize() for word in rest)}"

    @property
    def wanted(self) -> str:
        """Return what a value must be, in the words of the error for an invalid one."""
        try:
            self.read(None)
        except WrongValue as err:
            return str(err)
        return "text"


def setting(
    default: T,
    read: Callable[[Any], T | None],
    about: str,
    *,
    guarded: str = "",
    alias: str = "",
    policy: str = "",
    instead: str = "",
) -> T:
    """Return the row of a setting; for type checkers it is the default value, which ``settings`` substitutes."""
    return Setting(  # type: ignore[return-value]
        default, read, about, guarded=guarded, alias=alias, policy=policy, instead=instead
    )


if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True)
    def settings(cls: type[T]) -> type[T]:
        """Make *cls* a frozen data class of settings."""

else:

    def settings(cls):
        """Make *cls* a frozen data class whose rows are in ``cls.__settings__``, by the attribute's name."""
        rows = {name: row for name, row in cls.__dict__.items() if isinstance(row, Setting)}
        for name, row in rows.items():
            setattr(cls, name, row.default)
        cls.__settings__ = rows
        return frozen(cls)


def rows_of(table: type[object]) -> Mapping[str, Setting]:
    """Return the rows of a class of settings by the attribute's name, in order."""
    return table.__settings__  # type: ignore[attr-defined, no-any-return]


def plain(name: str) -> str:
    """Return a name without case and punctuation: git allows no underscores, and people add dashes."""
    return name.lower().replace("-", "").replace(".", "").replace("_", "")


def text(value: Any) -> str:
    """Read any text."""
    return str(value)


def several(value: Any) -> tuple[str, ...]:
    """Read texts, none of them empty."""
    if not isinstance(value, str):
        raise WrongValue("text, and may be given several times")
    return tuple(filter(None, value.split(SEPARATOR)))


def switch(value: Any) -> bool:
    """Read a boolean in git's words."""
    if not isinstance(value, str) or value.lower() not in BOOLEANS:
        raise WrongValue("true or false")
    return BOOLEANS[value.lower()]


def count(value: Any) -> int:
    """Read a whole number, 0 or more."""
    wanted = "a whole number from 0"
    try:
        found = int(value)
    except (TypeError, ValueError) as err:
        raise WrongValue(wanted) from err
    if found < 0:
        raise WrongValue(wanted)
    return found


def number(value: Any) -> float:
    """Read a number, 0 or more and finite: "nan" seconds would mean waiting for a lock forever."""
    wanted = "a number from 0"
    try:
        found = float(value)
    except (TypeError, ValueError) as err:
        raise WrongValue(wanted) from err
    if not 0 <= found < float("inf"):
        raise WrongValue(wanted)
    return found


def one_of(*words: str) -> Callable[[Any], str]:
    """Return a reader for one of some words, one of which may be empty."""
    wanted = f"one of {', '.join(filter(None, words))}{', or empty' if '' in words else ''}"

    def read(value: Any) -> str:
        if value not in words:
            raise WrongValue(wanted)
        return str(value)

    return read


def is_branch(name: str) -> bool:
    """Return whether a branch name is valid. Source: git-check-ref-format(1)."""
    parts = name.split("/")
    wrong = any(not part or part.startswith(".") or part.endswith((".lock", ".")) for part in parts)
    odd = any(char in " ~^:?*[\\" or not char.isprintable() for char in name)
    return not (wrong or odd or ".." in name or "@{" in name or name == "@" or name.startswith("-"))


def branch_name(value: Any) -> str:
    """Read the name of a branch."""
    if not isinstance(value, str) or not is_branch(value):
        raise WrongValue("a name that a branch can have (git help check-ref-format)")
    return value


# The built-in search engines; `gitmem index` builds the second.
ENGINES = ("fts", "whoosh")


def engine_name(value: Any) -> str:
    """Read the name of a search engine: a built-in one, or one from another package (``index.plugins``)."""
    if not isinstance(value, str) or not (value.isascii() and value.replace("-", "_").isidentifier()):
        raise WrongValue(f"{', '.join(ENGINES)}, or the name of one that a package adds")
    return value


@settings
class Config:
    """What a person's settings say. Empty or zero means that the policy or a default of the code decides."""

    branch: str = setting("memory", branch_name, "The memory branch, without `refs/heads/`")
    remote: str = setting("origin", text, "The remote that memories are shared with, and read from in a fresh clone")
    agent: str = setting("", text, "The name of the agent that works here, recorded as provenance")
    jobs: int = setting(0, count, "Checks run in parallel; 0: one per core", policy="verify.jobs")
    check_processes: int = setting(0, count, "Processes that a check may have at once; 0: 1,024, or 16 per core")
    check_memory_mib: int = setting(0, count, "MiB of memory that a check may use; 0: half of the machine's")
    check_disk_mib: int = setting(0, count, "MiB that a check may write to disk; 0: 10,240")
    lock_timeout_s: float = setting(20.0, number, "Seconds that a write waits for another one")
    confirm_pause_s: float = setting(1.0, number, "Seconds that `verify` waits before it checks a new failure again")
    auto_sync: bool = setting(
        False, switch, "Whether [`sync`](sync.md) runs in the background after writes and when sessions start and end"
    )
    verify_fetch: bool = setting(True, switch, "Whether `verify` first fetches what others recorded")
    default_branch: str = setting(
        "", text, "The code branch whose verdicts are committed; empty: found from git", policy="verify.default_branch"
    )
    recall_limit: int = setting(10, count, "Hits that `recall` shows")
    recall_half_life_days: float = setting(
        *(0.0, number, "Days in which a memory loses half of what age can take of its score"),
        alias="MEMORY_RECENCY_HALF_LIFE_DAYS",
        policy="recall.half_life_days",
    )
    recall_access_boost_max: float = setting(
        *(0.0, number, "The largest factor for memories that are read often"),
        alias="MEMORY_ACCESS_BOOST_MAX",
        policy="recall.access_boost_max",
    )
    recall_access_recency_hours: float = setting(
        *(0.0, number, "Hours in which an access counts fully"),
        alias="MEMORY_ACCESS_RECENCY_HOURS",
        policy="recall.access_recency_hours",
    )
    recall_candidate_multiplier: float = setting(
        *(0.0, number, "Candidates ranked for each hit"),
        alias="MEMORY_CANDIDATE_MULTIPLIER",
        policy="recall.candidate_multiplier",
    )
    recall_work: str = setting(
        "", one_of("", "asked", "always"), "When `recall` looks at changed files and held tasks", policy="recall.work"
    )
    color: str = setting("auto", one_of("auto", "always", "never"), "When output has colors")
    view: bool = setting(True, switch, "Whether `init` makes the view")
    context: bool = setting(True, switch, "Whether agents are shown memories at their start and with their prompts")
    file_context: bool = setting(
        True, switch, "Whether agents are shown the facts and [gotchas](agents.md) about a file they read or edit"
    )
    role: str = setting("", text, "The role of the agent that works here: the policy's `[roles.NAME]`")
    discipline: str = setting("", text, "A file of yours in place of the text on [how to back claims](sessions.md)")
    engine: str = setting(
        "fts", engine_name, "What finds candidates for `recall`: `fts` (SQLite), `whoosh`, or what a package adds"
    )
    domains: str = setting("", text, "The project's domains, separated by commas, in addition to the policy's")
    stores: tuple[str, ...] = setting((), several, "Repositories to read memories from, each `PATH` or `NAME=PATH`")
    trace: str = setting(
        "", one_of("", "auto", "off"), "Whether to observe what checks read, with strace", policy="verify.trace"
    )
    stop_log: str = setting(
        "", one_of("", "off", "activity", "responses"), "What to log when an agent stops", policy="stops.log"
    )
    summary: str = setting(
        *("", text, "A model for [session summaries](summaries.md), `https://host/v1#MODEL`; or `off`"),
        guarded="sends sessions to an endpoint",
    )
    summary_command: str = setting(
        *("", text, "A program for [session summaries](summaries.md), with its arguments; or `off`"),
        guarded="starts a program that reads sessions",
    )
    capture_notes: tuple[str, ...] = setting(
        (), several, "Further folders of the work tree in which agents write [notes](capture.md)"
    )
    capture_edits: str = setting(
        "", one_of("", "off", "patterns"), "Whether what edits define becomes code patterns", policy="capture.edits"
    )
    leads: tuple[str, ...] = setting((), several, "The agents that may [lead others](mcp.md), by name, or `*`")
    embed: str = setting(
        *("", text, "The [embedding model](embeddings.md); empty or `off`: none"),
        guarded="loads a model, or sends memories and questions to an endpoint",
    )
    embed_code: str = setting(
        *("", text, "The embedding model for memories that are code; empty or `off`: the same"),
        guarded="loads a model, or sends memories and questions to an endpoint",
    )
    vectors: str = setting(
        "", one_of("", "numpy", "sqlite-vec"), "Where vectors are stored and searched; empty: where they are"
    )
    secrets_allow: tuple[str, ...] = setting((), several, "Rules of the secret scan that refuse nothing here")
    stop_push: bool = setting(
        *(False, switch, "Whether sub-agents are asked to push their branch before they stop"),
        guarded="has sub-agents push",
    )

    @property
    def embeds(self) -> bool:
        """Return whether memories are embedded; here, because ``embed`` would import the embedding code."""
        return self.embed not in ("", "off")


SETTINGS = rows_of(Config)
# By the name without case and punctuation, which git config and the environment spell differently.
BY_PLAIN = {plain(row.key): row for row in SETTINGS.values()}
GUARDED = {name: row for name, row in BY_PLAIN.items() if row.guarded}


def known_name(name: str) -> str:
    """Return one name for all spellings of a setting in git config; other names are returned unchanged."""
    return short if (short := plain(name)) in BY_PLAIN else name


def has_several(name: str) -> bool:
    """Return whether a setting may be given several times."""
    return name in BY_PLAIN and BY_PLAIN[name].read is several
