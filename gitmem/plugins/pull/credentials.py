"""Find tokens for sources: in the environment, ``gh``, or git's credential helpers, each only for its own host.

No token is stored. A token in the environment is only for the host that its variable is documented for; for another
host, gh or a credential helper must have one.

Source: gh help environment; GitHub Docs, "Variables reference"; git-credential(1).
"""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import urlsplit

from gitmem.config import variable
from gitmem.errors import ConfigError, ProcessError
from gitmem.plugins.pull.source import GITHUB_API, GITHUB_HOST
from gitmem.system import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

# The time limit for gh or a credential helper in seconds; neither may prompt.
ANSWERS_S = 20.0


def github_token(git: Git, api: str) -> str:
    """Return a token for an API of GitHub.

    Raises:
        ConfigError: There is none.
    """
    host = urlsplit(api).hostname or ""
    if host == (urlsplit(variable("GITHUB_API_URL") or GITHUB_API).hostname or ""):
        token = variable("GH_TOKEN") or variable("GITHUB_TOKEN")
    else:
        token = variable("GH_ENTERPRISE_TOKEN") if host == variable("GH_HOST").lower() else ""
    site = GITHUB_HOST if host == (urlsplit(GITHUB_API).hostname or "") else host
    token = token or _of_gh(site) or _of_helper(git, site)[1]
    if not token:
        raise ConfigError(
            f"there is no token for {site}",
            file="the environment",
            key="GH_TOKEN",
            hint=f"log in with gh: gh auth login --hostname {site}\nor set GH_TOKEN to a token that may read it",
        )
    return token


def jira_token(git: Git, site: str) -> str:
    """Return name and token for a Jira site, for HTTP basic authentication.

    Raises:
        ConfigError: There is none.
    """
    host = urlsplit(site).hostname or ""
    named = variable("JIRA_URL")
    user, token = variable("JIRA_EMAIL"), variable("JIRA_API_TOKEN")
    if not (user and token) or (named and (urlsplit(named).hostname or "").lower() != host):
        user, token = _of_helper(git, host)
    if not (user and token):
        raise ConfigError(
            f"there is no token for {host}",
            file="the environment",
            key="JIRA_API_TOKEN",
            hint="set JIRA_EMAIL and JIRA_API_TOKEN, or store them for this host with git credential approve",
        )
    return b64encode(f"{user}:{token}".encode()).decode("ascii")


def _of_gh(host: str) -> str:
    """Return gh's token for a host; empty if gh is not installed or has none."""
    try:
        result = process.run(["gh", "auth", "token", "--hostname", host], env=None, timeout_s=ANSWERS_S, check=False)
    except ProcessError:
        return ""
    return result.stdout.decode("utf-8", "replace").strip() if result.status == 0 else ""


def _of_helper(git: Git, host: str) -> tuple[str, str]:
    """Return a credential helper's name and password for a host; empty if there are none. No helper may prompt."""
    request = f"protocol=https\nhost={host}\n\n".encode()
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "GCM_INTERACTIVE": "never"}
    try:
        result = git.run(
            "-c", "core.askPass=", "credential", "fill", input=request, check=False, timeout_s=ANSWERS_S, more=quiet
        )
    except ProcessError:
        return "", ""
    lines = result.stdout.decode("utf-8", "replace").split("\n") if result.status == 0 else []
    answer = dict(line.split("=", 1) for line in lines if "=" in line)
    return answer.get("username", ""), answer.get("password", "")
