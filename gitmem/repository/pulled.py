"""Pulled sources that are read besides the memories, as the policy says (`[sources]`)."""

from __future__ import annotations

import os

from gitmem.errors import GitmemError
from gitmem.policy.kinds import PROMPT, REQUEST, START
from gitmem.store.scopes import SOURCE_FOLDER
from gitmem.system import only_regular
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.recall.query import Query
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore

# The largest settings of a source that are read, in bytes: our choice, far above any real one.
SETTINGS_LIMIT = 65_536


def stores_besides(repository: OpenRepository, query: Query) -> list[OpenStore]:
    """Return the sources that a question searches besides the memories; none if it names stores or scopes."""
    is_narrowed = query.stores or query.scopes or query.collections
    return [] if is_narrowed or query.reader != REQUEST else pulled_stores(repository, REQUEST)


def has_sources(repository: OpenRepository) -> bool:
    """Return whether this clone has the settings of a source."""
    return bool(_names(repository))


def _names(repository: OpenRepository) -> list[str]:
    """Return the names of the sources of this clone, sorted."""
    try:
        names = os.listdir(_folder(repository))
    except OSError:
        return []
    return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def _folder(repository: OpenRepository) -> str:
    return os.path.join(repository.git.repository.state, SOURCE_FOLDER)


def pulled_stores(repository: OpenRepository, reader: str) -> list[OpenStore]:
    """Return the sources of this clone that a reader gets by default, by name; mostly empty.

    Args:
        repository: The repository.
        reader: ``START``, ``PROMPT`` or ``REQUEST``.
    """
    folder, names = _folder(repository), _names(repository)
    if not names:
        return []
    rules = repository.policy().sources
    wanted = {START: rules.starts, PROMPT: rules.prompts, REQUEST: rules.recall}[reader]
    return [
        store
        for name in names
        if (name in wanted or _kind_of(os.path.join(folder, f"{name}.json")) in wanted)
        and (store := _find(repository, name)) is not None
    ]


def _kind_of(path: str) -> str:
    """Return the kind in the settings of a source; empty if they are damaged, which ``gitmem sources`` reports."""
    try:
        with open(path, encoding="utf-8", opener=only_regular) as file:
            table = parse_json(file.read(SETTINGS_LIMIT))
    except (OSError, ValueError):
        return ""
    return str(table.get("kind", "")) if isinstance(table, dict) else ""


def _find(repository: OpenRepository, name: str) -> OpenStore | None:
    """Return a pulled source, its index updated; None, perhaps with a notice, if there is nothing to read."""
    try:
        store = repository.find_source(name)
        if store is not None:
            store.catalog()
    except GitmemError as err:
        repository.add_notice(f"the source {name} cannot be read: {err.message}")
        return None
    return store
