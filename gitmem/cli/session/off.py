"""Show agents nothing at start and with prompts, for the active topic or in the whole repository.

On a shared branch it applies to one session only, unless the topic has a name. For a single process, set
GITMEM_CONTEXT=0 instead. It prints the path of the file that switches it off.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_session
from gitmem.cli.output import Output

EXAMPLES = ("gitmem session off", "gitmem session off --all", "gitmem session off --all --undo")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``off``."""
    parser.add_argument("--all", action="store_true", help="switch it off in the whole repository")
    parser.add_argument("--undo", action="store_true", help="switch it on again")
    add_session(parser)


def run(args: Arguments, out: Output) -> int:
    """Switch context off, or on again."""
    with open_memory(out) as memory:
        path = memory.sessions.switch_context(is_on=args.undo, everywhere=args.all, session=args.session)
        again = "agents are shown memories again" if args.undo else "agents are shown nothing"
        out.result(path, f"{again}: {'in the whole repository' if args.all else 'for the active topic'}")
        about = {} if args.all or args.undo else memory.sessions.status(session=args.session)
        if about and about["shared"] and not about["named"]:
            out.note(
                f"this affects {about['topic']} only, because each session has its own topic; --all switches off "
                "all of them"
            )
    return 0
