"""Settings and the environment: the one place that reads ``os.environ``.

Precedence: flag, ``GITMEM_*``, ``git config gitmem.*``, the store's policy, default. ``memory`` hands in what git and
the policy say; everything is read once into a frozen ``Config``.
"""

from __future__ import annotations

import os

from gitmem.errors import ConfigError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

# Transport settings of the user that a fetch or push needs; every other GIT_* variable is dropped (git's hooks set
# GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_PARAMETERS, ... and a child would write the user's index; seen with git 2.39).
TRANSPORT = (
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "GIT_SSL_CAINFO",
    "GIT_SSL_NO_VERIFY",
    "GIT_PROXY_COMMAND",
)

# Variables that gitmem sets for its own children, that only switch something off, or that hold a secret, which has no
# place in a file (`embed_key`, `summary_key`); they are not settings.
INTERNAL = frozenset(
    (
        *("GITMEM_RUN", "GITMEM_HOOK", "GITMEM_HOOKS", "GITMEM_BACKGROUND"),
        *("GITMEM_EMBED_KEY", "GITMEM_SUMMARY_KEY", "GITMEM_MCP_TOKEN"),
    )
)

COLORS = ("auto", "always", "never")
ENGINES = ("fts", "whoosh")
TRACING = ("", "auto", "off")
WORK = ("", "asked", "always")
KEPT = ("", "numpy", "sqlite-vec")
STOP_LOGS = ("", "off", "activity", "responses")
EDITS = ("", "off", "patterns")

# The names that agent-swarm's users have in their environment (D6).
ALIASES = {
    "recall_half_life_days": "MEMORY_RECENCY_HALF_LIFE_DAYS",
    "recall_access_boost_max": "MEMORY_ACCESS_BOOST_MAX",
    "recall_access_recency_hours": "MEMORY_ACCESS_RECENCY_HOURS",
    "recall_candidate_multiplier": "MEMORY_CANDIDATE_MULTIPLIER",
}


@frozen
class Config:
    """What decides how gitmem behaves here. Empty or zero means: the policy or the default decides.

    Attributes:
        branch: The memory branch, without ``refs/heads/``.
        remote: The remote whose branch is read before there is a local one.
        agent: The agent's name that is written into ``by`` and kept as provenance.
        jobs: Checks run in parallel; 0 = one per core.
        check_processes: Processes that a check may have at once; 0 = 1,024, or 16 per core.
        check_memory_mib: MiB of memory that a check may use; 0 = half of the machine's.
        check_disk_mib: MiB that a check may write to disk; 0 = 10,240.
        lock_timeout_s: How long a write waits for another one.
        confirm_pause_s: How long a verify run waits before it asks a new failure again.
        default_branch: The code branch whose verdicts are committed; empty = found from git.
        recall_limit: Hits shown by recall.
        recall_half_life_days: Recency half-life; 0 = the policy's.
        recall_access_boost_max: Access boost; 0 = the policy's.
        recall_access_recency_hours: Hours in which an access counts fully; 0 = the policy's.
        recall_candidate_multiplier: Candidates per hit; 0 = the policy's.
        recall_work: ``always``: recall looks at the work at hand unasked; ``asked``: not; empty: the policy decides.
        color: ``auto``, ``always`` or ``never``.
        view: Whether ``init`` makes the view.
        context: Whether agents are told anything at their start and with their prompts.
        role: The role of the agent that works here, for what its start tells (the policy's ``[roles.NAME]``).
        engine: What brings recall's candidates: ``fts`` (the catalog) or ``whoosh``.
        domains: The project's domains, separated by commas, besides the policy's.
        stores: Other repositories whose memories are read here, each ``PATH`` or ``NAME=PATH``.
        trace: ``auto``: what checks read is looked at where strace works; ``off``: never; empty: the policy decides.
        stop_log: What is logged when an agent stops: ``off``, ``activity``, ``responses``; empty: the policy decides.
        summary: A model that words summaries of sessions, ``https://host/v1#MODEL`` (docs/summaries.md); or empty.
        summary_command: A program that does, with its arguments (docs/summaries.md); empty or ``off``: none.
        capture_notes: Further folders of the work tree in which agents keep notes (docs/capture.md).
        capture_edits: ``patterns``: what edits define becomes code patterns; ``off``: not; empty: the policy decides.
        leads: The agents that lead others, by name, or ``*`` (docs/mcp.md). Never the policy's to say.
        embed: The embedding model (docs/embeddings.md); empty or ``off``: none. Never the policy's to say.
        embed_code: The model for memories that are code; empty or ``off``: as for the others.
        secrets_allow: Rules of the secret scan that refuse nothing here. Never the policy's to say.
        stop_push: Whether sub-agents are asked to push their branch before they stop. Never the policy's to say.
        vectors: Where vectors are kept and searched: ``numpy``, ``sqlite-vec``, or empty for where they are.
    """

    branch: str = "memory"
    remote: str = "origin"
    agent: str = ""
    jobs: int = 0
    check_processes: int = 0
    check_memory_mib: int = 0
    check_disk_mib: int = 0
    lock_timeout_s: float = 20.0
    confirm_pause_s: float = 1.0
    default_branch: str = ""
    recall_limit: int = 10
    recall_half_life_days: float = 0.0
    recall_access_boost_max: float = 0.0
    recall_access_recency_hours: float = 0.0
    recall_candidate_multiplier: float = 0.0
    recall_work: str = ""
    color: str = "auto"
    view: bool = True
    context: bool = True
    role: str = ""
    engine: str = "fts"
    domains: str = ""
    stores: tuple[str, ...] = ()
    trace: str = ""
    stop_log: str = ""
    summary: str = ""
    summary_command: str = ""
    capture_notes: tuple[str, ...] = ()
    capture_edits: str = ""
    leads: tuple[str, ...] = ()
    embed: str = ""
    embed_code: str = ""
    vectors: str = ""
    secrets_allow: tuple[str, ...] = ()
    stop_push: bool = False

    @property
    def embeds(self) -> bool:
        """Return whether memories are embedded: here, because asking ``embed`` would load what embeds."""
        return self.embed not in ("", "off")


