"""Inspect a push before it happens: the files that the remote lacks, and secrets in them.

The whole history counts, because secrets removed by a later commit can still be read there.
"""

from __future__ import annotations

import os

from gitmem.errors import RefusedError
from gitmem.frozen import frozen
from gitmem.store import layout
from gitmem.text.secrets import find_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitmem.git import Git

# Files of the branch are smaller; of a larger file only the beginning is searched.
READ_AT_MOST = 1 << 20
FILES_NAMED = 5


@frozen
class Push:
    """A push that is about to happen.

    Attributes:
        ref: The local branch, a full ref.
        tip: Its commit.
        remote: The remote's name.
        theirs: The commit of the remote's branch; empty if it has none.
    """

    ref: str
    tip: str
    remote: str
    theirs: str = ""


@frozen
class Leak:
    """A secret that would be pushed: the file, the rule that found it, the line, and whether the tip has it."""

    path: str
    rule: str
    line: int
    is_in_tip: bool


def refuse_secrets(git: Git, push: Push, allowed: Sequence[str]) -> None:
    """Refuse a push that would send a secret.

    Args:
        git: The repository.
        push: The push.
        allowed: The rules that this person's configuration switches off.

    Raises:
        RefusedError: There is a secret; the message names the files and the fix, never the secret.
    """
    leaks = [leak for leak in list_leaks(git, push) if leak.rule not in allowed]
    if not leaks:
        return
    places = [f"{leak.path} ({leak.rule} in line {leak.line})" for leak in leaks]
    more = f", and {len(places) - FILES_NAMED} more" if len(places) > FILES_NAMED else ""
    raise RefusedError(
        f"a secret would be pushed to {push.remote}: {', '.join(places[:FILES_NAMED])}{more}; nothing was pushed",
        hint="\n".join(_hints(git, push, leaks)),
    )


def list_leaks(git: Git, push: Push) -> list[Leak]:
    """Return the secrets in files that the remote lacks, by path and line."""
    paths = _new_files(git, push)
    here = {entry.oid for entry in git.list_tree(push.tip)}
    leaks = []
    for oid, content in git.read_blobs(paths):
        text = (content or b"")[:READ_AT_MOST].decode("utf-8", "replace")
        leaks += [Leak(paths[oid], secret.rule, secret.line, oid in here) for secret in find_secrets(text)]
    return sorted(set(leaks), key=lambda leak: (not leak.is_in_tip, leak.path, leak.line))


def _new_files(git: Git, push: Push) -> dict[str, str]:
    """Return the path of each blob that the remote lacks, as far as this clone knows, by object name."""
    known = ["--not", f"--remotes={push.remote}", *([push.theirs] if push.theirs else [])]
    listed = git.run("rev-list", "--objects", push.tip, *known).stdout
    pairs = (line.partition(" ") for line in os.fsdecode(listed).split("\n"))
    # Commits have no path; trees are recognized by the missing size.
    named = {oid: path for oid, _, path in pairs if path}
    return {oid: named[oid] for oid, size in git.sizes(named).items() if size >= 0}


def _hints(git: Git, push: Push, leaks: Sequence[Leak]) -> Iterator[str]:
    yield "revoke it, where it was ever real"
    keys = dict.fromkeys(layout.memory_key(leak.path) for leak in leaks if leak.is_in_tip)
    if keys:
        yield from (f"take it out: gitmem edit {key}" if key else "take it out of the file" for key in keys)
        return
    parent = push.theirs or git.run("rev-list", "--max-parents=0", push.tip).stdout.decode("ascii").split()[0]
    command = f"git commit-tree '{push.tip}^{{tree}}' -p {parent} -m 'memory: squash unpushed commits'"
    yield "only commits that were not pushed hold it; make them one commit without it:"
    yield f'git update-ref {push.ref} "$({command})" {push.tip}'
