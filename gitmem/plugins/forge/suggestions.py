"""Suggest corrections of documents as review comments on a pull request's own lines, to be applied with a click.

A forge accepts suggestions only on lines in the pull request's diff. The position of a line, and whether its text is
still the checked one, are read from the diff: the report counts the lines of a merge, and is untrusted.

Source: GitHub Docs, "Pull request review comments" and "List pull requests files" (``patch``).
"""

from __future__ import annotations

import re
from hashlib import sha256

from gitmem.errors import ForgeError
from gitmem.git.forges.client import part_of
from gitmem.plugins.forge.ownership import list_marked, mark, number_of, ours, who_am_i
from gitmem.text import display
from gitmem.text.secrets import redact
from gitmem.verify.overview.notice.document import parse_check
from gitmem.verify.overview.notice.inert import code_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.git.forges.client import Forge
    from gitmem.verify.overview.finding import StatedLine

NEEDS = "pull-requests: write"
# The most suggestions per pull request, and characters of one.
MOST, TEXT_LIMIT = 10, 1_000
SIGN = mark("suggestion").removesuffix(" -->")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def keep(forge: Forge, pull: int, text: str) -> None:
    """Update the review comments of a pull request: one per suggestion of a check, deleted once fixed.

    Args:
        forge: The forge.
        pull: The pull request's number.
        text: The JSON of ``gitmem check``; any other text has no suggestions.

    Raises:
        ForgeError: The forge cannot be reached, or refuses to list or to delete.
    """
    report = parse_check(text)
    lines = [line for finding in report.findings for line in finding.stated if _is_usable(line)] if report else []
    wanted = {_body(line): place for line, place in _in_diff(forge, pull, lines[:MOST])}
    mine = list_marked(forge.items(forge.repo(f"pulls/{pull}/comments?per_page=100"), needs=NEEDS), SIGN)
    for our in ours(mine, who_am_i(forge)) if mine else ():
        if wanted.pop(str(our.get("body")).replace("\r\n", "\n"), None) is None:
            forge.delete(forge.repo(f"pulls/comments/{number_of(our)}"), needs=NEEDS)
    commit = _head(forge, pull) if wanted else ""
    for body, (path, line) in wanted.items():
        comment = {"body": body, "commit_id": commit, "path": path, "line": line, "side": "RIGHT"}
        try:
            forge.write("POST", forge.repo(f"pulls/{pull}/comments"), comment, needs=NEEDS)
        except ForgeError as err:
            if err.status not in (403, 404, 422):  # the comment on the pull request shows it as well
                raise


def _is_usable(line: StatedLine) -> bool:
    right = line.corrected
    return bool(right) and len(right) <= TEXT_LIMIT and "\n" not in right and redact(display(right)) == right


def _body(line: StatedLine) -> str:
    digest = sha256(f"{line.spot.path}\0{line.text}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    sentence = "The change makes this line false; it should say:"
    return f"{SIGN} {digest} -->\n{sentence}\n\n{code_block(line.corrected, 'suggestion')}"


def _in_diff(forge: Forge, pull: int, lines: list[StatedLine]) -> Iterator[tuple[StatedLine, tuple[str, int]]]:
    """Yield the lines that the diff shows with the checked text, with their positions in it."""
    shown: dict[str, dict[int, str]] = {}
    for file in forge.items(forge.repo(f"pulls/{pull}/files?per_page=100"), needs=NEEDS) if lines else ():
        name, patch = file.get("filename"), file.get("patch")
        if isinstance(name, str) and isinstance(patch, str):
            shown[name] = new_lines(patch)
    for line in lines:
        same = [n for n, text in shown.get(line.spot.path, {}).items() if text.strip() == line.text.strip()]
        if same:
            yield line, (line.spot.path, min(same, key=lambda n: abs(n - line.spot.line)))


def new_lines(patch: str) -> dict[int, str]:
    """Return the lines of a file that a difference shows as they are after it, by number."""
    lines_by_number, at = {}, 0
    for text in patch.split("\n"):
        hunk = _HUNK.match(text)
        if hunk:
            at = int(hunk[1])
        elif text[:1] in (" ", "+"):
            lines_by_number[at] = text[1:]
            at += 1
    return lines_by_number


def _head(forge: Forge, pull: int) -> str:
    pull_request = forge.get(forge.repo(f"pulls/{pull}"), needs=NEEDS)
    commit = part_of(pull_request, "head").get("sha") if isinstance(pull_request, dict) else None
    if not isinstance(commit, str):
        raise ForgeError("the forge did not return the pull request's head commit")
    return commit
