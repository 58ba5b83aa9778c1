"""Start a store, or join the remote's."""

from __future__ import annotations

from gitmem.config import load
from gitmem.errors import ConflictError, GitmemError, UsageError
from gitmem.frozen import frozen
from gitmem.git import Git, remotes
from gitmem.git.ancestry import is_shallow
from gitmem.git.git import FALLBACK_IDENTITY, NAMELESS
from gitmem.git.remotes import RemoteOptions
from gitmem.policy.template import default_toml
from gitmem.store import home_ref, layout
from gitmem.store.commit import CommitPlan, WriteTarget, write_commit
from gitmem.store.foreign import kind_of, need_store
from gitmem.store.proofs import FOREIGN, READABLE
from gitmem.store.scopes import POLICY_PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.config import Config

# The content of the page before the first verify run with a result.
FIRST_PAGE = (
    "# What this repository's memory says, and what still holds\n\n`gitmem verify` updates this page when a "
    "verdict changes.\n"
)
# A remote that does not answer must not prevent a start.
REMOTE_TIMEOUT_S = 15.0
SETTING = "gitmem.branch"


@frozen
class InitResult:
    """The result of init.

    Attributes:
        branch: The branch.
        commit: Its tip.
        how: ``started``, ``joined`` (the remote's), ``completed`` (files were missing) or ``there``.
    """

    branch: str
    commit: str
    how: str


def chosen_branch(git: Git, config: Config, typed: str) -> str:
    """Return the branch that a person chose, by typing it or by a setting; empty if none was chosen.

    Raises:
        UsageError: The typed name is not valid for a memory branch.
    """
    if typed and not home_ref.is_home(typed):
        raise UsageError(f"invalid branch name: {typed!r}", hint="gitmem init --branch notes")
    is_set = config.branch != home_ref.USUAL or git.config_value(SETTING)
    return typed or (config.branch if is_set else "")


def set_branch(git: Git, branch: str, notices: list[str]) -> None:
    """Make a branch this clone's memory branch, in git config."""
    git.run("config", "--local", SETTING, branch)
    effective = load(git.config_values()).branch
    if effective != branch:
        notices.append(f"the environment overrides the memory branch: GITMEM_BRANCH={effective}")


@frozen
class InitRequest:
    """Which store to start or to join.

    Attributes:
        branch: The branch.
        remote: The remote.
        offline: Whether to leave out the remote.
        elsewhere: Whether to use another branch if the remote names one (``store.home_ref``).
        former: The previous memory branch of this clone; empty if it is the same one.
        policy: The settings of a new store as TOML; an existing store has its own.
    """

    branch: str
    remote: str
    offline: bool = False
    elsewhere: bool = False
    former: str = ""
    policy: str = ""


def start(git: Git, wanted: InitRequest, *, now: int, lock_timeout_s: float, notices: list[str]) -> InitResult:
    """Create the memory branch: the remote's if it has one, else the deterministic root with policy and page.

    Args:
        git: The repository.
        wanted: The store.
        now: The commit's time, epoch seconds.
        lock_timeout_s: How long to wait for other writers.
        notices: Receives notices for the person.

    Raises:
        ForeignBranchError: The branch, here or at the remote, is not a store.
        ConflictError: Another branch is in the way, or this clone's memory is on another branch.
    """
    branch, remote, former, policy = wanted.branch, wanted.remote, wanted.former, wanted.policy
    asks = not wanted.offline and remotes.has_remote(git, remote)
    if git.identity() == FALLBACK_IDENTITY:
        notices.append(NAMELESS)
    if wanted.elsewhere and asks and not _is_store(git, branch):
        named, asks = _branch_named_by(git, remote, notices)
        branch = named or branch
    ref = f"refs/heads/{branch}"
    _refuse_blocked(git, branch)
    tip = git.read_ref(ref)
    if tip is not None:
        need_store(git, tip, branch)
        _refuse_policy(policy, branch)
        return _complete(git, ref, now=now, lock_timeout_s=lock_timeout_s)
    if asks:
        _fetch(git, remote, branch, notices)
    there = git.read_ref(f"refs/remotes/{remote}/{branch}")
    if there is not None:
        _refuse_policy(policy, f"{remote}/{branch}")
        return _join(git, branch, remote, there, deepens=asks)
    if former and _is_store(git, former):
        message = f"this clone already has a memory on the branch {former}; {branch} would be a new, empty one"
        raise ConflictError(message, hint=f"move it: git branch -m {former} {branch} && gitmem init --branch {branch}")
    return _complete(git, ref, now=now, lock_timeout_s=lock_timeout_s, policy=policy)


