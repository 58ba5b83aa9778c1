"""Issues and comments of a Jira Cloud site.

Changed issues are searched by minutes before now: absolute times in JQL depend on the account's time zone, relative
ones do not. Some overlap is read again, which changes nothing.

Source: Atlassian Developer, Jira Cloud REST API v3: "Search for issues using JQL enhanced search" (``/search/jql``,
``nextPageToken``), "Get comments", "Rate limiting"; Atlassian Support, "JQL fields", Updated.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode

from gitmem.document.times import parse_time
from gitmem.errors import ForgeError
from gitmem.git.forges.client import part_of
from gitmem.plugins.pull.adf import markdown_of
from gitmem.plugins.pull.documents import PulledDocument, clean, time_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitmem.git.forges.client import Forge
    from gitmem.plugins.pull.branch import SourceBranch
    from gitmem.plugins.pull.source import PullSource

    Item = Mapping[str, Any]

PER_PAGE = 100
# The most pages of one search: a server that never reports the end must not cause an endless loop.
PAGES = 10_000
# Minutes of overlap: the clocks of the two machines may differ, and JQL has no seconds.
OVERLAP = 5
FIELDS = (
    *("summary", "description", "status", "assignee", "reporter", "priority", "labels", "issuetype", "parent"),
    *("created", "updated", "comment"),
)
ISSUE, COMMENT = "jira_issue", "jira_comment"
_KEY = re.compile("[A-Z][A-Z0-9_]{1,30}-[0-9]{1,10}")


class JiraPull:
    """One pull of a site.

    Attributes:
        cursors: How far it was pulled: the time of the last change that was read.
        gone: The paths of comments that were deleted from the issues read last.
    """

    def __init__(
        self, forge: Forge, source: PullSource, cursors: dict[str, Any], branch: SourceBranch, *, now: int
    ) -> None:
        """Set the site; nothing is sent."""
        self._forge, self._source, self._now = forge, source, now
        self.cursors = cursors
        self.gone: list[str] = []
        # Each issue's comments, by the beginning of their names.
        self._had: dict[str, list[str]] = {}
        for path in branch.paths(COMMENT):
            self._had.setdefault(path.rpartition("/")[2].partition(".")[0], []).append(path)

    def batches(self) -> Iterator[list[PulledDocument]]:
        """Yield changed issues with their comments, a page at a time, oldest change first.

        Raises:
            ForgeError: The site cannot be reached, or refuses; pages yielded before are complete.
        """
        token, query = "", self._query()
        for _ in range(PAGES):
            parameters = {"jql": query, "maxResults": PER_PAGE, "fields": ",".join(FIELDS)}
            url = f"{self._source.api}/search/jql?" + urlencode(
                parameters | ({"nextPageToken": token} if token else {})
            )
            answer = self._forge.get(url, needs="")
            rows = answer.get("issues") if isinstance(answer, dict) else None
            if not isinstance(rows, list):
                raise ForgeError("Jira's answer contains no list of issues")
            issues = [row for row in rows if isinstance(row, dict)]
            documents = [document for issue in issues for document in self._documents(issue)]
            times = [parse_time(time) for issue in issues if (time := time_of(part_of(issue, "fields").get("updated")))]
            self.cursors["updated"] = max([self.cursors.get("updated", 0), *times])
            yield documents
            token = str(answer.get("nextPageToken") or "")
            if answer.get("isLast") is True or not token:
                return
        raise ForgeError(f"Jira's list has more than {PAGES} pages")

    def _query(self) -> str:
        conditions = [f"({self._source.jql})"] if self._source.jql else []
        if since := self.cursors.get("updated", 0):
            conditions.append(f'updated >= "-{max(0, self._now - since) // 60 + OVERLAP}m"')
        elif self._source.since:
            conditions.append(f'updated >= "{self._source.since}"')
        # Jira refuses a search without any condition.
        return " AND ".join(conditions or ["created is not EMPTY"]) + " ORDER BY updated ASC, key ASC"

    def _documents(self, issue: Item) -> list[PulledDocument]:
        name = str(issue.get("key") or "")
        if not _KEY.fullmatch(name):
            return []
        documents = [self._issue(name, issue)]
        if "comments" in self._source.include:
            comments = [_comment(name, comment, self._source.address) for comment in self._comments(name, issue)]
            documents += [comment for comment in comments if comment is not None]
            have = {document.path for document in documents}
            self.gone += [path for path in self._had.get(name.lower(), ()) if path not in have]
        return documents

    def _issue(self, name: str, issue: Item) -> PulledDocument:
        fields = part_of(issue, "fields")
        status, kind, priority = (
            clean(part_of(fields, name).get("name")) for name in ("status", "issuetype", "priority")
        )
        assignee = _person(fields, "assignee")
        about = [
            f"{label}: {value}"
            for label, value in (("Type", kind), ("Status", status), ("Priority", priority), ("Assignee", assignee))
            if value
        ]
        made = {
            "tags": ["issue", status, kind, *[str(field) for field in fields.get("labels") or ()]],
            "refs": [f"{self._source.address}/browse/{name}"],
            "created": time_of(fields.get("created")),
            "updated": time_of(fields.get("updated")),
            "by": {"who": _person(fields, "reporter")},
            "source": "jira",
            "jira_id": name,
            "state": status,
            "part_of": str(part_of(fields, "parent").get("key") or "").lower(),
        }
        body = f"{', '.join(about)}\n\n{markdown_of(fields.get('description'))}"
        return PulledDocument(name.lower(), ISSUE, f"{name} {fields.get('summary') or ''}", body, made)

    def _comments(self, name: str, issue: Item) -> list[Item]:
        """Return the comments of an issue: those included with it, or all of them if some are missing."""
        within = part_of(part_of(issue, "fields"), "comment")
        comments: list[Item] = [comment for comment in within.get("comments") or () if isinstance(comment, dict)]
        total = within.get("total", 0)
        while isinstance(total, int) and len(comments) < total:
            query = urlencode({"startAt": len(comments), "maxResults": PER_PAGE})
            answer = self._forge.get(f"{self._source.api}/issue/{name}/comment?{query}", needs="")
            more = answer.get("comments") if isinstance(answer, dict) else None
            if not isinstance(more, list) or not more:
                break
            comments += [comment for comment in more if isinstance(comment, dict)]
            total = answer.get("total", total)
        return comments


def _person(item: Item, role: str) -> str:
    return clean(part_of(item, role).get("displayName"))


def _comment(name: str, comment: Item, site: str) -> PulledDocument | None:
    number = str(comment.get("id") or "")
    if not re.fullmatch("[0-9]{1,18}", number):
        return None
    author = _person(comment, "author")
    fields = {
        "tags": ["comment"],
        "refs": [f"{site}/browse/{name}?focusedCommentId={number}"],
        "created": time_of(comment.get("created")),
        "updated": time_of(comment.get("updated")),
        "by": {"who": author},
        "source": "jira",
        "jira_id": number,
        "part_of": name.lower(),
    }
    body = markdown_of(comment.get("body"))
    title = f"Comment on {name} by {author or 'somebody'}"
    return PulledDocument(f"{name.lower()}.comment-{number}", COMMENT, title, body, fields)
