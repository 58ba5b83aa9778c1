"""Connect gitmem to coding agents, git hooks, this machine's scheduler, or a forge: GitHub, GitLab, Forgejo, Gitea.

For a coding agent, such as claude-code or codex, it writes hooks that give a session its context and capture what it
learns, a skill, slash commands and instructions: into this project, for you to commit, or with --user into your own
settings. Existing content is kept. `found` means every agent whose folder exists; `bmad` is a module for the BMAD
method; `agents` is for any other client, without hooks.

`git-hooks` installs hooks that update the index in the background and capture the `Learned:` lines of commit messages.
With --check, they also stop a commit that makes a fact false. Existing hooks still run. `git-diff` makes `git diff` and
`git log -p` show memory files in a readable form. `schedule` runs the verify job regularly on this machine.

`github` writes two workflows for you to review and commit, which check pull requests, verify what is due and report it;
their options are in .github/gitmem.toml. It also commits a review of pull requests to the memory branch. `gitlab`,
`forgejo` and `gitea` write the same jobs.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_quietly
from gitmem.cli.options import positive
from gitmem.cli.output import Output, list_of
from gitmem.commands.install import agents, examine
from gitmem.commands.install.ci_files import FORGES
from gitmem.commands.install.ci_options import FORGEJO, GITEA, GITHUB, GITLAB
from gitmem.commands.install.client_files import WITH_PLUGINS, WITHOUT_HOOKS
from gitmem.commands.install.place import ALL_SHARED, BY_HAND, LEAVE, SHARED
from gitmem.errors import UsageError
from gitmem.frozen import replace
from gitmem.memory.sources import find_sources
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.commands.install.place import InstallStep
    from gitmem.git import Git
    from gitmem.memory import Memory

EXAMPLES = (
    "gitmem install claude-code codex",
    "gitmem install found --user --print",
    "gitmem install claude-code --plugin ./gitmem-plugin",
    "gitmem install git-hooks --check",
    "gitmem install schedule --every 6h --print",
    "gitmem install github --shards 4 --print",
)
OTHERS = ("git-hooks", "git-diff", "schedule", *FORGES)
WHAT = (*agents.NAMES, *OTHERS)
# The targets to which each option applies.
OPTIONS = {
    "shared": ("git-hooks",),
    "check": ("git-hooks",),
    "every": ("schedule", GITHUB, FORGEJO, GITEA),
    "kind": ("schedule",),
    "gitlab": (GITHUB,),
    "shards": FORGES,
    "package": FORGES,
    "force": (*FORGES, *agents.NAMES),
    "user": agents.NAMES,
    "mcp": agents.NAMES,
    "plugin": (*WITH_PLUGINS, agents.BMAD),
}
AGENT_OPTIONS, FORGE_OPTIONS = "coding agents", "GitHub, GitLab, Forgejo, Gitea"
APPROVED = "commands approved by a reviewed list; to commit one: gitmem trust --print > .github/gitmem-approved"
NEXT = {
    "git-hooks": "to remove them: gitmem uninstall git-hooks",
    "git-diff": "to try it: git log -p memory; to remove it: gitmem uninstall git-diff",
    "schedule": "it runs the commands you approved here; to remove it: gitmem uninstall schedule",
    "github": f"they run only {APPROVED}",
    "forgejo": f"it runs only {APPROVED.replace('.github/', '.forgejo/')}",
    "gitea": f"it runs only {APPROVED.replace('.github/', '.gitea/')}",
    "gitlab": "add to .gitlab-ci.yml: include: [{local: .gitlab/gitmem.yml}]; it runs only "
    f"{APPROVED.replace('.github/', '.gitlab/')}; install again if your jobs begin to run for merge requests",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``install``."""
    about = f"what to install: {', '.join(WHAT)}"
    parser.add_argument("what", nargs="+", type=target, choices=WHAT, metavar="WHAT", help=about)
    parser.add_argument("--print", action="store_true", help="show what would be done, without doing it")
    hooks, schedule = parser.add_argument_group("git hooks"), parser.add_argument_group("schedule")
    forges = parser.add_argument_group(FORGE_OPTIONS)
    hooks.add_argument(
        "--shared", action="store_true", help="install even if core.hooksPath is shared with other repositories"
    )
    schedule.add_argument("--every", default="", metavar="TIME", help="how often: 1h to 12h, daily (default), weekly")
    hooks.add_argument("--check", action="store_true", help="also stop commits that make a fact false")
    schedulers = schedule.add_mutually_exclusive_group()
    for kind in ("systemd", "cron", "launchd"):
        schedulers.add_argument(
            f"--{kind}",
            dest="kind",
            action="store_const",
            const=kind,
            default="",
            help=f"use {kind} instead of detecting a scheduler",
        )
    forges.add_argument(
        "--shards", type=positive, default=0, metavar="N", help="number of machines to run in parallel (1)"
    )
    add_gitlab(parser, "write")
    forges.add_argument("--package", default="", help="the gitmem that jobs install: URL@COMMIT (this one)")
    add_for_agents(parser, "write", "to")
    agent = parser.add_argument_group(AGENT_OPTIONS)
    agent.add_argument("--mcp", action="store_true", help="also install gitmem's MCP server")


