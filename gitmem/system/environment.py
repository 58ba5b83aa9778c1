"""What the environment says to single commands: a token, the editor, an agent's session, prompts, threads."""

from __future__ import annotations

import os

from gitmem.config import BOOLEANS, home, variable


def prompt_variables(*, interactive: bool, is_silent: bool) -> dict[str, str]:
    """Return the variables that tell git and ssh whether they may prompt (git(1), ssh(1): ``SSH_ASKPASS_REQUIRE``).

    An empty ``GIT_ASKPASS`` starts no program that asks, in a window or otherwise (gitcredentials(7)); Git Credential
    Manager has its own variable.
    """
    if interactive:
        return {"GIT_TERMINAL_PROMPT": "1"}
    never = {"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS_REQUIRE": "never"}
    return never | ({"GIT_ASKPASS": "", "GCM_INTERACTIVE": "never"} if is_silent else {})


def search_path() -> str:
    """Return PATH for checks; the system's default if it is unset."""
    return os.environ.get("PATH") or os.defpath


def merged_heads() -> list[str]:
    """Return the names of the commits that a ``git merge`` in progress merges; sorted, usually none."""
    return sorted(name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_"))


def is_switched_off(name: str) -> bool:
    """Return whether an environment variable says no, in one of git's words for it."""
    return BOOLEANS.get(variable(name).lower()) is False


def editor() -> str:
    """Return the person's editor as a shell command: ``GIT_EDITOR``, ``VISUAL``, ``EDITOR``, else empty."""
    return variable("GIT_EDITOR") or variable("VISUAL") or variable("EDITOR")


def forge_token() -> str:
    """Return the token that a forge gave a job, or an empty string: from the environment only, never stored."""
    return variable("GITHUB_TOKEN")


def model_cache() -> str:
    """Return the folder with models of the Hugging Face hub (huggingface_hub, "Environment variables").

    Not fastembed's own default, a folder of that name in ``/tmp``, where anyone could place a model.
    """
    base = variable("XDG_CACHE_HOME") or os.path.join(home(), ".cache")
    hub = variable("HF_HUB_CACHE") or os.path.join(variable("HF_HOME") or os.path.join(base, "huggingface"), "hub")
    return os.path.expanduser(hub)


class OneThread:
    """A context for importing numpy without starting its threads.

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
