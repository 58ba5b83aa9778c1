"""Tell a store from a foreign branch: a branch of code, or anything else, that only has the same name.

A commit is that of a **store** if both conditions hold:

1. It is proven: the deterministic root commit is one of its ancestors, or ``gitmem.toml`` at its root names the store's
   format. A shallow clone may lack the history, so the file alone suffices; the leading comment of earlier versions
   counts as well.
2. Nothing on it is unknown to the layout. Known are

   - the files ``layout.TOP_FILES``, as regular files, and the folder ``.github`` with all that is in it;
   - the folders ``verdicts``, those of the built-in kinds and of the kinds that its own ``gitmem.toml`` defines, and
     the folder ``archive``, in which the same folders are known;
   - any other folder that may hold memories of a kind (``layout.is_kind_folder``), as long as it holds nothing but
     well-formed memories: a kind needs no row in the policy.

   Any other name at the root is **stray**, and so is a link, a submodule, a file where a folder must be, or a folder
      where a file must be. A folder of code is stray by its first file that is not a memory. An ill-formed entry inside
   a known folder is a problem of that entry alone: one bad file must not hide the others.

The consequences:

- A store is joined, read, written, synced and shown.
- A commit with strays that has the root commit among its ancestors is still **read**: otherwise one pushed file could
  take everyone's memory away. The strays are reported and never read. The store is not joined, written on, synced or
  shown until a person removes them: more may be pushed, and memories should not be written on top of merged code.
- A commit whose policy names a later format is read as far as possible, and not written on: an old version would drop
  what it does not know.
- Anything else is foreign: not even read.
"""

from __future__ import annotations

import os

from gitmem.errors import ConfigError, ConflictError, ForeignBranchError, GitmemError, ProcessError, suppress
from gitmem.git import Git
from gitmem.git.ancestry import is_shallow
from gitmem.git.git import TreeEntry
from gitmem.git.repository import Unsure
from gitmem.model import FORMAT
from gitmem.policy import load
from gitmem.policy.kinds import KINDS
from gitmem.store import layout
from gitmem.store.proofs import BY_FORMAT, FOREIGN, NEWER, ROOTED, STORES, STRAY, note_proof, read_proofs
from gitmem.store.proposal import PROPOSAL_PREFIX
from gitmem.store.read import display_path
from gitmem.store.scopes import POLICY_PATH
from gitmem.text import display, list_some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# The comment that `gitmem.toml` begins with; before the file named a format, this alone identified it.
POLICY_HEAD = "# The policy of this memory store."
# A policy without a row for a kind whose name is reserved puts its memories here (``policy``).
_FOLDERS = frozenset({kind.folder for kind in KINDS.values()} | {"memories", "verdicts"})
# Known commits that are probably ancestors of a new one: tried before the root, which may be far.
_TRIED = 2
# A root with more unknown folders than this is not a store's, and the folders are not examined.
_FOLDERS_AT_MOST = 200
# The most strays named in an error, and the longest subject.
NAMES, SUBJECT = 3, 100
# The most strays deleted by the command in its hint.
DELETED = 20


def kind_of(git: Git, commit: str, *, state: str = "") -> str:
    """Return the kind of a commit in the terms of ``proof``; empty if it is missing or cannot be read.

    Args:
        git: The repository.
        commit: The commit, in full.
        state: The folder that caches the answer; by default the repository's own state folder.
    """
    state = state or git.repository.state
    known = read_proofs(state)
    kind = known.get(commit, "")
    if kind:
        return kind
    kind = _classify(git, commit, known)
    # A shallow clone may later receive more history, and with it the proof.
    if kind and not (kind == FOREIGN and is_shallow(git)):
        note_proof(state, commit, kind)
    return kind


def _classify(git: Git, commit: str, known: Mapping[str, str]) -> str:
    is_rooted = _is_rooted(git, commit, known)
    try:
        strays = list_strays(git, commit)
    except ProcessError:
        # The reader or writer reports what is wrong with it.
        return "" if is_rooted or not git.has(commit, "commit") else FOREIGN
    number = format_of(_policy_text(git, commit))
    if number > FORMAT and (is_rooted or not strays):
        return NEWER
    if is_rooted:
        return STRAY if strays else ROOTED
    return BY_FORMAT if not strays and number else FOREIGN


