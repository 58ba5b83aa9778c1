"""``memory.proposals``: changes to the memory that are reviewed before they reach the memory branch."""

from __future__ import annotations

from contextlib import contextmanager

from gitmem.git.remotes import RemoteOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitmem.commands.propose.proposals import Proposal
    from gitmem.commands.propose.send import ProposalState
    from gitmem.commands.sync.summary import CompanionStep
    from gitmem.memory.view import MemoryView
    from gitmem.repository import OpenRepository


class Proposals:
    """The proposals of this clone and its remote."""

    def __init__(self, repository: OpenRepository, view: MemoryView) -> None:
        self._repository = repository
        self._view = view

    def send(
        self, name: str = "", *, talk: RemoteOptions | None = None, push: bool = True, accept_rewritten: bool = False
    ) -> ProposalState:
        """Move unpushed commits to a proposal (by default the current one), write there from now on, and push it."""
        from gitmem.commands.propose.send import propose

        with self._branch_change():
            return propose(
                self._repository, name, talk or RemoteOptions(), push=push, accept_rewritten=accept_rewritten
            )

    def list(self) -> Sequence[Proposal]:
        """Return the proposals of this clone and the remote, current one first."""
        from gitmem.commands.propose.proposals import list_proposals

        return list_proposals(self._repository)

    def switch(self, name: str, *, talk: RemoteOptions | None = None) -> str:
        """Write future changes to another proposal, or to the memory branch itself; return the branch."""
        from gitmem.commands.propose.begin import switch

        with self._branch_change():
            return switch(self._repository, name, talk or RemoteOptions())

    def drop(
        self, name: str, *, talk: RemoteOptions | None = None, force: bool = False, remote: bool = False
    ) -> tuple[Proposal, Sequence[str]]:
        """Delete a proposal's branch; return the proposal, and the refs that preserve its unmerged commits."""
        from gitmem.commands.propose.proposals import drop

        with self._branch_change():
            return drop(self._repository, name, talk or RemoteOptions(), force=force, remote=remote)

    def merge_branch(self, name: str, *, talk: RemoteOptions | None = None) -> str:
        """Merge the companion ``branch/NAME`` of a merged code branch into this clone's memory; return the branch."""
        from gitmem.commands.propose.merge import merge_branch

        with self._branch_change():
            return merge_branch(self._repository, name, talk or RemoteOptions())

    def branches(self) -> Sequence[str]:
        """Return the code branches that have an unmerged memory of their own, sorted."""
        from gitmem.commands.propose.merge import list_branches

        return list_branches(self._repository)

    def end_branches(
        self, merged: Mapping[str, str], closed: Mapping[str, str], *, talk: RemoteOptions | None = None
    ) -> Sequence[CompanionStep]:
        """Merge the memories of merged branches, and delete those of closed ones from the remote; return each step."""
        from gitmem.commands.propose.merge import end_branches

        with self._branch_change():
            return end_branches(self._repository, merged, closed, talk or RemoteOptions())

    def finish_move(self) -> None:
        """Finish moving commits to a proposal after a ``propose`` was killed."""
        from gitmem.commands.propose.begin import finish

        self._repository.notices += filter(None, [finish(self._repository)])

    def follow_memory(self, remote: str, talk: RemoteOptions) -> None:
        """Merge the memory branch into the current proposal, or leave the proposal if it has been merged."""
        from gitmem.commands.propose.merge import follow

        notice = follow(self._repository, remote, talk)
        if notice:
            self._repository.notices.append(notice)
            self._follow_all()

    @contextmanager
    def _branch_change(self) -> Iterator[None]:
        """Commit captures and saved changes of the view to their branch, then bring index and view to the current one.

        A move that was interrupted is finished first.
        """
        self.finish_move()
        if self._repository.has_store():
            self._repository.writer()
            self._view.follow()
        yield
        self._follow_all()

    def _follow_all(self) -> None:
        """Update index and view to the current branch."""
        if self._repository.has_store():
            self._repository.catalog()
            self._view.follow()
