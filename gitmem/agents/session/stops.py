"""Handle the stop of an agent: record nothing, and never question the agent.

If the policy says so (``[stops]``), a sub-agent in a work tree of its own is reminded once to commit, and to close its
task; a reminder to push also needs this person's own configuration.
"""

from __future__ import annotations

import os

from gitmem.agents.capture.source import task_of
from gitmem.agents.session import activity
from gitmem.config import git_environment
from gitmem.system import make_folder, process
from gitmem.tasks.query import list_tasks, worker_of
from gitmem.text import display, list_some, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

FOLDER = "stops"
# Agents that were reminded; the oldest are forgotten. Our choice.
ASKED_KEPT = 500
# The most names shown, and how long git may take: a hook has a few seconds.
NAMES_SHOWN = 5
NAME_LIMIT = 120
GIT_S = 3.0
# Where beads stores its issues, its statuses for open ones, and how much of an issue is read.
BEADS = ".beads"
UNFINISHED = ("open", "in_progress", "blocked")
BEAD_BYTES = 65_536


def subagent_stopped(repository: OpenRepository, event: Event) -> str:
    """Return what a sub-agent should do before it stops; empty if nothing, or if it was reminded before."""
    activity.log(repository, event, event.response)
    policy = repository.policy().stops
    paths = repository.git.repository
    was_sent = paths.git != paths.common  # an agent in the main work tree shares it with others
    if event.is_again or not was_sent or event.agent_type in policy.exempt:
        return ""
    left = [
        *(_list_uncommitted(repository) if policy.worktree else ()),
        *(_list_unpushed(repository) if policy.push else ()),
        *((*_list_claimed_tasks(repository), *_bead(repository)) if policy.task else ()),
    ]
    if not left or not _is_first(repository, event):
        return ""
    return "\n".join(["Before you stop, please finish this in your work tree:", *(f"- {line}" for line in left)])


def _list_uncommitted(repository: OpenRepository) -> list[str]:
    top = repository.git.repository.top or ""
    argv = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all")
    # git looks into the work tree relative to where it runs.
    raw = (
        repository.git.run(f"--work-tree={top}", "-C", top, *argv, timeout_s=GIT_S, check=False).stdout if top else b""
    )
    names = [os.fsdecode(entry[3:]) for entry in raw.split(b"\0") if entry]
    if not names:
        return []
    return [f"{_count_of(len(names), 'file')} uncommitted: {_join_names(names)}. Commit them, or undo them."]


def _list_unpushed(repository: OpenRepository) -> list[str]:
    """Return what to push; empty if there is no remote."""
    git = repository.git
    head, commit = git.read_head()
    branch = head.removeprefix("refs/heads/")
    if not head or not commit or not git.run("remote", timeout_s=GIT_S, check=False).stdout.strip():
        return []
    ahead = git.run("rev-list", "--count", commit, "--not", "--remotes", timeout_s=GIT_S, check=False)
    count = int(ahead.stdout) if ahead.status == 0 and ahead.stdout.strip().isdigit() else 0
    if not count:
        return []
    return [f"{_count_of(count, 'commit')} not pushed: {_clip_name(branch)}. Push the branch."]


def _list_claimed_tasks(repository: OpenRepository) -> list[str]:
    """Return the tasks that this agent started and did not close."""
    if repository.find_tip() is None:
        return []
    catalog = repository.catalog()
    ground = repository.ground(catalog)
    with catalog.reading():
        worker = worker_of(repository.git, repository.config.agent)
        rows = list_tasks(catalog, ground, states=("claimed",), worker=worker)
    return [
        f"the task {row.key} is still yours: gitmem task close {row.key}, or gitmem task release {row.key}."
        for row in rows[:NAMES_SHOWN]
    ]


def _bead(repository: OpenRepository) -> list[str]:
    """Return the bead that the current branch is named for, if beads says that it is open."""
    paths = repository.git.repository
    top, task = paths.top or "", task_of(repository)
    homes = [folder for folder in (top, os.path.dirname(paths.common)) if folder]
    if not task or not any(os.path.isdir(os.path.join(folder, BEADS)) for folder in homes):
        return []
    program = process.Program(["bd", "show", task, "--json"], top, git_environment())
    ran = process.run_bounded(program, timeout_s=GIT_S, output_cap=BEAD_BYTES, input=b"")
    try:
        value = parse_json(ran.output) if ran.status == 0 else None
    except (ValueError, RecursionError):
        value = None
    bead = value[0] if isinstance(value, list) and value else value
    status = bead.get("status") if isinstance(bead, dict) else None
    if status not in UNFINISHED:
        return []
    name = _clip_name(task)
    return [f"the bead {name} is still {status}: bd close {name} --reason WHY, or say why it stays open."]


def _is_first(repository: OpenRepository, event: Event) -> bool:
    """Return whether this agent has not been reminded yet; false if that cannot be recorded, or it would never end."""
    from hashlib import sha256  # 3 ms (measured), only before a reminder

    message = f"{event.client}\0{event.session}\0{event.agent}\0{repository.git.repository.git}"
    folder = os.path.join(repository.git.repository.state, FOLDER)
    mark = os.path.join(folder, sha256(message.encode("utf-8", "surrogatepass")).hexdigest()[:24])
    try:
        make_folder(folder)
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        marks = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(folder))
        for _, path in marks[:-ASKED_KEPT]:
            os.unlink(path)
    except OSError:
        return False
    return True


def _count_of(count: int, what: str) -> str:
    return f"1 {what} is" if count == 1 else f"{count} {what}s are"


def _join_names(names: list[str]) -> str:
    return list_some([*map(_clip_name, names)], NAMES_SHOWN)


def _clip_name(name: str) -> str:
    plain = display(name)
    return plain if len(plain) <= NAME_LIMIT else f"{plain[:NAME_LIMIT]}…"
