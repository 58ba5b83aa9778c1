"""Settings and the environment: the only module that reads ``os.environ``.

Precedence: flag, ``GITMEM_*``, ``git config gitmem.*``, the store's policy, default. ``memory`` passes in the values
of git and the policy; everything is read once into a frozen ``Config``.
"""

from __future__ import annotations

import os

from gitmem.config.setting import (
    BOOLEANS,
    BY_PLAIN,
    SEPARATOR,
    SETTINGS,
    Config,
    Setting,
    WrongValue,
    plain,
    several,
)
from gitmem.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The user's transport settings, needed for a fetch or push; every other GIT_* variable is dropped (git's hooks set
# GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_PARAMETERS, ... and a child would write the user's index; seen with git 2.39).
TRANSPORT = (
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "GIT_SSL_CAINFO",
    "GIT_SSL_NO_VERIFY",
    "GIT_PROXY_COMMAND",
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
    "GITMEM_RUN": "Set: an agent runs the command, so it cannot approve anything",
    "GITMEM_HOOK": "The same",
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
        found = BY_PLAIN.get(plain(variable.removeprefix("GITMEM_")))
        if found is None:
            continue  # unknown_variables() names it: another program, or another version of gitmem, may read it
        apart = text.replace(os.pathsep, SEPARATOR) if found.read is several else text
        values[found.name] = _value(found, apart, variable, "the environment")
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


def asking(*, interactive: bool, is_silent: bool = False) -> dict[str, str]:
    """Return the variables that tell git and ssh whether they may prompt (git(1), ssh(1): ``SSH_ASKPASS_REQUIRE``).

    An empty ``GIT_ASKPASS`` starts no program that asks, in a window or otherwise (gitcredentials(7)); Git Credential
    Manager has its own variable.
    """
    if interactive:
        return {"GIT_TERMINAL_PROMPT": "1"}
    never = {"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS_REQUIRE": "never"}
    return never | ({"GIT_ASKPASS": "", "GCM_INTERACTIVE": "never"} if is_silent else {})


def without_variables(wanted: Mapping[str, str]) -> list[str]:
    """Return the start of a command line that removes the ``GIT_*`` variables that are not *wanted*.

    For a program that another library starts with our whole environment; empty if there are none to unset.
    """
    extra = sorted(name for name in os.environ if name.startswith("GIT_") and name not in wanted)
    return ["env", *(word for name in extra for word in ("-u", name))] if extra else []


def search_path() -> str:
    """Return PATH for checks; the system's default if it is unset."""
    return os.environ.get("PATH") or os.defpath


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


# Variables in which agents' clients put the session's name for the commands that they run (seen with Claude Code
# 2.1.331, Codex 0.169.0, Copilot CLI 1.0.102 and pi 0.87.1; Gemini CLI and OpenCode set none).
SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID", "PI_SESSION_ID")
SESSION_LIMIT = 80


# Other variables set by each client: they show that an agent is writing, and which one.
CLIENT_VARIABLES = {
    "CLAUDECODE": "claude-code",
    "CODEX_THREAD_ID": "codex",
    "CODEX_CI": "codex",
    "CODEX_SANDBOX": "codex",
    "GEMINI_CLI": "gemini",
    "COPILOT_CLI": "copilot",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "OPENCODE": "opencode",
    "PI_CODING_AGENT": "pi",
    "CURSOR_AGENT": "cursor",
}


def agent_client() -> str:
    """Return the client whose agent runs this process, by its name in ``gitmem install``; else an empty string."""
    return next((client for name, client in CLIENT_VARIABLES.items() if variable(name)), "")


def agent_session() -> str:
    """Return the session of the agent that runs this process, or an empty string if that is not known."""
    found = next(filter(None, map(variable, SESSION_VARIABLES)), "")
    return found if len(found) <= SESSION_LIMIT and found.replace("-", "").isalnum() and found.isascii() else ""


def machine_identity() -> tuple[str, str]:
    """Return the name and email for commits made by gitmem itself: in a forge's job, the robot's."""
    found = next((who for name, who in ROBOTS.items() if variable(name) == "true"), None)
    return found or ("gitmem", "gitmem@localhost")


def variables(names: Iterable[str]) -> dict[str, str]:
    """Return the environment variables with these names that are set, even to an empty text."""
    return {name: os.environ[name] for name in names if name in os.environ}


def merged_heads() -> list[str]:
    """Return the names of the commits that a ``git merge`` in progress merges; sorted, usually none."""
    return sorted(name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_"))


def is_switched_off(name: str) -> bool:
    """Return whether an environment variable says no, in one of git's words for it."""
    return BOOLEANS.get(variable(name).lower()) is False


def editor() -> str:
    """Return the person's editor as a shell command: ``GIT_EDITOR``, ``VISUAL``, ``EDITOR``, else empty."""
    return variable("GIT_EDITOR") or variable("VISUAL") or variable("EDITOR")


def home() -> str:
    """Return the person's home folder, even if HOME is unset."""
    return os.path.expanduser("~")


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


def embed_key() -> str:
    """Return the key of an embedding endpoint, or an empty string: from the environment only, never stored."""
    return variable("GITMEM_EMBED_KEY")


def summary_key() -> str:
    """Return the key of an endpoint for summaries, or an empty string: from the environment only, never stored."""
    return variable("GITMEM_SUMMARY_KEY")


def forge_token() -> str:
    """Return the token that a forge gave a job, or an empty string: from the environment only, never stored."""
    return variable("GITHUB_TOKEN")


def note_token() -> str:
    """Return the token for notes on merge requests of GitLab, or an empty string."""
    return variable("GITMEM_NOTE_TOKEN")


def model_cache() -> str:
    """Return the folder with models of the Hugging Face hub (huggingface_hub, "Environment variables").

    Not fastembed's own default, a folder of that name in ``/tmp``, where anyone could place a model.
    """
    base = variable("XDG_CACHE_HOME") or os.path.join(home(), ".cache")
    hub = variable("HF_HUB_CACHE") or os.path.join(variable("HF_HOME") or os.path.join(base, "huggingface"), "hub")
    return os.path.expanduser(hub)


class OneThread:
    """A context for importing numpy for a short computation, without starting its threads.

    They would start with the import, which takes 55 ms of CPU without them and 113 with them, and one thread compares a
    query with 100,000 vectors in 6 ms, two in 8 to 12 (measured on two cores). A number chosen by the user is kept.
    Source: OpenBLAS, USAGE.md, "Setting the number of threads using environment variables".
    """

    _NAME = "OPENBLAS_NUM_THREADS"

    def __enter__(self) -> None:
        """Begin."""
        self._is_ours = self._NAME not in os.environ
        if self._is_ours:
            os.environ[self._NAME] = "1"

    def __exit__(self, *_: object) -> None:
        """Restore the environment, so that child processes are not affected."""
        if self._is_ours:
            del os.environ[self._NAME]


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
