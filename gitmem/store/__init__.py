"""Stores: a ref of a repository and the folder with its local state, by scope; and where memories are besides.

Which commits are a store's, and which a foreign branch's, never changes (``store.foreign`` decides), so it is cached in
a small file beside the index: recall reads that instead of starting git.

The universal store is a repository of the person's own, whose memories are read in all projects. The first write to it
creates it.

Memories in the code tree are in the folder ``.memory/``, as HEAD has it. Its files exist wherever the code they are
about exists, and merge with it. gitmem reads them from the commit (``code_tree``) and never commits there. Their paths
begin with ``.memory/``, which tells them from memories of the branch.

A proposal is a branch that descends from the memory branch, to be merged into it. The current proposal is one line of
local state: the memory branch, the proposal's branch and, while commits move from the former to the latter, the
previous commit of the memory branch. Every command reads it at start, so it is parsed by hand.

The companion of the code's branch ``feature/x`` is ``gitmem/branch/feature/x``, a proposal with that branch's changes
to the memory, until both are merged. It is read on top of the current memory branch: as a merge of both, local to this
clone, under a ref named for the two commits. Reading an existing merge costs a few small files.

The state folder of a clone holds derived data, and lines about what only this clone knows. A ``.git`` that was copied
or unpacked from elsewhere brings a state folder along: its index can hide or invent memories, its verdicts can claim to
be made here. Nothing in that folder can prove that this machine wrote it, so the proof is outside: a file named for the
clone's id and the inode of the file with the id. It contains the time at which the kernel last changed that file
(stat(2), st_ctime), which no archive can set. A repository that was renamed or moved on its disk stays known. The
device number is not used: it may change at the next boot.

Such a folder can also hold ``gitmem/at -> /home/ana`` or ``gitmem/catalog.sqlite -> /home/ana/notes.sqlite``: cleaning
up or writing through such a link would destroy files outside the repository. ``remove_links`` removes whatever gitmem
never puts there (links, FIFOs, sockets, devices) before anything else is opened: only the entry itself, relative to a
folder that was opened without following links (open(2), O_NOFOLLOW).
"""

from __future__ import annotations

import os
import stat

from gitmem.config import clones_place, data_home, git_environment
from gitmem.errors import GitmemError, ProcessError, RefusedError, UnwritableError, suppress
from gitmem.frozen import frozen, replace
from gitmem.git.repository import discover, is_oid
from gitmem.model import FORMAT
from gitmem.system import CLOSE_ON_EXEC, NO_FOLLOW, ONLY_FOLDER, read_file, write_text
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitmem.config import Config
    from gitmem.git import Git
    from gitmem.git.repository import Repository

PROJECT = "project"
PRIVATE = "private"
DOMAIN = "domain"
UNIVERSAL = "universal"
# The scope of a pulled source.
SOURCE = "source"
# The scope of other repositories' stores that are listed here (``listings``): read-only.
LISTED = "listed"
# In order of precedence: a key in several scopes means that of the first one here.
SCOPES = (PROJECT, PRIVATE, DOMAIN, UNIVERSAL)

# The policy of a store, at the top of its tree.
POLICY_PATH = "gitmem.toml"
PRIVATE_REFS = "refs/gitmem/private"
# The boards of runs (``gitmem.commands.board``): trees of entries, not stores.
RUN_REFS = "refs/gitmem/runs/"
# Memories pulled from a tracker or from files (``commands.pull``): stores of their own, read only on request.
SOURCE_REFS = "refs/gitmem/sources/"
# Their settings and indexes, in the state folder of the clone.
SOURCE_FOLDER = "sources"


@frozen
class Store:
    """The memories of one scope: their location, and that of data derived from them.

    Attributes:
        scope: ``project``, ``private``, ``universal`` (whose repository has the domains' memories as well),
            ``listed`` or ``source``.
        ref: The full ref whose commit they are read from.
        folder: The folder of the store's local state (index, verdicts made here); it may not exist yet.
        upstream: The remote's ref to read until there is a local one; or empty.
        name: The name of another repository's store or of a source; empty for the repository's own.
        proposal: The current proposal, if it is read and written; or empty.
        companion: The branch of the code whose companion is read or written; or empty.
    """

    scope: str
    ref: str
    folder: str
    upstream: str = ""
    name: str = ""
    proposal: str = ""
    companion: str = ""


