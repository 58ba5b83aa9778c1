"""An organisation on a forge: its repositories, as a listing of the forge shows them to a token.

Source: GitHub Docs, "REST API endpoints for repositories"; GitLab Docs, "Groups API" and "Projects API"; the API
description of Forgejo and Gitea (swagger.v1.json), organization and user.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from gitmem.errors import ForgeError, UsageError
from gitmem.frozen import frozen
from gitmem.git.forges.client import Forge, part_of
from gitmem.git.forges.job_environment import ForgeRepository
from gitmem.system.http import is_encrypted, is_site

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

TOKEN = "GITMEM_HUB_FORGE_TOKEN"  # noqa: S105 - a variable's name
# Seconds for a whole listing; a forge shows 100 repositories on a page.
LISTING_S = 600.0
_PATH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")


@frozen
class Kind:
    """A kind of forge.

    Attributes:
        api: The path of its API.
        listing: The path of an organisation's repositories.
        own: The path of the repositories that the owner of a token may read.
        name: The field with the full name of a repository.
        url: The field with the address that git fetches from.
        hosts: The hosts that are known to be of this kind.
    """

    api: str
    listing: str
    own: str
    name: str = "full_name"
    url: str = "clone_url"
    hosts: tuple[str, ...] = ()


KINDS = {
    "github": Kind(
        "/api/v3",
        "/orgs/{path}/repos?per_page=100",
        "/user/repos?per_page=100",
        hosts=("github.com",),
    ),
    "gitlab": Kind(
        "/api/v4",
        "/groups/{path}/projects?include_subgroups=true&per_page=100",
        # Reporters, and who is more, may read the code.
        "/projects?membership=true&min_access_level=20&per_page=100",
        "path_with_namespace",
        "http_url_to_repo",
        ("gitlab.com",),
    ),
    "gitea": Kind(
        "/api/v1", "/orgs/{path}/repos?limit=50", "/user/repos?limit=50", hosts=("codeberg.org", "gitea.com")
    ),
}


@frozen
class Organisation:
    """An organisation, or a group, of a forge.

    Attributes:
        kind: The kind of forge, a name of ``KINDS``.
        site: The address of the forge.
        path: Its name there, with those of the groups around it.
    """

    kind: str
    site: str
    path: str

    @property
    def host(self) -> str:
        """Return the forge's host, with a port if it has one."""
        return urlsplit(self.site).netloc.lower()

    @property
    def api(self) -> str:
        """Return the address of the forge's API."""
        return "https://api.github.com" if self.host == "github.com" else self.site + KINDS[self.kind].api

    def client(self, token: str, *, total_s: float = LISTING_S) -> Forge:
        """Return a client with a token.

        Raises:
            ForgeError: The token cannot be used.
        """
        accept = "application/vnd.github+json" if self.kind == "github" else "application/json"
        return Forge(ForgeRepository("", self.api, site=self.site), token, accept=accept, total_s=total_s)

    def group_of(self, name: str) -> str:
        """Return the group of all whom the forge lets read a repository, without the sign of groups."""
        return f"{self.host}/{name}"

    def has(self, name: str) -> bool:
        """Return whether a repository is one of the organisation, by its full name."""
        return name.lower().startswith(f"{self.path.lower()}/")


@frozen
class Remote:
    """A repository on a forge.

    Attributes:
        name: Its full name.
        url: The address that git fetches from.
        is_public: Whether everybody may read it.
    """

    name: str
    url: str
    is_public: bool


def organisation_of(address: str, kind: str = "") -> Organisation:
    """Return the organisation at an address such as ``https://github.com/acme``.

    Args:
        address: Its address on the forge.
        kind: The kind of forge; empty if the host tells it.

    Raises:
        UsageError: This is not the address of an organisation, or the host does not tell the kind.
    """
    parts = urlsplit(address) if is_site(address) else None
    path = parts.path.strip("/") if parts else ""
    if parts is None or not _PATH.fullmatch(path):
        raise UsageError("this is not the address of an organisation", hint="https://HOST/ORGANISATION")
    site = f"{parts.scheme}://{parts.netloc}"
    if not is_encrypted(site):
        raise UsageError("the forge's address is not encrypted and would expose the token", hint="https://HOST/NAME")
    host = (parts.hostname or "").lower()
    known = kind or next((name for name, kind in KINDS.items() if host in kind.hosts), "")
    if known not in KINDS:
        raise UsageError(f"the kind of the forge {host} is unknown", hint=f"--forge-kind {'|'.join(KINDS)}")
    return Organisation(known, site, path)


def iter_listed(of: Organisation, forge: Forge) -> Iterator[Remote]:
    """Yield the repositories of an organisation that a token may list, page after page.

    Raises:
        ForgeError: The forge cannot be reached, or refuses, or answers with something else.
    """
    path = KINDS[of.kind].listing.format(path=quote(of.path, safe=""))
    for row in forge.items(of.api + path, needs="metadata: read"):
        remote = read_remote(of, row)
        if of.has(remote.name):
            yield remote


def read_remote(of: Organisation, one: Mapping[str, Any]) -> Remote:
    """Return a repository from an item of a listing.

    Raises:
        ForgeError: It is something else, or names another host: git's credentials would go there.
    """
    kind = KINDS[of.kind]
    name, url = one.get(kind.name), one.get(kind.url)
    if not isinstance(name, str) or not isinstance(url, str):
        raise ForgeError(f"the forge did not answer like {of.kind}", hint=f"--forge-kind {'|'.join(KINDS)}")
    try:
        host = urlsplit(url).netloc.lower()
    except ValueError:
        host = ""
    if host != of.host:
        raise ForgeError(f"the forge lists a repository of another host: {host[:100]!r}")
    is_shown = all(part.get("visibility", "public") == "public" for part in (one, part_of(one, "owner")))
    is_public = is_shown and not one.get("private") and not one.get("internal")
    return Remote(name, url, is_public and (of.kind != "gitlab" or "visibility" in one))
