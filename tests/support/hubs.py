"""A hub in a test: repositories that are added, synced and followed by a search node."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from support.postgres import HubDatabase

from gitmem.hub.database import connected
from gitmem.hub.follower import SearchNode
from gitmem.hub.ingest import Synced, sync
from gitmem.hub.registry import Entry, add


def add_to(hub: HubDatabase, *folders: Path, readers: tuple[str, ...] = ("everyone",), team: str = "") -> None:
    """Add repositories under the names of their folders."""
    with connected(hub.url) as connection:
        for folder in folders:
            add(connection, Entry(str(folder), name=folder.name, readers=readers, team=team))


def synced(hub: HubDatabase, tmp_path: Path, *names: str) -> dict[str, Synced]:
    """Sync repositories, and return what happened to each by its name."""
    return {one.name: one for one in sync(hub.url, tmp_path / "mirrors", names)}


@contextlib.contextmanager
def followed(hub: HubDatabase, tmp_path: Path, name: str = "node") -> Iterator[SearchNode]:
    """A search node that has caught up."""
    node = SearchNode(hub.serving, tmp_path / name)
    try:
        node.catch_up_now()
        yield node
    finally:
        node.close()
