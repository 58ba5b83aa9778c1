"""Send a learning to one worker, into its private memory, or to everyone who shares the project's memory.

The worker (the process with GITMEM_AGENT=AGENT in this clone) sees it at its next relevant start or prompt. With
--push, it goes through the remote instead, to the first clone with that GITMEM_AGENT that runs `gitmem sync`. A person
may always inject; an agent may if `gitmem.leads` is not set or lists it.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import add_written, memory_fields, print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.terminal import is_interactive
from gitmem.commands.inject import CATEGORIES
from gitmem.errors import UsageError

EXAMPLES = (
    'gitmem inject "Run the migrations before the tests" --all --category best-practice',
    'gitmem inject "You mocked the clock again: use the Clock fixture" --to worker-2 --category mistake-pattern',
    'gitmem inject "Use the Clock fixture" --to worker-2 --push --category mistake-pattern',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``inject``."""
    parser.add_argument("text", help="the learning; - reads it from standard input")
    who = parser.add_argument_group("who gets it")
    to = who.add_mutually_exclusive_group(required=True)
    to.add_argument("--to", default="", metavar="AGENT", help="send it to one worker, named as in its GITMEM_AGENT")
    to.add_argument("--all", action="store_true", help="send it to everyone who shares the project's memory")
    who.add_argument("--push", action="store_true", help="with --to: send it to that worker in another clone")
    parser.add_argument("--category", required=True, choices=CATEGORIES, help="the kind of learning")
    add_written(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Write the learning and print its key."""
    if args.push and not args.to:
        message = "--push needs --to AGENT"
        raise UsageError(message, hint="what goes to everyone is pushed with gitmem sync")
    text = read_text(args.text)
    if args.push:
        return _send(text, args, out)
    with open_memory(out) as memory:
        change = memory.learnings.inject(
            text,
            category=args.category,
            worker=args.to,
            title=args.title,
            force=args.force,
            **memory_fields(args),
        )
        return print_change(change, memory, args, out, did="sent")


def _send(text: str, args: Arguments, out: Output) -> int:
    """Send the learning through the remote and print its ref there."""
    from gitmem.git.remotes import RemoteOptions

    talk = RemoteOptions(interactive=is_interactive())
    options = {"title": args.title, **memory_fields(args)}
    with open_memory(out) as memory:
        ref = memory.learnings.send(text, category=args.category, worker=args.to, talk=talk, **options)
    if args.json:
        out.json({"ref": ref})
    else:
        out.result(ref, f"sent to {args.to}: {ref}")
    return 0
