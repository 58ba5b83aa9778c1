"""Permanent links to lines and commits on a forge; every part is validated or quoted. Pure."""

from __future__ import annotations

import re
from urllib.parse import quote

from gitmem.frozen import frozen
from gitmem.verify.overview.notice.inert import inert

# Characters shown of a commit's name, and of a path.
SHORT, PATH_KEPT = 12, 200
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
# A remote's URL: a scheme, or ssh without one (`git clone`, "Git URLs"). Neither a user nor a port is part of a link.
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://(?:[^@/]*@)?(?P<host>[\w.-]+)(?::\d+)?/|(?:[^@/:]+@)?(?P<ssh>[\w.-]+):)"
    r"(?P<path>(?:[\w.~-]+/)+[\w.~-]+?)(?:\.git)?/?"
)
# Host names of forges, or their beginnings.
_HOSTS = {
    "github.": "github",
    "gitlab.": "gitlab",
    "codeberg.org": "forgejo",
    "forgejo.": "forgejo",
    "gitea.": "forgejo",
}
# How forges write the URL of a file at a commit, and of a commit, after the repository's address.
FORMS = {
    "github": ("/blob/{commit}/{path}", "/commit/{commit}"),
    "gitlab": ("/-/blob/{commit}/{path}", "/-/commit/{commit}"),
    "forgejo": ("/src/commit/{commit}/{path}", "/commit/{commit}"),
}


@frozen
class Links:
    """Where the links of a notice lead; without a site, places are plain text.

    Attributes:
        site: The repository's address for people, without a slash at the end; or empty.
        code: The commit of the code that was judged, or empty.
        memory: The commit of the memory branch, or empty.
        form: A name of ``FORMS``.
    """

    site: str = ""
    code: str = ""
    memory: str = ""
    form: str = "github"

    def file(self, path: str, line: int = 0, *, is_memory: bool = False, commit: str = "", shown: str = "") -> str:
        """Format a place in a file as Markdown: a link where possible; *commit* replaces the default commit."""
        text = inert(shown or (f"{path}:{line}" if line else path), PATH_KEPT)
        commit = commit or (self.memory if is_memory else self.code)
        if not self.site or not _COMMIT.fullmatch(commit) or not _is_path(path):
            return text
        address = FORMS[self.form][0].format(commit=commit, path=quote(path, safe="/"))
        return f"[{text}]({self.site}{address}{f'#L{line}' if line else ''})"

    def commit(self, commit: str) -> str:
        """Format a commit's short name as Markdown, or return an empty string if the text is not a commit."""
        if not _COMMIT.fullmatch(commit):
            return ""
        shown = f"`{commit[:SHORT]}`"
        return f"[{shown}]({self.site}{FORMS[self.form][1].format(commit=commit)})" if self.site else shown


def commits_of(url: str) -> str:
    """Return the address that commit URLs begin with, for a remote's URL; empty if its host is not a known forge."""
    site, form = _site_of(url)
    return f"{site}{FORMS[form][1].format(commit='')}" if form else ""


def files_of(url: str, commit: str) -> str:
    """Return the address that the URLs of a commit's files begin with; empty if the host is not a known forge."""
    site, form = _site_of(url)
    return f"{site}{FORMS[form][0].format(commit=commit, path='')}" if form else ""


def _site_of(url: str) -> tuple[str, str]:
    """Return a repository's address for people, and the name of its forge's form; both empty if it is not known."""
    match = _REMOTE.fullmatch(url)
    host = (match["host"] or match["ssh"]).lower() if match else ""
    form = next((form for name, form in _HOSTS.items() if host.startswith(name)), "")
    return (f"https://{host}/{match['path']}", form) if match and form else ("", "")


def _is_path(path: str) -> bool:
    """Return whether a path leads to a file inside of a repository."""
    parts = path.split("/")
    return bool(path) and path.isprintable() and not {"", ".", ".."} & set(parts)
