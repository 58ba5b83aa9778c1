"""One comment of each kind on a pull request, kept up to date.

What it says comes from a file that a stranger's pull request may have written: it is made inert, cut where it is too
long, and is behind a mark of ours that nothing in it can forge.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys

from gitmem.commands.forge.ownership import (
    BODY_LIMIT,
    address_of,
    is_same,
    login_of,
    mark,
    marked,
    number_of,
    ours,
    signed,
    who_am_i,
)
from gitmem.commands.forge.sanitize import page
from gitmem.errors import ForgeError, GitmemError
from gitmem.frozen import frozen
from gitmem.verify.overview.notice.document import parse_adopt, parse_check, parse_table
from gitmem.verify.overview.notice.notice import render, verdict_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.commands.forge.client import Forge
    from gitmem.commands.forge.place import ForgeRepository
    from gitmem.verify.overview.finding import Findings

# What comments are about, what is said where there is nothing to say any more, and how to see all of one here.
KINDS = {
    "check": ("**gitmem check**: all well, this change makes no fact false.", "gitmem check"),
    "adopt": ("**gitmem adopt**: all well, no document says anything false by this change.", "gitmem adopt"),
    "review": ("**gitmem review**: all well, there are no findings about this change to the memory.", "gitmem review"),
}
NEEDS = "pull-requests: write"
# Bytes of a file that are read; and characters of Markdown: references of one character may be long, more never fits.
READ_LIMIT, TEXT_LIMIT = 16 * 1024 * 1024, 1024 * 1024
# Characters that stay for the mark, the last line and the word about the cut.
_APART = 2_000
# Pull requests with one head that are told.
PULLS = 20


@frozen
class CommentResult:
    """What became of the comment on one pull request.

    Attributes:
        pull: Its number.
        action: ``created``, ``updated``, ``unchanged``, ``deleted``, or ``none`` where none was and none is needed.
        url: The comment's address, or empty.
    """

    pull: int
    action: str
    url: str = ""


def read_text(path: str) -> str:
    """Return the text of a file that somebody else may have put there, or of standard input (``-``).

    A link or a pipe is refused: it could show what only this job may read. Bytes that are no UTF-8 become U+FFFD.

    Raises:
        GitmemError: It cannot be read, is not a file, or a link.
    """
    if path == "-":
        raw = sys.stdin.buffer.read(READ_LIMIT) if sys.stdin is not None else b""
        return raw.decode("utf-8", "replace")
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as err:
        # POSIX says ELOOP for a link that is not followed.
        message = "it is a symbolic link, which is not followed" if err.errno == errno.ELOOP else err.strerror
        raise GitmemError(f"{path} cannot be read: {message}") from err
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise GitmemError(f"{path} is not a file")
    with os.fdopen(file, "rb") as stream:
        return stream.read(READ_LIMIT).decode("utf-8", "replace")


def body_of(kind: str, text: str, place: ForgeRepository) -> tuple[str, bool]:
    """Return the comment's text: marked, inert, within the forge's limit, and signed; and whether it says anything new.

    The JSON of ``gitmem check`` and of ``gitmem adopt`` is rendered here, by the job that is trusted; any other text is
    Markdown.
    """
    sign = mark(f"comment {kind}")
    well, command = KINDS[kind]
    if not text.strip():
        return signed(f"{sign}\n{well}", place), False
    found = _found(kind, text)
    if found is not None:
        shown = render(found, place.links(found.head, found.memory), BODY_LIMIT - _APART)
        return signed(f"{sign}\n\n{shown}", place), verdict_of(found).is_news
    shown, missing = page(text[:TEXT_LIMIT], BODY_LIMIT - _APART)
    if missing:
        where = f"; [the run]({place.run}) may have all" if place.run else ""
        rest = f"{missing} more line{'s do' if missing > 1 else ' does'}"
        shown = f"{shown}\n\n**Cut here**: {rest} not fit in a comment. `{command}` shows them{where}."
    return signed(f"{sign}\n\n{shown}", place), True


def _found(kind: str, text: str) -> Findings | None:
    """Return what the JSON of a command found; None for any other text."""
    if kind == "check":
        return parse_check(text)
    table = parse_table(text, "false") if kind == "adopt" else None
    return parse_adopt(table) if table is not None else None


def keep(forge: Forge, kind: str, pulls: Sequence[int], text: str, *, only_update: bool = False) -> list[CommentResult]:
    """Make the comment of a kind on each of these pull requests say a text.

    Args:
        forge: The forge.
        kind: One of ``KINDS``.
        pulls: The pull requests.
        text: The JSON of ``gitmem check``, or Markdown; where it is empty, or finds nothing, a comment that is there
            says so, and no first one is written.
        only_update: Whether no first comment is written in any case.

    Raises:
        ForgeError: The forge cannot be reached, or refuses.
    """
    body, is_news = body_of(kind, text, forge.place)
    opens = is_news and not only_update
    return [_keep(forge, pull, mark(f"comment {kind}"), body, opens=opens) for pull in pulls]


def remove(forge: Forge, kind: str, pulls: Sequence[int]) -> list[CommentResult]:
    """Take the comment of a kind away from each of these pull requests."""
    done = []
    for pull in pulls:
        mine = _mine(forge, pull, mark(f"comment {kind}"))
        _delete(forge, mine)
        done.append(CommentResult(pull, "deleted" if mine else "none"))
    return done


def _keep(forge: Forge, pull: int, sign: str, body: str, *, opens: bool) -> CommentResult:
    mine = _mine(forge, pull, sign)
    if mine:
        return _update(forge, pull, mine, body)
    if not opens:
        return CommentResult(pull, "none")
    made = forge.write("POST", forge.repo(f"issues/{pull}/comments"), {"body": body}, needs=NEEDS)
    # Another run may have done the same in between: all of them keep the oldest one.
    others = [one for one in _mine(forge, pull, sign, login=login_of(made)) if number_of(one) != number_of(made)]
    if others and number_of(others[0]) < number_of(made):
        return _update(forge, pull, [*others, made], body)
    _delete(forge, others)
    return CommentResult(pull, "created", address_of(made))


def _update(forge: Forge, pull: int, mine: Sequence[Mapping[str, Any]], body: str) -> CommentResult:
    """Make the oldest of our comments say it, and take the others away."""
    first = mine[0]
    is_new = not is_same(first.get("body"), body)
    if is_new:
        first = forge.write("PATCH", _comment(forge, first), {"body": body}, needs=NEEDS)
    _delete(forge, mine[1:])
    return CommentResult(pull, "updated" if is_new else "unchanged", address_of(first))


def _mine(forge: Forge, pull: int, sign: str, *, login: str = "") -> list[Mapping[str, Any]]:
    found = marked(forge.items(forge.repo(f"issues/{pull}/comments?per_page=100"), needs=NEEDS), sign)
    return ours(found, login or who_am_i(forge)) if found else []


def _delete(forge: Forge, comments: Sequence[Mapping[str, Any]]) -> None:
    for one in comments:
        try:
            forge.write("DELETE", _comment(forge, one), None, needs=NEEDS)
        except ForgeError as err:
            if err.status not in (404, 410):  # somebody else was quicker
                raise


def _comment(forge: Forge, one: Mapping[str, Any]) -> str:
    return forge.repo(f"issues/comments/{number_of(one)}")


def pulls_of(forge: Forge, commit: str) -> list[int]:
    """Return the open pull requests whose head is a commit, by number: none where their heads moved on.

    The forge lists those of a commit of the repository itself; for one of a fork, it may know none, or not the commit.
    """
    needs = "pull-requests: read"
    try:
        found = _with_head(forge.items(forge.repo(f"commits/{commit}/pulls?per_page=100"), needs=needs), commit)
    except ForgeError as err:
        if err.status not in (403, 404, 409, 422):
            raise
        found = []
    if not found:
        path = "pulls?state=open&sort=updated&direction=desc&per_page=100"
        found = _with_head(forge.items(forge.repo(path), needs=needs), commit)
    if len(found) > PULLS:
        raise ForgeError(
            f"{len(found)} open pull requests have {commit[:12]} as their head", hint="choose one: --pull N"
        )
    return sorted(found)


def _with_head(found: Any, commit: str) -> list[int]:
    open_ones = (one for one in found if one.get("state") == "open" and isinstance(one.get("head"), dict))
    return [number_of(one, "number") for one in open_ones if one["head"].get("sha") == commit]


def is_commit(text: str) -> bool:
    """Return whether a text is a whole commit's name."""
    return re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", text) is not None