def _is_rooted(git: Git, commit: str, known: Mapping[str, str]) -> bool:
    rooted = [commit for commit, kind in known.items() if kind in (ROOTED, STRAY)]
    candidates = [*reversed(rooted[-_TRIED:]), layout.ROOTS[len(commit)]]
    return any(git.is_ancestor(candidate, commit) for candidate in candidates)


def format_of(policy: str) -> int:
    """Return the format that a policy's text names; 1 if only its first line identifies it, 0 if nothing does.

    This also works for a policy of a later format, which this version cannot read.
    """
    lines = policy.split("\n")
    for line in map(str.strip, lines):
        name, equals, value = line.partition("=")
        number = value.partition("#")[0].strip()
        if equals and name.strip() == "format" and number.isascii() and number.isdigit() and len(number) <= 4:
            return int(number)
        if line.startswith("["):
            break  # the rest belongs to a section
    return int(lines[0].startswith(POLICY_HEAD))


def _policy_text(git: Git, commit: str) -> str:
    try:
        content = git.read_blob(f"{commit}:{POLICY_PATH}", limit=layout.POLICY_LIMIT)
    except GitmemError:
        return ""  # larger than a policy may be
    return (content or b"").decode("utf-8", "replace")


def list_strays(git: Git, commit: str) -> list[str]:
    """Return the names at the root of a commit, or in its ``archive/``, that are unknown to the layout; sorted.

    Raises:
        ProcessError: The tree cannot be read.
    """
    strays, folders = _sort_entries(git, commit, "")
    if "archive" in folders:
        folders.remove("archive")
        # A file beside the archive's folders is only a problem of that file.
        folders += [name for name in _sort_entries(git, commit, "archive/")[1] if name not in folders]
    odd = [name for name in folders if _last(name) not in _FOLDERS]
    if odd:
        own = _own_folders(git, commit)
        strays += _list_foreign_folders(git, commit, [name for name in odd if _last(name) not in own])
    return sorted(strays)


def _sort_entries(git: Git, commit: str, inside: str) -> tuple[list[str], list[str]]:
    """Return the entries of a folder that are stray by name and type, and the folders that may hold memories."""
    strays, folders = [], []
    for path_of, mode in _entries(git, commit, inside):
        last = path_of.removeprefix(inside)
        is_file = not inside and last in layout.TOP_FILES and mode in layout.REGULAR_MODES
        is_folder = mode == "040000" and (layout.is_kind_folder(last) or (not inside and last in layout.TOP_FOLDERS))
        if is_folder and last != ".github":
            folders.append(path_of)
        elif not is_file and not is_folder and not (inside and mode != "040000"):
            strays.append(path_of)
    return strays, folders


def _entries(git: Git, commit: str, inside: str) -> list[tuple[str, str]]:
    """Return the path and mode of each entry of a folder."""
    with suppress(Unsure):
        return [(inside + os.fsdecode(name), mode) for mode, _, name in git.loose.read_folder(commit, inside[:-1])]
    path = ("--", inside) if inside else ()
    lines = git.run("ls-tree", "-z", "--full-tree", commit, *path).stdout.split(b"\0")
    parts = (line.partition(b"\t") for line in lines if line)
    return [(os.fsdecode(name), head[:6].decode("ascii")) for head, _, name in parts]


def _own_folders(git: Git, commit: str) -> frozenset[str]:
    """Return the folders of the kinds that a commit's own policy defines."""
    try:
        policy = load(_policy_text(git, commit), file=POLICY_PATH)
    except ConfigError:
        return frozenset()
    return frozenset(kind.folder for kind in policy.kinds.values())


def _list_foreign_folders(git: Git, commit: str, folders: list[str]) -> list[str]:
    """Return the folders that hold something other than memories."""
    if len(folders) > _FOLDERS_AT_MOST:
        return folders
    try:
        entries = git.list_tree(commit, *folders) if folders else []
    except ProcessError:  # broken, or endless
        return folders
    return sorted({_top(entry.path) for entry in entries if not (_is_file(entry) and layout.memory_key(entry.path))})


