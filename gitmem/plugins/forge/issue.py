"""Keep one issue that lists the present failures: opened with the first, updated, and closed when there are none.

A comment, of which people are notified, is written only for failures that the issue did not list before, and when the
issue is closed or reopened. If a person closes it while facts still fail, it stays closed until another one fails.
"""

from __future__ import annotations

import re
from hashlib import sha256

from gitmem.errors import ForgeError
from gitmem.frozen import frozen
from gitmem.plugins.forge.ownership import (
    BODY_LIMIT,
    add_signature,
    address_of,
    is_same,
    list_marked,
    login_of,
    mark,
    number_of,
    ours,
    who_am_i,
)
from gitmem.verify.overview.finding import FAILED
from gitmem.verify.overview.notice.document import parse_adopt, parse_status
from gitmem.verify.overview.notice.inert import inert
from gitmem.verify.overview.notice.notice import render
from gitmem.verify.overview.notice.permalinks import Links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.git.forges.client import Forge
    from gitmem.git.forges.job_environment import ForgeRepository
    from gitmem.verify.overview.finding import Findings

NEEDS = "issues: write"
TITLE, LABEL = "Memory: facts that do not hold", "gitmem"
# The most failures recorded in the issue, 9 characters each; and the longest text.
REMEMBERED, TEXT_KEPT = 2_000, 300
# The most failures named in a comment.
NEWS = 20
# Characters reserved for headings, the last line and the note on truncation.
_RESERVED_CHARS = 2_000
_LISTED_BEFORE = re.compile(r"<!-- gitmem failed((?: [0-9a-f]{8})*) -->")


@frozen
class IssueKind:
    """One of the issues that gitmem maintains.

    Attributes:
        mark: The first line of its text.
        title: Its initial title.
        what: The name of a failure, singular and plural.
        well: Its text without failures.
    """

    mark: str
    title: str
    what: tuple[str, str]
    well: str


FACTS = IssueKind(
    mark("issue"), TITLE, ("fact fails", "facts fail"), "All well: no fact in this repository's memory fails now."
)
DOCUMENTS = IssueKind(
    mark("issue adopt"),
    "Documents: statements that are false",
    ("statement is false", "statements are false"),
    "All well: no document says anything that the code contradicts.",
)


@frozen
class IssueContent:
    """The content of an issue.

    Attributes:
        kind: Its kind.
        found: Failures and suspects.
        rows: The failures: a stable name, a name for display, and a title.
    """

    kind: IssueKind
    found: Findings
    rows: tuple[tuple[str, str, str], ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self.found.findings or self.found.sections)


def failing_facts(table: Mapping[str, Any]) -> IssueContent:
    """Return the failures in the JSON of ``gitmem status``."""
    findings = parse_status(table)
    return IssueContent(FACTS, findings, tuple((f.key, f.key, f.title) for f in findings.of(FAILED)))


def failing_statements(table: Mapping[str, Any]) -> IssueContent:
    """Return the false statements in the JSON of ``gitmem adopt``."""
    findings = parse_adopt(table)
    rows = [row for section in findings.sections for row in section.rows]
    return IssueContent(DOCUMENTS, findings, tuple((f"{row.path} {row.text}", row.path, row.text) for row in rows))


@frozen
class IssueResult:
    """The result for an issue.

    Attributes:
        action: ``opened``, ``updated``, ``reopened``, ``closed``, ``unchanged``, ``none`` if there is none and none is
            needed, or ``left`` if a person closed it and there are no new failures.
        number: Its number; 0 if there is none.
        url: Its address, or empty.
    """

    action: str
    number: int = 0
    url: str = ""


def body_of(failing: IssueContent, place: ForgeRepository) -> str:
    """Return the issue's text: marked, inert, within the forge's limit, and signed."""
    remembered = "".join(f" {digest}" for digest in sorted(_digests(failing)))
    head = f"{failing.kind.mark}\n<!-- gitmem failed{remembered} -->\n\n"
    if not failing:
        return add_signature(f"{head}{failing.kind.well}", place)
    findings = failing.found
    return add_signature(
        head
        + render(
            findings,
            Links(place.site, findings.head, findings.memory, place.form),
            BODY_LIMIT - _RESERVED_CHARS - len(head),
        ),
        place,
    )


def request_body(failing: IssueContent, place: ForgeRepository) -> dict[str, Any]:
    """Return the request that opens the issue."""
    body = {"title": failing.kind.title, "body": body_of(failing, place)}
    # Gitea and Forgejo require label numbers here, and accept names only for an existing issue.
    return body if place.form == "forgejo" else body | {"labels": [LABEL]}


