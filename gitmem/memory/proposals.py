"""``memory.proposals``: changes of the memory that are reviewed before they reach the memory branch."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.commands.propose.listing import Proposal
    from gitmem.commands.propose.send import ProposalState
    from gitmem.commands.sync.companions import CompanionStep
    from gitmem.git.remotes import RemoteOptions
    from gitmem.memory.view import MemoryView
    from gitmem.repository.repository import OpenRepository


class Proposals:
    """The proposals of this clone and its remote."""

    def __init__(self, repository: OpenRepository, view: MemoryView) -> None:
        self._repository = repository
        self._view = view

    def send(
        self, name: str = "", *, talk: RemoteOptions | None = None, push: bool = True, accept_rewritten: bool = False
    ) -> ProposalState:
        """Move what was not pushed yet, and what follows, to a proposal (the current one without *name*); push it."""
        from gitmem.commands.propose.send import propose
        from gitmem.git.remotes import RemoteOptions

        self._settle_captures()
        done = propose(self._repository, name, talk or RemoteOptions(), push=push, accept_rewritten=accept_rewritten)
        self._follow_all()
        return done

    def list(self) -> Sequence[Proposal]:
        """Return the proposals here and at the remote, the current one first."""
        from gitmem.commands.propose.listing import list_proposals

        return list_proposals(self._repository)

    def switch(self, name: str, *, talk: RemoteOptions | None = None) -> str:
        """Write what follows to another proposal, or to the memory branch itself; return the branch."""
        from gitmem.commands.propose.begin import switch
        from gitmem.git.remotes import RemoteOptions

        self._settle_captures()
        branch = switch(self._repository, name, talk or RemoteOptions())
        self._follow_all()
        return branch

    def drop(
        self, name: str, *, talk: RemoteOptions | None = None, force: bool = False, remote: bool = False
    ) -> tuple[Proposal, Sequence[str]]:
        """Delete a proposal's branch; return the proposal, and the refs that keep its unmerged commits."""
        from gitmem.commands.propose.listing import drop
        from gitmem.git.remotes import RemoteOptions

        self._settle_captures()
        done = drop(self._repository, name, talk or RemoteOptions(), force=force, remote=remote)
        self._follow_all()
        return done

    def merge_branch(self, name: str, *, talk: RemoteOptions | None = None) -> str:
        """Merge the memory of a merged branch of the code, ``branch/NAME``, into this clone's; return the branch."""
        from gitmem.commands.propose.merged import merge_branch
        from gitmem.git.remotes import RemoteOptions

        self._settle_captures()
        code = merge_branch(self._repository, name, talk or RemoteOptions())
        self._follow_all()
        return code

    def branches(self) -> Sequence[str]:
        """Return the branches of the code that have a memory of their own which is not merged yet, sorted."""
        from gitmem.commands.propose.merged import list_branches

        return list_branches(self._repository)

    def end_branches(
        self, merged: Mapping[str, str], closed: Mapping[str, str], *, talk: RemoteOptions | None = None
    ) -> Sequence[CompanionStep]:
        """Merge the memory of merged branches, and drop that of closed ones from the remote; each with the reason."""
        from gitmem.commands.propose.merged import end_branches
        from gitmem.git.remotes import RemoteOptions

        self._settle_captures()
        done = end_branches(self._repository, merged, closed, talk or RemoteOptions())
        self._follow_all()
        return done

    def finish_move(self) -> None:
        """Finish moving commits to a proposal where a ``propose`` was killed."""
        from gitmem.commands.propose.begin import finish

        self._repository.notices += filter(None, [finish(self._repository)])

    def follow_memory(self, remote: str, talk: RemoteOptions) -> None:
        """Merge the memory branch into the current proposal, or leave the proposal once it was merged."""
        from gitmem.commands.propose.merged import follow

        notice = follow(self._repository, remote, talk)
        if notice:
            self._repository.notices.append(notice)
            self._follow_all()

    def _settle_captures(self) -> None:
        """Finish an interrupted move, and commit what was captured or saved in the view to the branch it is for."""
        self.finish_move()
        if self._repository.has_store():
            self._repository.writer()
            self._view.follow()

    def _follow_all(self) -> None:
        """Update index and view to the branch that is read now."""
        if self._repository.has_store():
            self._repository.catalog()
            self._view.follow()
