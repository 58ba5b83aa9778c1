"""The names of memories on a screen: short ids for people, keys for programs."""

from __future__ import annotations

from gitmem.index.catalog import wordings_by_key
from gitmem.index.catalog.keys import add_short_ids, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gitmem.cli.output import Output
    from gitmem.memory import Memory


def short_names(memory: Memory, keys: Iterable[str]) -> dict[str, str]:
    """Return the short id of each memory; its key if this project's memory does not have it."""
    catalog = memory.repository.find_catalog()
    return {key: key for key in keys} if catalog is None else names_of(catalog, keys)


def titles_of(memory: Memory, keys: Iterable[str]) -> dict[str, str]:
    """Return the titles of the memories that this project's memory has, by key."""
    catalog = memory.repository.find_catalog()
    return {} if catalog is None else {key: title for key, (title, _) in wordings_by_key(catalog, keys).items()}


def shown_names(memory: Memory, keys: Iterable[str], out: Output) -> dict[str, str]:
    """Return the short id of each memory on a terminal, and its key in a pipe, which programs read."""
    return short_names(memory, keys) if out.is_terminal else {key: key for key in keys}


def wordings(memory: Memory, keys: Iterable[str], out: Output) -> dict[str, str]:
    """Return the title of each memory with its short id on a terminal, and its key in a pipe, which programs read."""
    every = list(keys)
    if not (every and out.is_terminal):
        return {key: key for key in every}
    titles, names = titles_of(memory, every), short_names(memory, every)
    return {key: f"{titles[key]} ({names[key]})" if titles.get(key) else names[key] for key in every}


def with_short_ids(memory: Memory, document: Any) -> Any:
    """Return a document of JSON with the short ids of the memories that it names."""
    catalog = memory.repository.find_catalog()
    return document if catalog is None else add_short_ids(catalog, document)
