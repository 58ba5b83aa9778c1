"""Keep one comment of each kind on a pull request up to date.

Its text comes from a file that a stranger's pull request may have written: it is made inert, truncated if too long, and
preceded by a mark of gitmem that the text cannot imitate.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from gitmem.errors import ForgeError, GitmemError
from gitmem.frozen import frozen
from gitmem.git.forges.client import part_of
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
from gitmem.plugins.forge.sanitize import page
from gitmem.verify.overview.notice.document import parse_adopt, parse_check, parse_table
from gitmem.verify.overview.notice.notice import headline_of, render
from gitmem.verify.overview.notice.permalinks import Links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.git.forges.client import Forge
    from gitmem.git.forges.job_environment import ForgeRepository
    from gitmem.verify.overview.finding import Findings

# The kinds of comments, the text if there is nothing to report, and the command that shows everything locally.
KINDS = {
    "check": ("**gitmem check**: all well, this change makes no fact false.", "gitmem check"),
    "adopt": ("**gitmem adopt**: all well, no document says anything false by this change.", "gitmem adopt"),
    "review": ("**gitmem review**: all well, there are no findings about this change to the memory.", "gitmem review"),
}
NEEDS = "pull-requests: write"
# The most bytes read of a file, and characters of Markdown: a reference for one character may be long, but more never
# fits.
READ_LIMIT, TEXT_LIMIT = 16 * 1024 * 1024, 1024 * 1024
# Characters reserved for the mark, the last line and the note on truncation.
_RESERVED_CHARS = 2_000
# The most pull requests with one head that get a comment.
PULLS = 20


@frozen
class CommentResult:
    """The result for the comment on one pull request.

    Attributes:
        pull: Its number.
        action: ``created``, ``updated``, ``unchanged``, ``deleted``, or ``none`` if there was none and none is needed.
        url: The comment's address, or empty.
    """

    pull: int
    action: str
    url: str = ""


def read_text(path: str) -> str:
    """Return the text of a file that others may have written, or of standard input (``-``).

    A link or a pipe is refused: it could reveal files that only this job may read. Bytes that are not UTF-8 become
    U+FFFD.

    Raises:
        GitmemError: It cannot be read, is not a file, or a link.
    """
    if path == "-":
        raw = sys.stdin.buffer.read(READ_LIMIT) if sys.stdin is not None else b""
        return raw.decode("utf-8", "replace")
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as err:
        # POSIX specifies ELOOP for a link that is not followed.
        message = "it is a symbolic link, which is not followed" if err.errno == errno.ELOOP else err.strerror
        raise GitmemError(f"{path} cannot be read: {message}") from err
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise GitmemError(f"{path} is not a file")
    with os.fdopen(file, "rb") as stream:
        return stream.read(READ_LIMIT).decode("utf-8", "replace")


def body_of(kind: str, text: str, place: ForgeRepository) -> tuple[str, bool]:
    """Return the comment's text (marked, inert, within the forge's limit, signed), and whether it reports anything.

    The JSON of ``gitmem check`` and ``gitmem adopt`` is rendered here, by the trusted job; any other text is Markdown.
    """
    sign = mark(f"comment {kind}")
    well, command = KINDS[kind]
    if not text.strip():
        return add_signature(f"{sign}\n{well}", place), False
    findings = _findings_in(kind, text)
    if findings is not None:
        shown = render(
            findings, Links(place.site, findings.head, findings.memory, place.form), BODY_LIMIT - _RESERVED_CHARS
        )
        return add_signature(f"{sign}\n\n{shown}", place), headline_of(findings).is_news
    shown, missing = page(text[:TEXT_LIMIT], BODY_LIMIT - _RESERVED_CHARS)
    if missing:
        where = f"; [the run]({place.run}) may have all" if place.run else ""
        rest = f"{missing} more line{'s do' if missing > 1 else ' does'}"
        shown = f"{shown}\n\n**Cut here**: {rest} not fit in a comment. `{command}` shows them{where}."
    return add_signature(f"{sign}\n\n{shown}", place), True


def _findings_in(kind: str, text: str) -> Findings | None:
    """Return the findings in a command's JSON; None for any other text."""
    if kind == "check":
        return parse_check(text)
    table = parse_table(text, "false") if kind == "adopt" else None
    return parse_adopt(table) if table is not None else None


