"""Find the store that has a memory."""

from __future__ import annotations

import os

from gitmem.errors import NotFoundError
from gitmem.store.code_folder import CODE_FOLDER, is_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore


def holder_of(repository: OpenRepository, typed: str, scope: str = "") -> tuple[OpenStore, str]:
    """Return the store that has a memory (of this scope, or the nearest one), and the memory's full key.

    For a memory of the code tree, committed or not, that is the code tree.

    Raises:
        NotFoundError: There is none.
        AmbiguousKeyError: Several begin with what was typed.
    """
    stores = repository.stores((scope,) if scope else ())
    missing = NotFoundError(f"the scope {scope} has no memory {typed}", hint="gitmem list")
    # A promoted memory is retired here and lives in another scope.
    for condition in ("archived = 0", "archived = 1") if len(stores) > 1 and typed.isascii() else ():
        for store in stores:
            if store.catalog().row(f"SELECT 1 FROM memory WHERE key = ? AND {condition}", (typed,)):
                return _home_of(repository, store, typed), typed
    for store in stores:
        try:
            key = store.full_key(typed)
        except NotFoundError as err:
            missing = err if store is repository or len(stores) == 1 else missing
            continue
        return _home_of(repository, store, key), key
    top = repository.git.repository.top
    if not scope and top and os.path.isdir(os.path.join(top, CODE_FOLDER)):
        home = repository.in_tree()
        if home.has_file(typed):
            return home, typed
    raise (repository.listing().find_elsewhere(typed) if repository.config.stores and not scope else None) or missing


def _home_of(repository: OpenRepository, store: OpenStore, key: str) -> OpenStore:
    """Return the code tree for a project's memory in it, else its store."""
    if store is not repository or not repository.tree():
        return store
    row = repository.catalog().row("SELECT path FROM memory WHERE key = ? AND shadowed = 0", (key,))
    return repository.in_tree() if row and is_home(row[0]) else repository
