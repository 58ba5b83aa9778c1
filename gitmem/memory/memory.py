"""``Memory``: the Python API, an object that holds an opened repository and passes calls to the commands.

It has no logic of its own. Modules that only some commands need are imported by the methods that need them.
"""

from __future__ import annotations

import time

from gitmem.frozen import replace
from gitmem.memory.parts import MemoryParts
from gitmem.repository import OpenRepository
from gitmem.repository.open_repository import reads_companion
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableSequence, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Any, Self, Unpack

    from gitmem.commands.check.run import CheckResult
    from gitmem.commands.doctor.examine import Examination
    from gitmem.commands.report.page.model import Page
    from gitmem.commands.review.model import Review
    from gitmem.commands.sync.summary import SyncResult
    from gitmem.commands.time_travel.snapshot import Past
    from gitmem.commands.why import SearchStep, Why
    from gitmem.document.memory_fields import EditOptions, FactOptions, MemoryFields
    from gitmem.git.remotes import RemoteOptions
    from gitmem.git.repository import Repository
    from gitmem.memory.captures import Captures
    from gitmem.memory.jobs import Jobs
    from gitmem.memory.purges import Purges
    from gitmem.memory.tasks import Tasks
    from gitmem.plugins.board.api import Boards
    from gitmem.plugins.workflow.api import Workflow
    from gitmem.recall.by_syntax import Similar
    from gitmem.recall.query import Filters, Query, RecallResult
    from gitmem.results import Digest, LogEntry, MemoryDetails, StoreStatus
    from gitmem.store.init import InitResult
    from gitmem.verify.options import Options, VerifyRun, Watch
    from gitmem.verify.run.judge import Result
    from gitmem.write.place import Change

ALL_MEMORIES = 1_000_000  # the limit of a list that is complete by default