def load(git_values: Mapping[str, str], *, environment: Mapping[str, str] | None = None) -> Config:
    """Return the settings.

    Args:
        git_values: The settings ``gitmem.*`` of git config, by lower-case name without ``gitmem.``; of one that may be
            given several times, the values apart by NUL.
        environment: The environment; the process's own by default.

    Raises:
        ConfigError: A key that does not exist, or a value of the wrong type.
    """
    environment = os.environ if environment is None else environment
    known = {name: type(getattr(Config(), name)) for name in Config.__fields__}  # type: ignore[attr-defined]
    by_git = {name.replace("_s", "", 1) if name.endswith("_s") else name: name for name in known}
    by_git = {short.replace("_", ""): name for short, name in by_git.items()}
    values: dict[str, object] = {}
    for key, text in git_values.items():
        plain = key.lower().replace("-", "").replace(".", "")
        name = by_git.get(plain)
        if plain in ("embedkey", "summarykey"):
            told = f"git config: gitmem.{key} would keep a key in a file"
            held = f"the environment's GITMEM_{plain.removesuffix('key').upper()}_KEY holds it"
            raise ConfigError(told, file="git config", key=f"gitmem.{key}", hint=held)
        if name is None:
            raise _unknown(f"gitmem.{key}", "git config", [f"gitmem.{_camel(k)}" for k in known])
        values[name] = _typed(text, known[name], f"gitmem.{key}", "git config")
    for name, alias in ALIASES.items():
        if environment.get(alias):
            values[name] = _typed(environment[alias], known[name], alias, "the environment")
    for variable, text in environment.items():
        # An empty variable is one that a script took back.
        if not variable.startswith("GITMEM_") or variable in INTERNAL or not text:
            continue
        name = by_git.get(variable.removeprefix("GITMEM_").lower().replace("_", ""))
        if name is None:
            continue  # unknown_variables() names it: another program, or another version of gitmem, may read it
        apart = text.replace(os.pathsep, "\0") if known[name] is tuple else text
        values[name] = _typed(apart, known[name], variable, "the environment")
    config = Config(**values)  # type: ignore[arg-type]
    for key, value, allowed in (
        ("color", config.color, COLORS),
        ("engine", config.engine, ENGINES),
        ("trace", config.trace, TRACING),
        ("recallWork", config.recall_work, WORK),
        ("vectors", config.vectors, KEPT),
        ("stopLog", config.stop_log, STOP_LOGS),
        ("captureEdits", config.capture_edits, EDITS),
    ):
        if value not in allowed:
            told = f"the setting {key} must be one of {', '.join(allowed)}, not {value!r}"
            raise ConfigError(told, file="", key=key)
    if not is_branch(config.branch):
        told = f"the setting branch cannot be {config.branch!r}: no branch can have this name"
        raise ConfigError(told, file="", key="branch", hint="git help check-ref-format says which names can be")
    return config


