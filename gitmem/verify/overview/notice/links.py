"""Permanent links to lines and commits on a forge: every part is checked or quoted, whoever named it. Pure."""

from __future__ import annotations

import re
from urllib.parse import quote

from gitmem.frozen import frozen
from gitmem.verify.overview.notice.inert import inert

# Characters of a commit's name that are shown, and of a path.
SHORT, PATH_KEPT = 12, 200
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
# A remote's URL: a scheme, or ssh without one (`git clone`, "Git URLs"). Neither a user nor a port is part of a link.
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://(?:[^@/]*@)?(?P<host>[\w.-]+)(?::\d+)?/|(?:[^@/:]+@)?(?P<ssh>[\w.-]+):)"
    r"(?P<path>(?:[\w.~-]+/)+[\w.~-]+?)(?:\.git)?/?"
)
# What the host of a forge is called, or begins with.
_HOSTS = {
    "github.": "github",
    "gitlab.": "gitlab",
    "codeberg.org": "forgejo",
    "forgejo.": "forgejo",
    "gitea.": "forgejo",
}
# How forges write a file at a commit, and a commit, behind a repository's address.
FORMS = {
    "github": ("/blob/{commit}/{path}", "/commit/{commit}"),
    "gitlab": ("/-/blob/{commit}/{path}", "/-/commit/{commit}"),
    "forgejo": ("/src/commit/{commit}/{path}", "/commit/{commit}"),
}


@frozen
class Links:
    """Where links of a notice lead; without a site, places are text.

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
        """Return a place in a file as Markdown: a link where one can be made; *commit* is another one than these."""
        text = inert(shown or (f"{path}:{line}" if line else path), PATH_KEPT)
        commit = commit or (self.memory if is_memory else self.code)
        if not self.site or not _COMMIT.fullmatch(commit) or not _is_path(path):
            return text
        address = FORMS[self.form][0].format(commit=commit, path=quote(path, safe="/"))
        return f"[{text}]({self.site}{address}{f'#L{line}' if line else ''})"

    def commit(self, commit: str) -> str:
        """Return a commit's short name as Markdown, or an empty string for text that is none."""
        if not _COMMIT.fullmatch(commit):
            return ""
        shown = f"`{commit[:SHORT]}`"
        return f"[{shown}]({self.site}{FORMS[self.form][1].format(commit=commit)})" if self.site else shown


def commits_of(url: str) -> str:
    """Return the address that ends with a commit's name, by a remote's URL; empty where its host is no known forge."""
    match = _REMOTE.fullmatch(url)
    host = (match["host"] or match["ssh"]).lower() if match else ""
    form = next((form for name, form in _HOSTS.items() if host.startswith(name)), "")
    return f"https://{host}/{match['path']}{FORMS[form][1].format(commit='')}" if match and form else ""


def _is_path(path: str) -> bool:
    """Return whether a path leads to a file inside of a repository."""
    parts = path.split("/")
    return bool(path) and path.isprintable() and not {"", ".", ".."} & set(parts)
