"""Take away what `gitmem install` set: `git-hooks` puts every hook that was there before back, byte for byte."""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.cli.install import WHAT, print_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem uninstall git-hooks", "gitmem uninstall git-hooks --print")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what uninstall takes."""
    parser.add_argument("what", choices=WHAT, help="what to take away")
    parser.add_argument("--print", action="store_true", help="show what would be done, and do nothing")


def run(args: argparse.Namespace, out: Output) -> int:
    """Take the hooks away, or show what that would do."""
    with shared.open_memory(args, out) as memory:
        steps = memory.uninstall_git_hooks(only_plan=args.print)
    print_steps(steps, out, whole=args.print)
    if not steps:
        out.line("there is nothing of gitmem's here")
    return 0
