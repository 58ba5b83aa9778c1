"""Other repositories' stores listed here: show them, add one, remove one.

The list is a setting of this clone, or of the person (``--global``), in git config. In the other repository only its
own local state, the index, is written, as by any command that reads its memories.
"""

from __future__ import annotations

import os
from shutil import rmtree

from gitmem.commands import show as shows
from gitmem.commands import status as statuses
from gitmem.config import variable
from gitmem.document.elsewhere import SEPARATOR
from gitmem.errors import ConflictError, GitmemError, NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.git.repository import discover, discover_at, is_bare
from gitmem.index.catalog.fact_state import ReadStore
from gitmem.index.shared import discard_shared
from gitmem.repository.other_repositories import ListedStore, place_of
from gitmem.repository.shared_stores import folder_of
from gitmem.store.listings import StoreListing, entry_of, split
from gitmem.store.scopes import LISTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.repository import OpenRepository

SETTING = "gitmem.stores"
VARIABLE = "GITMEM_STORES"
_COUNT = "SELECT count(*) FROM memory WHERE shadowed = 0 AND archived = 0 AND superseded = 0"
# The places in git config that these commands can write.
LOCAL, GLOBAL = "local", "global"


@frozen
class ListedStoreState:
    """A listed store and its state.

    Attributes:
        entry: Its entry in the list.
        memories: The number of live memories.
        commit: Its commit, full hex; empty if it could not be read.
        problem: Why it cannot be read, or empty.
        hint: How to fix that, or empty.
        is_here: Whether it is a repository that is read anyway.
    """

    entry: StoreListing
    memories: int = 0
    commit: str = ""
    problem: str = ""
    hint: str = ""
    is_here: bool = False


def look(repository: OpenRepository) -> list[ListedStoreState]:
    """Return every listed store, in order, with its content or why it cannot be read."""
    listing = repository.listing()
    entries = list(listing.entries.values())
    return [_state_of(entry, found) for entry, found in zip(entries, listing.look_at(entries), strict=True)]


def _state_of(entry: StoreListing, found: ListedStore | Exception | None) -> ListedStoreState:
    if found is None:
        return ListedStoreState(entry, is_here=True)
    if isinstance(found, Exception):
        return ListedStoreState(
            entry, problem=getattr(found, "message", "") or str(found), hint=getattr(found, "hint", "")
        )
    return ListedStoreState(entry, found.catalog().row(_COUNT)[0], found.source()[0])


def add(repository: OpenRepository, typed: str, *, everywhere: bool = False) -> tuple[ListedStoreState, bool]:
    """Add a repository to the list, *everywhere* or in this clone, after reading its memories.

    Args:
        repository: The current repository.
        typed: ``PATH`` or ``NAME=PATH``; any folder of the repository.
        everywhere: For all repositories of this person (``git config --global``).

    Returns:
        The store, and whether it was not listed before.

    Raises:
        GitmemError: It cannot be read, or is the current repository.
    """
    name, path = split(typed)
    _refuse_variable(repository)
    folder = os.path.abspath(os.path.expanduser(path))
    listed = discover_at(folder) if is_bare(folder) else discover(folder)
    top = os.path.realpath(listed.top or listed.git)
    if os.path.samefile(listed.common, repository.git.repository.common):
        raise RefusedError(f"{top} is this repository", hint="its memories are already read")
    discover_at(top)  # as every recall will find it
    known = repository.listing().entries.values()
    for entry in known:
        if os.path.realpath(entry.path) == top and name in ("", entry.name):
            return _state_of(entry, repository.listing().get(entry.name)), False
    text = f"{name}={top}" if name else top
    entry = entry_of(text, top, [listing for listing in known if os.path.realpath(listing.path) != top])
    found = repository.listing().try_out(entry)
    repository.git.run("config", f"--{GLOBAL if everywhere else LOCAL}", "--add", SETTING, entry.text)
    return _state_of(entry, found), True


