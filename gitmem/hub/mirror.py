"""Bare repositories with the memory branches of the hub, fetched by difference; a deleted one is made again."""

from __future__ import annotations

import shutil
from pathlib import Path

from gitmem.errors import GitmemError, NoRepositoryError, suppress
from gitmem.frozen import frozen
from gitmem.git import Git, remotes
from gitmem.git.packed_objects import PackedObjects, make_bare
from gitmem.git.remotes import RemoteOptions
from gitmem.git.repository import Unsure, discover_at
from gitmem.index.refresh import CatalogSource, refresh
from gitmem.store.foreign import need_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.index.catalog import Catalog

REMOTE = "origin"
# Seconds for one exchange with a remote. A branch of 100,000 memories takes 20 s over a slow line; a remote that hangs
# must not stop the others.
TIMEOUT_S = 120.0
TALK = RemoteOptions(timeout_s=TIMEOUT_S, is_silent=True)


@frozen
class Source:
    """Where a memory branch is fetched from, and the folder of its mirror."""

    url: str
    branch: str
    folder: Path


@frozen
class Tips:
    """What a remote has: the commit of its memory branch, and the commit of its code and that branch, or empty."""

    memory: str
    code: str = ""
    code_branch: str = ""


def find_tips(source: Source) -> Tips:
    """Return the commits of the memory branch and of the code at its remote, without fetching them.

    Raises:
        GitmemError: The remote cannot be reached, or has no such branch.
    """
    memory, branch, code = remotes.find_tips(opened(source), REMOTE, source.branch, TALK)
    if not memory:
        raise NoRepositoryError(f"it has no branch {source.branch}", hint="gitmem hub remove NAME")
    # A repository whose default branch is the memory branch has no code to judge.
    return Tips(memory) if branch == source.branch else Tips(memory, code, branch)


def fetch(source: Source) -> tuple[str, Catalog]:
    """Fetch the memory branch, and return its commit and its catalog; the caller closes that.

    A branch that was rewritten is fetched into an empty mirror, so that nothing of what was purged remains here.

    Raises:
        GitmemError: It cannot be fetched, or is not a memory branch.
    """
    git = opened(source)
    before = git.read_ref(_tracking(source))
    tip = remotes.fetch(git, REMOTE, source.branch, TALK)
    if tip is None:
        raise NoRepositoryError(f"it has no branch {source.branch}", hint="gitmem hub remove NAME")
    if before is not None and before != tip and not git.is_ancestor(before, tip):
        shutil.rmtree(source.folder)
        return fetch(source)
    with suppress(Unsure):
        git.loose = PackedObjects(git.repository.common)
    need_store(git, tip, source.branch)
    return tip, refresh(CatalogSource(git, tip, is_searched=False)).catalog  # Tantivy searches


def _tracking(source: Source) -> str:
    return f"refs/remotes/{REMOTE}/{source.branch}"


def opened(source: Source) -> Git:
    """Return the mirror's repository, made if it is missing; one of another address is made again."""
    folder = source.folder
    try:
        git = Git(discover_at(str(folder)))
        if git.config_value(f"remote.{REMOTE}.url") == source.url:
            return git
    except GitmemError:
        pass
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    make_bare(unfinished, REMOTE, source.url)
    unfinished.rename(folder)
    return Git(discover_at(str(folder)))
