"""Propose a change to the memory: push a branch that can be reviewed and merged on the forge, and print its link.

Commits that the remote's memory does not have yet move to the proposal, and what you write next goes there as well,
until `gitmem propose --switch memory`. Standard output contains only the link.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory, print_notices
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, list_of, quantity
from gitmem.cli.terminal import is_interactive
from gitmem.errors import UsageError
from gitmem.store.proposal import proposal_notice
from gitmem.text.durations import ago

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.propose.proposals import Proposal
    from gitmem.commands.propose.send import ProposalState
    from gitmem.git.remotes import RemoteOptions
    from gitmem.memory import Memory

# How many conflicts are named; all are counted, and ``doctor`` and ``--json`` list them all.
SHOWN = 20
EXAMPLES = (
    "gitmem propose auth-notes",
    "gitmem propose",
    "gitmem propose --list",
    "gitmem propose --switch memory",
    "gitmem propose --drop auth-notes --remote",
    "gitmem propose --merge branch/feature/login",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``propose``."""
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the proposal (the current one)")
    which = parser.add_argument_group("another proposal, one of").add_mutually_exclusive_group()
    which.add_argument(
        "--list", action="store_true", help="list proposals in this clone and, as last fetched, at the remote"
    )
    which.add_argument(
        "--switch",
        default="",
        metavar="NAME",
        help="write to this proposal from now on; memory: to the memory branch again",
    )
    which.add_argument(
        "--merge", default="", metavar="NAME", help="merge branch/NAME, the memory of a merged branch, in this clone"
    )
    which.add_argument("--drop", default="", metavar="NAME", help="delete the proposal's branch in this clone")
    ending = parser.add_argument_group("with --drop")
    ending.add_argument("--remote", action="store_true", help="also delete the remote's branch")
    ending.add_argument("--force", action="store_true", help="delete it even if it is neither merged nor pushed")
    parser.add_argument("--no-push", action="store_true", help="create the proposal only in this clone")
    parser.add_argument(
        "--accept-rewritten", action="store_true", help="merge even if the history of the remote branch was rewritten"
    )
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Propose, list, switch or drop."""
    from gitmem.git.remotes import RemoteOptions

    if args.name and (args.list or args.switch or args.drop or args.merge):
        raise UsageError(
            "with --switch, --merge or --drop the name is their value, and --list takes no name",
            hint="gitmem propose --help",
        )
    if (args.remote or args.force) and not args.drop:
        raise UsageError("--remote and --force require --drop", hint="nothing is ever force-pushed")
    talk = RemoteOptions(interactive=is_interactive(), progress=out.progress if out.is_error_terminal else None)
    with open_memory(out) as memory:
        if args.list:
            return _list(memory, args, out)
        if args.switch:
            return _switch(memory, args, out, talk)
        if args.drop:
            return _drop(memory, args, out, talk)
        if args.merge:
            code = memory.proposals.merge_branch(args.merge, talk=talk)
            print_notices(memory, out)
            out.result(f"the memory of {code} is merged in this clone: gitmem sync pushes it")
            return 0
        proposal = memory.proposals.send(
            args.name, talk=talk, push=not args.no_push, accept_rewritten=args.accept_rewritten
        )
        if args.json:
            from gitmem.commands.propose.send import as_table

            out.json(with_short_ids(memory, as_table(proposal)))
            return 0
    _print(proposal, out)
    return 0


def _print(proposal: ProposalState, out: Output) -> None:
    if proposal.moved:
        base, moved = proposal.base, quantity(proposal.moved, "commit")
        out.note(f"{moved} of {base} moved to {proposal.branch}; {base} is the same as at {proposal.remote}")
    if proposal.merged:
        out.note(f"the proposal {proposal.name} is merged: new memories go to {proposal.base} again")
        return
    for conflict in proposal.conflicts[:SHOWN]:
        out.note(f"to settle: {conflict.key}  {list_of(conflict.fields)}")
    if len(proposal.conflicts) > SHOWN:
        out.note(f"to settle: {len(proposal.conflicts) - SHOWN} more: gitmem doctor")
    if proposal.joined:
        memories = quantity(proposal.joined, "memory", "memories")
        out.note(f"{proposal.branch} at {proposal.remote} had {memories} by others; it now has those and yours")
    if proposal.pushed:
        counts = _counts(proposal)
        out.announce(
            f"{proposal.remote} has {proposal.branch}: {counts}; open a pull request with base {proposal.base}"
        )
        out.line(proposal.link or f"branch {proposal.branch}, base {proposal.base}")
    elif proposal.commit:
        here = f"{proposal.branch} is in this clone: {_counts(proposal)}"
        out.note(
            here
            if proposal.remote
            else f"{here}; to push it, add a remote: git remote add origin URL, then gitmem propose"
        )
    if proposal.is_new:
        out.announce(proposal_notice(proposal.name))
    elif not proposal.commit:
        out.note(f"the proposal {proposal.name} has no changes yet")


def _counts(one: ProposalState | Proposal) -> str:
    words = ((one.added, "new"), (one.changed, "changed"), (one.retired, "retired"))
    return list_of(f"{len(keys)} {word}" for keys, word in words if keys) or "no memory differs"


def _list(memory: Memory, args: Arguments, out: Output) -> int:
    proposals = memory.proposals.list()
    now = memory.repository.now
    print_notices(memory, out)
    if args.json:
        from gitmem.commands.propose.proposals import as_table

        out.json(as_table(proposals, now=now))
        return 0
    if not proposals:
        out.note("no proposals; to start one: gitmem propose NAME")
    for proposal in proposals:
        out.line(
            ("* " if proposal.current else "  ", "green"),
            (proposal.name, "key"),
            f"  {describe_changes(proposal, now)}",
        )
    return 0


def describe_changes(proposal: Proposal, now: int) -> str:
    """Describe the changes of a proposal, and where it is."""
    if not (proposal.commit or proposal.remote_commit):
        return "no changes yet"
    parts = [_counts(proposal)]
    parts += ["only at the remote"] if not proposal.commit else []
    parts += ["not pushed"] if proposal.commit and not proposal.remote_commit else []
    parts += [f"{quantity(proposal.ahead, 'commit')} not pushed"] if proposal.remote_commit and proposal.ahead else []
    parts += ["pushed"] if proposal.commit and proposal.is_pushed else []
    parts += [f"merged (by {proposal.merged})"] if proposal.merged else []
    return f"{'; '.join(parts)}; {ago(max(0, now - proposal.at))} ago"


def _switch(memory: Memory, args: Arguments, out: Output, talk: RemoteOptions) -> int:
    branch = memory.proposals.switch(args.switch, talk=talk)
    name = memory.repository.store.proposal
    print_notices(memory, out)
    if args.json:
        out.json({"current": name, "branch": branch})
    else:
        out.announce(proposal_notice(name) or f"new memories go to {branch}")
    return 0


def _drop(memory: Memory, args: Arguments, out: Output, talk: RemoteOptions) -> int:
    proposal, rescue_refs = memory.proposals.drop(args.drop, talk=talk, force=args.force, remote=args.remote)
    base = memory.repository.config.branch
    print_notices(memory, out)
    if args.json:
        out.json(
            {
                "name": proposal.name,
                "branch": proposal.branch,
                "commit": proposal.commit,
                "remote": args.remote,
                "kept": rescue_refs,
            }
        )
        return 0
    where = [
        *(["here"] if proposal.commit else []),
        *(["at the remote"] if args.remote and proposal.remote_commit else []),
    ]
    if where:
        out.announce(f"deleted {proposal.branch} {' and '.join(where)}")
    for ref in rescue_refs:
        out.note(f"its commits are kept; to restore the branch: git branch {proposal.branch} {ref}")
    if proposal.current:
        out.note(f"new memories go to {base} again")
    return 0
