"""Settings and the environment: only ``config`` reads ``os.environ``.

Parsing, checking, guarding and documenting a person's setting (``GITMEM_*`` variables, ``git config gitmem.*``) all
read its row, so a new setting is one new line of ``Config``. The settings of a store are rows of the same form
(``policy.settings``).

Precedence: flag, ``GITMEM_*``, ``git config gitmem.*``, the store's policy, default. ``repository`` passes in the
values of git and the policy; everything is read once into a frozen ``Config``.
"""

from __future__ import annotations

import os
import sys

from gitmem.errors import ConfigError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
    Number = TypeVar("Number", int, float)

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
    def requirement(self) -> str:
        """Return what a value must be, in the words of the error for an invalid one."""
        try:
            self.read(None)
        except WrongValue as err:
            return str(err)
        return "text"


if TYPE_CHECKING:

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

    @dataclass_transform(frozen_default=True)
    def settings(cls: type[T]) -> type[T]:
        """Make *cls* a frozen data class of settings."""

else:
    setting = Setting

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


def parts_of(*words: str) -> Callable[[Any], tuple[str, ...]]:
    """Return a reader for some of these words, separated by commas."""

    def read(value: Any) -> tuple[str, ...]:
        parts = tuple(filter(None, (part.strip() for part in text(value).split(","))))
        if not set(words).issuperset(parts):
            raise WrongValue(f"some of {', '.join(words)}, separated by commas")
        return parts

    return read


def switch(value: Any) -> bool:
    """Read a boolean in git's words."""
    if not isinstance(value, str) or value.lower() not in BOOLEANS:
        raise WrongValue("true or false")
    return BOOLEANS[value.lower()]


def count(value: Any) -> int:
    """Read a whole number, 0 or more."""
    return _at_least_0(int, value, "a whole number from 0")


def number(value: Any) -> float:
    """Read a number, 0 or more and finite: "nan" seconds would mean waiting for a lock forever."""
    return _at_least_0(float, value, "a number from 0")


def _at_least_0(kind: type[Number], value: Any, wanted: str) -> Number:
    try:
        found = kind(value)
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
# The package with the model of the extra `meaning`, and the name of that model as a setting.
PACKAGED_MODEL = "wordllama"


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
    trial_limit_s: float = setting(
        10.0, number, "Seconds that `verify` may spend on repeating quick checks that hold, to find those that flap"
    )
    auto_sync: bool = setting(
        False, switch, "Whether [`sync`](sync.md) runs in the background after writes and when sessions start and end"
    )
    verify_fetch: bool = setting(True, switch, "Whether `verify` first fetches what others recorded")
    default_branch: str = setting(
        "", text, "The code branch whose verdicts are committed; empty: found from git", policy="verify.default_branch"
    )
    recall_limit: int = setting(10, count, "Hits that `recall` shows")
    recall_half_life_days: float = setting(
        0.0,
        number,
        "Days after which a memory has lost half of what age can take from its score",
        alias="MEMORY_RECENCY_HALF_LIFE_DAYS",
        policy="recall.half_life_days",
    )
    recall_access_boost_max: float = setting(
        0.0,
        number,
        "The largest factor for memories that are read often",
        alias="MEMORY_ACCESS_BOOST_MAX",
        policy="recall.access_boost_max",
    )
    recall_access_recency_hours: float = setting(
        0.0,
        number,
        "Hours in which an access counts fully",
        alias="MEMORY_ACCESS_RECENCY_HOURS",
        policy="recall.access_recency_hours",
    )
    recall_candidate_multiplier: float = setting(
        0.0,
        number,
        "Candidates ranked for each hit",
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
    discipline: str = setting("", text, "A file of yours that replaces the text on [how to back claims](sessions.md)")
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
        "",
        text,
        "A model for [session summaries](summaries.md), `https://host/v1#MODEL`; or `off`",
        guarded="sends sessions to an endpoint",
    )
    summary_command: str = setting(
        "",
        text,
        "A program for [session summaries](summaries.md), with its arguments; or `off`",
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
        "",
        text,
        "The [embedding model](embeddings.md); empty: `wordllama` if that package is installed; `off`: none",
        guarded="loads a model, or sends memories and questions to an endpoint",
    )
    embed_code: str = setting(
        "",
        text,
        "The embedding model for memories that are code; empty or `off`: the same",
        guarded="loads a model, or sends memories and questions to an endpoint",
    )
    vectors: str = setting(
        "", one_of("", "numpy", "sqlite-vec"), "Where vectors are stored and searched; empty: leave them where they are"
    )
    hub: str = setting(
        "",
        text,
        "The address of a [hub](hub.md), which `recall` also searches when a person types it",
        guarded="sends questions to a server",
    )
    verdict_cache: str = setting(
        "",
        text,
        "The address of a [verdict cache](signatures.md), by which clones share verdicts; empty: none",
        guarded="sends verdicts to a server, and takes signed ones from it",
    )
    secrets_allow: tuple[str, ...] = setting((), several, "Rules of the secret scan that are switched off here")
    signatures: tuple[str, ...] = setting(
        (),
        parts_of("verdicts", "memories", "approvals"),
        "What [must be signed](signatures.md), whatever the policy says: `verdicts`, `memories`, `approvals`",
    )
    stop_push: bool = setting(
        False,
        switch,
        "Whether sub-agents are asked to push their branch before they stop",
        guarded="has sub-agents push",
    )

    @property
    def embeds(self) -> bool:
        """Return whether a model is set up; here, because ``embed`` would import the embedding code."""
        return self.embed not in ("", "off")

    @property
    def model(self) -> str:
        """Return the model for questions: the one that is set up, else a packaged one if it is installed; or empty.

        The thresholds of duplicates and contradictions were measured with MiniLM, so these use only a model that is
        set up.
        """
        return "" if self.embed == "off" else self.embed or packaged_model()