def unknown_variables() -> list[str]:
    """Return a line about each variable ``GITMEM_*`` of the environment that is no setting: it counts for nothing."""
    known = {f"GITMEM_{name.upper().removesuffix('_S')}" for name in Config.__fields__}  # type: ignore[attr-defined]
    plain = {name.replace("_", "") for name in known | INTERNAL}
    found = [name for name in os.environ if name.startswith("GITMEM_") and name not in INTERNAL and os.environ[name]]
    strange = sorted(name for name in found if name.upper().replace("_", "") not in plain)
    return [f"the variable {name} is no setting; the nearest one is {_near(name, known)}" for name in strange]


def is_branch(name: str) -> bool:
    """Tell whether a branch can have a name. Source: git-check-ref-format(1)."""
    parts = name.split("/")
    wrong = any(not part or part.startswith(".") or part.endswith((".lock", ".")) for part in parts)
    odd = any(char in " ~^:?*[\\" or not char.isprintable() for char in name)
    return not (wrong or odd or ".." in name or "@{" in name or name == "@" or name.startswith("-"))


def _camel(name: str) -> str:
    """Return a setting's name as git config spells it, which allows no underscores."""
    first, *rest = name.removesuffix("_s").split("_")
    return first + "".join(word.capitalize() for word in rest)


# What git takes for a boolean (git-config(1), VALUES).
BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _typed(text: str, wanted: type, key: str, file: str) -> object:
    if wanted is tuple:
        return tuple(filter(None, text.split("\0")))
    if wanted is bool:
        if text.lower() not in BOOLEANS:
            raise ConfigError(f"{file}: {key} must be true or false, not {text!r}", file=file, key=key)
        return BOOLEANS[text.lower()]
    words = {int: "a whole number from 0", float: "a number from 0"}
    refused = ConfigError(f"{file}: {key} must be {words.get(wanted)}, not {text!r}", file=file, key=key)
    try:
        value = wanted(text)
    except ValueError as err:
        raise refused from err
    # A lock would be waited for without end for "nan" seconds.
    if wanted in words and not 0 <= value < float("inf"):
        raise refused
    return value


def _unknown(key: str, file: str, known: list[str]) -> ConfigError:
    hint = f"the nearest one is {_near(key, known)}"
    return ConfigError(f"{file}: there is no setting {key}", file=file, key=key, hint=hint)


