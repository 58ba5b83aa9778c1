"""Read the history of the code in bulk: the commits between two, the changes of each, and their authors."""

from __future__ import annotations

import os

from gitmem.errors import ProcessError
from gitmem.frozen import frozen
from gitmem.git import Git
from gitmem.git.ancestry import kin_of
from gitmem.git.git import CODE_BOUNDS
from gitmem.git.repository import is_oid
from gitmem.system import process
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The most bytes of a diff that is shown; a longer one is cut and marked.
DIFF_LIMIT = 64 * 1024
# How many files' diffs are shown: more are of no use to a person, and the length of a command line is limited.
DIFF_PATHS = 100


@frozen
class Ancestor:
    """One commit of the code.

    Attributes:
        commit: Its name.
        tree: Its root tree.
        at: When it was committed, epoch seconds.
        parents: Its parents in order; empty at the end of a shallow clone.
    """

    commit: str
    tree: str
    at: int
    parents: tuple[str, ...]


@frozen
class PathChange:
    """One path that a commit changed, with its new mode and object name; the mode is empty if it was deleted."""

    path: str
    mode: str
    oid: str
    is_link: bool


@frozen
class CommitSummary:
    """The author, date and subject of a commit, exactly as written.

    Attributes:
        commit: The commit.
        author: ``Name <address>``.
        date: When it was written, as RFC 3339 with the author's own offset.
        subject: The first line of its message.
    """

    commit: str
    author: str
    date: str
    subject: str


def list_ancestors(git: Git, tip: str, *, without: str = "", at_most: int) -> list[Ancestor]:
    """Return a commit and its ancestors, children first, without those of another commit and that commit itself.

    Raises:
        ProcessError: The history cannot be read.
    """
    but = (f"^{without}",) if without else ()
    argv = ("rev-list", "--topo-order", f"--max-count={at_most}", "--format=%T %ct %P", tip, *but)
    lines = _read(git, *argv, "--").decode("ascii", "replace").split("\n")
    ancestors = []
    for head, line in zip(lines[0::2], lines[1::2], strict=False):
        tree, at, *parents = line.split(" ")
        ancestors.append(Ancestor(head.removeprefix("commit "), tree, int(at or 0), tuple(filter(None, parents))))
    # If clocks were wrong, git lists too many commits of a range (``ancestry``).
    before = kin_of(git, without, [ancestor.commit for ancestor in ancestors]).before if without else frozenset[str]()
    return [ancestor for ancestor in ancestors if ancestor.commit not in before]


@frozen
class Linear:
    """One commit of a first-parent line: its name, commit time (epoch seconds), author and subject."""

    commit: str
    at: int
    by: str
    subject: str


def list_line(git: Git, tip: str, *, at_most: int) -> list[Linear]:
    """Return a commit and its first parents, newest first; their texts are not sanitized.

    Raises:
        ProcessError: The history cannot be read.
    """
    form = "--format=%H%x00%ct%x00%an%x00%s"
    argv = ("log", "-z", "--first-parent", "--no-color", "--no-show-signature", "--encoding=UTF-8", form)
    words = _read(git, *argv, f"--max-count={at_most}", tip, "--").decode("utf-8", "replace").split("\0")
    commits = []
    for at in range(0, len(words) - 3, 4):
        commit, when, by, subject = words[at : at + 4]
        commits.append(Linear(commit, int(when) if when.isdigit() else 0, by, subject))
    return commits


