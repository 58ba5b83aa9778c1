"""The ref of a source: its documents, and in the same commit how far it was pulled.

So a pull interrupted between two batches continues from its last commit, and writes no document twice.
"""

from __future__ import annotations

import json

from gitmem.errors import GitmemError
from gitmem.git.objects import oid_of
from gitmem.plugins.pull.documents import file_of
from gitmem.store import layout
from gitmem.store.commit import CommitPlan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gitmem.plugins.pull.documents import PulledDocument
    from gitmem.plugins.pull.source import PullSource
    from gitmem.repository import OpenRepository

# The manifest of a source of files names each of them: 100 bytes for each of 500,000.
MANIFEST_LIMIT = 50 * 1024 * 1024


class SourceBranch:
    """The documents of one source, and a writer for them.

    Attributes:
        manifest: How far it was pulled; changed by the puller, and written with the next batch.
        seen: The paths that were written or found unchanged since it was opened.
    """

    def __init__(self, repository: OpenRepository, source: PullSource) -> None:
        """Read the present state; nothing is written."""
        self._memory, self._source = repository, source
        self._git = repository.git
        self.tip = self._git.read_ref(source.ref)
        self._oids: dict[str, str] = {}
        self.manifest: dict[str, Any] = {}
        self.seen: set[str] = set()
        self.written = self.deleted = 0
        if self.tip is not None:
            self._oids = {path: oid for _, oid, path in self._git.list_paths(self.tip)}
            self.manifest = self._read_manifest(self.tip)
        self._noted = json.dumps(self.manifest, sort_keys=True)

    def _read_manifest(self, tip: str) -> dict[str, Any]:
        try:
            raw = self._git.read_blob(f"{tip}:{layout.MANIFEST_PATH}", limit=MANIFEST_LIMIT)
            found = json.loads(raw or b"{}")
        except (GitmemError, ValueError, RecursionError):
            return {}  # pulled again from the beginning; unchanged documents are not written again
        return found if isinstance(found, dict) else {}

    @property
    def count(self) -> int:
        """Return the number of documents."""
        return sum(1 for _ in self.paths())

    def has(self, path: str) -> bool:
        """Return whether it has a document at a path."""
        return path in self._oids

    def paths(self, folder: str = "") -> Iterator[str]:
        """Yield the paths of its documents, in one kind's folder or in all."""
        start = f"{folder}/" if folder else ""
        return (path for path in self._oids if path.startswith(start) and path.endswith(".md"))

    def write(self, documents: Iterable[PulledDocument], *, gone: Iterable[str] = ()) -> int:
        """Commit new and changed documents with the manifest; return how many documents changed.

        Args:
            documents: The pulled documents; of two with one key, the later one counts.
            gone: The paths of deleted documents.
        """
        files = {document.path: file_of(document) for document in documents}
        self.seen.update(files)
        size = len(self.tip or layout.ROOTS[40])
        names = {path: oid_of(content, size) for path, content in files.items()}
        changed = {path: files[path] for path, name in names.items() if self._oids.get(path) != name}
        deleted = [path for path in dict.fromkeys(gone) if path in self._oids and path not in files]
        noted = json.dumps(self.manifest, sort_keys=True)
        if not changed and not deleted and noted == self._noted:
            return 0
        writes = [*changed.items(), (layout.MANIFEST_PATH, noted.encode())]
        number = len(changed) + len(deleted)
        subject = f"pull: {number} {'document' if number == 1 else 'documents'} of {self._source.name}"
        plan = CommitPlan(subject, writes=tuple(writes), deletes=tuple(deleted), machine=True)
        result = self._memory.commit(lambda _: plan, f"pull {self._source.name}", ref=self._source.ref)
        assert result is not None, "a plan was made"
        self.tip, self._noted = result.commit, noted
        self._oids |= {path: names[path] for path in changed}
        for path in deleted:
            del self._oids[path]
        self.written += len(changed)
        self.deleted += len(deleted)
        return number
