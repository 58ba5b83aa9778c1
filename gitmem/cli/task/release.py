"""Give up a task that you claimed: it is open again, and the attempt is recorded as released."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output

EXAMPLES = (
    'gitmem task release refresh-tokens --note "half of it is on the branch refresh"',
    "gitmem task release refresh-tokens --force",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``release``."""
    parser.add_argument("key", help="the task")
    parser.add_argument("--note", default="", metavar="TEXT", help="a note for the next attempt")
    parser.add_argument("--force", action="store_true", help="release it even if someone else holds it")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Release one task and print its key."""
    with open_memory(out) as memory:
        change = memory.tasks.release(args.key, note=args.note, force=args.force)
        return print_change(change, memory, args, out, did="released")