def target(name: str) -> str:
    """Return the name of something to install; raise UsageError for a client that has no adapter."""
    if name in WHAT:
        return name
    nearest = [] if name in WITHOUT_HOOKS else get_close_matches(name, WHAT, n=1, cutoff=0.8)
    if nearest:
        raise UsageError(f"unknown target: {name}", hint=f"gitmem install {nearest[0]}")
    title = WITHOUT_HOOKS.get(name, name)
    message = f"gitmem has no hooks for {display(title)}; `agents` writes what any client can read"
    raise UsageError(message, hint="gitmem install agents")


def add_gitlab(parser: ArgumentParser, verb: str) -> None:
    """Add the option that selects GitLab; *verb* says what the command does with files: write or remove."""
    about = f"{verb} the same jobs for GitLab, like `gitlab`; for use with github"
    parser.add_argument_group(FORGE_OPTIONS).add_argument("--gitlab", action="store_true", help=about)


def add_for_agents(parser: ArgumentParser, verb: str, preposition: str) -> None:
    """Add the options for coding agents; a command writes files *to* a folder, or removes them *from* it."""
    parser.add_argument(
        "--force", action="store_true", help="replace or remove gitmem's files even if they were changed"
    )
    agent = parser.add_argument_group(AGENT_OPTIONS)
    agent.add_argument("--user", action="store_true", help="use your own settings, for all projects")
    agent.add_argument(
        "--plugin",
        default="",
        metavar="DIR",
        help=f"{verb} a plugin (claude-code), extension (gemini) or module (bmad) {preposition} this folder",
    )


def run(args: Arguments, out: Output) -> int:
    """Install the targets, or print the planned changes."""
    check_options(args, "install")
    args.what = targets(args)
    status = 0
    if named := tuple(name for name in args.what if name not in OTHERS):
        wanted = parse_setup(args, named)
        git = git_of(args, out)
        if git is not None:
            with open_quietly(out) as memory:
                sources = find_sources(memory)
                wanted = replace(wanted, sources=tuple(sources.kinds()) if sources is not None else ())
        steps: Sequence[InstallStep] = (agents.plan_install if args.print else agents.install)(git, wanted)
        notes = examine.list_notes(git, wanted)
        if git is not None and not (args.user or args.plugin):
            with open_quietly(out) as memory:
                if not args.print:
                    memory.repository.accept()
                notes += (
                    []
                    if memory.repository.has_store()
                    else ["there is no memory here yet, so hooks do nothing: gitmem init"]
                )
        status = _print_steps(steps, out, args, notes, *named)
    from gitmem.commands.install.ci_others import notes_of

    for what in (name for name in args.what if name in OTHERS):
        with open_quietly(out) as memory:
            steps = _install(memory, what, args)
            warnings = notes_of(memory.repository) if what in FORGES else ()
        status |= _print_steps(steps, out, args, [NEXT[what]], what)
        for warning in warnings:
            out.note(warning)
    return status


