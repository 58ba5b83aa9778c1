"""The forge, the repository and the run, from the environment that the forge gives its jobs.

Source: GitHub Docs, "Variables reference", default environment variables.
"""

from __future__ import annotations

import re

from gitmem.config import ROBOTS, variable
from gitmem.errors import ConfigError
from gitmem.frozen import frozen
from gitmem.system.http import is_encrypted, is_site

API = "https://api.github.com"
SERVER = "https://github.com"
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_RUN = re.compile("[0-9]{1,20}")


@frozen
class ForgeRepository:
    """One repository on a forge.

    Attributes:
        repository: ``owner/name``.
        api: The address of its API, without a slash at the end.
        run: The web address of the current run; empty outside of one.
        site: The repository's web address.
        form: The form of its links, a name of ``verify.overview.notice.links.FORMS``.
        robot: The account of a job's token.
    """

    repository: str
    api: str = API
    run: str = ""
    site: str = ""
    form: str = "github"
    robot: str = ROBOTS["GITHUB_ACTIONS"][0]

    @property
    def owner(self) -> str:
        """Return the owner of the repository."""
        return self.repository.partition("/")[0]


def place_here(run: str = "") -> ForgeRepository:
    """Return the forge that the environment describes; another run may be given by its number.

    Raises:
        ConfigError: It does not name a repository, an address is invalid or unencrypted, or the run is not a number.
    """
    repository = variable("GITHUB_REPOSITORY")
    if not _REPOSITORY.fullmatch(repository):
        message = f"GITHUB_REPOSITORY is {'not set' if not repository else 'not OWNER/NAME'}: {repository}".rstrip(": ")
        raise _wrong("GITHUB_REPOSITORY", message, "set it to the repository: export GITHUB_REPOSITORY=owner/name")
    api = need_address("GITHUB_API_URL", API)
    server = need_address("GITHUB_SERVER_URL", SERVER)
    # Gitea and Forgejo set GitHub's variables as well, and the addresses of their runs contain the run's number.
    job = next((name for name in ROBOTS if variable(name)), "GITHUB_ACTIONS")
    is_github = job == "GITHUB_ACTIONS"
    run = run or variable("GITHUB_RUN_ID" if is_github else "GITHUB_RUN_NUMBER")
    if run and not _RUN.fullmatch(run):
        raise _wrong("GITHUB_RUN_ID", "--run must be a number", 'in a workflow: --run "$RUN_ID", from github.event')
    site = f"{server}/{repository}"
    page = f"{site}/actions/runs/{run}" if run else ""
    return ForgeRepository(repository, api, page, site, "github" if is_github else "forgejo", ROBOTS[job][0])


def find_site() -> tuple[str, str]:
    """Return the web address of the repository whose job this is, and the form of its links; empty outside of a job."""
    try:
        if variable("CI_PROJECT_URL"):
            return need_address("CI_PROJECT_URL", ""), "gitlab"
        place = place_here()
    except ConfigError:
        return "", ""
    return place.site, place.form


def need_address(name: str, default: str) -> str:
    """Return an address from the environment; the error does not show it, as it may contain a password.

    Raises:
        ConfigError: It is not an address, or is unencrypted.
    """
    text = (variable(name) or default).rstrip("/")
    if not is_site(text) or any(sign in text for sign in "\\()<>[]`\"'"):
        raise _wrong(name, f"{name} is not an address", f"set one such as {default}")
    if not is_encrypted(text):
        raise _wrong(name, f"{name} is not encrypted and would expose the token", "use an https address")
    return text


def _wrong(name: str, message: str, hint: str) -> ConfigError:
    return ConfigError(message, file="the environment", key=name, hint=hint)
