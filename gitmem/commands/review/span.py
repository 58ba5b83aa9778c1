"""The two states of the memory to compare: ``A..B`` as in git."""

from __future__ import annotations

from gitmem.errors import GitmemError, NoRepositoryError, NotFoundError, ProcessError
from gitmem.frozen import frozen
from gitmem.git.ancestry import is_shallow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

# The most commits counted, with their authors.
MOST_COMMITS = 10_000


@frozen
class ReviewSpan:
    """The two states.

    Attributes:
        base: The commit before the change; empty for nothing.
        head: The commit after it.
        asked: The two as they were named.
        notes: Notes about them.
    """

    base: str
    head: str
    asked: tuple[str, str]
    notes: tuple[str, ...] = ()


def find_span(git: Git, typed: str, *, ref: str, upstream: str) -> ReviewSpan:
    """Return the states to compare.

    Args:
        git: The repository.
        typed: ``A..B``, ``A...B``, ``A`` (up to the memory branch), or empty for unsynced changes.
        ref: The memory branch, a full ref.
        upstream: The remote's, or empty.

    Raises:
        GitmemError: One of them is missing; or, for ``A...B``, their merge base is.
    """
    dots = "..." if "..." in typed else ".."
    left, _, right = typed.partition(dots)
    # A fresh clone reads its memory from the remote's branch.
    ours = _short(upstream if upstream and not git.read_ref(ref) and git.read_ref(upstream) else ref)
    if not typed:
        base = git.read_ref(upstream) if upstream and git.read_ref(ref) else None
        names = (_short(upstream) if base else "nothing", ours)
        return _make_span(git, base or "", _resolve(git, ours, ref), names)
    head_name = right or ours
    head = _resolve(git, head_name, ref)
    base = _resolve(git, left or ours, ref)
    if dots == "...":
        common = git.merge_bases(base, head)
        if not common:
            raise _unrelated(git, left or ours, head_name)
        return ReviewSpan(common[0], head, (f"{left or ours}...", head_name))
    return _make_span(git, base, head, (left or ours, head_name))


def _make_span(git: Git, base: str, head: str, names: tuple[str, str]) -> ReviewSpan:
    """Return the span, with a note if the base has commits that the head lacks: they would show as removed."""
    if not base or base == head or base in git.merge_bases(base, head):
        return ReviewSpan(base, head, names)
    if is_shallow(git):
        return ReviewSpan(
            base, head, names, ("this clone is shallow, so it is unknown whether one contains the other",)
        )
    message = f"{names[0]} has commits that {names[1]} does not have; what they wrote shows as removed"
    return ReviewSpan(base, head, names, (f"{message}; for the changes of {names[1]} only: {names[0]}...{names[1]}",))


def list_authors(git: Git, span: ReviewSpan) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Return the number of commits, and each author's share, most first; -1 if unknown."""
    but = (f"^{span.base}",) if span.base else ()
    argv = ("log", "-z", "--no-color", "--no-show-signature", f"--max-count={MOST_COMMITS}", "--format=%an <%ae>")
    try:
        output = git.run(*argv, span.head, *but, "--").stdout.decode("utf-8", "replace").split("\0")
    except ProcessError:
        return -1, ()
    counts: dict[str, int] = {}
    for name in filter(None, output):
        counts[name] = counts.get(name, 0) + 1
    return sum(counts.values()), tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def list_writers(git: Git, span: ReviewSpan, *, below: str = "") -> dict[str, set[tuple[str, str]]]:
    """Return the committers' names and addresses for each file of the change; empty if unknown.

    With *below*, a folder with a trailing ``/``, only the files in it, with paths relative to it.
    """
    but = (f"^{span.base}",) if span.base else ()
    argv = ("log", "-z", "--no-color", "--no-show-signature", "--no-renames", "--name-only", "--format=%x01%an%x02%ae")
    try:
        out = git.run(*argv, f"--max-count={MOST_COMMITS}", span.head, *but, "--", *([below] if below else [])).stdout
    except ProcessError:
        return {}
    writers: dict[str, set[tuple[str, str]]] = {}
    for commit in out.decode("utf-8", "surrogateescape").split("\x01")[1:]:
        who, *paths = commit.replace("\n", "", 1).split("\0")
        name, _, address = who.partition("\x02")
        for path in filter(None, paths):
            writers.setdefault(path.removeprefix("\n").removeprefix(below), set()).add((name, address))
    return writers


def find_code(git: Git, typed: str, span: ReviewSpan, *, default: str) -> str:
    """Return the commit of the code for statuses; empty if there is none.

    That is HEAD, or the default branch in a checkout of the memory branch itself, as in a forge's job.

    Raises:
        GitmemError: The typed commit is missing.
    """
    if typed:
        return _resolve(git, typed, "")
    commit = git.read_head()[1]
    if commit is not None and not _is_memory(git, commit, span):
        return commit
    found = git.read_ref(default) if default else None
    return found if found and not _is_memory(git, found, span) else ""


def _is_memory(git: Git, commit: str, span: ReviewSpan) -> bool:
    """Return whether a commit is on the memory branch: it shares history with the reviewed one."""
    return commit in (span.base, span.head) or bool(git.merge_bases(commit, span.head))


def _resolve(git: Git, name: str, ref: str) -> str:
    try:
        return git.resolve(name)
    except NotFoundError as err:
        if name in (_short(ref), ref):
            message = f"there is no branch {name} in this repository"
            raise NoRepositoryError(message, hint="fetch it (git fetch origin), or create one: gitmem init") from err
        hint = "git fetch origin"
        if is_shallow(git):
            hint = "this clone is shallow: git fetch --unshallow, or with actions/checkout fetch-depth: 0"
        raise GitmemError(f"there is no commit {name} in this clone", hint=hint) from err


def _unrelated(git: Git, left: str, right: str) -> GitmemError:
    if is_shallow(git):
        hint = (
            "git fetch --unshallow, or with actions/checkout fetch-depth: 0; with two dots they are compared directly"
        )
        return GitmemError(
            f"this shallow clone does not contain the commit where {left} and {right} diverged", hint=hint
        )
    return GitmemError(f"{left} and {right} have no history in common", hint=f"compare them directly: {left}..{right}")


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")
