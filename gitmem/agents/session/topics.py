"""Topics: what a session works on, with a specification, a worklog and evidence, per work tree and branch.

A topic is a folder of small files that people may edit as well. A branch with one user has the topic ``current`` until
one is named. On shared branches, each session has a topic of its own until one is named, so that unrelated sessions
inherit nothing from each other. Source: the dotfiles' agent memory.
"""

from __future__ import annotations

import os

from gitmem.agents.session.places import FOLDER, append, file_name, read_lines, read_text, unescape_name
from gitmem.errors import NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.git.branches import SHARED
from gitmem.system import make_folder, remove, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.repository import OpenRepository

# A topic is a review if it begins with one of these words, or ends with it after another word.
REVIEWS = ("review", "rereview")
REVIEWED = frozenset(("code", "pr", "mr", "pull", "merge", "request", "peer", "security", "design", "final"))
CURRENT = "current"
SESSION = "session-"
ACTIVE, TOPICS, ARCHIVE = "active", "topics", "archive"
SPEC, WORKLOG, EVIDENCE, OFF = "spec.md", "worklog.jsonl", "evidence.jsonl", "off"
NAME_LIMIT = 60
# The most read of a specification; the most shown of it is the policy's `spec_tokens`.
SPEC_BYTES = 64 * 1024
# Evidence is trimmed as it is written. Our choice: about 500 lines.
EVIDENCE_BYTES = 128 * 1024
# The most unnamed topics of sessions on a shared branch; older ones are removed. Our choice.
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
        return os.path.join(self.root, file_name(self.workspace), file_name(self.branch))

    @property
    def is_shared(self) -> bool:
        """Return whether several people work on the branch."""
        return self.branch in SHARED


@frozen
class Topic:
    """A topic that sessions work on.

    Attributes:
        name: Its name.
        folder: The folder with its files; it may not exist yet.
        is_pinned: Whether a user named it.
        is_archived: Whether it was archived.
    """

    name: str
    folder: str
    is_pinned: bool = False
    is_archived: bool = False

    @property
    def is_review(self) -> bool:
        """Return whether the topic is a review, which earlier findings would bias.

        Reviews are named as such: ``review-41``, ``re-review``, ``pr-41-review``. A name that only contains the word is
        not a review: ``product-reviews``, ``reviewer-rights``, ``customer-review-page``.
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
        """Return its specification, stripped; empty if it has none."""
        return read_text(self.spec_path, SPEC_BYTES).strip()

    def evidence(self) -> list[dict[str, Any]]:
        """Return its evidence, oldest first: ``at``, ``text`` and ``refs``."""
        return read_lines(os.path.join(self.folder, EVIDENCE), EVIDENCE_BYTES)


def workplace_of(repository: OpenRepository) -> Workplace:
    """Return the workplace of the working directory."""
    paths = repository.git.repository
    is_main = paths.git == paths.common
    workspace = "main" if is_main else f"worktree-{os.path.basename(paths.git)}"
    branch = repository.git.read_head()[0].removeprefix("refs/heads/")
    return Workplace(workspace, branch, os.path.join(paths.state, FOLDER))


def topic_of(place: Workplace, session: str = "") -> Topic:
    """Return the active topic: the named one, else the default one of the branch and session.

    Args:
        place: A workspace.
        session: The session's name; if it is empty on a shared branch, the latest session's topic is returned.
    """
    pinned = read_text(os.path.join(place.folder, ACTIVE), 4 * NAME_LIMIT).strip()
    if pinned and _is_name(pinned):
        return Topic(pinned, _folder(place, pinned), is_pinned=True)
    if not place.is_shared:
        return Topic(CURRENT, _folder(place, CURRENT))
    latest = next(iter(_session_topics(place)), "") if not session else ""
    name = latest or f"{SESSION}{session or 'unnamed'}"
    return Topic(name, _folder(place, name))


def _folder(place: Workplace, name: str) -> str:
    return os.path.join(place.folder, TOPICS, file_name(name))


def _session_topics(place: Workplace) -> list[str]:
    """Return the unnamed topics of sessions here, latest first."""
    names = [name for name in list_names(place) if name.startswith(SESSION)]
    return sorted(names, key=lambda name: -_change_time(_folder(place, name)))


def _change_time(folder: str) -> float:
    """Return when something in a folder last changed, epoch seconds."""
    try:
        return max((entry.stat().st_mtime for entry in os.scandir(folder)), default=os.stat(folder).st_mtime)
    except OSError:
        return 0.0


def list_names(place: Workplace) -> list[str]:
    """Return the names of all topics here, sorted."""
    return _names(os.path.join(place.folder, TOPICS))


def list_archived(place: Workplace) -> list[str]:
    """Return the names of the archived topics here, oldest of each name first."""
    return _names(os.path.join(place.folder, ARCHIVE))


def _names(folder: str) -> list[str]:
    try:
        return sorted(unescape_name(name) for name in os.listdir(folder))
    except OSError:
        return []


def find(place: Workplace, name: str) -> Topic:
    """Return a topic of this workplace by its name, archived or not.

    Raises:
        NotFoundError: There is no such topic.
    """
    for folder, is_archived in ((TOPICS, False), (ARCHIVE, True)):
        path = os.path.join(place.folder, folder, file_name(name))
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
    """Make a topic the active one of this work tree and branch, and add to its specification.

    Raises:
        RefusedError: The name is invalid.
    """
    if not _is_name(name):
        message = f"invalid topic name {name!r}: use letters, digits, '-', '_' and '.', at most {NAME_LIMIT}"
        reserved = f"{CURRENT} and {SESSION}… are reserved for topics without a name"
        raise RefusedError(message, hint=f"{reserved}; for example: gitmem session use billing-ledger")
    topic = Topic(name, _folder(place, name), is_pinned=True)
    make_folder(topic.folder)
    if spec.strip():
        note(topic, spec)
    write_text(os.path.join(place.folder, ACTIVE), f"{name}\n")
    return topic


def note(topic: Topic, text: str) -> None:
    """Add a paragraph to the specification of a topic."""
    before = topic.spec()
    write_text(topic.spec_path, f"{before}\n\n{text.strip()}\n" if before else f"{text.strip()}\n")


def add_evidence(topic: Topic, text: str, refs: Sequence[str], *, now: int) -> None:
    """Add evidence to a topic: a finding, and where it can be seen."""
    entry = {"at": now, "text": " ".join(text.split()), "refs": [*refs]}
    append(os.path.join(topic.folder, EVIDENCE), entry, limit=EVIDENCE_BYTES)


def wipe(place: Workplace, topic: Topic) -> bool:
    """Remove a topic's specification, worklog, evidence and switch, and nothing else; return whether it had any."""
    had = os.path.isdir(topic.folder)
    _empty(topic.folder)
    _unpin(place, topic)
    return had


