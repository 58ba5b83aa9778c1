"""The commands about many memories at once: the part of ``Memory`` that takes them over and gives them out."""

from __future__ import annotations

from gitmem.explained import Explained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from gitmem.imports import Imported, Sources
    from gitmem.recall.asked import Asked
    from gitmem.write.together import Queue


class Exchanged(Explained):
    """An opened store with the commands about many memories at once."""

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
