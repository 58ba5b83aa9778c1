"""The stores of other repositories that are listed here: look at them, list one more, take one off the list.

Listing is a setting of this clone, or of the person (``--global``), in git config. Nothing is written into the other
repository but its own local state, the index, as any look at its memories does.
"""

from __future__ import annotations

import os
from shutil import rmtree

from gitmem.commands import show as shows
from gitmem.commands import status as statuses
from gitmem.config import variable
from gitmem.errors import ConflictError, GitmemError, NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.git.repository import discover, is_bare, named
from gitmem.repository.other_repositories import ListedStore, place_of
from gitmem.store.listed_repositories import APART, StoreListing, entry_of, split
from gitmem.store.scope import LISTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.repository.repository import OpenRepository

SETTING = "gitmem.stores"
VARIABLE = "GITMEM_STORES"
_COUNT = "SELECT count(*) FROM memory WHERE shadowed = 0 AND archived = 0 AND superseded = 0"
# Where a setting of git config may be that these commands write.
LOCAL, GLOBAL = "local", "global"


@frozen
class ListedStoreState:
    """One listed store, looked at.

    Attributes:
        entry: How it is listed.
        memories: How many live memories it has.
        commit: Its commit, full hex; empty where it could not be read.
        problem: What keeps it from being read, or empty.
        hint: What repairs that, or empty.
        is_here: Whether it is a repository that is read anyway.
    """

    entry: StoreListing
    memories: int = 0
    commit: str = ""
    problem: str = ""
    hint: str = ""
    is_here: bool = False


def look(memory: OpenRepository) -> list[ListedStoreState]:
    """Return every listed store in its order, with what it has or why it cannot be read."""
    listing = memory.listing()
    entries = list(listing.entries.values())
    return [_looked(entry, found) for entry, found in zip(entries, listing.look_at(entries), strict=True)]


def _looked(entry: StoreListing, found: ListedStore | Exception | None) -> ListedStoreState:
    if found is None:
        return ListedStoreState(entry, is_here=True)
    if isinstance(found, Exception):
        return ListedStoreState(
            entry, problem=getattr(found, "message", "") or str(found), hint=getattr(found, "hint", "")
        )
    return ListedStoreState(entry, found.catalog().row(_COUNT)[0], found.source()[0])


def add(memory: OpenRepository, typed: str, *, everywhere: bool = False) -> tuple[ListedStoreState, bool]:
    """List a repository, *everywhere* or in this clone, once its memories could be read.

    Args:
        memory: The repository that is open.
        typed: ``PATH`` or ``NAME=PATH``; any folder of it.
        everywhere: For all repositories of this person (``git config --global``).

    Returns:
        The store, and whether it was not listed before.

    Raises:
        GitmemError: It cannot be read, or this is it.
    """
    name, path = split(typed)
    _refuse_variable(memory)
    folder = os.path.abspath(os.path.expanduser(path))
    repository = named(folder) if is_bare(folder) else discover(folder)
    top = os.path.realpath(repository.top or repository.git)
    if os.path.samefile(repository.common, memory.git.repository.common):
        raise RefusedError(f"{top} is this repository", hint="its memories are already read")
    named(top)  # as every recall will find it
    known = memory.listing().entries.values()
    for entry in known:
        if os.path.realpath(entry.path) == top and name in ("", entry.name):
            return _looked(entry, memory.listing().get(entry.name)), False
    text = f"{name}={top}" if name else top
    entry = entry_of(text, top, [one for one in known if os.path.realpath(one.path) != top])
    found = memory.listing().try_out(entry)
    memory.git.run("config", f"--{GLOBAL if everywhere else LOCAL}", "--add", SETTING, entry.text)
    return _looked(entry, found), True


def remove(memory: OpenRepository, typed: str, *, everywhere: bool = False) -> StoreListing:
    """Take a store off the list, by its name or folder, and its index out of our state folder.

    Raises:
        NotFoundError: It is not on the list.
        RefusedError: It is listed in another place than the one that is to be written.
    """
    _refuse_variable(memory)
    entries = memory.listing().entries
    path = os.path.abspath(os.path.expanduser(typed))
    entry = entries.get(typed) or next((one for one in entries.values() if path == one.path), None)
    if entry is None:
        raise NotFoundError(f"no listed store is called {typed}", hint="gitmem stores")
    where = GLOBAL if everywhere else LOCAL
    if entry.text not in _values(memory, where):
        other = LOCAL if everywhere else GLOBAL
        is_there = entry.text in _values(memory, other)
        hint = f"gitmem stores remove {'' if everywhere else '--global '}{entry.name}" if is_there else ""
        message = f"{entry.name} is not listed in the {where} settings of git"
        raise RefusedError(message, hint=hint or f"git config --show-origin --get-all {SETTING}")
    memory.git.run("config", f"--{where}", "--fixed-value", "--unset-all", SETTING, entry.text)
    rmtree(place_of(memory.git.repository.state, entry), ignore_errors=True)
    return entry


def _values(memory: OpenRepository, where: str) -> list[str]:
    """Return what is listed in one place of git's settings."""
    done = memory.git.run("config", f"--{where}", "-z", "--get-all", SETTING, check=False)
    return [value for value in os.fsdecode(done.stdout).split("\0") if value]


def _refuse_variable(memory: OpenRepository) -> None:
    if variable(VARIABLE) and memory.config.stores:
        message = f"the list comes from {VARIABLE}, which overrides git config"
        raise ConflictError(message, hint=f"unset {VARIABLE}, or change it")


def show_listed(memory: OpenRepository, typed: str, name: str) -> dict[str, Any]:
    """Return a memory of a listed store, by ``NAME:KEY``, or by a key and the store's name.

    Raises:
        NotFoundError: There is no such store, or no such memory in it.
        GitmemError: The store cannot be read.
    """
    if not name:
        name, _, typed = typed.partition(APART)
    source = memory.find_source(name)
    store = source or need(memory, name)
    catalog = store.catalog()
    key = store.full_key(typed.removeprefix(f"{name}{APART}"))
    ground = store.ground(catalog)
    memory.listing().note_of(store)
    with catalog.reading():
        found = shows.show(catalog, store.git, store.local, ground, key, now=memory.now)
    place = store.entry.path if isinstance(store, ListedStore) else ""
    return found | {"scope": store.store.scope, "store": name, "repository": place}


def status_of(memory: OpenRepository, name: str) -> dict[str, Any]:
    """Return how a listed store stands, as ``status`` does for our own; what waits there or runs there is not told."""
    store = need(memory, name)
    catalog, tip = store.catalog(), store.source()[0]
    ground = store.ground(catalog)
    memory.listing().note_of(store)
    with catalog.reading():
        counts = statuses.status(
            catalog, store.git, ground, store.local, ref=store.ref, tip=tip, now=memory.now, waiting=()
        )
    counts |= {"jobs": None, "spool": {"waiting": 0, "refused": 0}, "view": None, "scopes": {}}
    return counts | {"scope": LISTED, "store": name, "repository": store.entry.path}


def need(memory: OpenRepository, name: str) -> ListedStore:
    """Return one listed store.

    Raises:
        NotFoundError: None is called so.
        GitmemError: It cannot be read, or it is the repository that is open here.
    """
    store = memory.listing().get(name)
    if store is None:
        raise GitmemError(
            f"the store {name} is already read here: it does not belong to another repository", hint="leave out --store"
        )
    return store
