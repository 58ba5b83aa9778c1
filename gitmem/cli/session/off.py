"""Tell agents nothing at their start and with their prompts, for the active topic or in all of this repository.

It is a file that is put there, and printed; --undo takes it away. On a shared branch it is for one session alone,
unless somebody named the topic. For one process alone there is GITMEM_CONTEXT=0.
"""

from __future__ import annotations

from gitmem.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem session off", "gitmem session off --all", "gitmem session off --all --undo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what off takes."""
    parser.add_argument("--all", action="store_true", help="in all of this repository")
    parser.add_argument("--undo", action="store_true", help="tell them again")
    parser.add_argument("--session", default="", metavar="NAME", help="on a shared branch, this one's (the latest)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Switch off, or on again."""
    with shared.open_memory(args, out) as memory:
        out.line(memory.sessions.switch_context(is_on=args.undo, everywhere=args.all, session=args.session))
        about = {} if args.all or args.undo else memory.sessions.status(session=args.session)
        if about and about["shared"] and not about["named"]:
            out.note(f"this is {about['topic']} alone: each session has its own; --all switches off every one")
        shared.tell_notices(memory, out)
    return 0