def remove(repository: OpenRepository, typed: str, *, everywhere: bool = False) -> StoreListing:
    """Remove a store from the list, by name or folder, and its index and copies from our state.

    Raises:
        NotFoundError: It is not on the list.
        RefusedError: It is listed in another place than the given one.
    """
    _refuse_variable(repository)
    entries = repository.listing().entries
    path = os.path.abspath(os.path.expanduser(typed))
    entry = entries.get(typed) or next((listing for listing in entries.values() if path == listing.path), None)
    if entry is None:
        raise NotFoundError(f"no listed store is called {typed}", hint="gitmem stores")
    where = GLOBAL if everywhere else LOCAL
    if entry.text not in _values(repository, where):
        other = LOCAL if everywhere else GLOBAL
        is_there = entry.text in _values(repository, other)
        hint = f"gitmem stores remove {'' if everywhere else '--global '}{entry.name}" if is_there else ""
        message = f"{entry.name} is not listed in the {where} settings of git"
        raise RefusedError(message, hint=hint or f"git config --show-origin --get-all {SETTING}")
    repository.git.run("config", f"--{where}", "--fixed-value", "--unset-all", SETTING, entry.text)
    state = repository.git.repository.state
    rmtree(place_of(state, entry), ignore_errors=True)
    discard_shared(folder_of(state))
    return entry


def _values(repository: OpenRepository, where: str) -> list[str]:
    """Return the entries in one place of git's settings."""
    result = repository.git.run("config", f"--{where}", "-z", "--get-all", SETTING, check=False)
    return [value for value in os.fsdecode(result.stdout).split("\0") if value]


def _refuse_variable(repository: OpenRepository) -> None:
    if variable(VARIABLE) and repository.config.stores:
        message = f"the list comes from {VARIABLE}, which overrides git config"
        raise ConflictError(message, hint=f"unset {VARIABLE}, or change it")


def show_listed(repository: OpenRepository, typed: str, name: str) -> dict[str, Any]:
    """Return a memory of a listed store, by ``NAME:KEY``, or by a key and the store's name.

    Raises:
        NotFoundError: There is no such store, or no such memory in it.
        GitmemError: The store cannot be read.
    """
    if not name:
        name, _, typed = typed.partition(SEPARATOR)
    source = repository.find_source(name)
    store = source or get_listed(repository, name)
    catalog = store.catalog()
    key = store.full_key(typed.removeprefix(f"{name}{SEPARATOR}"))
    ground = store.ground(catalog)
    repository.listing().note_of(store)
    with catalog.reading():
        details = shows.show(ReadStore(catalog, store.git, store.local, ground, repository.now), key)
    place = store.entry.path if isinstance(store, ListedStore) else ""
    return details | {"scope": store.store.scope, "store": name, "repository": place}


def status_of(repository: OpenRepository, name: str) -> dict[str, Any]:
    """Return the status of a listed store, like ``status``, without its waiting commands and jobs."""
    store = get_listed(repository, name)
    catalog, tip = store.catalog(), store.source()[0]
    ground = store.checked_ground(catalog)
    repository.listing().note_of(store)
    with catalog.reading():
        read = ReadStore(catalog, store.git, store.local, ground, repository.now)
        counts = statuses.status(read, ref=store.ref, tip=tip)
    counts |= {"jobs": None, "spool": {"waiting": 0, "refused": 0}, "view": None, "scopes": {}}
    return counts | {"scope": LISTED, "store": name, "repository": store.entry.path}


def get_listed(repository: OpenRepository, name: str) -> ListedStore:
    """Return one listed store.

    Raises:
        NotFoundError: There is no store with this name.
        GitmemError: It cannot be read, or is the current repository.
    """
    store = repository.listing().get(name)
    if store is None:
        raise GitmemError(
            f"the store {name} is already read here: it does not belong to another repository", hint="leave out --store"
        )
    return store
