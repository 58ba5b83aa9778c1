"""Install gitmem where other programs call it: git's hooks, this machine's scheduler, or GitHub.

`git-hooks` sets hooks that bring catalog and index up to date after a checkout, a merge and a rebase, in a process
behind git, and capture the `Learned:` lines of commit messages. Hooks that are there are kept and called; files that
git tracks are never touched. `schedule` has this machine run the verify job by itself: a systemd user timer, a line in
the crontab, or a launchd agent, whichever works here. `github` writes a workflow that does it there, for you to look
at and commit.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.errors import UsageError
from gitmem.install.git_hooks import BY_HAND, LEAVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from gitmem.app import Memory
    from gitmem.cli.output import Output
    from gitmem.install.git_hooks import Step

EXAMPLES = (
    "gitmem install git-hooks",
    "gitmem install git-hooks --print",
    "gitmem install schedule --every 6h --print",
    "gitmem install github --shards 4",
)
WHAT = ("git-hooks", "schedule", "github")
# Which of them an option belongs to.
OPTIONS = {
    "shared": ("git-hooks",),
    "every": ("schedule", "github"),
    "kind": ("schedule",),
    "shards": ("github",),
    "package": ("github",),
    "force": ("github",),
}
NEXT = {
    "git-hooks": "take them away with: gitmem uninstall git-hooks",
    "schedule": "it runs what you approved here; take it away with: gitmem uninstall schedule",
    "github": "it runs what a reviewed list approves; commit one: gitmem trust --print > .github/gitmem-approved",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what install takes."""
    parser.add_argument("what", choices=WHAT, help="what to install")
    parser.add_argument("--print", action="store_true", help="show what would be done, and do nothing")
    parser.add_argument("--shared", action="store_true", help="also where core.hooksPath serves other repositories")
    parser.add_argument("--every", default="", metavar="TIME", help="how often: 1h to 12h, daily (default), weekly")
    for kind in ("systemd", "cron", "launchd"):
        parser.add_argument(
            f"--{kind}",
            dest="kind",
            action="store_const",
            const=kind,
            default="",
            help=f"by {kind}, and not what works",
        )
    parser.add_argument("--shards", type=shared.positive, default=0, metavar="N", help="machines at once (1)")
    parser.add_argument("--package", default="", help="what pip installs there; this version by default")
    parser.add_argument("--force", action="store_true", help="also over a workflow that somebody changed")


def run(args: argparse.Namespace, out: Output) -> int:
    """Install it, or show what that would do."""
    for option, of in OPTIONS.items():
        if getattr(args, option) and args.what not in of:
            given = args.kind if option == "kind" else option
            raise UsageError(f"--{given} is for gitmem install {of[0]}, not {args.what}")
    with shared.open_memory(args, out) as memory:
        steps = _install(memory, args)
    print_steps(steps, out, whole=args.print)
    unfinished = [step for step in steps if step.what in (BY_HAND, LEAVE)]
    if unfinished and not args.print:
        print_steps([step for step in unfinished if step.what == LEAVE], out, whole=True)
    elif not args.print:
        out.line((NEXT[args.what], "dim"))
    return int(bool(unfinished))  # done, but for what only the person may do


def _install(memory: Memory, args: argparse.Namespace) -> Sequence[Step]:
    if args.what == "git-hooks":
        return memory.install_git_hooks(shared=args.shared, only_plan=args.print)
    every = args.every or "daily"
    if args.what == "schedule":
        return memory.install_schedule(every=every, kind=args.kind, only_plan=args.print)
    return memory.install_github(
        every=every, shards=args.shards or 1, package=args.package, force=args.force, only_plan=args.print
    )


def print_steps(steps: Iterable[Step], out: Output, *, whole: bool = False) -> None:
    """Print what is done about each file; with *whole*, the difference of each file too."""
    for step in steps:
        out.line((f"{step.what:<8}", "bold"), step.path, "  ", (step.about, "dim"))
        if whole and step.before != step.after:
            from difflib import unified_diff

            lines = (step.before.splitlines(), step.after.splitlines())
            for line in unified_diff(*lines, fromfile=step.path, tofile=step.path, lineterm=""):
                out.line(line)