def refuse_misplaced(scope: str, domains: Sequence[str], *, in_tree: bool = False) -> None:
    """Refuse a memory that does not fit its scope.

    Raises:
        RefusedError: It has the scope domain but no domain, the scope universal but a domain, or is in the code tree
            but not of the project.
    """
    if scope == DOMAIN and not domains:
        message = "a memory with the scope domain must name its domains"
        raise RefusedError(message, hint="use --domain auth; or --scope universal for all projects")
    if scope == UNIVERSAL and domains:
        message = "a universal memory is for all projects, but this one names domains"
        raise RefusedError(message, hint="use --scope domain, or remove --domain")
    if in_tree and scope != PROJECT:
        message = f"the code tree holds only memories of the project, not of the scope {scope}"
        raise RefusedError(message, hint="remove --in-tree or --scope")


def is_meant(fields: str, scopes: Sequence[str], domains: Sequence[str]) -> bool:
    """Return whether a memory of the universal store is in one of these scopes, for a project with these domains.

    Args:
        fields: Its fields as JSON.
        scopes: The requested scopes; empty for all.
        domains: The domains of the project.
    """
    named = domains_of(fields)
    is_wanted = not scopes or (DOMAIN if named else UNIVERSAL) in scopes
    return is_wanted and (not named or not set(named).isdisjoint(domains))


def domains_of(fields: str) -> list[str]:
    """Return the domains that a memory names, from its fields as JSON."""
    if '"domains"' not in fields:
        return []
    found = parse_json(fields).get("domains")
    return [str(one) for one in (found if isinstance(found, list) else [found]) if one]


PROOFS_FILE = "proofs"
# The first line; another number discards decisions by earlier rules or for an earlier format.
_PROOFS_HEAD = f"gitmem-proofs 2 format {FORMAT}\n"
# Only the newest are kept: the tips of the memory branch, of its remote, of a proposal, and recent earlier ones.
PROOFS_KEPT = 16
# The root commit is an ancestor, and nothing in it is unknown to the layout.
ROOTED = "rooted"
# Without the root commit: `gitmem.toml` names the format, and nothing is unknown.
NAMED = "named"
# The root commit is an ancestor, and something is unknown: readable, but not writable.
STRAY = "stray"
# Its policy names the format of a later version of gitmem: read as far as possible, not writable.
NEWER = "newer"
FOREIGN = "foreign"
STORES = frozenset({ROOTED, NAMED})
READABLE = STORES | {STRAY, NEWER}


def read_proofs(state: str) -> dict[str, str]:
    """Return the known answers by commit, oldest first."""
    text = read_file(os.path.join(state, PROOFS_FILE)).decode("utf-8", "replace")
    lines = text.removeprefix(_PROOFS_HEAD).split("\n") if text.startswith(_PROOFS_HEAD) else []
    return dict(line.split(" ") for line in lines if line.count(" ") == 1)


def note_proof(state: str, commit: str, kind: str) -> None:
    """Cache the answer for a commit, if there is a state folder; a read-only disk is ignored."""
    known = read_proofs(state)
    known.pop(commit, None)
    newest = [*known.items(), (commit, kind)][-PROOFS_KEPT:]
    with suppress(OSError):
        if os.path.isdir(state):
            lines = "".join(f"{one} {found}\n" for one, found in newest)
            write_text(os.path.join(state, PROOFS_FILE), _PROOFS_HEAD + lines)


def universal_place() -> str:
    """Return the folder of the repository, which need not exist yet; empty if it cannot be determined."""
    base = data_home()
    return base and os.path.join(base, "universal")


def find_universal() -> Repository | None:
    """Return the repository, or None if it does not exist yet."""
    folder = universal_place()
    # Its own git directory: a repository around the person's home directory does not count.
    return discover(folder) if folder and os.path.isfile(os.path.join(folder, ".git", "HEAD")) else None