def archive(place: Workplace, topic: Topic, *, now: int) -> Topic:
    """Archive a topic: it is not shown to agents any more, and stays readable.

    Raises:
        NotFoundError: The topic is empty.
    """
    if not os.path.isdir(topic.folder):
        raise NotFoundError(f"the topic {topic.name} is empty", hint="gitmem session status")
    name = f"{topic.name}-{now}"
    folder = os.path.join(place.folder, ARCHIVE, file_name(name))
    make_folder(os.path.dirname(folder))
    os.rename(topic.folder, folder)
    _unpin(place, topic)
    return Topic(name, folder, is_archived=True)


def _unpin(place: Workplace, topic: Topic) -> None:
    if topic.is_pinned:
        remove(os.path.join(place.folder, ACTIVE))


def is_off(place: Workplace, topic: Topic) -> bool:
    """Return whether the switch file says to show nothing, for all of this repository or for this topic."""
    return os.path.lexists(os.path.join(place.root, OFF)) or os.path.lexists(os.path.join(topic.folder, OFF))


def may_recall(repository: OpenRepository, session: str) -> bool:
    """Return whether memories may be recalled without being asked for, by the settings, the topic and the policy."""
    if not repository.config.context:
        return False
    place = workplace_of(repository)
    topic = topic_of(place, session)
    if is_off(place, topic) or topic.is_review or not repository.has_store():
        return False
    policy = repository.policy()
    # The profile `bmad` recalls nothing for prompts unless its store says so.
    return policy.session.prompt and not (policy.session.profile and "prompt" not in policy.changes["session"])


def switch(place: Workplace, topic: Topic | None, *, is_on: bool) -> str:
    """Create or remove the file that says to show nothing, for a topic or (without one) for all of the repository.

    Returns:
        The file.
    """
    path = os.path.join(topic.folder if topic else place.root, OFF)
    if is_on:
        remove(path)
    else:
        write_text(path, "While this file exists, agents are shown nothing at start and with prompts.\n")
    return path


def sweep(place: Workplace) -> None:
    """Remove the unnamed topics of sessions here, except the latest; specifications are not removed."""
    for name in _session_topics(place)[SESSIONS_KEPT:]:
        folder = _folder(place, name)
        if not os.path.lexists(os.path.join(folder, SPEC)):
            _empty(folder)


def _empty(folder: str) -> None:
    """Remove a topic's folder, which has only files in it."""
    if os.path.islink(folder):
        return
    try:
        for entry in os.scandir(folder):
            remove(entry.path)
        os.rmdir(folder)
    except OSError:
        return  # missing, or it contains other files
