"""The commands about many memories at once, and other repositories' stores: the part of ``Memory`` that exchanges."""

from __future__ import annotations

from gitmem.embeds import Embeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO, Any

    from gitmem.imports import Imported, Sources
    from gitmem.opened.store import OpenedStore
    from gitmem.recall.asked import Asked, Found
    from gitmem.store.listed import Entry
    from gitmem.stores import Looked
    from gitmem.write.together import Queue


class Exchanged(Embeds):
    """An opened store with the commands about many memories at once, and about other repositories' stores."""

    def batch(self) -> Queue:
        """Return a queue, a context in which many memories share one commit."""
        from gitmem.remember import queue

        return queue(self)

    def import_files(self, asked: Sources, *, stdin: IO[bytes] | None = None) -> Imported:
        """Write the memories of files and folders in one commit, and bring the catalog along."""
        from gitmem.imports import import_files

        return import_files(self, asked, stdin=stdin, told=self._told)

    def export(self, asked: Asked, *, folder: str = "") -> Iterator[str]:
        """Return memories as JSONL, a line each; with a folder, write them there as Markdown and return their paths."""
        from gitmem.export import export

        return export(self, asked, folder=folder, told=self._told("exporting"))

    def recall_among(self, stores: Sequence[OpenedStore], asked: Asked) -> Found:
        """Rank the memories of several stores against a question; a listed one that turns out bad is left out."""
        import sqlite3  # the catalog has loaded it

        try:
            found = self._recall_among(stores, asked)
        except sqlite3.DatabaseError as err:
            if not any(store.store.name for store in stores) or not self.listing().mend(err):
                raise
            found = self._recall_among(self.asked_stores(asked), asked)
        self.notices += [found.notice] if found.notice else []
        return found

    def _recall_among(self, stores: Sequence[OpenedStore], asked: Asked) -> Found:
        from gitmem.ask import Meant
        from gitmem.recall import shelf

        policy, sources = self.policy(), self.sources(stores)
        if self in stores[:1]:  # the project comes first
            self.note_policy(sources[0].catalog)
        looked_into = [(store, source.catalog) for store, source in zip(stores, sources, strict=True)]
        with Meant(self, asked, looked_into) as meaning, shelf.OneState(sources):
            return shelf.recall(sources, asked, policy=policy, config=self.config, now=self.now, meaning=meaning)

    def list_stores(self) -> list[Looked]:
        """Return the stores of other repositories that are listed here, with what they have or what is wrong."""
        from gitmem.stores import look

        return look(self)

    def add_store(self, typed: str, *, everywhere: bool = False) -> tuple[Looked, bool]:
        """List another repository, by ``PATH`` or ``NAME=PATH``; tells whether it was not listed before."""
        from gitmem.stores import add

        return add(self, typed, everywhere=everywhere)

    def remove_store(self, typed: str, *, everywhere: bool = False) -> Entry:
        """Take a store off the list, by its name or folder."""
        from gitmem.stores import remove

        return remove(self, typed, everywhere=everywhere)

    def show_listed(self, key: str, store: str = "") -> dict[str, Any]:
        """Return one memory of a listed store."""
        from gitmem.stores import show_listed

        return show_listed(self, key, store)

    def listed_status(self, store: str) -> dict[str, Any]:
        """Return how a listed store stands."""
        from gitmem.stores import status_of

        return status_of(self, store)
