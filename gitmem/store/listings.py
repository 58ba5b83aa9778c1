"""Other repositories whose memories are read here: name and folder of each, from the settings. Pure.

Only ``gitmem.stores`` of git config lists them: nothing that is pushed can name a folder of this machine.
"""

from __future__ import annotations

import os

from gitmem.document.elsewhere import NAME_MARKS, is_name
from gitmem.errors import UsageError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# The name if the folder's name gives none.
NAMELESS = "store"


@frozen
class StoreListing:
    """One listed store.

    Attributes:
        name: Its name here; unique among them.
        path: The folder of its repository, absolute.
        text: The setting as written.
    """

    name: str
    path: str
    text: str


def split(text: str) -> tuple[str, str]:
    """Split a setting ``NAME=PATH`` or ``PATH`` into the name (or an empty string) and the path.

    A path whose beginning looks like a name is written ``./a=b``.
    """
    name, equals, path = text.partition("=")
    return (name, path) if equals and is_name(name) else ("", text)


def entries_of(texts: Iterable[str], base: str) -> list[StoreListing]:
    """Return the listed stores in order, each folder once; a duplicate name gets a number.

    Args:
        texts: The settings.
        base: The folder that relative paths are relative to.
    """
    folders: dict[str, tuple[str, str]] = {}
    for text in texts:
        name, path = split(text)
        folders.setdefault(os.path.normpath(os.path.join(base, os.path.expanduser(path))), (name, text))
    named: dict[str, str] = {}
    # Explicit names have precedence over those derived from folders.
    for path, (name, _) in sorted(folders.items(), key=lambda item: not item[1][0]):
        named[path] = _free(name or name_of(path), named.values())
    return [StoreListing(named[path], path, text) for path, (_, text) in folders.items()]


def name_of(path: str) -> str:
    """Return the default name of a store: that of its repository's folder."""
    folder = os.path.dirname(path) if os.path.basename(path) == ".git" else path
    last = os.path.basename(folder).removesuffix(".git")
    plain = "".join(char if char.isascii() and (char.isalnum() or char in NAME_MARKS) else "-" for char in last)
    return plain.strip("-_.") or NAMELESS


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def entry_of(text: str, path: str, others: Iterable[StoreListing]) -> StoreListing:
    """Return the entry for a folder to list.

    Args:
        text: The typed text, ``NAME=PATH`` or ``PATH``.
        path: The repository's folder, absolute.
        others: The listed stores.

    Raises:
        UsageError: Its name is invalid or in use.
    """
    typed, _ = split(text)
    name = typed or name_of(path)
    for other in others:
        if other.name == name:
            message = f"there is a store {name} already: {other.path}"
            raise UsageError(message, hint=f"give it another name: gitmem stores add NAME={path}")
    return StoreListing(name, path, f"{name}={path}" if typed else path)
