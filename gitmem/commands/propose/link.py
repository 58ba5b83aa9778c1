"""Build the link that opens a pull request from a remote's URL. Pure.

Sources: GitHub, "Using query parameters to create a pull request"; GitLab, "Create a merge request by URL" (merge
requests API, ``merge_request[source_branch]``); Gitea and Forgejo, routes ``/{owner}/{repo}/compare/{base}...{head}``;
Bitbucket Cloud ``/pull-requests/new?source=&dest=``; Bitbucket Data Center ``/projects/P/repos/r/pull-requests`` with
``create``, ``sourceBranch`` and ``targetBranch``.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

# [user@]host:path, as ssh accepts it (git-clone(1), GIT URLS): no slash before the first colon.
_SCP = re.compile(r"(?:[^@/:\s]+@)?(\[[0-9A-Fa-f:]+\]|[^@/:\s\[\]]+):(?!//)(.+)", re.DOTALL)
_HOST = re.compile(r"(?=.*\.)[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?")
# Hosts whose ssh has another name or port (GitHub, "Using SSH over the HTTPS port"; GitLab and Bitbucket: likewise).
_SSH_NAMES = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
GITHUB, GITLAB, GITEA, BITBUCKET, DATA_CENTER = "github", "gitlab", "gitea", "bitbucket", "data center"
# Parts of a host's name that identify the forge.
_FORGES = (
    ("bitbucket.org", BITBUCKET), ("bitbucket", DATA_CENTER), ("github", GITHUB), ("gitlab", GITLAB), ("gitea", GITEA),
    ("forgejo", GITEA), ("codeberg.org", GITEA),
)  # fmt: skip


def link(url: str, *, branch: str, base: str) -> str:
    """Return the page that opens a pull request from a branch onto a base; empty if it cannot be determined.

    Args:
        url: The remote's URL as git pushes to it; user names, passwords and ssh ports in it are left out.
        branch: The proposal's branch.
        base: The memory branch.
    """
    site, path = _place(url.strip())
    forge = next((forge for part, forge in _FORGES if part in site), "")
    parts = [quote(unquote(part), safe="~.-_") for part in path.split("/") if part]
    if not forge or len(parts) < 2 or ".." in parts or (forge != GITLAB and len(parts) != 2 + (parts[0] == "scm")):
        return ""
    top = f"{site}/{'/'.join(parts)}"
    # In a path, slashes in the branch's name are kept; in a query, everything is quoted.
    head, onto = quote(branch, safe="/~.-_"), quote(base, safe="/~.-_")
    asked_head, asked_onto = quote(branch, safe=""), quote(base, safe="")
    if forge == GITHUB:
        return f"{top}/compare/{onto}...{head}?expand=1"
    if forge == GITEA:
        return f"{top}/compare/{onto}...{head}"
    if forge == GITLAB:
        query = f"merge_request%5Bsource_branch%5D={asked_head}&merge_request%5Btarget_branch%5D={asked_onto}"
        return f"{top}/-/merge_requests/new?{query}"
    if forge == BITBUCKET:
        return f"{top}/pull-requests/new?source={asked_head}&dest={asked_onto}"
    project, name = parts[-2:]
    query = f"create&sourceBranch=refs%2Fheads%2F{asked_head}&targetBranch=refs%2Fheads%2F{asked_onto}"
    owner = f"users/{project[1:]}" if project.startswith("~") else f"projects/{project}"
    return f"{site}/{owner}/repos/{name}/pull-requests?{query}"


def _place(url: str) -> tuple[str, str]:
    """Return the site (``https://host``) and the path of the repository; empty for a local path."""
    scheme, there, _ = url.partition("://")
    if there:
        try:
            split = urlsplit(url)
            host, port = split.hostname or "", split.port
        except ValueError:
            return "", ""
        path = split.path
    elif match := _SCP.fullmatch(url):
        scheme, host, path, port = "ssh", match[1].lower(), match[2], None
    else:
        return "", ""
    if scheme not in ("https", "http", "ssh", "git", "git+ssh", "ssh+git") or not _HOST.fullmatch(host):
        return "", ""
    host = _SSH_NAMES.get(host, host)
    # The port of ssh or git's own protocol is not the web's.
    where = f"{scheme}://{host}:{port}" if port and scheme in ("http", "https") else f"https://{host}"
    if scheme == "http" and not port:
        where = f"http://{host}"
    return where, path.rstrip("/").removesuffix(".git")