def packaged_model() -> str:
    """Return the name of the embedding model that the extra ``meaning`` installs, or empty if it is not there.

    Only its folder is looked for, and only where packages are installed: nothing is imported.
    """
    folders = (place for place in sys.path if place.endswith(("site-packages", "dist-packages")))
    return PACKAGED_MODEL if any(os.path.isdir(os.path.join(place, PACKAGED_MODEL)) for place in folders) else ""


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


# The user's transport settings, needed for a fetch or push; every other GIT_* variable is dropped (git's hooks set
# GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_PARAMETERS, ... and a child would write the user's index; seen with git 2.39).
TRANSPORT = (
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY", "GIT_PROXY_COMMAND"),
)

# Variables that are not settings, with their effects: git config cannot contain them. They only switch something off,
# hold a secret, which must not be in a file, say who runs a command, or replace a setting of git.
INTERNAL = {
    "GITMEM_PAGER": "The pager for long output, in place of git's (`core.pager`, `PAGER`); `cat` for none",
    "GITMEM_HOOKS": "`off`: the hooks of agents do nothing",
    "GITMEM_BACKGROUND": "`off`: nothing is started in the background; the next command that writes does the work",
    "GITMEM_EMBED_KEY": "The key of the embedding endpoint",
    "GITMEM_SUMMARY_KEY": "The key of the endpoint for session summaries",
    "GITMEM_MCP_TOKEN": "The token that clients of `gitmem mcp --http` must send",
    "GITMEM_HUB_DATABASE": "The hub's database for `gitmem hub`, `postgresql://USER@HOST/NAME`",
    "GITMEM_HUB_TOKEN": "The token that identifies you to a hub",
    "GITMEM_HUB_WEBHOOK_SECRET": "The secret with which forges sign what they send to `/webhook` of `gitmem hub serve`",
    "GITMEM_HUB_FORGE_TOKEN": "The token with which `gitmem hub add --organisation` lists repositories",
    "GITMEM_VERDICT_CACHE_TOKEN": "The token that identifies you to a [verdict cache](signatures.md)",
    "GITMEM_RUN": "Set: an agent runs the command, so it cannot approve anything",
    "GITMEM_HOOK": "The same",
    "GITMEM_PARENTS": "`off`: the names of the processes that started gitmem do not show that an agent runs it",
}

# A key of an endpoint: a secret, which must not be in a file.
KEYS = ("embed_key", "summary_key")


