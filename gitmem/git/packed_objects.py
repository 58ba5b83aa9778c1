"""Read many packed objects in this process with libgit2, in place of the git binary: for mirrors of the hub.

A mirror has neither alternates nor a partial clone's gaps, and what was just fetched is packed. Reading 500 memories
took five starts of git; whatever is large, numerous or damaged is still left to git, which also words the errors.
Loose objects are not read with libgit2: 1.9 never returns from one whose file was cut short (measured).
"""

from __future__ import annotations

import os
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from gitmem.git.loose_objects import LARGEST, LooseObjects
from gitmem.git.repository import Unsure, is_oid

_KINDS = {ObjectType.BLOB: "blob", ObjectType.TREE: "tree", ObjectType.COMMIT: "commit"}
_DAMAGED = (KeyError, ValueError, OSError, pygit2.GitError)


class PackedObjects(LooseObjects):
    """The objects of a repository, packed or not; everything raises ``Unsure`` where only git can tell."""

    # More files than a store of usual size has; folders and commits are limited as for loose objects.
    few = 10_000

    def __init__(self, common: str) -> None:
        """Open a repository.

        Raises:
            Unsure: libgit2 cannot read its format.
        """
        super().__init__(common)
        try:
            self._odb = pygit2.Repository(common, RepositoryOpenFlag.NO_SEARCH).odb
        except _DAMAGED as err:
            raise Unsure from err

    def read_header(self, oid: str) -> tuple[str, int]:
        """Return an object's kind and size."""
        if self._is_loose(oid):
            return super().read_header(oid)
        try:
            kind, size = self._odb.read_header(_need_oid(oid))
            return _KINDS[kind], size
        except _DAMAGED as err:
            raise Unsure from err

    def read(self, oid: str, limit: int | None = None) -> tuple[str, int, bytes]:
        """Return an object's kind, size and content; no content if it is larger than *limit* bytes."""
        if self._is_loose(oid):
            return super().read(oid, limit)
        kind, size = self.read_header(oid)
        if limit is not None and size > limit:
            return kind, size, b""
        if size > LARGEST:
            raise Unsure
        try:
            return kind, size, self._odb.read(oid)[1]
        except _DAMAGED as err:
            raise Unsure from err

    def _is_loose(self, oid: str) -> bool:
        return os.path.lexists(f"{self._common}/objects/{oid[:2]}/{oid[2:]}")

    def is_ancestor(self, old: str, new: str) -> bool:
        """Return whether a commit is another one or an ancestor of it; a missing one is none."""
        return is_oid(old) and old in self._odb and super().is_ancestor(old, new)


def _need_oid(oid: str) -> str:
    if not is_oid(oid):
        raise Unsure
    return oid


def make_bare(folder: Path, remote: str, url: str) -> None:
    """Make an empty bare repository with a remote; no template is copied to it."""
    repository = pygit2.init_repository(str(folder), bare=True)
    repository.config[f"remote.{remote}.url"] = url
