"""Remove what `gitmem install` wrote, and restore what was there before, byte for byte."""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.cli.install import (
    FORGES,
    OTHERS,
    WHAT,
    add_for_agents,
    add_gitlab,
    check_options,
    git_of,
    print_steps,
    targets,
    wanted_of,
)
from gitmem.commands.install import agents
from gitmem.commands.install.git_hooks import LEAVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from gitmem.cli.output import Output
    from gitmem.commands.install.git_hooks import HookStep
    from gitmem.memory.memory import Memory

EXAMPLES = (
    "gitmem uninstall codex cursor",
    "gitmem uninstall claude-code --user --print",
    "gitmem uninstall git-hooks",
    "gitmem uninstall schedule",
    "gitmem uninstall github --print",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what uninstall takes."""
    parser.add_argument("what", nargs="+", choices=WHAT, metavar="WHAT", help=f"what to remove: {', '.join(WHAT)}")
    parser.add_argument("--print", action="store_true", help="show what would be done, without doing it")
    add_gitlab(parser)
    add_for_agents(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Take it away, or show what that would do."""
    check_options(args, "uninstall")
    args.what = targets(args)
    steps: list[HookStep] = []
    if named := tuple(name for name in args.what if name not in OTHERS):
        wanted = wanted_of(args, named)
        steps += (agents.plan_uninstall if args.print else agents.uninstall)(git_of(args, out), wanted)
    for what in (name for name in args.what if name in OTHERS):
        with shared.open_memory(args, out) as memory:
            steps += _uninstall(memory, what, args)
    print_steps(steps, out, whole=args.print)
    if not steps:
        out.line("nothing is installed here")
    is_ours = args.what != ["git-hooks"]  # a hook of somebody else's in our place is no failure of ours
    return int(is_ours and any(step.what == LEAVE for step in steps))


def _uninstall(memory: Memory, what: str, args: argparse.Namespace) -> Sequence[HookStep]:
    from gitmem.commands.install import ci, git_diff, git_hooks, schedule

    git = memory.repository.git
    if what in FORGES and args.print:
        return ci.plan_uninstall(memory.repository, what, force=args.force).steps
    if what in FORGES:
        return ci.uninstall(memory.repository, what, force=args.force)
    if what == "schedule":
        return (schedule.plan_uninstall if args.print else schedule.uninstall)(git)
    if what == "git-diff":
        return (git_diff.plan_uninstall if args.print else git_diff.uninstall)(git)
    return (git_hooks.plan_uninstall if args.print else git_hooks.uninstall)(git)