def keep(forge: Forge, kind: str, pulls: Sequence[int], text: str, *, only_update: bool = False) -> list[CommentResult]:
    """Set the comment of a kind on each of these pull requests to a text.

    Args:
        forge: The forge.
        kind: One of ``KINDS``.
        pulls: The pull requests.
        text: The JSON of ``gitmem check``, or Markdown; if it is empty or has no findings, an existing comment says so,
            and no new one is written.
        only_update: Whether to write no new comment in any case.

    Raises:
        ForgeError: The forge cannot be reached, or refuses.
    """
    body, is_news = body_of(kind, text, forge.place)
    opens = is_news and not only_update
    return [_keep(forge, pull, mark(f"comment {kind}"), body, opens=opens) for pull in pulls]


def remove(forge: Forge, kind: str, pulls: Sequence[int]) -> list[CommentResult]:
    """Delete the comment of a kind from each of these pull requests."""
    results = []
    for pull in pulls:
        mine = _mine(forge, pull, mark(f"comment {kind}"))
        _delete(forge, mine)
        results.append(CommentResult(pull, "deleted" if mine else "none"))
    return results


def _keep(forge: Forge, pull: int, sign: str, body: str, *, opens: bool) -> CommentResult:
    mine = _mine(forge, pull, sign)
    if mine:
        return _update(forge, pull, mine, body)
    if not opens:
        return CommentResult(pull, "none")
    comment = forge.write("POST", forge.repo(f"issues/{pull}/comments"), {"body": body}, needs=NEEDS)
    # Another run may have done the same meanwhile: all of them keep the oldest one.
    others = [
        comment_there
        for comment_there in _mine(forge, pull, sign, login=login_of(comment))
        if number_of(comment_there) != number_of(comment)
    ]
    if others and number_of(others[0]) < number_of(comment):
        return _update(forge, pull, [*others, comment], body)
    _delete(forge, others)
    return CommentResult(pull, "created", address_of(comment))


def _update(forge: Forge, pull: int, mine: Sequence[Mapping[str, Any]], body: str) -> CommentResult:
    """Update the oldest of our comments, and delete the others."""
    first = mine[0]
    is_new = not is_same(first.get("body"), body)
    if is_new:
        first = forge.write("PATCH", _comment(forge, first), {"body": body}, needs=NEEDS)
    _delete(forge, mine[1:])
    return CommentResult(pull, "updated" if is_new else "unchanged", address_of(first))


def _mine(forge: Forge, pull: int, sign: str, *, login: str = "") -> list[Mapping[str, Any]]:
    comments = list_marked(forge.items(forge.repo(f"issues/{pull}/comments?per_page=100"), needs=NEEDS), sign)
    return ours(comments, login or who_am_i(forge)) if comments else []


def _delete(forge: Forge, comments: Sequence[Mapping[str, Any]]) -> None:
    for comment in comments:
        forge.delete(_comment(forge, comment), needs=NEEDS)


def _comment(forge: Forge, one: Mapping[str, Any]) -> str:
    return forge.repo(f"issues/comments/{number_of(one)}")


def pulls_of(forge: Forge, commit: str) -> list[int]:
    """Return the numbers of the open pull requests whose head is a commit; none if their heads moved on.

    The forge lists those for a commit of the repository itself; for a fork's commit, it may know none, or not the
    commit.
    """
    needs = "pull-requests: read"
    try:
        numbers = _with_head(forge.items(forge.repo(f"commits/{commit}/pulls?per_page=100"), needs=needs), commit)
    except ForgeError as err:
        if err.status not in (403, 404, 409, 422):
            raise
        numbers = []
    if not numbers:
        path = "pulls?state=open&sort=updated&direction=desc&per_page=100"
        numbers = _with_head(forge.items(forge.repo(path), needs=needs), commit)
    if len(numbers) > PULLS:
        raise ForgeError(
            f"{len(numbers)} open pull requests have {commit[:12]} as their head", hint="choose one: --pull N"
        )
    return sorted(numbers)


def _with_head(found: Any, commit: str) -> list[int]:
    open_ones = (pull for pull in found if pull.get("state") == "open")
    return [number_of(pull, "number") for pull in open_ones if part_of(pull, "head").get("sha") == commit]
