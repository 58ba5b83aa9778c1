"""Which comments and issues are ours: a hidden mark at the beginning, and the token's own account as their author.

Anybody can write a mark, so the mark alone is nothing: what a stranger wrote is neither changed nor taken for ours. The
text behind it is compared without its last line, which names a run.
"""

from __future__ import annotations

from gitmem.errors import ForgeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from gitmem.commands.forge.client import Forge
    from gitmem.commands.forge.place import ForgeRepository

# Characters of a comment and of an issue's text that GitHub takes ("body is too long (maximum is 65536 characters)").
BODY_LIMIT = 65_536
_RUN = "<!-- gitmem run -->"


def mark(what: str) -> str:
    """Return the line that begins what is ours; HTML that shows nothing."""
    return f"<!-- gitmem {what} -->"


def signed(text: str, place: ForgeRepository) -> str:
    """Return a text with a last line that says which run it is from."""
    run = place.run.rpartition("/")[2]
    message = f'<sub>Written by gitmem in <a href="{place.run}">run {run}</a>.</sub>' if run else ""
    return f"{text.rstrip()}\n\n{_RUN}{message or '<sub>Written by gitmem.</sub>'}\n"


def is_same(mine: object, text: str) -> bool:
    """Return whether what the forge has says the same as a text that is signed, whichever run they are from."""
    return isinstance(mine, str) and _said(mine) == _said(text)


def _said(text: str) -> str:
    return text.replace("\r\n", "\n").rpartition(_RUN)[0].rstrip()


def marked(found: Iterable[Mapping[str, Any]], sign: str) -> list[Mapping[str, Any]]:
    """Return what begins with a mark, whoever wrote it."""
    return [one for one in found if str(one.get("body") or "").startswith(sign)]


def ours(found: Iterable[Mapping[str, Any]], login: str) -> list[Mapping[str, Any]]:
    """Return what an account wrote, the oldest first."""
    return sorted((one for one in found if login_of(one) == login), key=number_of)


def login_of(one: Mapping[str, Any]) -> str:
    """Return who wrote something; empty for an account that is gone."""
    user = one.get("user")
    login = user.get("login") if isinstance(user, dict) else None
    return login if isinstance(login, str) else ""


def number_of(one: Mapping[str, Any], name: str = "id") -> int:
    """Return a number of an answer.

    Raises:
        ForgeError: There is none.
    """
    number = one.get(name)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ForgeError(f"the forge answered without {'an' if name == 'id' else 'a'} {name}")
    return number


def address_of(one: Mapping[str, Any]) -> str:
    """Return the address of something for people, or an empty string."""
    address = one.get("html_url")
    return address if isinstance(address, str) else ""


def who_am_i(forge: Forge) -> str:
    """Return the login of the token's account.

    A job's token, and any of an app, may not ask ``/user`` (403); GraphQL tells them. Where that does not either, it is
    the account of a job's token.
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
    # REST names the account of an app with this ending, which no person's login can have.
    return f"{viewer.removesuffix('[bot]')}[bot]" if isinstance(viewer, str) and viewer else forge.place.robot
