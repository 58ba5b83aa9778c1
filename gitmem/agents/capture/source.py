"""Who captured something: the agent, its role (from the work tree it works in), its session and its task."""

from __future__ import annotations

import os

from gitmem.git.repository import Unsure, read_head
from gitmem.system import only_regular
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

ORCHESTRATOR = "orchestrator"
SUPERVISOR = "supervisor"
WORKER = "worker"
NAME_LIMIT = 80
# Where beads and other orchestrators put the work trees of their workers.
WORKTREES = ".worktrees"
# `bd-BD-001`, `bd/shop-12`, `task/fix-login`: the branch begins with the task's name.
_OF_TASK = r"(?:bd|beads?|tasks?)[/-]([A-Za-z][\w.-]{0,79})"
# `feature/SHOP-12-retries`: the branch contains a tracker's key.
_TRACKED = r"(?<![A-Za-z0-9])([A-Z][A-Z0-9]{1,9}-\d{1,7})(?!\d)"


def source_fields(repository: OpenRepository, event: Event) -> dict[str, str]:
    """Return the fields that say who captured a memory: ``agent``, ``role``, ``session``, ``type`` of a sub-agent."""
    by = {
        "agent": repository.config.agent or event.client,
        "role": role_of(repository, event),
        "session": event.session,
        "type": event.agent_type,
    }
    return {name: display(value)[:NAME_LIMIT] for name, value in by.items() if value}


def role_of(repository: OpenRepository, event: Event) -> str:
    """Return an agent's role: the lead works in the main work tree, a worker in another one.

    A sub-agent is a worker in any work tree; one whose type says so is a supervisor.
    """
    paths = repository.git.repository
    was_sent = paths.git != paths.common or WORKTREES in event.folder.replace(os.sep, "/").split("/")
    if not (was_sent or event.agent):
        return ORCHESTRATOR
    return SUPERVISOR if event.agent_type.endswith(SUPERVISOR) else WORKER


def task_of(repository: OpenRepository) -> str:
    """Return the task that the current branch is named for; empty if its name has none."""
    import re  # 5 ms (measured), and not needed for a file

    branch = branch_of(repository)
    match = re.fullmatch(_OF_TASK, branch) or re.search(_TRACKED, branch)
    return match[1] if match else ""


def branch_of(repository: OpenRepository) -> str:
    """Return the current branch; empty if HEAD is on none."""
    try:
        return read_head(repository.git.repository)[0].removeprefix("refs/heads/")
    except Unsure:
        return ""


def place_of(repository: OpenRepository, event: Event, path: str) -> str:
    """Return the path of a file in the work tree, with ``/``; empty if it is outside, or in git's own folder.

    Agents also name files from the top of the work tree while they are in another folder.
    """
    top = repository.git.repository.top
    if not top or not path or "\0" in path:
        return ""
    here, above = os.path.join(event.folder or top, path), os.path.join(top, path)
    whole = os.path.realpath(above if os.path.lexists(above) and not os.path.lexists(here) else here)
    inside = os.path.relpath(whole, os.path.realpath(top)).replace(os.sep, "/")
    parts = inside.split("/")
    return "" if parts[0] in ("..", ".git", ".") or not inside.isprintable() else inside


def read_inside(repository: OpenRepository, place: str, *, limit: int) -> str | None:
    """Return the text of a file in the work tree; None if it is missing, too large, not UTF-8 or not a regular file.

    Args:
        repository: The store.
        place: Its path in the work tree, all links resolved (``place_of``).
        limit: Bytes.
    """
    top = repository.git.repository.top
    if not top or not place:
        return None
    path = os.path.join(top, place)
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > limit:
            return None
        with open(path, "rb", opener=only_regular) as file:
            return file.read(limit + 1).decode("utf-8")
    except (OSError, ValueError):
        return None
