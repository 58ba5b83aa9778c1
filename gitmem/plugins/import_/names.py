"""The names of notes, and a key for each: no two notes of an import get the same key. Pure."""

from __future__ import annotations

import re
from functools import partial
from types import MappingProxyType
from unicodedata import combining, normalize

from gitmem.store import layout
from gitmem.text import display
from gitmem.write.draft import hashed_key, key_from, short_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

NONE: Mapping[str, str] = MappingProxyType({})
# What precedes the hash in the key of a note whose name gives no other.
NOTE = "note"
# The id that Notion's export appends to the name of each page and its folder.
_NOTION_ID = re.compile(r" ([0-9a-f]{32})(?=/|$)")


class Names:
    """The notes of one import by their keys.

    A note's name is its path below the imported folder, preceded by that folder's own name: ``notes/deep/Auth.md``. It
    is the same wherever the folder is, and is stored with the memory, so that a later import recognizes the note.
    """

    def __init__(self, is_another: Callable[[str, Path], bool] = lambda _name, _folder: False) -> None:
        """Begin without notes.

        Args:
            is_another: Returns whether the store has notes of another folder with this name.
        """
        self._is_another = is_another
        self._names: dict[str, str] = {}
        self._folders: dict[str, Path] = {}
        self._paths: dict[str, str] = {}
        # The names of folders that were read completely.
        self._whole: list[str] = []

    def folder(self, folder: Path) -> str:
        """Return the name of a folder: its last part, or more of them if another folder has the same name.

        Args:
            folder: Its absolute path.
        """
        parts = folder.parts[1:] or ("",)
        for count in range(1, len(parts) + 1):
            name = "/".join(parts[-count:])
            if name not in self._folders and not self._is_another(name, folder):
                self._folders[name] = folder
            if self._folders.get(name) == folder:
                return name
        return "/".join(parts)

    def read_whole(self, folder: str, paths: Collection[str], titles: Mapping[str, str] = NONE) -> dict[str, str]:
        """Return ``keys`` for all notes of a folder: a note with such a name that is not among them is gone."""
        self._whole.append(folder)
        return self.keys(folder, paths, titles)

    def is_gone(self, name: str) -> bool:
        """Return whether a note with this name would have been read, and was not."""
        return name not in self._paths and any(name.startswith(f"{folder}/") for folder in self._whole)

    def name(self, folder: str, path: str) -> str:
        """Return the name of a note: printable, in NFC, unless only that tells it from another one.

        Args:
            folder: The name of the folder.
            path: Its path below the folder.
        """
        whole = f"{folder}/{path}"
        name = display(normalize("NFC", whole))
        if self._paths.setdefault(name, whole) == whole:
            return name
        name = "".join(
            f"\\u{{{ord(char):x}}}" if combining(char) else char for char in display(normalize("NFD", whole))
        )
        self._paths.setdefault(name, whole)
        return name

    def keys(self, folder: str, paths: Collection[str], titles: Mapping[str, str] = NONE) -> dict[str, str]:
        """Return the key of each note of a folder by its path.

        It is a slug of the whole path, since every folder may have a README. A hash of the note's name follows if
        another note has that key; one whose path is the key itself goes first.

        Args:
            folder: The name of the folder.
            paths: The paths of the notes below it, with their endings.
            titles: What the key is made from instead, by path: the names of some files are only ids.
        """
        ordered = sorted(paths, key=lambda path: (not layout.is_key(_stem(path)), path))
        stems = {path: titles.get(path) or without_notion_id(_stem(path)) for path in ordered}
        return {path: self.key(self.name(folder, path), stem) for path, stem in stems.items()}

    def key(self, name: str, stem: str) -> str:
        """Return the key of a note: made from *stem*, with a hash of its whole name if another note has that key."""
        key = key_of(stem)
        return hashed_key(key, name, partial(self._is_taken, name=name)) if self._is_taken(key, name) else key

    def _is_taken(self, key: str, name: str) -> bool:
        """Return whether another note has a key; if none has, this one has it from now on."""
        return self._names.setdefault(key, name) != name


def key_of(name: str) -> str:
    """Return the key made from a name; a hash of it if it has no ASCII letter or digit (a name in Chinese)."""
    return key_from(name) or f"{NOTE}-{short_hash(name)}"


def without_notion_id(path: str) -> str:
    """Return a path, without its ending, in which no name has the id that Notion's export appends."""
    return _NOTION_ID.sub("", path)


def notion_id(path: str) -> str:
    """Return the id that Notion's export appended to a name, without its ending; empty if it has none."""
    match = _NOTION_ID.search(path.rpartition("/")[2])
    return match[1] if match else ""


def _stem(path: str) -> str:
    return path.rpartition(".")[0] or path
