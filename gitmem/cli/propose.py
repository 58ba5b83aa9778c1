"""Propose a change of memory: a branch that can be reviewed and merged on the forge, pushed, and the link to do so.

What the remote's memory does not have yet moves to the proposal, and what you write from then on goes there, too, until
`gitmem propose --switch memory`. Standard output has the link alone.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.errors import UsageError
from gitmem.store import proposal
from gitmem.text.durations import ago

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output
    from gitmem.commands.propose.listing import Proposal
    from gitmem.commands.propose.send import Proposed
    from gitmem.git.remotes import Talk
    from gitmem.memory.memory import Memory

# Conflicts that are named; all are counted, and ``doctor`` and ``--json`` have them all.
SHOWN = 20
EXAMPLES = (
    "gitmem propose auth-notes",
    "gitmem propose",
    "gitmem propose --list",
    "gitmem propose --switch memory",
    "gitmem propose --drop auth-notes --remote",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what propose takes."""
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the proposal; the current one by default")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--list", action="store_true", help="the proposals here and at the remote, as last seen")
    which.add_argument("--switch", default="", metavar="NAME", help="what follows goes there; memory: to memory again")
    which.add_argument("--drop", default="", metavar="NAME", help="delete its branch here")
    parser.add_argument("--remote", action="store_true", help="with --drop: the remote's branch, too")
    parser.add_argument("--force", action="store_true", help="with --drop: also what is neither merged nor pushed")
    parser.add_argument("--no-push", action="store_true", help="only in this clone")
    parser.add_argument(
        "--accept-rewritten", action="store_true", help="merge a remote branch whose history was rewritten"
    )
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Propose, list, switch or drop."""
    from gitmem.git.remotes import Talk

    if args.name and (args.list or args.switch or args.drop):
        raise UsageError("a name stands behind --switch or --drop, and --list has none", hint="gitmem propose --help")
    if (args.remote or args.force) and not args.drop:
        raise UsageError("--remote and --force go with --drop alone", hint="nothing is ever pushed by force")
    talk = Talk(interactive=shared.is_interactive(), told=out.progress if out.is_error_terminal else None)
    with shared.open_memory(args, out) as memory:
        if args.list:
            return _list(memory, args, out)
        if args.switch:
            return _switch(memory, args, out, talk)
        if args.drop:
            return _drop(memory, args, out, talk)
        done = memory.proposals.send(
            args.name, talk=talk, push=not args.no_push, accept_rewritten=args.accept_rewritten
        )
        shared.tell_notices(memory, out)
    if args.json:
        from gitmem.commands.propose.send import as_table

        out.json(as_table(done))
    else:
        _tell(done, out)
    return 0


def _tell(done: Proposed, out: Output) -> None:
    if done.moved:
        moved = shared.counted(done.moved, "commit")
        out.note(f"{moved} of {done.base} moved to {done.branch}; {done.base} is what {done.remote} has")
    if done.merged:
        out.note(f"the proposal {done.name} is merged: what is written goes to {done.base} again")
        return
    for conflict in done.conflicts[:SHOWN]:
        out.note(f"to settle: {conflict.key}  {shared.list_of(conflict.fields)}")
    if len(done.conflicts) > SHOWN:
        out.note(f"to settle: {len(done.conflicts) - SHOWN} more: gitmem doctor")
    if done.joined:
        memories = shared.counted(done.joined, "memory", "memories")
        out.note(f"{done.branch} at {done.remote} had {memories} of others: all of it is in it now, and yours")
    if done.pushed:
        out.note(f"{done.remote} has {done.branch}: {_counts(done)}; open a pull request with base {done.base}")
        out.line(done.link or f"branch {done.branch}, base {done.base}")
    elif done.commit:
        here = f"{done.branch} is in this clone: {_counts(done)}"
        out.note(here if done.remote else f"{here}; there is no remote: git remote add origin URL, gitmem propose")
    if done.is_new:
        out.note(proposal.told(done.name))
    elif not done.commit:
        out.note(f"nothing is written to the proposal {done.name} yet")


def _counts(one: Proposed | Proposal) -> str:
    words = ((one.added, "new"), (one.changed, "changed"), (one.retired, "retired"))
    return shared.list_of(f"{len(keys)} {word}" for keys, word in words if keys) or "no memory differs"


def _list(memory: Memory, args: argparse.Namespace, out: Output) -> int:
    found = memory.proposals.list()
    now = memory.repository.now
    shared.tell_notices(memory, out)
    if args.json:
        from gitmem.commands.propose.listing import as_table

        out.json(as_table(found, now=now))
        return 0
    if not found:
        out.note("no proposals; begin one: gitmem propose NAME")
    for one in found:
        out.line(("* " if one.current else "  ", "green"), (one.name, "key"), f"  {_standing(one, now)}")
    return 0


def _standing(one: Proposal, now: int) -> str:
    if not (one.commit or one.remote_commit):
        return "nothing written yet"
    parts = [_counts(one)]
    parts += ["only at the remote"] if not one.commit else []
    parts += ["not pushed"] if one.commit and not one.remote_commit else []
    parts += [f"{shared.counted(one.ahead, 'commit')} not pushed"] if one.remote_commit and one.ahead else []
    parts += ["pushed"] if one.commit and one.is_pushed else []
    parts += [f"merged (by {one.merged})"] if one.merged else []
    return f"{'; '.join(parts)}; {ago(max(0, now - one.at))} ago"


def _switch(memory: Memory, args: argparse.Namespace, out: Output, talk: Talk) -> int:
    branch = memory.proposals.switch(args.switch, talk=talk)
    name = memory.repository.store.proposal
    shared.tell_notices(memory, out)
    if args.json:
        out.json({"current": name, "branch": branch})
    else:
        out.note(proposal.told(name) or f"what is written goes to {branch}")
    return 0


def _drop(memory: Memory, args: argparse.Namespace, out: Output, talk: Talk) -> int:
    one, kept = memory.proposals.drop(args.drop, talk=talk, force=args.force, remote=args.remote)
    base = memory.repository.config.branch
    shared.tell_notices(memory, out)
    if args.json:
        out.json({"name": one.name, "branch": one.branch, "commit": one.commit, "remote": args.remote, "kept": kept})
        return 0
    where = [*(["here"] if one.commit else []), *(["at the remote"] if args.remote and one.remote_commit else [])]
    if where:
        out.note(f"deleted {one.branch} {' and '.join(where)}")
    for ref in kept:
        out.note(f"its commits are kept; back with them: git branch {one.branch} {ref}")
    if one.current:
        out.note(f"what is written goes to {base} again")
    return 0
