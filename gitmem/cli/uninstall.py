"""Take away what `gitmem install` set, and put back what was there before, byte for byte."""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.cli.install import WHAT, print_steps
from gitmem.errors import UsageError
from gitmem.install.git_hooks import LEAVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem uninstall git-hooks", "gitmem uninstall git-hooks --print", "gitmem uninstall schedule")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what uninstall takes."""
    parser.add_argument("what", choices=WHAT, help="what to take away")
    parser.add_argument("--print", action="store_true", help="show what would be done, and do nothing")
    parser.add_argument("--force", action="store_true", help="also a workflow that somebody changed")


def run(args: argparse.Namespace, out: Output) -> int:
    """Take it away, or show what that would do."""
    if args.force and args.what != "github":
        raise UsageError(f"--force is for gitmem uninstall github, not {args.what}")
    with shared.open_memory(args, out) as memory:
        if args.what == "github":
            steps = memory.uninstall_github(force=args.force, only_plan=args.print)
        elif args.what == "schedule":
            steps = memory.uninstall_schedule(only_plan=args.print)
        else:
            steps = memory.uninstall_git_hooks(only_plan=args.print)
    print_steps(steps, out, whole=args.print)
    if not steps:
        out.line("there is nothing of gitmem's here")
    return int(args.what == "github" and any(step.what == LEAVE for step in steps))