def list_touched(git: Git, pairs: Iterable[tuple[str, str]]) -> dict[str, list[PathChange]]:
    """Return the changes from a second commit to each commit, by the latter; in a single process.

    Args:
        git: The repository.
        pairs: Commits, each with the commit to compare with, usually its first parent; an empty name is an empty tree
        and is only valid for a commit without parents.

    Raises:
        ProcessError: An object is missing.

    Source: git-diff-tree(1), --stdin.
    """
    wanted = dict(pairs)
    lines = "".join(f"{commit} {other}\n" if other else f"{commit}\n" for commit, other in wanted.items())
    raw = ("diff-tree", "--stdin", "--root", "--always", "-r", "-z", "--raw", "--no-abbrev", "--no-renames")
    touched: dict[str, list[PathChange]] = {}
    here: list[PathChange] = []
    parts = iter(_read(git, *raw, "--no-ext-diff", input=lines.encode("ascii")).split(b"\0"))
    for part in parts:
        if part.startswith(b":"):
            old_mode, mode, _, oid, _ = part.decode("ascii").removeprefix(":").split(" ")
            path = os.fsdecode(next(parts))
            is_link = "120000" in (old_mode, mode)
            here.append(PathChange(path, "" if mode == "000000" else mode, oid, is_link))
        elif part:
            here = touched[part.decode("ascii").strip()] = []
    for commit in wanted.keys() - touched.keys():  # git omits commits that it cannot read
        raise ProcessError(f"git cannot read the commit {commit}", argv=list(raw))
    return touched


def has_ever_had(git: Git, tip: str, path: str) -> bool:
    """Return whether a commit or an ancestor had this path or a file below it; True if git cannot tell."""
    try:
        return bool(_read(git, "--literal-pathspecs", "rev-list", "--max-count=1", tip, "--", path).strip())
    except ProcessError:
        return True


def find_commit_at(git: Git, tip: str, at: int) -> str:
    """Return the newest commit of a history that is not newer than a time in epoch seconds, or an empty string."""
    return _read(git, "rev-list", "--max-count=1", f"--min-age={at}", tip, "--").decode("ascii").strip()


def read_trees(git: Git, commits: Iterable[str]) -> dict[str, str]:
    """Return the root tree of each commit that is present."""
    names = list(commits)
    lines = "".join(f"{commit}^{{tree}}\n" for commit in names).encode("ascii")
    result = git.run("cat-file", "--batch-check=%(objectname)", input=lines) if names else None
    output = result.stdout.decode("ascii", "replace").split("\n") if result else []
    return {commit: tree for commit, tree in zip(names, output, strict=False) if is_oid(tree)}


def read_summaries(git: Git, commits: Iterable[str]) -> dict[str, CommitSummary]:
    """Return the author, date and subject of each commit; missing ones and other objects are left out.

    Secrets in subjects and names are redacted here, because culprits are shown in many places.
    """
    names = sorted({commit for commit in commits if is_oid(commit)})
    if not names:
        return {}
    form = "--format=%H%x00%an <%ae>%x00%aI%x00%s"
    argv = ("rev-list", "--no-walk", "--ignore-missing", "--encoding=UTF-8", form, "--stdin")
    result = git.run(*argv, input="\n".join(names).encode("ascii") + b"\n", check=False)
    summaries = {}
    for line in result.stdout.decode("utf-8", "replace").split("\n"):
        words = line.split("\0")
        if len(words) == 4:
            commit, author, date, subject = words
            summaries[commit] = CommitSummary(commit, redact(author), date, redact(subject))
    return summaries


def read_diff(git: Git, old: str, new: str, paths: Iterable[str]) -> tuple[bytes, bool]:
    """Return the diff of some files between two commits, and whether it is complete."""
    wanted = list(paths)
    argv = git.argv(
        "--literal-pathspecs", "diff-tree", "-p", "-r", "--no-ext-diff", "--no-textconv", "--no-color", old, new, "--",
        *wanted[:DIFF_PATHS],
    )  # fmt: skip
    try:
        with process.RunningTool(argv, env=git.environment(), input=b"") as out:
            text = out.read_within(CODE_BOUNDS[1], DIFF_LIMIT + 1)
    except ProcessError:
        return b"", False
    return text[:DIFF_LIMIT], len(text) <= DIFF_LIMIT and len(wanted) <= DIFF_PATHS


def _read(git: Git, *args: str, input: bytes = b"") -> bytes:
    at_most, within_s = CODE_BOUNDS
    argv = git.argv(*args)
    with process.RunningTool(argv, env=git.environment(), input=input) as out:
        output = out.read_within(within_s, at_most + 1)
        if len(output) > at_most:
            message = f"git {args[0]} prints more than {at_most >> 20} MiB for this history"
            raise ProcessError(message, argv=argv, stderr=message)
    return output
