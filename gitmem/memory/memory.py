"""``Memory``: one object whose methods are the commands. It wires what is below and holds no logic of its own.

Modules that only some commands need are imported by the method that needs them: this, ``repository`` and the command
line are the places for lazy imports.
"""

from __future__ import annotations

import os

from gitmem.frozen import replace
from gitmem.memory.workflow import Flows
from gitmem.store.scope import PROJECT
from gitmem.store.spool import counts, waiting_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.agents.session.active import Sessions
    from gitmem.commands.capture.commits import Learnt
    from gitmem.commands.doctor.examine import Examined
    from gitmem.commands.forge.issue import Failing
    from gitmem.commands.report.page.model import Page
    from gitmem.index.catalog.catalog import Catalog
    from gitmem.recall.by_syntax import Similar
    from gitmem.recall.query import Asked, Found
    from gitmem.repository.proving_store import ProvingStore
    from gitmem.store.init import Started
    from gitmem.tasks.listing import Row
    from gitmem.tasks.task import Task
    from gitmem.tasks.tree import Node
    from gitmem.verify.session import Options, Session
    from gitmem.write.writer import Change, Writer


class Memory(Flows):
    """The memory of one repository: every command is a method.

    It is an opened store with commands: the one place besides errors where a class inherits, so that operations can
    take the store without knowing the commands.
    """

    # The catalog that shows the spool too, while something waits there.
    _shown: Catalog | None = None
    _shown_state: tuple[str, ...] = ()
    _is_judging = False

    @property
    def sessions(self) -> Sessions:
        """Return the sessions of agents here: their topics, and what they were shown."""
        from gitmem.agents.session.active import Sessions

        return Sessions(self)

    def close(self) -> None:
        """Close the catalog and the local state."""
        if self._shown is not None:
            self._shown.close()
            self._shown = None
        super().close()

    def catalog(self, tip: str | None = None) -> Catalog:
        """Return the catalog at the store's tip, and with what is spooled in it; without where a tip is named."""
        base = super().catalog(tip)
        waiting = () if tip is not None or self._is_judging else waiting_in(self.git.repository.state)
        if not waiting:
            return base
        state = (base.meta("commit"), base.meta("tree"), *waiting)
        if self._shown is None or self._shown_state != state:
            from gitmem.commands.capture.drain import overlaid

            fresh = overlaid(self, super().writer(), base)
            if self._shown is None:
                self._shown = fresh
            else:
                self._shown.become(fresh)  # a command that holds the one before goes on with this one
            self._shown_state = state
        return self._shown

    def session(self, options: Options | None = None) -> Session:
        """Return a verify session for HEAD; it writes verdicts, so it sees only the branch (no fact is spooled)."""
        self._is_judging = True
        try:
            return super().session(options)
        finally:
            self._is_judging = False

    def writer(self) -> Writer:
        """Return a writer to this store, on a branch that has everything that was captured before."""
        if waiting_in(self.git.repository.state):
            self.drain()
        return super().writer()

    def capture(
        self, text: str, *, title: str = "", kind: str = "learned", key: str = "", once: bool = False, **options: Any
    ) -> str:
        """Keep a text that will be a memory, in milliseconds, and return the entry's name; a commit follows behind."""
        from gitmem.commands.capture.keep import keep

        name = keep(self, text, title=title, kind=kind, key=key, once=once, options=options)
        self.leave("spool")
        return name

    def learn_from(self, commits: Sequence[str]) -> Learnt:
        """Capture what the messages of commits say was learnt."""
        from gitmem.commands.capture.commits import learn_from

        learnt = learn_from(self, commits)
        if learnt.kept:
            self.leave("spool")
        return learnt

    def refused_of(self, message: str) -> list[str]:
        """Return why what a message says was learnt may not be in any history, a line each; nothing is kept."""
        from gitmem.commands.capture.commits import refused_of

        return refused_of(self, message)

    def drain(self) -> int:
        """Turn everything that was captured into commits, and return how many entries that were."""
        from gitmem.commands.capture.drain import drain

        return drain(self, super().writer()) if waiting_in(self.git.repository.state) else 0

    def leave(self, what: str) -> None:
        """Leave a work to a process behind this one (a row of ``cli.background``'s table)."""
        from gitmem.store import background

        repository = self.git.repository
        background.start(repository.state, repository.top or repository.git, what)

    def recall(self, asked: Asked) -> Found:
        """Rank memories against a question, those of all scopes together; the newest where there is none."""
        asked, stores = replace(asked, here=self.here), self.asked_stores(asked)
        if asked.work or (self.config.recall_work or self.policy().recall.work) == "always":
            from gitmem.commands.context.working_on import at_work

            asked = at_work(self, asked)
        if stores != [self] and not asked.syntax:
            return self.recall_among(stores, asked)
        from gitmem.commands.recall import recall

        if stores != [self]:
            self.notices.append("the query language looks into the project's memories only")
        return recall(self, asked, self._told("indexing memories"))

    def similar(self, key: str, asked: Asked) -> Similar:
        """Return the memories that are about the same as one."""
        from gitmem.commands.recall import similar

        return similar(self, key, asked, self._told("indexing memories"))

    def statistics(self) -> dict[str, object]:
        """Return counts of what the project's store holds (A7), and how many memories the other scopes have."""
        from gitmem.recall.listing import statistics

        catalog = self.catalog()
        with catalog.reading():
            found = statistics(catalog, now=self.now)
        return found | {"scopes": self.other_scopes()}

    def show(self, key: str, *, scope: str = "", store: str = "") -> dict[str, Any]:
        """Return one memory with its verdict, and count the access; ``NAME:KEY`` is one of a listed store."""
        if store or ":" in key:
            return self.show_listed(key, store)
        from gitmem.commands.show import show

        holder, full_key = self.holder(key, scope)
        catalog = holder.catalog()
        ground = holder.ground(catalog)
        with catalog.reading():
            found = show(catalog, holder.git, holder.local, ground, full_key, now=self.now)
        return found | {"scope": self.scope_of(holder, full_key)}

    def list(self, asked: Asked) -> Found:
        """Return memories that pass the filters, the newest first, with their tags and without their text."""
        stores = self.asked_stores(asked)
        if stores != [self]:
            from gitmem.recall import many_stores

            sources = self.sources(stores)
            with many_stores.OneState(sources):
                return many_stores.list_memories(sources, asked, now=self.now)
        from gitmem.recall.listing import list_memories

        catalog = self.catalog()
        ground = self.ground(catalog)
        with catalog.reading():
            return list_memories(catalog, ground, asked, now=self.now)

    def log(self, key: str, *, limit: int, scope: str = "") -> Sequence[dict[str, Any]]:
        """Return the history of one memory and of its verdicts, the newest first."""
        from gitmem.commands.show import log

        store, full_key = self.holder(key, scope)
        code = self.git.read_head()[1] if store.is_in_tree else None
        tip = store.source()[0]
        return log(store.git, tip, full_key, limit=limit, notices=self.notices, code=code or "")

    def context(self, *, paths: Sequence[str], budget_tokens: int, kinds: Sequence[str] = ()) -> dict[str, Any]:
        """Return the digest for a session; of what is relevant, these kinds first."""
        from gitmem.commands.context.working_on import context

        return context(self, paths, budget_tokens, kinds, jobs=self.notes_on_jobs, verified=self.last_verified)

    def status(self, *, scope: str = "") -> dict[str, Any]:
        """Return counts by kind and status, the index's and the last verify run's age, and what waits."""
        from gitmem.commands.status import status

        found = self.stores((scope,) if scope else (PROJECT,))
        store: ProvingStore = found[0] if found else self
        waiting, catalog, tip = store.waiting_keys(), store.catalog(), store.source()[0]
        ground = store.ground(catalog)
        ref = store.ref if store.git.read_ref(store.ref) or not store.store.proposal else store.store.upstream
        with catalog.reading():
            told = status(catalog, store.git, ground, store.local, ref=ref, tip=tip, now=self.now, waiting=waiting)
            told["jobs"] = self.jobs(catalog, ground, tip)
        told |= {"spool": counts(self.git.repository.state), "view": self.view_standing()}
        told |= {"scope": scope or PROJECT, "scopes": self.other_scopes()}
        return told | {"proposal": store.store.proposal}

    def metrics(self, *, repository: str = "") -> str:
        """Return how the memory stands as OpenMetrics text; *repository* is its folder's name where none is given."""
        from gitmem.commands.report import metrics

        found, catalog = self.status(), self.catalog()
        counts = self.metric_counts(catalog, self.ground(catalog), found)
        return metrics.format_metrics(
            list(metrics.families(found, counts)), repository=repository or self.git.repository.name
        )

    def failing(self) -> Failing:
        """Return what fails and is suspect now, as an issue on a forge lists it (gitmem.commands.forge.issue)."""
        from gitmem.commands.forge.issue import Failing

        found = self.status()
        return Failing(found["failed"], found["suspect"])

    def report(self, *, scope: str = "") -> Page:
        """Return what the page of ``gitmem report`` shows: the project's memories, or those of the scope named."""
        from gitmem.commands.report.page.gather import gather_now

        return gather_now(self, status=self.status(scope=scope), scope=scope or PROJECT)

    def doctor(self, *, fix: bool, delete: Sequence[str] = ()) -> Examined:
        """Say whether the store is well formed, and repair what can be repaired without losing anything."""
        from gitmem.commands.doctor.examine import added, examine, is_own
        from gitmem.commands.install import ci, git_hooks
        from gitmem.commands.install import examine as standing
        from gitmem.commands.view.view import examine as examine_view

        found = examine(self, fix=fix, delete=delete, replaced_hooks=git_hooks.missing(self.git))
        found = added(found, [*standing.examine(self.git), *ci.examine(self)], ())
        return added(found, *examine_view(self, self.merge_found, fix=fix and is_own(found)))

    def refresh_index(self, *, rebuild: bool, engine: str = "") -> dict[str, Any]:
        """Bring the index up to date, or make it from nothing; with Whoosh's where it is there, chosen or named."""
        from gitmem.index.catalog import schema

        if rebuild:
            self.close()
            schema.discard(os.path.join(self.folder(self.tree()), schema.FILE_NAME))
        before = self._clock()
        catalog = self.catalog()
        count = catalog.row("SELECT count(*) FROM memory WHERE shadowed = 0")[0]
        self.refresh_whoosh(named=engine == "whoosh", rebuild=rebuild)
        return {"commit": catalog.meta("commit"), "memories": count, "seconds": round(self._clock() - before, 3)}

    def refresh_whoosh(self, *, named: bool = False, rebuild: bool = False) -> None:
        """Bring the Whoosh index up to date where it is there, chosen by the settings, or named."""
        from gitmem.commands.recall import refresh_whoosh

        refresh_whoosh(self, self._told("indexing memories"), named=named, rebuild=rebuild)

    def init(self, *, branch: str = "", offline: bool = False) -> Started:
        """Start the store, or join the remote's: on a branch that is named, or the one that the remote names."""
        from gitmem.store.init import chosen, keep, start

        named = chosen(self.git, self.config, branch)
        done = start(
            self.git,
            named or self.config.branch,
            self.config.remote,
            offline=offline,
            now=self.now,
            lock_timeout_s=self.config.lock_timeout_s,
            notices=self.notices,
            elsewhere=not named,
            former=self.config.branch if named != self.config.branch else "",
        )
        if branch or done.branch != self.config.branch:
            keep(self.git, done.branch, self.notices)
            self.config = replace(self.config, branch=done.branch)
            self.turn()
        self.accept()
        return done

    def add_task(self, title: str, *, approve: bool = False, **options: Any) -> Change:
        """Write a task: a memory that should become true; its check, the gate for closing it, need not hold yet."""
        from gitmem.commands.fact import approve_gate
        from gitmem.commands.task import add

        return add(self, title, check=lambda document: approve_gate(self, document, approve=approve), **options)

    def claim_task(self, key: str, *, note: str = "") -> tuple[Change, Task]:
        """Start an attempt at a task; returns the task as it was before, with its attempts, as well."""
        from gitmem.commands.task import claim

        return claim(self, self.full_key(key), note=note)

    def close_task(self, key: str, *, reason: str = "", force: bool = False) -> Change:
        """Close a task whose gate is passed."""
        from gitmem.commands.fact import pass_gate
        from gitmem.commands.task import close

        return close(
            self, self.full_key(key), reason=reason, force=force, gate=lambda document: pass_gate(self, document)
        )

    def fail_task(self, key: str, *, note: str) -> Change:
        """End the attempt at a task as failed; the task is open again."""
        from gitmem.commands.task import fail

        return fail(self, self.full_key(key), note=note)

    def release_task(self, key: str, *, note: str = "", force: bool = False) -> Change:
        """Give a task back that one does not go on with."""
        from gitmem.commands.task import release

        return release(self, self.full_key(key), note=note, force=force)

    def list_tasks(
        self, *, states: Sequence[str] = (), parent: str = "", mine: bool = False, everything: bool = False
    ) -> Sequence[Row]:
        """Return tasks by priority, then age, with what they wait for; without states, those that are not closed."""
        from gitmem.tasks.listing import Wanted, list_tasks, worker_of

        key, catalog = self.full_key(parent) if parent else "", self.catalog()
        ground = self.ground(catalog)
        with catalog.reading():
            wanted = Wanted(tuple(states), key, worker_of(self.git, self.config.agent) if mine else None, everything)
            return list_tasks(catalog, ground, wanted)

    def ready_tasks(self) -> Sequence[Row]:
        """Return the tasks that can be begun, the most urgent and oldest first."""
        from gitmem.tasks.listing import ready

        catalog = self.catalog()
        ground = self.ground(catalog)
        with catalog.reading():
            return ready(catalog, ground)

    def task_tree(self, key: str = "", *, everything: bool = False) -> Sequence[Node]:
        """Return how the tasks hang together: all of them, or what lies below one."""
        from gitmem.tasks.tree import read_tree

        root, catalog = self.full_key(key) if key else "", self.catalog()
        ground = self.ground(catalog)
        with catalog.reading():
            return read_tree(catalog, ground, root=root, everything=everything or bool(root))

    def show_task(self, key: str) -> tuple[dict[str, Any], Task, Sequence[str]]:
        """Return one memory as ``show`` does, the task that it is, and what that waits for."""
        from gitmem.tasks.listing import waits_of
        from gitmem.tasks.task import task_shown

        found = self.show(key)
        task = task_shown(found["key"], found["kind"], found["frontmatter"])
        catalog = self.catalog()
        return found, task, waits_of(catalog, self.ground(catalog), task.key)
