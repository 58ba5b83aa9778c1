"""Merge the memory of each branch whose pull request was merged, and drop that of one that was closed.

The memory of the branch BRANCH is gitmem/branch/BRANCH. It is merged into this clone's memory, which `gitmem sync` then
pushes; that of a pull request that was closed without merging is deleted from the remote. Those of open pull requests,
of forks, and of branches without a pull request into the default branch stay.

Permission: pull-requests: read; dropping needs git's own access to push.
"""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.git.forges.client import Forge
from gitmem.git.forges.job_environment import place_here
from gitmem.plugins.forge.branches import CLOSED, MERGED, fate_of
from gitmem.store.companion import list_companions
from gitmem.system.environment import forge_token

EXAMPLES = ("gitmem forge branches", "gitmem forge branches --dry-run")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``branches``."""
    parser.add_argument(
        "--drop-list",
        default="",
        metavar="FILE",
        help="write what is to be dropped to this file, one commit and branch per line, instead of deleting it",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be done; changes nothing")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Ask the forge about each branch, and merge or delete its memory accordingly."""
    from gitmem.commands.sync.summary import describe_companion
    from gitmem.repository.companion import default_name

    forge = Forge(place_here(), forge_token())
    with open_memory(out) as memory:
        default = default_name(memory.repository)
        fates_by_code = {code: fate_of(forge, code, default) for code in memory.proposals.branches()}
        fates = {code: (fate, f"pull request {number}") for code, (fate, number) in fates_by_code.items()}
        merged = {code: because for code, (fate, because) in fates.items() if fate == MERGED}
        closed = {code: f"{because} was closed" for code, (fate, because) in fates.items() if fate == CLOSED}
        if args.drop_list and not args.dry_run:
            known = list_companions(memory.repository.git, memory.repository.config.remote)
            lines = "".join(f"{known[code][-1]} {code}\n" for code in closed)
            Path(args.drop_list).write_text(lines, encoding="utf-8")
            closed = {}
        steps = () if args.dry_run else memory.proposals.end_branches(merged, closed)
    if args.json:
        rows = [{"branch": code, "pull": number, "state": fate} for code, (fate, number) in fates_by_code.items()]
        out.json({"branches": rows, "dry_run": args.dry_run})
        return 0
    for step in steps:
        out.line(describe_companion(step))
    for code, (fate, number) in fates_by_code.items() if args.dry_run else ():
        end = "merged" if fate == MERGED else "deleted" if fate == CLOSED else "kept"
        why = f"pull request {number} is {fate}" if number else "it has no pull request"
        out.line((code, "key"), f"  its memory would be {end}: {why}")
    return 0