class Memory(MemoryParts):
    """The memory of one repository; use it as a context manager, or call ``close``.

    Attributes:
        repository: The opened repository: its stores, settings, catalog, git.
    """

    def __init__(
        self,
        start: Path | str = ".",
        *,
        agent: str = "",
        clock: Callable[[], float] = time.time,
        progress: Callable[[str, int, int], None] | None = None,
        follows: bool = True,
        fallback: Callable[[], Repository | None] = lambda: None,
    ) -> None:
        """Open the repository that holds a folder.

        Args:
            start: The folder.
            agent: The agent that is recorded as author if no setting names one.
            clock: Returns epoch seconds.
            progress: Called during long work with the step, its progress and its total.
            follows: Read and write the current proposal, if there is one.
            fallback: Returns the universal store's repository if no repository holds the folder; None for an error.

        Raises:
            NoRepositoryError: No repository holds the folder.
            ConfigError: A setting is wrong.
        """
        self.repository = OpenRepository(start, clock=clock, progress=progress, follows=follows, fallback=fallback)
        self.repository.agent = agent
        self.repository.load_captures = lambda: self.captures
        self._captures: Captures | None = None
        self._pasts: tuple[Past, ...] = ()

    def __enter__(self) -> Self:
        """Return the object itself; leaving the block closes it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close everything; delete an index, or a catalog of the past, that turned out to be damaged."""
        self.close()
        if self._pasts:
            from gitmem.commands.time_travel.catalogs import discard_damaged

            discard_damaged(value, self.repository.git)
        self.repository.__exit__(kind, value, trace)

    def close(self) -> None:
        """Close everything that was opened."""
        for past in self._pasts:
            past.close()
        self.repository.close()

    @property
    def notices(self) -> MutableSequence[str]:
        """Return messages for the user that are not errors."""
        return self.repository.notices

    @property
    def captures(self) -> Captures:
        """Return the captured texts that wait for their commit."""
        if self._captures is None:
            from gitmem.memory.captures import Captures

            self._captures = Captures(self.repository)
        return self._captures

    @property
    def tasks(self) -> Tasks:
        """Return the tasks."""
        from gitmem.memory.tasks import Tasks

        return Tasks(self)

    @property
    def jobs(self) -> Jobs:
        """Return the verify jobs."""
        from gitmem.memory.jobs import Jobs

        return Jobs(self)

    @property
    def boards(self) -> Boards:
        """Return the boards of runs."""
        from gitmem.plugins.board.api import Boards

        return Boards(self)

    @property
    def purges(self) -> Purges:
        """Return the purging of memories and secrets from the history."""
        from gitmem.memory.purges import Purges

        return Purges(self)

    @property
    def workflow(self) -> Workflow:
        """Return the steps of a workflow: before and after a piece of work, and its decisions."""
        from gitmem.plugins.workflow.api import Workflow

        return Workflow(self)

    def init(self, *, branch: str = "", offline: bool = False, profile: str = "") -> InitResult:
        """Start a store with a profile's policy, or join the remote's, on this branch or the one the remote names."""
        from gitmem.commands.init import init

        return init(self.repository, branch=branch, offline=offline, profile=profile)

    def remember(
        self,
        text: str,
        *,
        title: str = "",
        kind: str = "",
        key: str = "",
        collection: str = "",
        scope: str = "",
        in_tree: bool = False,
        force: bool = False,
        **fields: Unpack[MemoryFields],
    ) -> Change:
        """Write a memory.

        Args:
            text: What was learned.
            title: Its title; made from the text if empty.
            kind: Its kind, such as ``gotcha`` or ``decision``; if empty, the collection's, or ``learned``.
            key: Its key; made from the title if empty.
            collection: The collection that it must belong to; empty for any.
            scope: Who reads it: ``private``, ``project``, ``domain``, ``universal``; empty for its collection's scope.
            in_tree: Write a file in ``.memory/`` of the code, for you to commit.
            force: Write it even if another memory says the same.
            **fields: Further fields (``document.memory_fields.MemoryFields``): ``tags``, ``paths``, ``refs``,
                ``requires``, ``ttl``, ``importance``, …; ``more`` has fields of your own.

        Raises:
            UsageError: There is no such field.
            DuplicateError: Another memory already says the same.
            RefusedError: The text is not allowed in a memory: it contains a secret, hidden characters, …
        """
        from gitmem.commands.remember import WantedPlace
        from gitmem.document.memory_fields import MemoryFields, frontmatter_of
        from gitmem.memory.writes import remember
        from gitmem.write.new_memory import NewMemory

        new = NewMemory(text, frontmatter_of(fields, MemoryFields, what="Memory.remember"), title, kind, key)
        return remember(self.repository, new, WantedPlace(collection, scope, in_tree), force=force)

    def fact(
        self,
        title: str,
        *,
        verify: Any = None,
        scope: str = PROJECT,
        in_tree: bool = False,
        **options: Unpack[FactOptions],
    ) -> Change:
        """Write a fact with its check, and run the check now, unless its command still has to be approved.

        Args:
            title: The fact, in one sentence.
            verify: A check that runs something, as in the frontmatter: a shell command, or a program's arguments.
            scope: Who reads it.
            in_tree: Write a file in ``.memory/`` of the code, for you to commit.
            **options: A built-in check by name with its fields (``contains="RS256", within="src/**"``,
                ``value="package.json#engines.node", at_least="20"``, …; all are in docs/checks.md, with ``within`` for
                ``in``, ``equals`` for ``is`` and ``in_range`` for ``within``); ``body`` and ``key``; further fields, as
                for ``remember``; ``unproven``, ``approve``, ``tree``, ``force``.

        Raises:
            RefusedError: The check cannot fail, or does not hold now.
            UsageError: There is no such option, more than one check, or one of its fields is missing.
        """
        from gitmem.commands.remember import WantedPlace
        from gitmem.memory.writes import fact

        return fact(self.repository, title, verify, options, WantedPlace(scope=scope, in_tree=in_tree))

    def capture(
        self,
        text: str,
        *,
        title: str = "",
        kind: str = "learned",
        key: str = "",
        once: bool = False,
        **fields: Unpack[MemoryFields],
    ) -> str:
        """Save a text on disk within milliseconds and return the entry's name; a background process commits it."""
        from gitmem.document.memory_fields import MemoryFields, frontmatter_of
        from gitmem.write.new_memory import NewMemory

        new = NewMemory(text, frontmatter_of(fields, MemoryFields, what="Memory.capture"), title, kind, key)
        return self.captures.add(new, once=once)

    def edit(
        self,
        key: str,
        change: Callable[[str], str] | None = None,
        *,
        fields: Mapping[str, Any] | None = None,
        body: str | None = None,
        scope: str = "",
        **options: Unpack[EditOptions],
    ) -> Change:
        """Change a memory: its text with a function, or its fields and body; a changed check must hold now.

        Args:
            key: The memory.
            change: Returns the new text of the file; cannot be combined with *fields* and *body*.
            fields: New values; an empty one removes the field.
            body: The new body; None leaves it.
            scope: The scope that has it; empty to search all.
            **options: ``approve``: approve a changed command on behalf of its author; ``tree``: where to run a changed
                check, ``staged`` or ``dirty``; ``unproven``: do not run it; ``force``: write even if it is a
                duplicate; ``correction``: the new title means the same; ``judge``: run the check although only the
                words changed, and refuse them if it does not hold.

        Raises:
            UsageError: There is no such option.
        """
        from gitmem.commands.fact import Judging, edit_fields, edit_text
        from gitmem.document.memory_fields import EditOptions, frontmatter_of
        from gitmem.memory.duplicate_status import DuplicateStatus
        from gitmem.repository.companion import holder_to_change

        judging = Judging(**frontmatter_of(options, EditOptions, what="Memory.edit"))
        store, full_key = holder_to_change(self.repository, key, scope)
        with DuplicateStatus(store):
            if change is not None:
                return self.repository.with_notice(edit_text(store, full_key, change, judging))
            return self.repository.with_notice(edit_fields(store, full_key, fields or {}, body, judging))

    def forget(self, *keys: str, why: str = "", scope: str = "") -> Sequence[Change]:
        """Archive memories, so that they leave search; writes one commit for each store."""
        from gitmem.commands.forget import forget

        return forget(self.repository, keys, why=why, scope=scope)

    def restore(self, *keys: str, scope: str = "") -> Sequence[Change]:
        """Restore archived memories unchanged; writes one commit for each store."""
        from gitmem.commands.forget import restore

        return restore(self.repository, keys, scope=scope)

    def supersede(self, old: str, new: str, *, scope: str = "") -> Change:
        """Replace one memory by another of the same store."""
        from gitmem.commands.forget import supersede

        return supersede(self.repository, old, new, scope=scope)

    def promote(
        self, key: str, *, to: str = PROJECT, domains: Sequence[str] = (), name: str = "", scope: str = ""
    ) -> Change:
        """Copy a memory to a wider scope, and archive the original."""
        from gitmem.commands.promote import promote

        return promote(self.repository, key, to=to, domains=domains, name=name, scope=scope)

    @reads_companion
    def recall(self, query: str | Query = "", **filters: Unpack[Filters]) -> RecallResult:
        """Rank the memories of all scopes against a query; without one, return the newest.

        Args:
            query: Words; or a ``Query`` with all filters, and then no further arguments.
            **filters: ``limit``: how many hits at most, >= 1 (10); only these ``kinds``, ``statuses``, ``scopes`` or
                ``collections`` (empty: all, or the collections that are searched by default); only memories with all
                of these ``tags``, or about one of these ``paths``; ``strict``: leave out failed, suspect, stale and
                unproven memories.

        Raises:
            UsageError: There is no such filter.
        """
        from gitmem.commands.recall import recall
        from gitmem.recall.query import query_of

        question = query_of(query, filters)
        repository, question = self.repository, replace(question, here=self.repository.here)
        if question.collections:
            from gitmem.memory.sources import with_sources

            question = with_sources(self, question)
        policy = repository.policy()
        if question.work or (repository.config.recall_work or policy.recall.work) == "always":
            from gitmem.commands.context.working_on import at_work

            question = at_work(repository, question)
        return recall(repository, question, policy)

    @reads_companion
    def similar(self, key: str, *, limit: int = 10, query: Query | None = None) -> Similar:
        """Return the memories that are most similar to one; *query* filters them."""
        from gitmem.commands.recall.engines import similar
        from gitmem.recall.query import query_of

        return similar(self.repository, key, query or query_of("", {"limit": limit}))

    @reads_companion
    def list(self, query: Query | None = None, **filters: Unpack[Filters]) -> RecallResult:
        """Return memories that pass the filters of ``recall``, newest first, with their tags and without their text."""
        from gitmem.commands.recall import list_memories
        from gitmem.memory.sources import with_sources
        from gitmem.recall.query import query_of

        question = with_sources(self, query or query_of("", {"limit": ALL_MEMORIES, **filters}))
        return list_memories(self.repository, question)

    @reads_companion
    def show(self, key: str, *, scope: str = "", store: str = "") -> MemoryDetails:
        """Return one memory with its verdict, and count the access; ``NAME:KEY`` is one of a listed store."""
        if store or ":" in key:
            return self.stores.show(key, store)
        from gitmem.commands.show import show_of
        from gitmem.results import MemoryDetails

        return MemoryDetails.of(show_of(self.repository, key, scope))

    @reads_companion
    def log(self, key: str = "", *, limit: int = 20, scope: str = "") -> Sequence[LogEntry]:
        """Return the history of one memory and its verdicts, or of the project's store, newest first."""
        from gitmem.commands.log import log_of
        from gitmem.results import LogEntry

        return [LogEntry.of(row) for row in log_of(self.repository, key, limit=limit, scope=scope)]

    def at(self, rev: str) -> Past:
        """Return the project's memory as it was at a revision of the code."""
        from gitmem.commands.time_travel.snapshot import Past

        past = Past(self.repository, rev, progress=self.repository.progress_of("reading memories"))
        self._pasts = (*self._pasts, past)
        return past

    @reads_companion
    def context(
        self,
        paths: Sequence[str] = (),
        *,
        budget_tokens: int = 0,
        kinds: Sequence[str] | None = None,
        is_brief: bool = False,
    ) -> Digest:
        """Return the digest for a session.

        Args:
            paths: What the reader works on; empty for the files that changed.
            budget_tokens: The limit in tokens; 0 for the store's setting.
            kinds: The kinds to read, besides critical memories; empty for all, None for those of the setting's role.
            is_brief: Show the newest few memories instead of recent work, as at the start of a session.
        """
        from gitmem.commands.context.digest import DigestRequest
        from gitmem.commands.context.working_on import context
        from gitmem.results import Digest

        request = DigestRequest(paths, budget_tokens, kinds, is_brief)
        jobs, vectors_of = self.jobs, self.vectors.question
        digest = context(self.repository, request, jobs=jobs.notes, verified=jobs.last_verified, vectors_of=vectors_of)
        return Digest.of(digest)

    @reads_companion
    def status(self, *, scope: str = "") -> StoreStatus:
        """Return counts by kind and status, the age of the index, the last verify job, and what needs attention."""
        from gitmem.commands.status import status_of
        from gitmem.results import StoreStatus

        return StoreStatus.of(status_of(self.repository, scope, jobs=self.jobs.summary, view=self.view.state))

    @reads_companion
    def verify(
        self,
        *keys: str,
        options: Options | None = None,
        report: Callable[[Result, int, int], None] = lambda *_: None,
        waiting: Callable[[str], None] = lambda _: None,
        watch: Watch | None = None,
        is_scheduled: bool = False,
    ) -> VerifyRun:
        """Verify these facts, or all that are due, and record the verdicts; one job of a repository at a time.

        Args:
            *keys: The facts, or beginnings of their keys; none for all that are due.
            options: How to verify; None for the defaults.
            report: Called with each result, and the numbers of results so far and in all.
            waiting: Called if another job has to end first.
            watch: Called while checks run.
            is_scheduled: Whether a schedule started the job, not a person.

        Raises:
            BusyError: Another job is still running.
        """
        from gitmem.commands.verify import verify
        from gitmem.verify.options import Options

        options = options or Options()
        unfetched = self.jobs.fetch() if options.fetches() and not is_scheduled else ""
        options = replace(options, keys=tuple(self.repository.need(keys))) if keys else options
        run = verify(self.repository, options, report=report, waiting=waiting, watch=watch, is_scheduled=is_scheduled)
        return replace(run, unfetched=unfetched)

    @reads_companion
    def why(
        self,
        key: str,
        *,
        options: Options | None = None,
        scope: str = "",
        with_diff: bool = False,
        report: Callable[[SearchStep], None] = lambda _: None,
    ) -> Why:
        """Find the commit that broke a fact, with the fact's own check, and record it in the fact's verdict.

        Args:
            key: The fact, or the beginning of its key.
            scope: The scope that has it; empty to search all.
            options: How to run checks, and where to record the verdict; uses ``approved``, ``no_sandbox``, ``record``.
            with_diff: Also return how the culprit changed the inputs.
            report: Called with each run of the check.
        """
        from gitmem.commands.why import why
        from gitmem.verify.options import Options

        return why(self.repository, key, options or Options(), scope=scope, with_diff=with_diff, report=report)

    def check(
        self,
        *,
        base: str = "",
        head: str = "",
        staged: bool = False,
        options: Options | None = None,
        progress: Callable[[str, int, int], None] = lambda *_: None,
    ) -> CheckResult:
        """Find the facts that a change breaks, by running the affected checks before and after it; writes nothing.

        Args:
            base: The revision before the change; empty for the default branch.
            head: The revision after it; empty for HEAD.
            staged: Compare the staged changes with HEAD instead.
            options: Which facts to check, and how; None for the defaults.
            progress: Called with each fact whose command has run.
        """
        from gitmem.memory.reviews import check_change

        return check_change(self, base=base, head=head, staged=staged, options=options, progress=progress)

    def review(self, typed: str = "", *, code: str = "", approved: str = "") -> Review:
        """Describe the effects of a change to the memory branch; runs nothing and writes nothing.

        Args:
            typed: ``A..B``, ``A...B``, ``A`` (up to the memory branch's tip), or empty for commits not yet synced.
            code: The commit of the code for which statuses are computed; empty for HEAD.
            approved: A reviewed list of commands, read from the default branch.
        """
        from gitmem.memory.reviews import review

        return review(self.repository, typed, code=code, approved=approved)

    def sync(
        self,
        remote: str = "",
        *,
        talk: RemoteOptions | None = None,
        push: bool = True,
        dry_run: bool = False,
        accept_rewritten: bool = False,
        instead: str = "",
    ) -> SyncResult:
        """Merge the memories of this clone (including captured ones) and of a remote, and push the result."""
        from gitmem.commands.sync.sync import SyncSteps
        from gitmem.memory.sync import sync

        return sync(self, remote, talk, SyncSteps(push, dry_run, accept_rewritten, instead))

    def report(self, *, scope: str = "") -> Page:
        """Return the content of the page of ``gitmem report``, for the project's memories or those of a scope."""
        from gitmem.commands.report.page.gather import gather_now

        return gather_now(self.repository, status=self.status(scope=scope).document, scope=scope or PROJECT)

    def doctor(self, *, fix: bool = False, delete: Sequence[str] = ()) -> Examination:
        """Find problems of the store; with *fix*, repair those that can be repaired without loss."""
        from gitmem.memory.reviews import examine

        return examine(self, fix=fix, delete=delete)