def make_universal() -> Repository:
    """Return the repository, created if missing; a half-created one is completed.

    Raises:
        GitmemError: It cannot be created.
    """
    folder = universal_place()
    hint = "set XDG_DATA_HOME to a folder that you can write to"
    if not folder:
        raise GitmemError("cannot locate the universal store: HOME is empty", hint=hint)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as err:
        message = f"cannot create {folder}: {err.strerror}"
        raise GitmemError(message, hint=hint) from err
    if find_universal() is None:
        from gitmem.system import process

        # Without a template: the person's hooks are meant for their code.
        argv = ["git", "init", "--quiet", "--initial-branch=main", "--template=", folder]
        process.run(argv, env=git_environment())
    return discover(folder)


CODE_FOLDER = ".memory"
CODE_PREFIX = f"{CODE_FOLDER}/"
# Caches the tree of a work tree's HEAD in its git directory: asking git costs half a bare start.
_TREE_CACHE = "gitmem/home"


def is_home(path: str) -> bool:
    """Return whether a memory's path is in the code tree."""
    return path.startswith(CODE_PREFIX)


def find_tree(git: Git, code: str) -> str:
    """Return the object name of the tree ``.memory`` in a commit of the code; empty if there is none.

    The result is cached beside the work tree's HEAD: recall asks git once per commit.
    """
    if not code:
        return ""
    note = os.path.join(git.repository.git, _TREE_CACHE)
    known, _, rest = read_file(note).decode("utf-8", "replace").partition(" ")
    tree, newline, _ = rest.partition("\n")
    # A crash of the machine may leave zeros in the file, or a part of it.
    if known == code and newline and (not tree or is_oid(tree)):
        return tree
    found = read_tree(git, code)
    if found or os.path.isdir(git.repository.state):
        with suppress(OSError):  # a read-only disk
            write_text(note, f"{code} {found}\n")
    return found


def read_tree(git: Git, code: str) -> str:
    """Return the object name of the tree ``.memory`` in any commit of the code; empty if there is none."""
    try:
        lines = git.run("ls-tree", "-z", "--full-tree", code, CODE_FOLDER).stdout.split(b"\0")
    except ProcessError:
        return ""  # a broken or partial clone: reported with the statuses
    head = lines[0].partition(b"\t")[0].decode("ascii").split(" ")
    return head[2] if head[0] == "040000" else ""


# Not below the memory branch: if a branch "memory" exists, "memory/x" cannot.
PROPOSAL_PREFIX = "gitmem/"
PROPOSAL_FILE = "proposal"
PROPOSAL_NAME_LIMIT = 60
# No proposal may have this name: it would be in the way of companions (git-check-ref-format(1)).
COMPANION_NAME = "branch"
COMPANION_PREFIX = f"{PROPOSAL_PREFIX}{COMPANION_NAME}/"
TOP_REFS = "refs/gitmem/companions/"
HEADS = "refs/heads/"
_PROPOSAL_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


@frozen
class CurrentProposal:
    """The current proposal of a clone.

    Attributes:
        branch: Its branch, without ``refs/heads/``.
        moving: The commit of the memory branch that is being moved to the proposal; empty if none is.
    """

    branch: str
    moving: str = ""

    @property
    def name(self) -> str:
        """Return its name."""
        return self.branch.removeprefix(PROPOSAL_PREFIX)


def is_proposal(ref: str) -> bool:
    """Return whether a full ref is a proposal's branch."""
    return ref.startswith(f"refs/heads/{PROPOSAL_PREFIX}")


def is_proposal_name(text: str) -> bool:
    """Return whether a proposal's name is valid: a slug that can end a branch name (git-check-ref-format(1))."""
    if not 0 < len(text) <= PROPOSAL_NAME_LIMIT or not _PROPOSAL_CHARS.issuperset(text):
        return False
    return text[0].isalnum() and text[-1].isalnum() and ".." not in text and not text.endswith(".lock")


def read_current_proposal(state: str, base: str) -> CurrentProposal | None:
    """Return the current proposal onto a memory branch, or None if writes go to that branch itself.

    Args:
        state: The repository's state folder.
        base: The memory branch; a proposal onto another one does not count.
    """
    try:
        with open(os.path.join(state, PROPOSAL_FILE), encoding="utf-8", errors="replace") as file:
            words = file.readline(1000).split()
    except OSError:
        return None
    if len(words) not in (2, 3) or words[0] != base:
        return None
    branch, moving = words[1], "".join(words[2:])
    if not branch.startswith(PROPOSAL_PREFIX) or not is_proposal_name(branch.removeprefix(PROPOSAL_PREFIX)):
        return None
    return CurrentProposal(branch, moving)


