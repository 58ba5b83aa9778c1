"""Install gitmem where other programs call it: `git-hooks` sets hooks that keep the index up to date.

They bring catalog and index up to date after a checkout, a merge and a rebase, in a process behind git, and capture the
`Learned:` lines of commit messages. Hooks that are there are kept and called; files that git tracks are never touched.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.install.git_hooks import BY_HAND

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from gitmem.cli.output import Output
    from gitmem.install.git_hooks import Step

EXAMPLES = ("gitmem install git-hooks", "gitmem install git-hooks --print")
WHAT = ("git-hooks",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what install takes."""
    parser.add_argument("what", choices=WHAT, help="what to install")
    parser.add_argument("--print", action="store_true", help="show what would be done, and do nothing")
    parser.add_argument("--shared", action="store_true", help="also where core.hooksPath serves other repositories")


def run(args: argparse.Namespace, out: Output) -> int:
    """Set the hooks, or show what that would do."""
    with shared.open_memory(args, out) as memory:
        steps = memory.install_git_hooks(shared=args.shared, only_plan=args.print)
    print_steps(steps, out, whole=args.print)
    by_hand = any(step.what == BY_HAND for step in steps)
    if not by_hand and not args.print:
        out.line(("take them away with: gitmem uninstall git-hooks", "dim"))
    return int(by_hand)  # done, but for what only the person may do


def print_steps(steps: Iterable[Step], out: Output, *, whole: bool = False) -> None:
    """Print what is done about each hook; with *whole*, the difference of each file too."""
    for step in steps:
        out.line((f"{step.what:<8}", "bold"), step.path, "  ", (step.about, "dim"))
        if whole and step.before != step.after:
            from difflib import unified_diff

            lines = (step.before.splitlines(), step.after.splitlines())
            for line in unified_diff(*lines, fromfile=step.path, tofile=step.path, lineterm=""):
                out.line(line)