def load(git_values: Mapping[str, str], *, environment: Mapping[str, str] | None = None) -> Config:
    """Return the settings.

    Args:
        git_values: The settings ``gitmem.*`` of git config, by lower-case name without ``gitmem.``; of one that may be
            given several times, the values separated by NUL.
        environment: The environment; the process's own by default.

    Raises:
        ConfigError: A key does not exist, or a value is invalid.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, object] = {}
    for key, text in git_values.items():
        row = _row_of(key)
        values[row.name] = _value(row, text, f"gitmem.{key}", "git config")
    for row in SETTINGS.values():
        if row.alias and environment.get(row.alias):
            values[row.name] = _value(row, environment[row.alias], row.alias, "the environment")
    for variable, text in environment.items():
        # An empty variable counts as unset.
        if not variable.startswith("GITMEM_") or variable in INTERNAL or not text:
            continue
        setting = BY_PLAIN.get(plain(variable.removeprefix("GITMEM_")))
        if setting is None:
            continue  # unknown_variables() names it: another program, or another version of gitmem, may read it
        apart = text.replace(os.pathsep, SEPARATOR) if setting.read is several else text
        values[setting.name] = _value(setting, apart, variable, "the environment")
    return Config(**values)  # type: ignore[arg-type]


def _row_of(key: str) -> Setting:
    """Return the row of a setting of git config."""
    short = plain(key)
    if short in BY_PLAIN:
        return BY_PLAIN[short]
    named = f"gitmem.{key}"
    for secret in KEYS:
        if short == plain(secret):
            message = f"git config: {named} would store a key in a file"
            hint = f"use the environment variable GITMEM_{secret.upper()} instead"
            raise ConfigError(message, file="git config", key=named, hint=hint)
    hint = f"the closest one is {_near(named, [row.git_name for row in SETTINGS.values()])}"
    raise ConfigError(f"git config: unknown setting: {named}", file="git config", key=named, hint=hint)


def _value(row: Setting, text: str, key: str, file: str) -> object:
    try:
        return row.read(text)
    except WrongValue as err:
        raise ConfigError(f"{file}: {key} must be {err}, not {text!r}", file=file, key=key) from err


def unknown_variables() -> list[str]:
    """Return a notice about each ``GITMEM_*`` variable of the environment that is not a setting."""
    known = {row.variable for row in SETTINGS.values()}
    short = {plain(name) for name in (*known, *INTERNAL)}
    found = [name for name in os.environ if name.startswith("GITMEM_") and name not in INTERNAL and os.environ[name]]
    strange = sorted(name for name in found if plain(name) not in short)
    return [f"unknown variable {name}; the closest one is {_near(name, known)}" for name in strange]


def _near(key: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # 3 ms, only if a name is misspelt

    by_lower = {name.lower(): name for name in sorted(known)}
    return by_lower[get_close_matches(key.lower(), by_lower, n=1, cutoff=0.0)[0]]


def git_environment(*, transport: bool = False) -> dict[str, str]:
    """Return the environment for a git child process: ours without any ``GIT_*``, in English, without prompts.

    Args:
        transport: Keep the variables that reaching a remote needs.
    """
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") and k != "LANGUAGE"}
    if transport:
        env.update({k: os.environ[k] for k in TRANSPORT if k in os.environ})
    env.update(LC_ALL="C", GIT_TERMINAL_PROMPT="0", GIT_OPTIONAL_LOCKS="0", GIT_NO_REPLACE_OBJECTS="1")
    return env


# The accounts of a forge's jobs, by the variable that shows that one is running; Forgejo and Gitea set GitHub's as
# well.
ROBOTS = {
    "FORGEJO_ACTIONS": ("forgejo-actions", "noreply@forgejo.org"),
    "GITEA_ACTIONS": ("gitea-actions", "teabot@gitea.io"),
    "GITHUB_ACTIONS": ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com"),
}


def variable(name: str) -> str:
    """Return an environment variable, or an empty string."""
    return os.environ.get(name, "")


def machine_identity() -> tuple[str, str]:
    """Return the name and email for commits made by gitmem itself: in a forge's job, the robot's."""
    identity = next((who for name, who in ROBOTS.items() if variable(name) == "true"), None)
    return identity or ("gitmem", "gitmem@localhost")


def variable_names() -> list[str]:
    """Return the names of all environment variables, also of empty ones."""
    return list(os.environ)


def variables(names: Iterable[str]) -> dict[str, str]:
    """Return the environment variables with these names that are set, even to an empty text."""
    return {name: os.environ[name] for name in names if name in os.environ}


def home() -> str:
    """Return the person's home folder; ``/`` if HOME is unset and the user has no account, as in a container."""
    folder = os.path.expanduser("~")
    return folder if folder.startswith("/") else "/"


def state_home() -> str:
    """Return the folder of approvals and logs: ``$XDG_STATE_HOME/gitmem`` (XDG Base Directory 0.8)."""
    base = variable("XDG_STATE_HOME")
    return os.path.join(base if base.startswith("/") else os.path.join(home(), ".local", "state"), "gitmem")


def clones_place() -> str:
    """Return the folder in which this machine's clones are registered; empty if HOME is empty."""
    is_lost = os.environ.get("HOME") == "" and not variable("XDG_STATE_HOME").startswith("/")
    return "" if is_lost else os.path.join(state_home(), "clones")


def second_place(state_folder: str | os.PathLike[str]) -> str:
    """Return the fallback, in the person's own state folder, for a state folder that cannot be written."""
    return os.path.join(state_home(), "elsewhere", os.path.realpath(state_folder).lstrip("/"))


def data_home() -> str:
    """Return the folder of personal data: ``$XDG_DATA_HOME/gitmem`` (XDG Base Directory 0.8); empty without HOME."""
    base = variable("XDG_DATA_HOME")
    if base.startswith("/"):
        return os.path.join(base, "gitmem")
    return "" if os.environ.get("HOME") == "" else os.path.join(home(), ".local", "share", "gitmem")


def git_config_files(common_dir: str) -> tuple[str, ...]:
    """Return the files that may contain git settings of this repository (git-config(1), FILES)."""
    base = variable("XDG_CONFIG_HOME") or os.path.join(home(), ".config")
    return (
        os.path.join(common_dir, "config"),
        os.path.join(common_dir, "config.worktree"),
        os.path.join(home(), ".gitconfig"),
        os.path.join(base, "git", "config"),
        "/etc/gitconfig",
    )
