"""Find learnings in a commit message: its lines that begin with ``Learned:`` or ``Learning:``.

They are trailers or lines anywhere in the message; indented lines that follow belong to them.
"""

from __future__ import annotations

import os
import re

from gitmem.commands.capture.keep import keep, refuse, safe_lines
from gitmem.errors import RefusedError
from gitmem.frozen import frozen
from gitmem.git.repository import is_oid
from gitmem.store.state.spool import Spool
from gitmem.text.hazards.orders import find_order
from gitmem.write.new_memory import NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.git import Git
    from gitmem.repository import OpenRepository

_BEGINS = re.compile(r"(?:learned|learning|learnt)[ \t]*:[ \t]*(.*)", re.IGNORECASE)
# A commit with more of them has a changelog, not learnings.
AT_MOST = 5
# The most commits of one rebase examined, the newest ones.
COMMITS_AT_MOST = 200
# The most files named as the place of a learning; of more, their folders are named; of very many, nothing.
PLACES_AT_MOST = 8


@frozen
class LearningResult:
    """The result of capturing from commits.

    Attributes:
        kept: The number of captured learnings.
        refused: The reasons for refused ones, one line each; never a secret.
        commits: The commits that stated captured ones.
    """

    kept: int
    refused: tuple[str, ...]
    commits: tuple[str, ...] = ()


def parse_learnt(message: str) -> list[str]:
    """Return the learnings in a message, in order, without duplicates."""
    texts: list[list[str]] = []
    inside = False
    for line in message.replace("\r\n", "\n").split("\n"):
        begins = _BEGINS.fullmatch(line)
        if begins:
            texts.append([begins.group(1).strip()])
        elif inside and line[:1] in (" ", "\t") and line.strip():
            texts[-1].append(line.strip())
            continue
        inside = begins is not None
    return list(dict.fromkeys(text for text in (" ".join(words).strip() for words in texts) if text))


def learn_from(repository: OpenRepository, commits: Sequence[str]) -> LearningResult:
    """Capture the learnings in commits, with the commit and its files; known ones are skipped."""
    captured, refused, followed = 0, [], []
    for commit, message in _messages(repository.git, commits):
        texts = parse_learnt(message)
        for text in texts[:AT_MOST]:
            try:
                _keep(repository, commit, text)
                captured += 1
                followed.append(commit)
            except RefusedError as err:
                refused.append(f"{commit[:12]}: {err.message}")
            except OSError as err:
                refused.append(f"{commit[:12]}: could not write to disk: {err.strerror}")
        if len(texts) > AT_MOST:
            refused.append(f"{commit[:12]}: {len(texts) - AT_MOST} more; only {AT_MOST} per commit are captured")
    return LearningResult(captured, tuple(refused), tuple(dict.fromkeys(followed)))


def list_refusals(repository: OpenRepository, message: str) -> list[str]:
    """Return why learnings in a message must not be committed, one line each; no secret is repeated."""
    refused = []
    for number, text in enumerate(parse_learnt(message), 1):
        try:
            refuse(repository, f"`Learned:` line {number} of this message", text)
        except RefusedError as err:
            refused.append(err.message)
    return refused


def _keep(repository: OpenRepository, commit: str, text: str) -> None:
    if order := find_order(text):
        about = {"kind": "learned", "title": "", "key": "", "options": {"refs": [f"commit:{commit}"]}}
        why = f"a learning in commit {commit[:12]}: it {order}; a person must accept it"
        Spool(repository.git.repository.state).note_refused(
            why, {"text": safe_lines(text), **about, "at": repository.now}
        )
        raise RefusedError(f"it {order}: gitmem settle")
    options = {"refs": [f"commit:{commit}"], "paths": _places(_list_paths(repository.git, commit))}
    keep(repository, NewMemory(text, options), once=True)


def _messages(git: Git, commits: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Return each existing commit with its message."""
    names = [name for name in commits if is_oid(name)][-COMMITS_AT_MOST:]
    if not names:
        return ()
    argv = ("log", "-z", "--no-show-signature", "--encoding=UTF-8", "--no-walk=unsorted", "--format=%H%x00%B")
    words = git.run(*argv, *names, check=False).stdout.decode("utf-8", "replace").split("\0")
    return list(zip(words[::2], words[1::2], strict=False))


def _list_paths(git: Git, commit: str) -> list[str]:
    command = ("diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", "--no-renames", commit)
    return [os.fsdecode(name) for name in git.run(*command, check=False).stdout.split(b"\0") if name]


def _places(touched: Sequence[str]) -> list[str]:
    """Return the files, or their folders if there are many, as globs; names with pattern characters are left out."""
    plain = sorted(name for name in touched if name.isprintable() and not set(name) & set("*?[]{}\\:!"))
    if len(plain) <= PLACES_AT_MOST:
        return plain
    for depth in (3, 2, 1):
        folders = {"/".join(name.split("/")[:-1][:depth]) for name in plain}
        if len(folders) <= PLACES_AT_MOST and "" not in folders:
            return sorted(f"{folder}/**" for folder in folders)
    return []