def keep(forge: Forge, failing: IssueContent) -> IssueResult:
    """Update the issue with the present failures.

    Raises:
        ForgeError: The forge cannot be reached, or refuses; status 410 means that issues are disabled.
    """
    mine = _find(forge, failing.kind.mark)
    if mine is None:
        return _open(forge, failing) if failing else IssueResult("none")
    before = _LISTED_BEFORE.search(str(mine.get("body") or ""))
    fresh = _digests(failing) - set(before[1].split() if before else ())
    body, is_open = body_of(failing, forge.place), mine.get("state") == "open"
    changes = {} if is_same(mine.get("body"), body) else {"body": body}
    action, news = "updated", _news(failing, fresh)
    if is_open and not failing:
        changes |= {"state": "closed", "state_reason": "completed"}
        action, news = "closed", failing.kind.well
    elif not is_open and fresh:
        changes |= {"state": "open"}
        action = "reopened"
    elif not is_open and failing:
        return IssueResult("left", number_of(mine, "number"), address_of(mine))
    if not changes:
        return IssueResult("unchanged" if is_open else "none", number_of(mine, "number"), address_of(mine))
    result = _change(forge, mine, action, changes)
    if news:
        body = add_signature(news, forge.place)
        forge.write("POST", forge.repo(f"issues/{result.number}/comments"), {"body": body}, needs=NEEDS)
    return result


def _news(failing: IssueContent, fresh: set[str]) -> str:
    """Return the comment on new failures; empty if there are none."""
    rows = [row for row in failing.rows if _digest(row) in fresh]
    if not rows:
        return ""
    some = [f"- **{inert(key, 120)}**: {inert(title, TEXT_KEPT)}" for _, key, title in rows[:NEWS]]
    more = [f"- … and {len(rows) - NEWS} more"] if len(rows) > NEWS else []
    return "\n".join([f"{len(rows)} more {failing.kind.what[len(rows) > 1]}:", "", *some, *more])


def _open(forge: Forge, failing: IssueContent) -> IssueResult:
    """Open the issue; if two were opened at once, the older one stays open."""
    issue = forge.write("POST", forge.repo("issues"), request_body(failing, forge.place), needs=NEEDS)
    number = number_of(issue, "number")
    names = [label.get("name") if isinstance(label, dict) else label for label in issue.get("labels") or ()]
    if forge.place.form == "forgejo":
        _label(forge, number)
    elif LABEL not in names:  # ignored without an error if the token may not set labels
        _change(forge, issue, "labelled", {"labels": [LABEL]})
    mine = _list(forge, failing.kind.mark, f"labels={LABEL}&state=open", login_of(issue))
    if all(number <= number_of(issue, "number") for issue in mine):
        return IssueResult("opened", number, address_of(issue))
    _change(forge, issue, "closed", {"state": "closed", "state_reason": "not_planned"})
    return keep(forge, failing)


def _label(forge: Forge, number: int) -> None:
    """Label an issue of Gitea or Forgejo, where the label may not exist yet; an open one is found without it.

    Source: go-gitea/gitea pull request 30958, on names of labels.
    """
    for path, body in (
        ("labels", {"name": LABEL, "color": "#1d76db"}),
        (f"issues/{number}/labels", {"labels": [LABEL]}),
    ):
        try:
            forge.write("POST", forge.repo(path), body, needs=NEEDS)
        except ForgeError as err:
            if err.status >= 500:  # otherwise it exists, the token may not create it, or the response is a list
                raise


def _find(forge: Forge, sign: str) -> Mapping[str, Any] | None:
    """Return our issue: the oldest open one, else the newest closed one; None if there is none.

    If none has the label, the open issues are searched: a person may have removed it.
    """
    issues = _list(forge, sign, f"labels={LABEL}&state=all") or _list(forge, sign, "state=open")
    still_open = [issue for issue in issues if issue.get("state") == "open"]
    return next(iter(still_open or issues[::-1]), None)


def _list(forge: Forge, sign: str, filtered: str, login: str = "") -> list[Mapping[str, Any]]:
    every = forge.items(forge.repo(f"issues?{filtered}&per_page=100"), needs=NEEDS)
    issues = [issue for issue in list_marked(every, sign) if not issue.get("pull_request")]
    return ours(issues, login or who_am_i(forge)) if issues else []


def _change(forge: Forge, mine: Mapping[str, Any], action: str, changes: Mapping[str, Any]) -> IssueResult:
    number = number_of(mine, "number")
    issue = forge.write("PATCH", forge.repo(f"issues/{number}"), changes, needs=NEEDS)
    return IssueResult(action, number, address_of(issue) or address_of(mine))


def _digests(failing: IssueContent) -> set[str]:
    return {_digest(row) for row in failing.rows[:REMEMBERED]}


def _digest(row: tuple[str, str, str]) -> str:
    return sha256(row[0].encode("utf-8", "surrogateescape")).hexdigest()[:8]
