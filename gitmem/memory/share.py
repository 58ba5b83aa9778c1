"""The commands about many memories at once, other repositories' stores and proposals: ``Memory`` that exchanges."""

from __future__ import annotations

from gitmem.memory.vectors import Embeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO, Any

    from gitmem.commands.import_.run import Imported, Sources
    from gitmem.commands.propose.listing import Proposal
    from gitmem.commands.propose.send import Proposed
    from gitmem.commands.stores import Looked
    from gitmem.commands.sync.summary import Synced
    from gitmem.git.remotes import Talk
    from gitmem.recall.query import Asked, Found
    from gitmem.repository.opened_store import OpenedStore
    from gitmem.store.listed_repositories import Entry
    from gitmem.verify.session import Run
    from gitmem.write.queue import Queue


class Exchanged(Embeds):
    """An opened store with the commands about many memories at once, and about other repositories' stores."""

    def batch(self) -> Queue:
        """Return a queue, a context in which many memories share one commit."""
        from gitmem.commands.remember import queue

        return queue(self)

    def import_files(self, asked: Sources, *, stdin: IO[bytes] | None = None) -> Imported:
        """Write the memories of files and folders in one commit, and bring the catalog along."""
        from gitmem.commands.import_.run import import_files

        return import_files(self, asked, stdin=stdin, told=self._told)

    def export(self, asked: Asked, *, folder: str = "") -> Iterator[str]:
        """Return memories as JSONL, a line each; with a folder, write them there as Markdown and return their paths."""
        from gitmem.commands.export import export

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
        from gitmem.commands.recall import Meant
        from gitmem.recall import many_stores

        policy, sources = self.policy(), self.sources(stores)
        if self in stores[:1]:  # the project comes first
            self.note_policy(sources[0].catalog)
        looked_into = [(store, source.catalog) for store, source in zip(stores, sources, strict=True)]
        with Meant(self, asked, looked_into) as meaning, many_stores.OneState(sources):
            return many_stores.recall(sources, asked, policy=policy, config=self.config, now=self.now, meaning=meaning)

    def list_stores(self) -> list[Looked]:
        """Return the stores of other repositories that are listed here, with what they have or what is wrong."""
        from gitmem.commands.stores import look

        return look(self)

    def add_store(self, typed: str, *, everywhere: bool = False) -> tuple[Looked, bool]:
        """List another repository, by ``PATH`` or ``NAME=PATH``; tells whether it was not listed before."""
        from gitmem.commands.stores import add

        return add(self, typed, everywhere=everywhere)

    def remove_store(self, typed: str, *, everywhere: bool = False) -> Entry:
        """Take a store off the list, by its name or folder."""
        from gitmem.commands.stores import remove

        return remove(self, typed, everywhere=everywhere)

    def accept(self) -> None:
        """Have hooks of the person's own settings show the memories of this clone."""
        from gitmem.store.acceptance import accept

        if not accept(self.git.repository.state):
            self.notices.append(
                "that you accept this clone could not be recorded: hooks of your own settings show nothing"
            )

    def sync(
        self,
        remote: str = "",
        *,
        talk: Talk | None = None,
        push: bool = True,
        dry_run: bool = False,
        accept_rewritten: bool = False,
        instead: str = "",
    ) -> Synced:
        """Bring this clone's memory and a remote's together, what was captured too, and the catalog along."""
        from gitmem.commands.sync.sync import sync
        from gitmem.git.remotes import Talk

        if not dry_run:
            self.writer()  # what was captured goes along: the branch that it is for has all of it
            self.finish_move()
        talk = talk or Talk()
        how = {"push": push, "dry_run": dry_run, "accept_rewritten": accept_rewritten}
        done = sync(self, remote, talk, **how, instead=instead)
        if not dry_run:
            self.follow_memory(done.remote, talk)
        if done.merged != "nothing" and not dry_run:
            self.catalog()
        return done

    def scheduled_verify(self) -> Run | None:
        """Judge what is due with nobody there, and share it where this clone was synced before; None where one runs.

        Raises:
            GitmemError: Something failed; where the remote cannot be reached, all else was done.
        """
        from gitmem.errors import BusyError, GitmemError
        from gitmem.verify.session import Options

        if self.store.proposal:  # what this machine judges unasked is what the memory branch says
            with type(self)(self.here[0], clock=self._clock, progress=self._progress, follows=False) as memory:
                run = memory.scheduled_verify()
                self.notices += memory.notices
            return run
        is_shared = self.git.read_ref(f"refs/gitmem/seen/{self.config.remote}/{self.config.branch}") is not None
        try:
            if is_shared:
                self.sync()
        except GitmemError:
            pass  # what is here can be judged without it, and the second time says why
        try:
            run = self.verify(Options(if_idle=True), told=lambda *_: None, is_scheduled=True)
        except BusyError:
            return None
        if is_shared:
            self.sync()
        return run

    def propose(
        self, name: str = "", *, talk: Talk | None = None, push: bool = True, accept_rewritten: bool = False
    ) -> Proposed:
        """Put what is not sent yet, and what follows, on a proposal, or take the current one; and push it."""
        from gitmem.commands.propose.send import propose
        from gitmem.git.remotes import Talk

        self._settle_captures()
        done = propose(self, name, talk or Talk(), push=push, accept_rewritten=accept_rewritten)
        self._follow_all()
        return done

    def list_proposals(self) -> list[Proposal]:
        """Return the proposals here and at the remote, the current one first."""
        from gitmem.commands.propose.listing import list_proposals

        return list_proposals(self)

    def switch_proposal(self, name: str, *, talk: Talk | None = None) -> str:
        """Let what follows go to another proposal, or to memory itself; return the branch."""
        from gitmem.commands.propose.begin import switch
        from gitmem.git.remotes import Talk

        self._settle_captures()
        branch = switch(self, name, talk or Talk())
        self._follow_all()
        return branch

    def drop_proposal(
        self, name: str, *, talk: Talk | None = None, force: bool = False, remote: bool = False
    ) -> tuple[Proposal, list[str]]:
        """Delete a proposal's branch; return what it was, and the refs that keep what nobody merged."""
        from gitmem.commands.propose.listing import drop
        from gitmem.git.remotes import Talk

        self._settle_captures()
        done = drop(self, name, talk or Talk(), force=force, remote=remote)
        self._follow_all()
        return done

    def finish_move(self) -> None:
        """Finish a ``propose`` that was killed while commits moved to the proposal."""
        from gitmem.commands.propose.begin import finish

        self.notices += filter(None, [finish(self)])

    def follow_memory(self, remote: str, talk: Talk) -> None:
        """Bring the current proposal along behind the memory branch, or leave it where it was merged."""
        from gitmem.commands.propose.merged import follow

        told = follow(self, remote, talk)
        if told:
            self.notices.append(told)
            self._follow_all()

    def _settle_captures(self) -> None:
        """Finish what was cut short; what was captured, and committed in the view, goes where that was done."""
        self.finish_move()
        if self.has_store():
            self.writer()  # it is for a branch that has everything that was captured before
            self.follow_view()

    def _follow_all(self) -> None:
        """Bring index and view to the branch that is read now."""
        if self.has_store():
            self.catalog()
            self.follow_view()

    def show_listed(self, key: str, store: str = "") -> dict[str, Any]:
        """Return one memory of a listed store."""
        from gitmem.commands.stores import show_listed

        return show_listed(self, key, store)

    def listed_status(self, store: str) -> dict[str, Any]:
        """Return how a listed store stands."""
        from gitmem.commands.stores import status_of

        return status_of(self, store)
