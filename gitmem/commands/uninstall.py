"""Remove everything that gitmem put into a repository; the rest stays as it was before `gitmem init`.

Everything that runs gitmem is removed first and the memories last, so an interrupted run can be repeated. Objects stay
in the repository until git prunes them: until then, each deleted ref can be restored from the commit in its step.
"""

from __future__ import annotations

import os
import shutil

from gitmem.commands.install import agents, ci, git_diff, git_hooks, schedule
from gitmem.commands.install.ci_files import FORGES
from gitmem.commands.install.place import REMOVE, InstallStep
from gitmem.commands.view import view as views
from gitmem.errors import ConflictError, suppress
from gitmem.git import remotes
from gitmem.store import foreign, home_ref, layout
from gitmem.store.commit.guard import refuse_checked_out
from gitmem.store.proofs import FOREIGN
from gitmem.store.proposal import PROPOSAL_PREFIX
from gitmem.store.state import registration
from gitmem.store.state.clone import SEEN
from gitmem.store.state.registration import ACCEPTED
from gitmem.store.state.spool import Spool
from gitmem.store.state.write_lock import WriteLock
from gitmem.store.view import state as viewpoint
from gitmem.verify.approvals import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository

# Every ref below this is gitmem's.
REFS = "refs/gitmem/"
SECTION = "gitmem"
# Folders of the git directory that git leaves empty when the refs in them are gone.
_FOLDERS = ("refs/gitmem", "logs/refs/gitmem")


def plan(repository: OpenRepository, remote: str = "") -> list[InstallStep]:
    """Return what `apply` removes, in order.

    Args:
        repository: The repository.
        remote: Also delete the memory branch of this remote.

    Raises:
        ConflictError: The view has unsaved changes, or a work tree is on the memory branch.
    """
    git = repository.git
    steps = [*agents.plan_uninstall(git, _all_agents())] if git.repository.top else []
    steps += [*git_hooks.plan_uninstall(git), *git_diff.plan_uninstall(git), *schedule.plan_uninstall(git)]
    if git.repository.top:
        steps += [step for forge in FORGES for step in ci.plan_uninstall(repository, forge).tree]
    if (view := viewpoint.load(git.repository)) is not None:
        steps.append(InstallStep(REMOVE, view.path, "the view of the memory branch"))
    steps += [InstallStep(REMOVE, name, "a setting of this repository") for name in _settings(repository)]
    steps += [InstallStep(REMOVE, *_describe(repository, *ref)) for ref in _refs(repository)]
    if remote and _remote_tip(repository, remote):
        steps.append(
            InstallStep(REMOVE, f"{remote}: {repository.config.branch}", f"was at {_remote_tip(repository, remote)}")
        )
    if git.repository.state_dir.is_dir():
        waiting = len(Spool(git.repository.state).list_waiting())
        lost = f"; {waiting} captured memories in it are not committed: gitmem sync" if waiting else ""
        steps.append(InstallStep(REMOVE, git.repository.state, f"local state and approvals of this clone{lost}"))
    return steps


def apply(repository: OpenRepository, talk: RemoteOptions, remote: str = "") -> list[InstallStep]:
    """Remove everything and return what was done; raises the errors of `plan` before anything is removed."""
    steps, git = plan(repository, remote), repository.git
    refs, branch = _refs(repository), repository.config.branch
    for name, _, _ in refs:
        if name.startswith("refs/heads/"):
            refuse_checked_out(git, name)
    if viewpoint.load(git.repository) is not None:
        views.remove(repository)
    if git.repository.top:
        agents.uninstall(git, _all_agents())
        for forge in FORGES:
            ci.remove_files(repository, ci.plan_uninstall(repository, forge).tree)
    git_hooks.uninstall(git)
    git_diff.uninstall(git)
    schedule.uninstall(git)
    if remote and (tip := _remote_tip(repository, remote)):
        remotes.delete(git, remote, f"refs/heads/{branch}", expected=tip, talk=talk)
        if branch != home_ref.USUAL:
            remotes.delete(git, remote, home_ref.REFS + branch, expected=layout.ROOTS[len(tip)], talk=talk)
    for name in _settings(repository):
        git.run("config", "--local", "--unset-all", name)
    with WriteLock(git.repository.state_dir, command="uninstall", timeout_s=repository.config.lock_timeout_s):
        orders = os.fsencode("".join(f"delete {name}\0{oid}\0" for name, oid, _ in refs))
        if git.run("update-ref", "--stdin", "-z", input=orders, check=False, durable=True).status != 0:
            raise ConflictError("a ref was moved while it was being removed", hint="run it again")
    _forget_clone(repository)
    return steps


def _all_agents() -> agents.AgentSetup:
    return agents.AgentSetup(tuple(name for name in agents.NAMES if name != agents.FOUND))


def _describe(repository: OpenRepository, ref: str, oid: str, kind: str) -> tuple[str, str]:
    """Return a ref that is removed, and what a person should know about it."""
    counting = ("rev-list", "--count", oid, "--not", "--remotes")
    unpushed = int(repository.git.run(*counting).stdout) if kind == "commit" else 0
    alone = f"; {unpushed} commit{'s' if unpushed > 1 else ''} not pushed" if unpushed else ""
    return ref, f"was at {oid[:12]}{alone}"


def _refs(repository: OpenRepository) -> list[tuple[str, str, str]]:
    """Return gitmem's refs in this repository, sorted, with object and its type; only branches provably of stores."""
    refs = []
    for name, (commit, kind) in repository.git.list_typed_refs().items():
        is_named = name == f"refs/heads/{repository.config.branch}" or name.startswith(f"refs/heads/{PROPOSAL_PREFIX}")
        is_store = is_named and kind == "commit" and foreign.kind_of(repository.git, commit) not in ("", FOREIGN)
        if is_store or name.startswith(REFS):
            refs.append((name, commit, kind))
    return refs


def _remote_tip(repository: OpenRepository, remote: str) -> str:
    ref = f"refs/remotes/{remote}/{repository.config.branch}"
    return repository.git.read_ref(ref) or ""


def _settings(repository: OpenRepository) -> list[str]:
    """Return the names of gitmem's settings in the repository's own configuration, sorted."""
    result = repository.git.run("config", "--local", "-z", "--name-only", "--get-regexp", rf"^{SECTION}\.", check=False)
    return sorted(set(os.fsdecode(result.stdout).split("\0")) - {""})


def _forget_clone(repository: OpenRepository) -> None:
    """Remove the state folders of this clone, and its approvals and registration outside of it."""
    paths = repository.git.repository
    states = [paths.state_dir, *paths.common_dir.glob("worktrees/*/gitmem")]
    if paths.state_dir.is_dir():
        clone.of_clone(repository.git).forget_all()
    for what in (SEEN, ACCEPTED):
        registration.unregister(paths.state, what)
    repository.close()
    for state in states:
        shutil.rmtree(state, ignore_errors=True)
    for name in _FOLDERS:
        with suppress(OSError):  # it is not there
            (paths.common_dir / name).rmdir()