def _is_file(entry: TreeEntry) -> bool:
    return entry.type == "blob" and entry.mode in layout.REGULAR_MODES


def _top(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[: 2 if parts[0] == "archive" else 1])


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def short(ref: str) -> str:
    """Return a ref in the form that a person types: a branch by its name."""
    return ref.removeprefix("refs/heads/")


def is_stray(path: str, strays: Iterable[str]) -> bool:
    """Return whether a path of a tree is a stray, or inside one."""
    return any(path == stray or path.startswith(f"{stray}/") for stray in strays)


def need_store(git: Git, commit: str, branch: str, *, remote: str = "", hint: str = "", repairs: bool = False) -> None:
    """Refuse a commit that does not belong to a store.

    Args:
        git: The repository.
        commit: The commit.
        branch: The branch whose tip it is or will be.
        remote: The remote with the branch; empty for this clone.
        hint: The hint for a foreign branch; by default, to use another branch for the memory.
        repairs: Whether the operation removes the strays.

    Raises:
        ForeignBranchError: It is foreign, or has strays.
        ConflictError: It was written by a later version of gitmem.
    """
    kind = kind_of(git, commit)
    if kind == NEWER:
        name = f"{branch} of {remote}" if remote else branch
        number = format_of(_policy_text(git, commit))
        message = f"{name} has the store format {number}; this version of gitmem writes format {FORMAT}"
        raise ConflictError(message, hint="update gitmem")
    if kind in STORES or not kind or (repairs and kind == STRAY):
        return
    raise _refusal(git, commit, branch, remote=remote, hint=hint)


def _refusal(git: Git, commit: str, branch: str, *, remote: str, hint: str) -> ForeignBranchError:
    """Return the error for a branch that is not a store: its content, and its last committer."""
    name = f"{branch} of {remote}" if remote else branch
    try:
        strays = list_strays(git, commit)
    except ProcessError:
        strays = []  # none of its trees can be read
    shown = list_some([display(display_path(stray)) for stray in strays], NAMES)
    last = f"its last commit is {_last_commit(git, commit)}"
    if kind_of(git, commit) == STRAY:
        see = f"see the last commits: git log --stat -3 {commit[:12]}"
        mend = f"remove it there, and try again: git revert {commit[:12]}"
        if not remote:
            mend = f"remove it from the branch: gitmem doctor {_format_deletes(strays)}"
        return ForeignBranchError(
            f"{name} has files that belong to no memory store ({shown}); {last}", hint=f"{see}\n{mend}"
        )
    there = f" (it contains {shown})" if strays else ""
    return ForeignBranchError(f"{name} is not a memory store{there}; {last}", hint=hint or other_branch_hint(branch))


def other_branch_hint(branch: str) -> str:
    """Return the hint to use another branch instead of an existing foreign one."""
    if branch.startswith(PROPOSAL_PREFIX):
        return f"leave it alone, and use another name: gitmem propose {branch.removeprefix(PROPOSAL_PREFIX)}-2"
    return f"leave it alone, and keep the memory on another branch: gitmem init --branch {branch}-store"


def init_hint(branch: str) -> str:
    """Return the hint for a clone without a store: `init` finds out if its remote names another branch."""
    return f"join the remote's memory, if it is on another branch: gitmem init\nor {other_branch_hint(branch)}"


def _format_deletes(strays: Sequence[str]) -> str:
    """Return the options of ``doctor`` that delete these."""
    import shlex

    return " ".join(f"--delete={shlex.quote(display_path(stray))}" for stray in strays[:DELETED])


def _last_commit(git: Git, commit: str) -> str:
    line = git.run("log", "-1", "--no-show-signature", "--format=%s%x00%an", commit, check=False).stdout
    subject, _, author = line.decode("utf-8", "replace").rstrip("\n").partition("\0")
    return f'"{display(subject[:SUBJECT])}" by {display(author[:SUBJECT])}'