def targets(args: Arguments) -> list[str]:
    """Return the named targets, with GitHub replaced by GitLab if --gitlab was given."""
    return [GITLAB if name == GITHUB and args.gitlab else name for name in args.what]


def check_options(args: Arguments, command: str) -> None:
    """Raise UsageError for an option that applies to none of the named targets."""
    for option, of in OPTIONS.items():
        if getattr(args, option, None) and not set(args.what) & set(of):
            option_name = args.kind if option == "kind" else option
            raise UsageError(f"--{option_name} is for gitmem {command} {of[0]}, not {' '.join(args.what)}")


def parse_setup(args: Arguments, named: tuple[str, ...]) -> agents.AgentSetup:
    """Return the requested setup of coding agents."""
    with_mcp = getattr(args, "mcp", False)
    return agents.AgentSetup(named, user=args.user, mcp=with_mcp, plugin=args.plugin, force=args.force)


def git_of(args: Arguments, out: Output) -> Git | None:
    """Return this repository's git; None if no repository is needed."""
    if args.user or args.plugin:
        return None
    with open_quietly(out) as memory:
        return memory.repository.git


def _print_steps(steps: Sequence[InstallStep], out: Output, args: Arguments, notes: Iterable[str], *what: str) -> int:
    """Print each file's change, and confirm that *what* is installed; return 1 if something is left to do."""
    print_steps(steps, out, whole=args.print)
    unfinished = [step for step in steps if step.what in (BY_HAND, LEAVE)]
    if unfinished and not args.print:
        print_steps([step for step in unfinished if step.before != step.after], out, whole=True)
    elif not args.print:
        if any(step.before != step.after for step in steps):
            out.confirm(f"installed {list_of(what)}")
        for note in notes:
            if note.startswith("  "):  # a command, which is copied
                out.exact(note)
            else:
                out.line((note, "dim"))
    return int(bool(unfinished))  # complete, except for steps that only the user may take


def _install(memory: Memory, what: str, args: Arguments) -> Sequence[InstallStep]:
    from gitmem.commands.install import ci, git_diff, git_hooks, schedule

    git = memory.repository.git
    if what == "git-hooks":
        install = git_hooks.plan_install if args.print else git_hooks.install
        return install(git, shared=args.shared, check=args.check)
    if what == "git-diff":
        return (git_diff.plan_install if args.print else git_diff.install)(git)
    every = args.every or "daily"
    if what == "schedule" and args.print:
        return schedule.plan_install(git, every=every, kind=args.kind)
    if what == "schedule":
        return schedule.install(git, every=every, kind=args.kind, now=memory.repository.now)
    options = {"every": args.every, "shards": args.shards, "package": args.package}
    chosen = {name: value for name, value in options.items() if value}
    if args.print:
        return ci.plan_install(memory.repository, what, chosen, force=args.force).steps
    return ci.install(memory.repository, what, chosen, force=args.force)


def print_steps(steps: Iterable[InstallStep], out: Output, *, whole: bool = False) -> None:
    """Print the change of each file; with *whole*, also as a diff. What a person must do about all is printed once.

    On a terminal, paths below the current folder are relative to it.
    """
    here = f"{Path.cwd()}/" if out.is_terminal else ""
    every = list(steps)
    is_several = sum(step.about == SHARED for step in every) > 1
    for step in every:
        path = step.path.removeprefix(here)
        about = "" if is_several and step.about == SHARED else step.about
        out.line((f"{step.what:<8}", "bold"), path, "  " if about else "", (about, "dim"))
        if whole and step.before != step.after:
            out.difference(step.before, step.after, step.path)
    if is_several:
        out.line((ALL_SHARED, "dim"))
