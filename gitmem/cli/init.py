"""Create a memory in this repository, or join its remote's: the branch `memory`, with a policy and a status page.

An existing branch of that name that is not a memory store is left alone (exit status 3). --branch chooses another
branch; the next sync publishes the choice to the remote, where init finds it in other clones.

The memory's files are shown in the folder `.memory/`, which a line in `.git/info/exclude` hides from git status;
--no-view or `git config gitmem.view false` prevents it. Nothing else in the repository changes: no hooks, no settings,
no tracked files.

--profile makes a store behave like another memory system. In an existing store, it shows what would change in
gitmem.toml, and asks.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, output_options
from gitmem.cli.output import Output
from gitmem.cli.terminal import ask, is_interactive
from gitmem.errors import GitmemError, RefusedError, UsageError
from gitmem.statuses import MARKS
from gitmem.text.own import OwnWords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory

EXAMPLES = (
    "gitmem init",
    "gitmem init --branch memory-store",
    "gitmem init --profile bmad",
    "gitmem init --profile bmad --print",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``init``."""
    parser.add_argument("--branch", default="", metavar="NAME", help="keep the memory on this branch (memory)")
    parser.add_argument("--offline", action="store_true", help="do not check whether the remote has a memory")
    parser.add_argument("--no-view", action="store_true", help="do not create the folder .memory/")
    about = "behave like this system: beadboard, beans, bmad, swarm, ai-kb (docs/profiles.md)"
    settings = parser.add_argument_group("its settings")
    settings.add_argument("--profile", default="", metavar="NAME", help=about)
    settings.add_argument("--yes", action="store_true", help="change the policy of an existing store without asking")
    output_options(parser).add_argument(
        "--print", action="store_true", help="print the settings of the profile, and change nothing"
    )
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Create or join the store."""
    if args.print:
        from gitmem.policy.profiles import profile_policy

        if not args.profile:
            raise UsageError("--print requires --profile", hint="gitmem init --profile bmad --print")
        out.exact(OwnWords(profile_policy(args.profile)))
        return 0
    with open_memory(out) as memory:
        if args.profile and memory.repository.has_store() and not args.branch:
            return _change_policy(memory, args, out)
        result = memory.init(branch=args.branch, offline=args.offline, profile=args.profile)
        view = "" if args.no_view or not memory.repository.config.view else _view(memory)
    if args.json:
        out.json({"branch": result.branch, "commit": result.commit, "how": result.how, "view": view})
        return 0
    messages = {
        "started": f"created the branch {result.branch}",
        "joined": f"joined the remote's memory on the branch {result.branch}",
        "there": f"the branch {result.branch} already exists",
        "completed": f"added missing files to the branch {result.branch}",
    }
    mark = ((MARKS["verified"], "green"), " ") if out.is_terminal and result.how != "there" else ()
    out.line(*mark, messages[result.how], (f"  {result.commit[:12]}", "dim"))
    if view:
        out.line(f"its files are shown in {view}", ("  (hidden from git status by .git/info/exclude)", "dim"))
    out.line()
    out.line("Next:")
    out.line('  gitmem remember "what you learned"')
    out.line('  gitmem fact "what is true" --contains TEXT --in FILE')
    out.line("  gitmem verify && gitmem context")
    if result.how != "joined":
        out.line(("Share it with: gitmem sync", "dim"))
    return 0


def _change_policy(memory: Memory, args: Arguments, out: Output) -> int:
    """Show what a profile changes in the policy of an existing store, and change it if the person agrees."""
    from gitmem.commands.policy import plan_profile, take_profile

    before, after = plan_profile(memory.repository, args.profile)
    if before == after:
        if args.json:
            out.json({"branch": memory.repository.config.branch, "commit": "", "how": "there", "view": ""})
        else:
            out.line(f"the policy has the settings of the profile {args.profile} already")
        return 0
    if not args.json:
        out.difference(before, after, "gitmem.toml")
    out.flush()
    is_agreed = args.yes or (is_interactive() and (ask("Change the policy? [y/N] ") or "").lower() in ("y", "yes"))
    if not is_agreed:
        raise RefusedError("the policy was not changed", hint="add --yes to change it without asking")
    commit = take_profile(memory.repository, args.profile)
    if args.json:
        out.json({"branch": memory.repository.config.branch, "commit": commit, "how": "changed", "view": ""})
    else:
        out.result(f"changed the policy; commit {commit[:12]}")
    return 0


def _view(memory: Memory) -> str:
    """Create the view if possible and return its folder; errors are ignored because the view is optional."""
    if memory.repository.git.repository.top is None:
        return ""
    try:
        return memory.view.make(unasked=True).path
    except (GitmemError, OSError) as err:
        hint = err.hint if isinstance(err, GitmemError) else ""
        memory.notices.append(f"the view was not created: {err}{f'; {hint}' if hint else ''}")
        return ""
