"""Start a store, or join the one of the remote."""

from __future__ import annotations

from gitmem.errors import ConflictError, GitmemError
from gitmem.frozen import frozen
from gitmem.git import remotes
from gitmem.git.binary import Git
from gitmem.policy_file import default_toml
from gitmem.store import layout
from gitmem.store.commit import Plan, write_commit

# What stands on the page before the first verify run that has something to say.
FIRST_PAGE = (
    "# What this repository's memory says, and what still holds\n\n"
    "`gitmem verify` writes this page when a verdict changes.\n"
)
# A remote that does not answer must not keep anybody from starting.
REMOTE_TIMEOUT_S = 15.0


@frozen
class Started:
    """What init did.

    Attributes:
        branch: The branch.
        commit: Its tip.
        how: ``started``, ``joined`` (from the remote), ``completed`` (files were missing) or ``there``.
    """

    branch: str
    commit: str
    how: str


def start(
    git: Git, branch: str, remote: str, *, offline: bool, now: int, lock_timeout_s: float, notices: list[str]
) -> Started:
    """Make the memory branch: the remote's where it has one, else the deterministic root with policy and page.

    Raises:
        ConflictError: Another branch is in the way.
    """
    ref = f"refs/heads/{branch}"
    _refuse_blocked(git, branch)
    if git.read_ref(ref) is None:
        origin = f"refs/remotes/{remote}/{branch}"
        if not offline:
            _fetch(git, remote, branch, notices)
        tip = git.read_ref(origin)
        if tip is not None:
            zeros = "0" * len(tip)
            git.run("update-ref", "-m", "gitmem: join", ref, tip, zeros, durable=True)
            return Started(branch, tip, "joined")
    return _complete(git, ref, now=now, lock_timeout_s=lock_timeout_s)


def _complete(git: Git, ref: str, *, now: int, lock_timeout_s: float) -> Started:
    is_new = git.read_ref(ref) is None
    files = {
        layout.ATTRIBUTES_PATH: layout.ATTRIBUTES,
        layout.POLICY_PATH: default_toml(),
        layout.STATUS_PATH: FIRST_PAGE,
    }

    def plan(tip: str | None) -> Plan | None:
        there = {e.path for e in git.list_tree(tip, *files)} if tip else set()
        writes = tuple((path, text.encode()) for path, text in sorted(files.items()) if path not in there)
        return Plan("gitmem: start the memory", writes=writes) if writes else None

    written = write_commit(git, ref, plan, command="init", now=now, lock_timeout_s=lock_timeout_s)
    branch = ref.removeprefix("refs/heads/")
    if written is None:
        return Started(branch, git.read_ref(ref) or "", "there")
    return Started(branch, written.commit, "started" if is_new else "completed")


def _refuse_blocked(git: Git, branch: str) -> None:
    """A branch ``memory/x`` is a folder where the file ``memory`` must be (git-check-ref-format(1))."""
    done = git.run("for-each-ref", "--count=1", "--format=%(refname:short)", f"refs/heads/{branch}/")
    found = done.stdout.decode("utf-8", "replace").strip()
    if found:
        raise ConflictError(
            f"there can be no branch {branch}, because there is a branch {found}",
            hint=f"rename that one, or use another name: git config gitmem.branch {branch}-store",
        )


def _fetch(git: Git, remote: str, branch: str, notices: list[str]) -> None:
    """Ask the remote for its memory; a clone of one branch or depth would not have brought it."""
    if not remotes.has_remote(git, remote):
        return
    try:
        remotes.fetch(git, remote, branch, remotes.Talk(timeout_s=REMOTE_TIMEOUT_S))
    except GitmemError as err:
        notices.append(f"{remote} could not be asked for its memory: {err.message}")
