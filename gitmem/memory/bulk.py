"""``memory.bulk``: many memories at once."""

from __future__ import annotations

from gitmem.config import home
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import IO

    from gitmem.commands.curate.age import CurationPlan
    from gitmem.commands.curate.contradictions import ContradictionReport
    from gitmem.commands.curate.dedupe import DuplicateGroup, DuplicateReport
    from gitmem.commands.from_run.from_run import RunResult
    from gitmem.commands.settle import PathUpdate
    from gitmem.commands.undo import Undone
    from gitmem.plugins.import_.discovery import Importable
    from gitmem.plugins.import_.run import ImportResult, Sources
    from gitmem.recall.query import Query
    from gitmem.repository import OpenRepository
    from gitmem.write.queue import Queue


class Bulk:
    """Import, export, write memories in one commit, find duplicates, and follow moved files."""

    def __init__(self, repository: OpenRepository, find_unused: Callable[[], Mapping[str, int]] = dict) -> None:
        self._repository = repository
        self._find_unused = find_unused

    def batch(self) -> Queue:
        """Return a context manager in which all writes share one commit."""
        from gitmem.commands.remember import queue

        return queue(self._repository)

    def import_files(self, sources: Sources, *, stdin: IO[bytes] | None = None) -> ImportResult:
        """Write the memories of files and folders in one commit, and update the index."""
        from gitmem.plugins.import_.run import import_files

        return import_files(self._repository, sources, stdin=stdin, progress_of=self._repository.progress_of)

    def remember_run(self, raw: bytes, *, name: str = "", partial: bool = False) -> RunResult:
        """Write the result of a finished run in one commit; if a part is refused, write nothing unless *partial*."""
        from gitmem.commands.from_run.from_run import from_run

        return from_run(self._repository, raw, name=name, partial=partial)

    def find_sources(self) -> Sequence[Importable]:
        """Return notes and memories of other systems in the work tree and the home folder; only names are read."""
        from gitmem.plugins.import_.discovery import find_sources

        return find_sources(self._repository.author().top, home())

    def export(self, query: Query, *, folder: str = "", is_okf: bool = False, is_notes: bool = False) -> Iterator[str]:
        """Return memories as JSONL, one line each; with a folder, write Markdown files there and return their paths.

        With *is_okf*, the folder is a bundle of the Open Knowledge Format; with *is_notes*, imported memories are the
        notes that they were.
        """
        from gitmem.commands.export import export

        repository = self._repository
        progress = repository.progress_of("exporting")
        return export(repository, query, folder=folder, is_okf=is_okf, is_notes=is_notes, progress=progress)

    def reconcile(self, key: str) -> str:
        """Mark a memory and those that it contradicts as true, and return the commit; empty in the code tree."""
        from gitmem.commands.settle import reconcile

        return reconcile(self._repository, key)

    def settle_moved(self, *keys: str, dry_run: bool = False, approve: bool = False) -> Sequence[PathUpdate]:
        """Update checks, paths and refs to renamed files, in these memories or in all that are affected.

        A changed check must hold. *approve* approves changed commands on behalf of their author.
        """
        from gitmem.commands.settle import settle_moved
        from gitmem.repository.holder import holder_of

        is_turned = self._repository.read_companion()
        try:
            full = [holder_of(self._repository, key)[1] for key in keys]
            return settle_moved(self._repository, full, dry_run=dry_run, approve=approve)
        finally:
            if is_turned:
                self._repository.turn()

    def confirm(self, key: str) -> str:
        """Confirm a memory with the current wording of its foundations, and return the commit."""
        from gitmem.commands.settle import confirm

        return confirm(self._repository, key)

    def curate(self, verb: str, *, scope: str = PROJECT, days: int = 0, apply: bool = False) -> CurationPlan:
        """Find memories that ``decay``, are ``expired``, belong in the ``archive``, or whose ``refs`` are stale.

        With *apply*, change them in one commit.
        """
        from gitmem.commands.curate.age import DECAY, apply_plan, plan_of
        from gitmem.commands.curate.refs import REFS, repairable, stale_references

        store = self._repository.store_for(scope)
        unused = self._find_unused() if verb == DECAY and scope == PROJECT else {}
        plan = stale_references(store) if verb == REFS else plan_of(store, verb, days=days, unused=unused)
        plan = repairable(plan) if verb == REFS and apply else plan
        return apply_plan(store, plan) if apply and plan.steps else plan

    def contradictions(self, *, scope: str = PROJECT, apply: bool = False) -> tuple[ContradictionReport, str]:
        """Find memories that contradict each other; with *apply*, supersede those that evidence decides.

        Also return the commit; empty if nothing was written.
        """
        from gitmem.commands.curate.contradictions import as_duplicates, find_contradictions
        from gitmem.commands.curate.dedupe import apply_groups

        store = self._repository.store_for(scope)
        contradictions = find_contradictions(store)
        groups = as_duplicates(contradictions)
        report = apply_groups(store, groups, what="contradicted claim") if apply and groups.groups else None
        return contradictions, report.commit if report else ""

    def undo(self, *, scope: str = PROJECT, dry_run: bool = False) -> Undone:
        """Undo the last command that changed memories, by a new commit."""
        from gitmem.commands.undo import undo

        store = self._repository.store_for(scope)
        return undo(store, dry_run=dry_run)

    def dedupe(self, *, scope: str = PROJECT, threshold: float = 0.0, apply: bool = False) -> DuplicateReport:
        """Find groups of near duplicates in a store; with *apply*, supersede them in one commit."""
        from gitmem.commands.curate.dedupe import apply_groups, find_groups

        store = self._repository.store_for(scope)
        groups = find_groups(store, threshold=threshold, progress=self._repository.progress_of("comparing memories"))
        return apply_groups(store, groups) if apply and groups.groups else groups

    def merge_group(self, group: DuplicateGroup, *, scope: str = PROJECT) -> DuplicateReport:
        """Supersede the others of one group from ``dedupe`` in one commit; do nothing if one has changed since."""
        from gitmem.commands.curate.dedupe import DuplicateReport, apply_groups

        store = self._repository.store_for(scope)
        return apply_groups(store, DuplicateReport((group,), 0))
