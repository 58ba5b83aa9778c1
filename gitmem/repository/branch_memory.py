"""Find a change's branch and the memory that comes with it: in a clone, and in a forge's job."""

from __future__ import annotations

from gitmem import config
from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.git import remotes
from gitmem.git.remotes import RemoteOptions
from gitmem.store.code_merge import how_landed
from gitmem.store.companion import companion_branch, find_companion, head_branch, list_companions
from gitmem.store.merge.on_top import list_changed_keys, on_top
from gitmem.store.proposal import HEADS
from gitmem.store.scopes import memory_tip
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.git import Git
    from gitmem.repository import OpenRepository

# How long a check waits for a remote in seconds, to find out whether a branch has a memory of its own.
TIMEOUT_S = 10.0
FORKS = "refs/gitmem/forks/"
# The most bytes read of the event of a forge's job.
EVENT_LIMIT = 4 * 1024 * 1024


@frozen
class BranchMemory:
    """The memory that comes with a change.

    Attributes:
        code: The branch of the code.
        commit: The companion's commit.
        memory: The memory branch's.
        top: The commit of both together, which is judged.
        is_fork: Whether it comes from another repository.
        settled: The facts of the memory branch that the change makes false and this memory resolves.
        changed: The keys of the memories that it changes, adds or retires.
        to_settle: The keys that both sides changed differently, so that two versions are kept.
        review: Its review (``gitmem review``), as documented JSON; None before the review.
        is_refused: Whether the review has failing findings.
    """

    code: str
    commit: str
    memory: str
    top: str
    is_fork: bool = False
    settled: tuple[SettledFact, ...] = ()
    changed: tuple[str, ...] = ()
    to_settle: tuple[str, ...] = ()
    review: Mapping[str, Any] | None = None
    is_refused: bool = False


@frozen
class SettledFact:
    """A fact that the change makes false and its branch's memory resolves.

    Attributes:
        key: Its key.
        title: Its title on the memory branch.
        how: What the branch's memory does to it, a clause without its subject.
        because: Why the memory branch's version of it is false at the head.
    """

    key: str
    title: str
    how: str
    because: str


@frozen
class JobBranch:
    """The pull request of a forge's job.

    Attributes:
        branch: The branch to merge.
        url: The repository with that branch, if it is not the job's; or empty.
    """

    branch: str
    url: str = ""


def find_job_branch() -> JobBranch | None:
    """Return the pull request of this job; None outside such a job.

    Source: "Variables" and "Webhook events and payloads" of GitHub Actions, which Gitea and Forgejo follow; "Predefined
    CI/CD variables" of GitLab.
    """
    branch = config.variable("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")
    if branch:
        is_own = config.variable("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") == config.variable("CI_PROJECT_ID")
        return JobBranch(branch, "" if is_own else config.variable("CI_MERGE_REQUEST_SOURCE_PROJECT_URL"))
    branch = config.variable("GITHUB_HEAD_REF")
    if not branch:
        return None
    head = _head_repository()
    if head is None:
        return None  # the branch's repository is unknown, and another repository may have a branch of the same name
    is_own = head.get("full_name") == config.variable("GITHUB_REPOSITORY")
    return JobBranch(branch, "" if is_own else str(head.get("clone_url") or ""))


def _head_repository() -> dict[str, Any] | None:
    try:
        with open(config.variable("GITHUB_EVENT_PATH"), encoding="utf-8") as file:
            head = parse_json(file.read(EVENT_LIMIT))["pull_request"]["head"]["repo"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return head if isinstance(head, dict) else None


def find_branch_memory(repository: OpenRepository, head: str) -> BranchMemory | None:
    """Return the memory that comes with a change; None if there is none, or a proposal is current.

    Args:
        repository: The repository.
        head: The end of the change, as typed; empty for HEAD.
    """
    git, settings = repository.git, repository.config
    memory = "" if repository.store.proposal or repository.store.companion else memory_tip(git, repository.store)
    if not memory:
        return None
    companions = _find_companions(repository, head, memory)
    if not companions:
        return None
    top, is_fork = memory, any(hit.is_fork for hit in companions)
    for companion in companions:
        try:
            how: dict[str, Any] = {"code": companion.code, "now": repository.now, "wait_s": settings.lock_timeout_s}
            top = git.read_ref(on_top(git, top, companion.commit, **how)) or top
        except GitmemError as err:
            repository.notices.append(f"the memory that comes with {companion.code} is not read: {err.message}")
    changed, code = list_changed_keys(git, memory, top), ", ".join(hit.code for hit in companions)
    return BranchMemory(code, companions[-1].commit, memory, top, is_fork, changed=changed) if changed else None


@frozen
class _Found:
    """A companion that comes with a change."""

    code: str
    commit: str
    is_fork: bool = False


def _find_companions(repository: OpenRepository, head: str, memory_commit: str) -> list[_Found]:
    """Return the companions that come with a change: mostly one or none, several if a queue merges several."""
    git, settings = repository.git, repository.config
    code = _branch_of(git, settings.remote, head) if head else head_branch(git)
    if code or head:
        companion = find_companion(git, settings, code)
        return [_Found(code, companion.commit)] if companion is not None else []
    if config.variable("GITHUB_EVENT_NAME") == "merge_group":
        return _list_queued(repository, memory_commit)
    pull = find_job_branch()
    commit = _fetch(repository, pull) if pull is not None else None
    return [_Found(pull.branch, commit, bool(pull.url))] if pull is not None and commit else []


def _list_queued(repository: OpenRepository, memory_commit: str) -> list[_Found]:
    """Return the companions of the branches that HEAD, a merge queue's commit, adds to the default branch."""
    git, remote = repository.git, repository.config.remote
    commit, default = git.read_head()[1] or "", git.read_ref(repository.default_branch() or HEADS) or ""
    queued = []
    for code, tips in list_companions(git, remote).items():
        how: dict[str, Any] = {"memory_commit": memory_commit, "remotes": (remote,)}
        is_there = how_landed(git, code, tips[-1], default=default, **how) if default else ""
        if not is_there and how_landed(git, code, tips[-1], default=commit, **how):
            queued.append(_Found(code, tips[-1]))
    return queued


def _branch_of(git: Git, remote: str, head: str) -> str:
    """Return the typed branch, here or at the remote; empty if it is not a branch."""
    short = head.removeprefix(HEADS).removeprefix(f"refs/remotes/{remote}/").removeprefix(f"{remote}/")
    is_one = any(git.read_ref(f"{prefix}{short}") is not None for prefix in (HEADS, f"refs/remotes/{remote}/"))
    return short if is_one else ""


def _fetch(repository: OpenRepository, pull: JobBranch) -> str | None:
    """Return the commit of a pull request's companion, fetched if missing here; None if it has none."""
    git, remote, branch = repository.git, repository.config.remote, companion_branch(pull.branch)
    talk = RemoteOptions(timeout_s=TIMEOUT_S, is_silent=True)
    try:
        if pull.url:
            return remotes.fetch_from(git, pull.url, branch, f"{FORKS}{pull.branch}", talk)
        known = git.read_ref(f"refs/remotes/{remote}/{branch}")
        return known or (remotes.fetch(git, remote, branch, talk) if remotes.has_remote(git, remote) else None)
    except GitmemError as err:
        repository.notices.append(f"whether {pull.branch} has a memory of its own is unknown: {err.message}")
        return None