def project_store(git: Git, config: Config, *, follows: bool = True) -> Store:
    """Return the store of a project: its memory branch, or the current proposal, which contains that branch.

    Args:
        git: The repository.
        config: Its settings.
        follows: Whether the current proposal counts.
    """
    state = git.repository.state
    ref, upstream = f"refs/heads/{config.branch}", f"refs/remotes/{config.remote}/{config.branch}"
    current = read_current_proposal(state, config.branch) if follows else None
    if current is None:
        return Store(PROJECT, ref, state, upstream=upstream)
    # A proposal without a write has no branch yet: the memory branch is read, and the first write starts there.
    return Store(PROJECT, f"refs/heads/{current.branch}", state, upstream=ref, proposal=current.name)


@frozen
class Companion:
    """The companion of one branch of the code.

    Attributes:
        code: The code's branch, without ``refs/heads/``.
        ref: The full ref that it was read from: this clone's own branch, or the remote-tracking one.
        commit: Its commit.
    """

    code: str
    ref: str
    commit: str


def companion_branch(code: str) -> str:
    """Return the branch of a code branch's companion."""
    return COMPANION_PREFIX + code


def companion_code(branch: str) -> str:
    """Return the code's branch that a companion belongs to; empty if the branch is not a companion."""
    return branch[len(COMPANION_PREFIX) :] if branch.startswith(COMPANION_PREFIX) else ""


def find_companion(git: Git, config: Config, code: str) -> Companion | None:
    """Return the companion of a code branch: this clone's own, or the remote's as last fetched."""
    if not code or code == config.branch or code.startswith(PROPOSAL_PREFIX):
        return None
    branch = companion_branch(code)
    for ref in (f"{HEADS}{branch}", f"refs/remotes/{config.remote}/{branch}"):
        commit = git.read_ref(ref)
        if commit is not None:
            return Companion(code, ref, commit)
    return None


def head_branch(git: Git) -> str:
    """Return the branch that HEAD is on, without ``refs/heads/``; empty for a detached HEAD."""
    head = git.read_head()[0] or ""
    return head[len(HEADS) :] if head.startswith(HEADS) else ""


def memory_ref(git: Git, store: Store) -> str:
    """Return the full ref of the memory branch: this clone's own, else the remote's."""
    return store.ref if git.read_ref(store.ref) or not store.upstream else store.upstream


def memory_tip(git: Git, store: Store) -> str:
    """Return the commit of the memory branch, here or at the remote; empty if there is none."""
    return git.read_ref(memory_ref(git, store)) or ""


def top_ref(memory_commit: str, companion: str) -> str:
    """Return the ref for a companion on top of a commit of the memory branch (``store.merge.on_top``)."""
    return f"{TOP_REFS}{memory_commit[:20]}-{companion[:20]}"


def store_on_top(git: Git, store: Store, code: str, ref: str) -> Store:
    """Return the project's store with a companion on top, for reading only."""
    return replace(store, ref=ref, upstream=memory_ref(git, store), companion=code)


def companion_store(git: Git, store: Store, code: str) -> Store:
    """Return the companion itself as a store to write to; a new one starts at the memory branch."""
    return replace(store, ref=f"{HEADS}{companion_branch(code)}", upstream=memory_ref(git, store), companion=code)


def companion_notice(code: str) -> str:
    """Return a notice that memories are read as a branch has them; empty if there is no companion."""
    return (
        f"memories are as the branch {code} has them ({companion_branch(code)}, which is merged with it)"
        if code
        else ""
    )


def describe_proposal_write(name: str) -> str:
    """Return the notice for a write to a proposal."""
    return f"written to the proposal {name}: gitmem propose pushes it"


def describe_companion_write(code: str) -> str:
    """Return the notice for a write to a companion."""
    return (
        f"written to {companion_branch(code)}, the memory of this branch, because it is not the same on the default"
        " branch: gitmem sync pushes it, and it is merged with the branch"
    )


# The file with the clone's id.
ID_NAME = "clone-id"
# Everything derived in the state folder was made on this machine.
SEEN = "seen"


@frozen
class CloneState:
    """Whether a state folder can be used.

    Attributes:
        is_usable: Whether derived data may be read and written there.
        notice: A line for the person, or empty.
    """

    is_usable: bool
    notice: str = ""


