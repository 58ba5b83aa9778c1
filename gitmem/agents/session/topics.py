"""Topics: what a session works on, with a specification, a worklog and evidence, per work tree and branch.

A topic is a folder of small files that people may edit as well. A branch of one's own has the topic ``current`` until
one is named. On branches that many share, each session has a topic of its own until one is named, so that sessions
which have nothing to do with each other inherit nothing. Source: the dotfiles' agent memory (FEATURES, rows E1 to E3).
"""

from __future__ import annotations

import os

from gitmem.agents.session.places import FOLDER, append, named, read_lines, read_text, spelt_out, write_text
from gitmem.errors import NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.git.branches import SHARED
from gitmem.system.file_lock import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.git.repository import Repository

# A topic that begins with one of these words is a review; one that ends with it, where it says of what.
REVIEWS = ("review", "rereview")
REVIEWED = frozenset(("code", "pr", "mr", "pull", "merge", "request", "peer", "security", "design", "final"))
CURRENT = "current"
SESSION = "session-"
ACTIVE, TOPICS, ARCHIVE = "active", "topics", "archive"
SPEC, WORKLOG, EVIDENCE, OFF = "spec.md", "worklog.jsonl", "evidence.jsonl", "off"
NAME_LIMIT = 60
# A specification is read up to this size; what is told of it is the policy's `spec_tokens`.
SPEC_BYTES = 64 * 1024
# Evidence is trimmed as it is written. A choice of ours: some 500 lines.
EVIDENCE_BYTES = 128 * 1024
# Topics that sessions left on a shared branch and nobody named; older ones are removed. A choice of ours.
SESSIONS_KEPT = 100


@frozen
class Workplace:
    """A workspace.

    Attributes:
        workspace: The work tree, as git names it: ``main``, or ``worktree-NAME``.
        branch: The branch, without ``refs/heads/``; empty for a detached HEAD.
        root: The folder of all sessions.
    """

    workspace: str
    branch: str
    root: str

    @property
    def folder(self) -> str:
        """Return the folder of this work tree and branch."""
        return os.path.join(self.root, named(self.workspace), named(self.branch))

    @property
    def is_shared(self) -> bool:
        """Return whether the branch is one that many share."""
        return self.branch in SHARED


@frozen
class Topic:
    """What a session works on.

    Attributes:
        name: Its name.
        folder: Where its files lie; it may not exist yet.
        is_pinned: Whether a user named it.
        is_archived: Whether it was put away.
    """

    name: str
    folder: str
    is_pinned: bool = False
    is_archived: bool = False

    @property
    def is_review(self) -> bool:
        """Return whether something is reviewed here: what was found before would bias it (E3).

        A review is called one: ``review-41``, ``re-review``, ``pr-41-review``. What only has the word in its name is
        none: ``product-reviews``, ``reviewer-rights``, ``customer-review-page``.
        """
        words = "".join(char if char.isalnum() else " " for char in self.name.lower()).split()
        if words[:1] == ["re"]:
            words = words[1:]
        of_what, last = words[:-1], words[-1] if words else ""
        is_called_so = last in REVIEWS and all(word in REVIEWED or word.isdigit() for word in of_what)
        return is_called_so or (bool(words) and words[0] in REVIEWS)

    @property
    def spec_path(self) -> str:
        """Return the file of its specification."""
        return os.path.join(self.folder, SPEC)

    @property
    def worklog_path(self) -> str:
        """Return the file of its worklog."""
        return os.path.join(self.folder, WORKLOG)

    def spec(self) -> str:
        """Return its specification, without white space around; empty where it has none."""
        return read_text(self.spec_path, SPEC_BYTES).strip()

    def evidence(self) -> list[dict[str, Any]]:
        """Return its evidence, the oldest first: ``at``, ``text`` and ``refs``."""
        return read_lines(os.path.join(self.folder, EVIDENCE), EVIDENCE_BYTES)


def place_of(repository: Repository, head: str) -> Workplace:
    """Return where somebody works.

    Args:
        repository: The repository, as it was found from that folder.
        head: The full ref that HEAD names; empty where it is detached.
    """
    is_main = repository.git == repository.common
    workspace = "main" if is_main else f"worktree-{os.path.basename(repository.git)}"
    return Workplace(workspace, head.removeprefix("refs/heads/"), os.path.join(repository.state, FOLDER))


def topic_of(place: Workplace, session: str = "") -> Topic:
    """Return the active topic: the named one, or what the branch and the session make of it.

    Args:
        place: A workspace.
        session: The session's name. Without one, on a shared branch, the latest session's topic is meant.
    """
    pinned = read_text(os.path.join(place.folder, ACTIVE), 4 * NAME_LIMIT).strip()
    if pinned and _is_name(pinned):
        return Topic(pinned, _folder(place, pinned), is_pinned=True)
    if not place.is_shared:
        return Topic(CURRENT, _folder(place, CURRENT))
    latest = next(iter(_of_sessions(place)), "") if not session else ""
    name = latest or f"{SESSION}{session or 'unnamed'}"
    return Topic(name, _folder(place, name))


def _folder(place: Workplace, name: str) -> str:
    return os.path.join(place.folder, TOPICS, named(name))


def _of_sessions(place: Workplace) -> list[str]:
    """Return the topics that sessions left here, the latest first."""
    names = [name for name in list_names(place) if name.startswith(SESSION)]
    return sorted(names, key=lambda name: -_changed(_folder(place, name)))


