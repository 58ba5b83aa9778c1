"""Remove what `gitmem install` wrote, and restore what was there before, byte for byte.

With --all, remove gitmem from this repository: hooks, workflows, settings, the view, local state and the memory branch
itself. --print shows what that is; --yes does it. Each deleted ref is printed with its commit: `git branch memory
COMMIT` restores it until git prunes it. Remotes keep their memory branch unless --remote names one. Your own settings
and universal memories stay.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_quietly
from gitmem.cli.install import (
    OTHERS,
    WHAT,
    add_for_agents,
    add_gitlab,
    check_options,
    git_of,
    parse_setup,
    print_steps,
    targets,
)
from gitmem.cli.output import Output, list_of
from gitmem.cli.terminal import is_interactive
from gitmem.commands.install import agents
from gitmem.commands.install.ci_files import FORGES
from gitmem.commands.install.place import LEAVE, REMOVE
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.install.place import InstallStep
    from gitmem.memory import Memory

EXAMPLES = (
    "gitmem uninstall codex cursor",
    "gitmem uninstall claude-code --user --print",
    "gitmem uninstall schedule",
    "gitmem uninstall --all --print",
    "gitmem uninstall --all --yes",
)
# Files in the user's own folders that belong to no repository.
COMPLETION = "completion"
REMOVED = (*WHAT, COMPLETION)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``uninstall``."""
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"what to remove: {', '.join(REMOVED)}")
    parser.add_argument("--print", action="store_true", help="show what would be done, without doing it")
    everything = parser.add_argument_group("everything")
    everything.add_argument("--all", action="store_true", help="remove everything, the memory branch included")
    everything.add_argument("--yes", action="store_true", help="remove it, as --all --print shows")
    everything.add_argument(
        "--remote", default="", metavar="NAME", help="with --all: also delete the memory branch of a remote"
    )
    add_gitlab(parser, "remove")
    add_for_agents(parser, "remove", "from")


def run(args: Arguments, out: Output) -> int:
    """Uninstall the targets, or print the planned changes."""
    if args.all:
        return _uninstall_all(args, out)
    _check(args)
    if COMPLETION in args.what:
        _uninstall_completion(args, out)
        args.what = [name for name in args.what if name != COMPLETION]
        if not args.what:
            return 0
    check_options(args, "uninstall")
    args.what = targets(args)
    steps: list[InstallStep] = []
    if named := tuple(name for name in args.what if name not in OTHERS):
        wanted = parse_setup(args, named)
        steps += (agents.plan_uninstall if args.print else agents.uninstall)(git_of(args, out), wanted)
    for what in (name for name in args.what if name in OTHERS):
        with open_quietly(out) as memory:
            steps += _uninstall(memory, what, args)
    print_steps(steps, out, whole=args.print)
    if not steps:
        out.line("nothing is installed here")
    elif not args.print and all(step.what != LEAVE for step in steps):
        out.confirm(f"removed {list_of(args.what)}")
    is_ours = args.what != ["git-hooks"]  # another program's hook with that name is not a failure of gitmem
    return int(is_ours and any(step.what == LEAVE for step in steps))


def _check(args: Arguments) -> None:
    if args.yes or args.remote:
        raise UsageError(f"--{'yes' if args.yes else 'remote'} goes with --all")
    if not args.what:
        raise UsageError("say what to remove", hint="gitmem uninstall --all --print")
    for name in args.what:
        if name not in REMOVED:
            raise UsageError(f"unknown target: {name}", hint=f"choose from {', '.join(REMOVED)}")


def _uninstall_completion(args: Arguments, out: Output) -> None:
    from gitmem.commands import completion

    installed = completion.list_installed() if args.print else completion.uninstall()
    for path in installed:
        out.line((f"{REMOVE:<8}", "bold"), str(path))
    if not installed:
        out.line("no completion is installed")
    elif not args.print:
        out.confirm("removed the completion")


def _uninstall_all(args: Arguments, out: Output) -> int:
    """Remove gitmem from the repository, or print the planned changes."""
    from gitmem.commands import uninstall
    from gitmem.git.remotes import RemoteOptions

    if args.what:
        raise UsageError("--all cannot be combined with names", hint="gitmem uninstall --all --print")
    if args.print == args.yes:
        raise UsageError(
            "--all deletes the memory branch: see what goes with --print, then confirm it with --yes",
            hint="gitmem uninstall --all --print",
        )
    with open_quietly(out) as memory:
        if args.print:
            steps = uninstall.plan(memory.repository, args.remote)
        else:
            talk = RemoteOptions(interactive=is_interactive())
            steps = uninstall.apply(memory.repository, talk, args.remote)
    print_steps(steps, out)
    if not steps:
        out.line("nothing to remove: gitmem has left nothing here")
    elif not args.print and all(step.what != LEAVE for step in steps):
        out.confirm("removed gitmem from this repository")
    return int(any(step.what == LEAVE for step in steps))


def _uninstall(memory: Memory, what: str, args: Arguments) -> Sequence[InstallStep]:
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
