"""The commits of a change: from the merge base to the head."""

from __future__ import annotations

from gitmem.errors import GitmemError, NotFoundError
from gitmem.frozen import frozen
from gitmem.git.ancestry import is_shallow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

FETCH = "fetch it first: git fetch origin '+refs/heads/*:refs/remotes/origin/*'; in CI: fetch-depth: 0"
DEEPEN = (
    "fetch more history: git fetch --deepen=100 (or --unshallow); in CI, check out the full history (fetch-depth: 0)"
)


@frozen
class ChangeSpan:
    """The commits before and after a change.

    Attributes:
        base: The commit before it; the empty tree if there is none yet.
        head: The commit after it; empty for staged changes, which have no commit yet.
        against: The name of the commit or branch that the head is compared with.
        note: A note on the base, or empty.
        is_dirty: Whether it ends at the work tree, including unstaged changes.
    """

    base: str
    head: str
    against: str
    note: str = ""
    is_dirty: bool = False

    @property
    def is_staged(self) -> bool:
        """Return whether it ends at the index or the work tree."""
        return not self.head


def find_span(git: Git, *, base: str, head: str, default: str) -> ChangeSpan:
    """Return the commits to compare.

    The base is the merge base: later changes on the other side are not part of this change.

    Args:
        git: The repository.
        base: The commit to compare with, as typed; empty for the default branch.
        head: The other end, as typed; empty for HEAD.
        default: The default branch, a full ref; or empty.

    Raises:
        GitmemError: A commit is missing, or they have no common history in this clone.
    """
    there = _resolve(git, head) if head else git.read_head()[1]
    if there is None:
        raise GitmemError("there is no code to check: HEAD has no commit yet", hint="commit something first")
    if not base and not default:
        raise GitmemError(
            "there is no default branch to compare with", hint="give a commit or branch: gitmem check --base REV"
        )
    against = base or default.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    tip = (_resolve(git, base) if base else git.read_ref(default)) or _resolve(git, default)
    common = git.merge_bases(tip, there)
    if not common:
        return _unrelated(git, tip, there, against, is_asked=bool(base))
    name = head or "HEAD"
    if there in common:
        behind = f"{name} is the same commit as {against}" if tip == there else f"{against} already contains {name}"
        note = f"{behind}: there is no change to check; to check its last commit: gitmem check --base {name}~1"
        return ChangeSpan(there, there, against, note)
    if tip in common:
        return ChangeSpan(tip, there, against, "" if base else f"compared with {against}")
    several = f", one of {len(common)} merge bases" if len(common) > 1 else ""
    return ChangeSpan(
        common[0], there, against, f"compared with {common[0][:12]}, where {name} left {against}{several}"
    )


def _resolve(git: Git, rev: str) -> str:
    try:
        return git.resolve(rev)
    except NotFoundError as err:
        raise GitmemError(f"there is no commit {rev} in this clone", hint=FETCH) from err


def _unrelated(git: Git, tip: str, head: str, against: str, *, is_asked: bool) -> ChangeSpan:
    if is_shallow(git):
        message = f"this shallow clone does not contain the commit where {head[:12]} left {against}"
        raise GitmemError(message, hint=DEEPEN)
    if not is_asked:
        message = f"{head[:12]} and the default branch {against} have no common history"
        raise GitmemError(message, hint="give a commit to compare with: gitmem check --base REV")
    return ChangeSpan(tip, head, against, f"{against} has no history in common: compared with its current files")
