"""Recognize our comments and issues: a hidden mark at the beginning, and the token's account as author.

Anyone can write a mark, so the mark alone proves nothing: text by others is neither changed nor treated as ours. Texts
are compared without their last line, which names a run.
"""

from __future__ import annotations

from gitmem.errors import ForgeError
from gitmem.git.forges.client import part_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from gitmem.git.forges.client import Forge
    from gitmem.git.forges.job_environment import ForgeRepository

# The longest comment or issue text on GitHub ("body is too long (maximum is 65536 characters)").
BODY_LIMIT = 65_536
_RUN = "<!-- gitmem run -->"


def mark(what: str) -> str:
    """Return the first line of our texts: HTML that displays nothing."""
    return f"<!-- gitmem {what} -->"


def add_signature(text: str, place: ForgeRepository) -> str:
    """Return a text with a last line that names its run."""
    run = place.run.rpartition("/")[2]
    message = f'<sub>Written by gitmem in <a href="{place.run}">run {run}</a>.</sub>' if run else ""
    return f"{text.rstrip()}\n\n{_RUN}{message or '<sub>Written by gitmem.</sub>'}\n"


def is_same(mine: object, text: str) -> bool:
    """Return whether the forge's text equals a signed text, except for the run."""
    return isinstance(mine, str) and _without_run(mine) == _without_run(text)


def _without_run(text: str) -> str:
    return text.replace("\r\n", "\n").rpartition(_RUN)[0].rstrip()


def list_marked(found: Iterable[Mapping[str, Any]], sign: str) -> list[Mapping[str, Any]]:
    """Return the items that begin with a mark, by any author."""
    return [comment for comment in found if str(comment.get("body") or "").startswith(sign)]


def ours(found: Iterable[Mapping[str, Any]], login: str) -> list[Mapping[str, Any]]:
    """Return the items by an account, oldest first."""
    return sorted((comment for comment in found if login_of(comment) == login), key=number_of)


def login_of(one: Mapping[str, Any]) -> str:
    """Return the author of an item; empty if the account is gone."""
    login = part_of(one, "user").get("login")
    return login if isinstance(login, str) else ""


def number_of(one: Mapping[str, Any], name: str = "id") -> int:
    """Return a number in a response.

    Raises:
        ForgeError: It is missing.
    """
    number = one.get(name)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ForgeError(f"the forge answered without {'an' if name == 'id' else 'a'} {name}")
    return number


def address_of(one: Mapping[str, Any]) -> str:
    """Return an item's web address, or an empty string."""
    address = one.get("html_url")
    return address if isinstance(address, str) else ""


def who_am_i(forge: Forge) -> str:
    """Return the login of the token's account.

    Tokens of jobs and apps may not read ``/user`` (403), but may use GraphQL. If that fails as well, it is the account
    of a job's token.
    """
    try:
        me = forge.get(f"{forge.place.api}/user", needs="")
    except ForgeError as err:
        if err.status not in (403, 404):
            raise
    else:
        login = me.get("login") if isinstance(me, dict) else None
        return login if isinstance(login, str) and login else forge.place.robot
    if forge.place.form != "github":
        return forge.place.robot  # neither Gitea nor Forgejo has GraphQL
    # GitHub Enterprise: https://host/api/v3 and https://host/api/graphql.
    base = forge.place.api.removesuffix("/v3")
    try:
        viewer = forge.query(f"{base}/graphql", "query { viewer { login } }")["data"]["viewer"]["login"]
    except (ForgeError, KeyError, TypeError):
        return forge.place.robot
    # REST returns an app's account with this suffix, which no person's login can have.
    return f"{viewer.removesuffix('[bot]')}[bot]" if isinstance(viewer, str) and viewer else forge.place.robot