def is_registered(state: str, what: str = SEEN) -> bool:
    """Return whether this person registered this very clone on this machine."""
    try:
        name, content = clone_identity(state)
        path = os.path.join(clones_place(), f"{name}.{what}")
        return is_private_folder(clones_place()) and _read_registration(path) == content
    except (OSError, ValueError):
        return False


def settle_state(state: str) -> CloneState:
    """Make a state folder usable: in an unknown clone, remove all derived data before anything is read.

    If the clone cannot be registered or something cannot be removed, the folder must not be used.
    """
    if is_registered(state):
        return CloneState(True)
    from gitmem.store.state.registration import accept_clone

    return accept_clone(state)


def clone_identity(state: str) -> tuple[str, bytes]:
    """Return the name under which a clone is registered, and the content of the registration.

    Raises:
        OSError, ValueError: It has no id made by gitmem.
    """
    fd = os.open(os.path.join(state, ID_NAME), os.O_RDONLY | NO_FOLLOW | CLOSE_ON_EXEC)
    with open(fd, "rb") as file:
        name, found = file.read(100).decode("ascii").strip(), os.fstat(fd)
    if len(name) != 32 or set(name) - set("0123456789abcdef"):
        raise ValueError(f"{state} has no id of gitmem's")
    return f"{name}-{found.st_ino}", f"{found.st_ctime_ns}\n".encode("ascii")


def _read_registration(path: str) -> bytes:
    with open(os.open(path, os.O_RDONLY | NO_FOLLOW | CLOSE_ON_EXEC), "rb") as file:
        return file.read(1000)


def is_private_folder(folder: str) -> bool:
    """Return whether a folder is owned by the current user, and only writable for them."""
    if not os.path.isabs(folder):
        return False  # HOME is empty
    found = os.lstat(folder)
    if not hasattr(os, "geteuid"):
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


# gitmem's own folders are nested at most five deep (a session's archived topics); deeper ones are never opened.
DEPTH = 8
# Scratch clones contain the code's own links; clones are created and removed without following them.
CLONES = "ground"


def remove_links(*state_folders: str) -> None:
    """Remove every entry of these folders and their subfolders that is neither a file nor a folder.

    Raises:
        UnwritableError: An entry cannot be removed, or a folder cannot be listed; nothing may be opened there.
    """
    for folder in state_folders:
        for place, name, parent in _links_in(folder):
            try:
                os.unlink(name, dir_fd=parent)
            except FileNotFoundError:
                continue  # another process removed it
            except OSError as err:
                message = f"cannot remove {place}, which is a link or a special file: {err.strerror}"
                raise UnwritableError(message, hint=f"remove it: rm '{place}'") from err


def has_links(state_folder: str) -> bool:
    """Return whether a state folder has an entry that is neither a file nor a folder, or cannot be listed."""
    try:
        return any(True for _ in _links_in(state_folder))
    except UnwritableError:
        return True


def _links_in(folder: str) -> Iterator[tuple[str, str, int]]:
    """Yield the path of each such entry, its name, and its open folder."""
    if os.scandir in os.supports_fd:  # not on Windows, where unpacking creates no links without a privilege
        yield from _below(folder, folder, None, DEPTH)


def _below(path: str, name: str, parent: int | None, depth: int) -> Iterator[tuple[str, str, int]]:
    try:
        opened = os.open(name, os.O_RDONLY | ONLY_FOLDER | NO_FOLLOW | CLOSE_ON_EXEC, dir_fd=parent)
    except PermissionError as err:
        if not os.access(name, os.X_OK, dir_fd=parent):
            return  # then nothing in it can be opened either
        message = f"{path} cannot be listed: {err.strerror}"
        raise UnwritableError(message, hint=f"check its contents, then: chmod 700 '{path}'") from err
    except OSError:
        return  # it does not exist, or is a file
    try:
        with os.scandir(opened) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if depth and (parent is None or os.path.basename(path) != CLONES):
                        yield from _below(f"{path}/{entry.name}", entry.name, opened, depth - 1)
                elif not entry.is_file(follow_symlinks=False):
                    yield f"{path}/{entry.name}", entry.name, opened
    finally:
        os.close(opened)
