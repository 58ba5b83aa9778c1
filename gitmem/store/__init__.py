"""Stores: a ref of a repository and the folder with its local state, by scope; and where memories are besides.

Which commits are a store's, and which a foreign branch's, never changes (``store.foreign`` decides), so it is cached in
a small file beside the index: recall reads that instead of starting git.

The universal store is a repository of the person's own, whose memories are read in all projects. The first write to it
creates it.

Memories in the code tree are in the folder ``.memory/``, as HEAD has it. Its files exist wherever the code they are
about exists, and merge with it. gitmem reads them from the commit (``code_tree``) and never commits there. Their paths
begin with ``.memory/``, which tells them from memories of the branch.
"""

from __future__ import annotations

import os

from gitmem.config import data_home, git_environment
from gitmem.errors import GitmemError, ProcessError, RefusedError
from gitmem.frozen import frozen
from gitmem.git.repository import discover, is_oid
from gitmem.model import FORMAT
from gitmem.system import make_folder
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git import Git
    from gitmem.git.repository import Repository

PROJECT = "project"
PRIVATE = "private"
DOMAIN = "domain"
UNIVERSAL = "universal"
# The scope of a pulled source.
SOURCE = "source"
# The scope of other repositories' stores that are listed here (``listed_repositories``): read-only.
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
        proposal: The current proposal, if it is read and written (``store.proposal``); or empty.
        companion: The branch of the code whose companion is read or written (``store.proposal``); or empty.
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
    try:
        with open(os.path.join(state, PROOFS_FILE), encoding="utf-8") as file:
            head, *lines = file.readlines()
    except (OSError, ValueError):
        return {}
    return dict(line.split() for line in lines if line.count(" ") == 1) if head == _PROOFS_HEAD else {}


def note_proof(state: str, commit: str, kind: str) -> None:
    """Cache the answer for a commit, if there is a state folder; a read-only disk is ignored."""
    known = read_proofs(state)
    known.pop(commit, None)
    newest = [*known.items(), (commit, kind)][-PROOFS_KEPT:]
    path = os.path.join(state, PROOFS_FILE)
    new = f"{path}.{os.getpid()}"
    try:
        with open(new, "w", encoding="utf-8") as file:
            file.write(_PROOFS_HEAD + "".join(f"{one} {found}\n" for one, found in newest))
        os.replace(new, path)
    except OSError:
        return


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
    try:
        with open(note, encoding="utf-8", errors="replace") as file:
            noted = file.read().split(" ")
    except OSError:
        noted = []
    if len(noted) == 2 and noted[0] == code and noted[1].endswith("\n"):
        tree = noted[1].strip()
        if not tree or is_oid(tree):  # a crash of the machine may leave zeros in the file
            return tree
    found = read_tree(git, code)
    if found or os.path.isdir(git.repository.state):
        _cache_tree(note, f"{code} {found}\n")
    return found


def read_tree(git: Git, code: str) -> str:
    """Return the object name of the tree ``.memory`` in any commit of the code; empty if there is none."""
    try:
        lines = git.run("ls-tree", "-z", "--full-tree", code, CODE_FOLDER).stdout.split(b"\0")
    except ProcessError:
        return ""  # a broken or partial clone: reported with the statuses
    head = lines[0].partition(b"\t")[0].decode("ascii").split(" ")
    return head[2] if head[0] == "040000" else ""


def _cache_tree(note: str, text: str) -> None:
    """Write the cache atomically; on a read-only disk, do nothing."""
    new = f"{note}.{os.getpid()}.new"
    try:
        make_folder(os.path.dirname(note))
        with open(new, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(new, note)
    except OSError:
        return
