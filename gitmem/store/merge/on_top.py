"""Read a companion on top of the memory branch: a merge of both by meaning, local to this clone."""

from __future__ import annotations

from gitmem.errors import GitmemError
from gitmem.frozen import replace
from gitmem.git.objects import open_objects
from gitmem.git.tree_limits import need_listable
from gitmem.store import layout
from gitmem.store.commit import CommitPlan, WriteTarget, write_commit
from gitmem.store.companion import TOP_REFS, companion_branch, top_ref
from gitmem.store.merge.trees import merge, plan_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

# The most merges kept: for the branches that a person switches between and compares.
KEPT_AT_MOST = 20


def on_top(git: Git, memory_commit: str, companion: str, *, code: str, now: int, wait_s: float) -> str:
    """Return the ref of a companion on top of the memory branch, created if it does not exist yet.

    Only memories are merged: a policy, a workflow or a verdict pushed with a branch of the code has no effect.

    Args:
        git: The repository.
        memory_commit: The memory branch's commit.
        companion: The companion's.
        code: The branch of the code.
        now: Epoch seconds.
        wait_s: How long to wait for other writers.

    Raises:
        GitmemError: The companion is not a store, or has no history in common with the memory branch.
    """
    ref = top_ref(memory_commit, companion)
    if git.read_ref(ref) is not None:
        return ref
    need_listable(git, companion)
    if not git.merge_bases(memory_commit, companion):
        raise GitmemError(f"{companion_branch(code)} has no history in common with the memory branch")
    _forget_old(git)
    objects = open_objects(git)
    if git.is_ancestor(companion, memory_commit):  # already merged
        git.run("update-ref", ref, memory_commit)
        return ref
    if git.is_ancestor(memory_commit, companion) and all(
        map(layout.memory_key, objects.diff(memory_commit, companion))
    ):
        git.run("update-ref", ref, companion)
        return ref
    names = {memory_commit: "the memory branch", companion: f"the branch {code}"}
    merged = merge(objects, memory_commit, companion, who=lambda commit, _: names.get(commit, ""))
    overlay = {path: entry for path, entry in merged.state.overlay.items() if layout.memory_key(path)}
    merged = replace(merged, state=replace(merged.state, overlay=overlay))
    conflicts = tuple(conflict for conflict in merged.conflicts if conflict.path in overlay)
    planned = plan_of(replace(merged, conflicts=conflicts), companion, f"sync: merge the memory of the branch {code}")

    def plan(_: str | None) -> CommitPlan:
        return replace(planned, machine=True)

    write_commit(WriteTarget(git, ref, "companion", wait_s, memory_commit), plan, now=now)
    return ref


def _forget_old(git: Git) -> None:
    """Delete all merges but the newest."""
    newest = git.text("for-each-ref", "--sort=-creatordate", "--format=%(refname)", TOP_REFS).split("\n")
    for ref in filter(None, newest[KEPT_AT_MOST - 1 :]):
        git.run("update-ref", "-d", ref, check=False)


def list_changed_keys(git: Git, memory_commit: str, top: str) -> tuple[str, ...]:
    """Return the keys of the memories that a companion on top changes, adds or retires, sorted."""
    return tuple(sorted({layout.memory_key(path) for path in open_objects(git).diff(memory_commit, top)} - {""}))