def _refuse_policy(policy: str, branch: str) -> None:
    """Refuse a profile for an existing store: others may rely on its policy.

    Raises:
        ConflictError: There is one.
    """
    if policy:
        raise ConflictError(
            f"the memory on {branch} already has a policy",
            hint="join it with gitmem init; then gitmem init --profile bmad shows what would change",
        )


def _is_store(git: Git, branch: str) -> bool:
    tip = git.read_ref(f"refs/heads/{branch}")
    return tip is not None and kind_of(git, tip) in READABLE


def _branch_named_by(git: Git, remote: str, notices: list[str]) -> tuple[str, bool]:
    """Return the branch that the remote names, or an empty string; and whether it answered."""
    try:
        homes = home_ref.list_homes(git, remote, RemoteOptions(timeout_s=REMOTE_TIMEOUT_S))
    except GitmemError as err:
        notices.append(f"cannot check {remote} for a memory: {err.message}")
        return "", False
    if len(homes) > 1:
        message = f"{remote} names several memory branches: {', '.join(homes)}"
        raise ConflictError(message, hint=f"choose one: gitmem init --branch {homes[0]}")
    return (homes[0] if homes else ""), True


def _join(git: Git, branch: str, remote: str, there: str, *, deepens: bool) -> InitResult:
    """Create the branch at the remote's commit, after checking that it is a store."""
    if deepens and is_shallow(git) and kind_of(git, there) == FOREIGN:  # the proof may lie further back
        there = remotes.fetch(git, remote, branch, RemoteOptions(timeout_s=REMOTE_TIMEOUT_S), deepen=True) or there
    need_store(git, there, branch, remote=remote)
    zeros = "0" * len(there)
    git.run("update-ref", "-m", "gitmem: join", f"refs/heads/{branch}", there, zeros, durable=True)
    return InitResult(branch, there, "joined")


def _complete(git: Git, ref: str, *, now: int, lock_timeout_s: float, policy: str = "") -> InitResult:
    is_new = git.read_ref(ref) is None
    files = {
        layout.ATTRIBUTES_PATH: layout.ATTRIBUTES,
        POLICY_PATH: default_toml(policy),
        layout.STATUS_PATH: FIRST_PAGE,
    }

    def plan(tip: str | None) -> CommitPlan | None:
        there = {e.path for e in git.list_tree(tip, *files)} if tip else set()
        writes = tuple((path, text.encode()) for path, text in sorted(files.items()) if path not in there)
        return CommitPlan("gitmem: start the memory", writes=writes) if writes else None

    written = write_commit(WriteTarget(git, ref, "init", lock_timeout_s), plan, now=now)
    branch = ref.removeprefix("refs/heads/")
    if written is None:
        return InitResult(branch, git.read_ref(ref) or "", "there")
    return InitResult(branch, written.commit, "started" if is_new else "completed")


def _refuse_blocked(git: Git, branch: str) -> None:
    """Refuse an impossible branch: ``memory/x`` needs a folder where ``memory`` is (git-check-ref-format(1))."""
    result = git.run("for-each-ref", "--count=1", "--format=%(refname:short)", f"refs/heads/{branch}/")
    blocking = result.stdout.decode("utf-8", "replace").strip()
    if blocking:
        raise ConflictError(
            f"the branch {branch} cannot exist, because there is a branch {blocking}",
            hint=f"rename that one, or use another name: gitmem init --branch {branch}-store",
        )


def _fetch(git: Git, remote: str, branch: str, notices: list[str]) -> None:
    """Fetch the memory from the remote; a clone of one branch or limited depth does not include it."""
    try:
        remotes.fetch(git, remote, branch, RemoteOptions(timeout_s=REMOTE_TIMEOUT_S))
    except GitmemError as err:
        notices.append(f"cannot check {remote} for a memory: {err.message}")