def _changed(folder: str) -> float:
    """Return when something in a folder last changed, epoch seconds."""
    try:
        return max((entry.stat().st_mtime for entry in os.scandir(folder)), default=os.stat(folder).st_mtime)
    except OSError:
        return 0.0


def list_names(place: Workplace) -> list[str]:
    """Return the names of all topics here, sorted."""
    return _names(os.path.join(place.folder, TOPICS))


def list_archived(place: Workplace) -> list[str]:
    """Return the names of the topics that were put away here, the oldest of each name first."""
    return _names(os.path.join(place.folder, ARCHIVE))


def _names(folder: str) -> list[str]:
    try:
        return sorted(spelt_out(name) for name in os.listdir(folder))
    except OSError:
        return []


def find(place: Workplace, name: str) -> Topic:
    """Return a topic of this place by its name, also one that was put away.

    Raises:
        NotFoundError: There is none.
    """
    for folder, is_archived in ((TOPICS, False), (ARCHIVE, True)):
        path = os.path.join(place.folder, folder, named(name))
        if os.path.isdir(path):
            return Topic(name, path, is_pinned=topic_of(place).name == name, is_archived=is_archived)
    raise NotFoundError(f"there is no topic {name} on this branch", hint="gitmem session status")


def _is_name(name: str) -> bool:
    return (
        0 < len(name) <= NAME_LIMIT
        and name.isascii()
        and name[0].isalnum()
        and all(char.isalnum() or char in "-_." for char in name)
        and name != CURRENT
        and not name.startswith(SESSION)
    )


def use(place: Workplace, name: str, spec: str = "") -> Topic:
    """Make a topic the active one of this work tree and branch; with a specification where it has none yet.

    Raises:
        RefusedError: It cannot be called so.
    """
    if not _is_name(name):
        message = f"invalid topic name {name!r}: use letters, digits, '-', '_' and '.', at most {NAME_LIMIT}"
        reserved = f"{CURRENT} and {SESSION}… are reserved for topics without a name"
        raise RefusedError(message, hint=f"{reserved}; for example: gitmem session use billing-ledger")
    topic = Topic(name, _folder(place, name), is_pinned=True)
    make_folder(topic.folder)
    if spec.strip() and not topic.spec():
        write_text(topic.spec_path, spec.strip() + "\n")
    elif spec.strip():
        note(topic, spec)
    write_text(os.path.join(place.folder, ACTIVE), f"{name}\n")
    return topic


def note(topic: Topic, text: str) -> None:
    """Add a paragraph to the specification of a topic."""
    before = topic.spec()
    write_text(topic.spec_path, f"{before}\n\n{text.strip()}\n" if before else f"{text.strip()}\n")


def add_evidence(topic: Topic, text: str, refs: Sequence[str], *, now: int) -> None:
    """Write down what was found, and where it can be seen."""
    entry = {"at": now, "text": " ".join(text.split()), "refs": [*refs]}
    append(os.path.join(topic.folder, EVIDENCE), entry, limit=EVIDENCE_BYTES)


def wipe(place: Workplace, topic: Topic) -> bool:
    """Remove a topic's specification, worklog, evidence and switch, and no other topic's; tell whether it had any."""
    had = os.path.isdir(topic.folder)
    _empty(topic.folder)
    _unpin(place, topic)
    return had


def archive(place: Workplace, topic: Topic, *, now: int) -> Topic:
    """Put a topic away whole: it is not told any more and can be read for ever.

    Raises:
        NotFoundError: It has nothing that could be kept.
    """
    if not os.path.isdir(topic.folder):
        raise NotFoundError(f"the topic {topic.name} is empty", hint="gitmem session status")
    name = f"{topic.name}-{now}"
    folder = os.path.join(place.folder, ARCHIVE, named(name))
    make_folder(os.path.dirname(folder))
    os.rename(topic.folder, folder)
    _unpin(place, topic)
    return Topic(name, folder, is_archived=True)


def _unpin(place: Workplace, topic: Topic) -> None:
    if topic.is_pinned:
        _remove(os.path.join(place.folder, ACTIVE))


def is_off(place: Workplace, topic: Topic) -> bool:
    """Return whether a file says that nothing is told: for all of this repository, or for this topic."""
    return os.path.lexists(os.path.join(place.root, OFF)) or os.path.lexists(os.path.join(topic.folder, OFF))


def switch(place: Workplace, topic: Topic | None, *, is_on: bool) -> str:
    """Put the file there that says that nothing is told, or take it away; for all of the repository without a topic.

    Returns:
        The file.
    """
    path = os.path.join(topic.folder if topic else place.root, OFF)
    if is_on:
        _remove(path)
    else:
        write_text(path, "While this file exists, agents are shown nothing at start and with prompts.\n")
    return path


def sweep(place: Workplace) -> None:
    """Remove the topics that sessions left here and nobody named, but for the latest; specifications stay."""
    for name in _of_sessions(place)[SESSIONS_KEPT:]:
        folder = _folder(place, name)
        if not os.path.lexists(os.path.join(folder, SPEC)):
            _empty(folder)


def _empty(folder: str) -> None:
    """Remove a folder of a topic, in which only files lie."""
    if os.path.islink(folder):
        return
    try:
        for entry in os.scandir(folder):
            _remove(entry.path)
        os.rmdir(folder)
    except OSError:
        return  # not there, or somebody has put something of their own in it


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
