"""Keep one note on a GitLab merge request up to date, like the comment on a pull request.

Source: GitLab Docs, "Notes API": GET, POST and PUT of ``/projects/:id/merge_requests/:iid/notes``; "Predefined CI/CD
variables".
"""

from __future__ import annotations

import re

from gitmem.config import variable
from gitmem.errors import ConfigError, ForgeError
from gitmem.git.forges.client import part_of
from gitmem.git.forges.job_environment import ForgeRepository, need_address
from gitmem.plugins.forge.comment import body_of
from gitmem.plugins.forge.ownership import is_same, list_marked, mark, number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.git.forges.client import Forge

NEEDS = "api"
_NUMBER = re.compile("[0-9]{1,18}")
# ``group/project!12``: the first open merge request of a branch, which branch pipelines know.
_OPEN = re.compile(r"[^,!]*!([0-9]{1,18})(?:,.*)?")


def gitlab_place() -> ForgeRepository:
    """Return the merge request named by a job's environment: the API address is that of its notes.

    Raises:
        ConfigError: It names none, or an address would expose the token.
    """
    api = need_address("CI_API_V4_URL", "")
    project = variable("CI_MERGE_REQUEST_PROJECT_ID") or variable("CI_PROJECT_ID")
    opened = _OPEN.fullmatch(variable("CI_OPEN_MERGE_REQUESTS"))
    number = variable("CI_MERGE_REQUEST_IID") or (opened[1] if opened else "")
    if not _NUMBER.fullmatch(project) or not _NUMBER.fullmatch(number):
        message = "no merge request is open for this pipeline"
        raise ConfigError(message, file="the environment", key="CI_MERGE_REQUEST_IID", hint="run it in a merge request")
    site = need_address(
        "CI_MERGE_REQUEST_PROJECT_URL" if variable("CI_MERGE_REQUEST_PROJECT_URL") else "CI_PROJECT_URL", ""
    )
    run = need_address("CI_JOB_URL", "") if variable("CI_JOB_URL") else ""
    return ForgeRepository(
        f"{project}!{number}", f"{api}/projects/{project}/merge_requests/{number}", run, site, "gitlab"
    )


def keep(forge: Forge, kind: str, text: str) -> str:
    """Set the note of a kind to a text, and return the result, like ``comment.keep``.

    Raises:
        ForgeError: The forge cannot be reached, or refuses.
    """
    body, is_news = body_of(kind, text, forge.place)
    address = f"{forge.place.api}/notes"
    mine = _mine(forge, address, mark(f"comment {kind}"))
    if mine is None and not is_news:
        return "none"
    if mine is None:
        forge.write("POST", address, {"body": body}, needs=NEEDS)
        return "created"
    if is_same(mine.get("body"), body):
        return "unchanged"
    forge.write("PUT", f"{address}/{number_of(mine)}", {"body": body}, needs=NEEDS)
    return "updated"


def _mine(forge: Forge, address: str, sign: str) -> Mapping[str, Any] | None:
    """Return the oldest note with a mark, written by the token's account."""
    notes = list_marked(forge.items(f"{address}?per_page=100&sort=asc&order_by=created_at", needs=NEEDS), sign)
    if not notes:
        return None
    me = forge.get(f"{forge.place.api.partition('/projects/')[0]}/user", needs=NEEDS)
    name = me.get("username") if isinstance(me, dict) else None
    if not isinstance(name, str) or not name:
        raise ForgeError("the forge does not say which account the token belongs to")
    return next((note for note in notes if part_of(note, "author").get("username") == name), None)
