"""The loop of ``gitmem propose --list`` and ``gitmem review``: the changes of each proposal, and its target."""

from __future__ import annotations

from gitmem.cli.browse.loop import Choice, Loop, ask_yes, need_yes
from gitmem.cli.output import Output
from gitmem.cli.propose import describe_changes
from gitmem.cli.review import print_review
from gitmem.errors import NotFoundError
from gitmem.git.remotes import RemoteOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.propose.proposals import Proposal
    from gitmem.memory import Memory

# Programs cannot ask for a password while this program uses the screen.
SILENT = RemoteOptions(interactive=False)


def gather(memory: Memory) -> Sequence[str]:
    """Return the names of the unmerged proposals, current one first."""
    return [proposal.name for proposal in memory.proposals.list() if not proposal.merged]


def get_proposal(memory: Memory, name: str) -> Proposal:
    """Return the present state of a proposal.

    Raises:
        NotFoundError: It no longer exists.
    """
    proposal = next((proposal for proposal in memory.proposals.list() if proposal.name == name), None)
    if proposal is None:
        raise NotFoundError(f"there is no proposal {name} any more")
    return proposal


def draw(memory: Memory, name: str, out: Output) -> None:
    """Print the review of a proposal."""
    proposal = get_proposal(memory, name)
    current = "  new memories go to it" if proposal.current else ""
    out.line((proposal.name, "key"), f"  {describe_changes(proposal, memory.repository.now)}", (current, "green"))
    if tip := proposal.commit or proposal.remote_commit:
        out.line()
        review = memory.review(f"{memory.repository.config.branch}...{tip}")
        print_review(review, out)
        for note in review.notes:
            out.line((note, "dim"))


def switch(memory: Memory, name: str, _: str) -> str:
    """Write future changes to a proposal, or to the memory branch if it is already current."""
    proposal = get_proposal(memory, name)
    branch = memory.proposals.switch(
        memory.repository.config.branch if proposal.current else proposal.name, talk=SILENT
    )
    return f"new memories go to {branch}"


def push(memory: Memory, name: str, typed: str) -> str:
    """Push a proposal; the link in the result opens a pull request."""
    need_yes(typed)
    proposal = memory.proposals.send(name, talk=SILENT)
    return f"{proposal.remote} has {proposal.branch}  {proposal.link}" if proposal.pushed else f"{name} was not pushed"


def drop(memory: Memory, name: str, typed: str) -> str:
    """Delete the proposal's branch in this clone."""
    need_yes(typed)
    proposal, _ = memory.proposals.drop(name, talk=SILENT)
    return f"deleted {proposal.branch} in this clone"


PROPOSALS = Loop(
    name="proposals to review",
    none="There are no open proposals.",
    gather=gather,
    draw=draw,
    choices=(
        Choice("s", "switch", "write to it, or to the memory branch again, from now on", switch, stays=True),
        Choice("g", "push", "push it, for a pull request", push, ask_yes("Push it to the remote?"), stays=True),
        Choice(
            "d",
            "drop",
            "delete its branch in this clone, if it is merged or pushed",
            drop,
            ask_yes("Delete this proposal in this clone?"),
        ),
    ),
    command="gitmem propose",
)