def _near(key: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # 3 ms, and only where a name is misspelt

    by_lower = {name.lower(): name for name in sorted(known)}
    return by_lower[get_close_matches(key.lower(), by_lower, n=1, cutoff=0.0)[0]]


def git_environment(*, transport: bool = False) -> dict[str, str]:
    """Return the environment for a git child: ours without any ``GIT_*``, in English, never asking.

    Args:
        transport: Keep the variables that reaching a remote needs.
    """
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") and k != "LANGUAGE"}
    if transport:
        env.update({k: os.environ[k] for k in TRANSPORT if k in os.environ})
    env.update(LC_ALL="C", GIT_TERMINAL_PROMPT="0", GIT_OPTIONAL_LOCKS="0", GIT_NO_REPLACE_OBJECTS="1")
    return env


def asking(*, interactive: bool) -> dict[str, str]:
    """Return what tells git and ssh whether they may ask a person (git(1), ssh(1): ``SSH_ASKPASS_REQUIRE``)."""
    return {"GIT_TERMINAL_PROMPT": "1"} if interactive else {"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS_REQUIRE": "never"}


def without_variables(wanted: Mapping[str, str]) -> list[str]:
    """Return the start of a command line that takes ``GIT_*`` variables of ours away which are not *wanted*.

    For a program that another library starts with all of our environment; empty where there are none.
    """
    extra = sorted(name for name in os.environ if name.startswith("GIT_") and name not in wanted)
    return ["env", *(word for name in extra for word in ("-u", name))] if extra else []


def search_path() -> str:
    """Return PATH for checks; the system's default where it is unset."""
    return os.environ.get("PATH") or os.defpath


def variable(name: str) -> str:
    """Return an environment variable, or an empty string."""
    return os.environ.get(name, "")


def merged_heads() -> list[str]:
    """Return the names of the commits that a running ``git merge`` brings in; sorted, mostly none."""
    return sorted(name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_"))


def is_switched_off(name: str) -> bool:
    """Tell whether an environment variable says no, in a word that git takes for that."""
    return BOOLEANS.get(variable(name).lower()) is False


def editor() -> str:
    """Return the person's editor as a shell command: ``GIT_EDITOR``, ``VISUAL``, ``EDITOR``, else empty."""
    return variable("GIT_EDITOR") or variable("VISUAL") or variable("EDITOR")


def home() -> str:
    """Return the person's home folder, also where HOME is unset."""
    return os.path.expanduser("~")


def state_home() -> Path:
    """Return where approvals and logs are kept: ``$XDG_STATE_HOME/gitmem`` (XDG Base Directory 0.8)."""
    from pathlib import Path  # 2.5 ms (measured), and recall never asks

    return Path(_state_home())


def _state_home() -> str:
    base = variable("XDG_STATE_HOME")
    return os.path.join(base if base.startswith("/") else os.path.join(home(), ".local", "state"), "gitmem")


def clones_place() -> str:
    """Return where the clones that this machine knows are registered; empty where HOME is empty."""
    is_lost = os.environ.get("HOME") == "" and not variable("XDG_STATE_HOME").startswith("/")
    return "" if is_lost else os.path.join(_state_home(), "clones")


def second_place(state_folder: str | os.PathLike[str]) -> str:
    """Return the folder, in the person's own state, that stands in for a state folder that cannot be written to."""
    return os.path.join(_state_home(), "elsewhere", os.path.realpath(state_folder).lstrip("/"))


def data_home() -> str:
    """Return where personal data is kept: ``$XDG_DATA_HOME/gitmem`` (XDG Base Directory 0.8); empty without HOME."""
    base = variable("XDG_DATA_HOME")
    if base.startswith("/"):
        return os.path.join(base, "gitmem")
    return "" if os.environ.get("HOME") == "" else os.path.join(home(), ".local", "share", "gitmem")


def embed_key() -> str:
    """Return the key of an embedding endpoint, or an empty string: from the environment only, and kept nowhere."""
    return variable("GITMEM_EMBED_KEY")


def summary_key() -> str:
    """Return the key of an endpoint for summaries, or an empty string: from the environment only, and kept nowhere."""
    return variable("GITMEM_SUMMARY_KEY")


def forge_token() -> str:
    """Return the token that a forge gave a job, or an empty string: from the environment only, and kept nowhere."""
    return variable("GITHUB_TOKEN")


def model_cache() -> str:
    """Return where models of the Hugging Face hub are kept (huggingface_hub, "Environment variables").

    Not fastembed's own default, a folder of that name in ``/tmp``, where anybody could put a model for us.
    """
    base = variable("XDG_CACHE_HOME") or os.path.join(home(), ".cache")
    hub = variable("HF_HUB_CACHE") or os.path.join(variable("HF_HOME") or os.path.join(base, "huggingface"), "hub")
    return os.path.expanduser(hub)


class OneThread:
    """A context in which numpy may be imported for a moment's work: it starts no threads of its own.

    They are started with the import, which takes 55 ms of CPU instead of 113, and one thread compares a question with
    100,000 vectors in 6 ms, two in 8 to 12 (measured on two cores). Who has chosen a number of threads keeps it.
    Source: OpenBLAS, USAGE.md, "Setting the number of threads using environment variables".
    """

    _NAME = "OPENBLAS_NUM_THREADS"

    def __enter__(self) -> None:
        """Begin."""
        self._is_ours = self._NAME not in os.environ
        if self._is_ours:
            os.environ[self._NAME] = "1"

    def __exit__(self, *_: object) -> None:
        """Take it back: what we start is not to know."""
        if self._is_ours:
            del os.environ[self._NAME]


def git_config_files(common_dir: str) -> tuple[str, ...]:
    """Return the files in which git settings of this repository may stand (git-config(1), FILES)."""
    base = variable("XDG_CONFIG_HOME") or os.path.join(home(), ".config")
    return (
        os.path.join(common_dir, "config"),
        os.path.join(common_dir, "config.worktree"),
        os.path.join(home(), ".gitconfig"),
        os.path.join(base, "git", "config"),
        "/etc/gitconfig",
    )
