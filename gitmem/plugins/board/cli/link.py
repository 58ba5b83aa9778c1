"""Record how an entry that is on the board relates to others, and print the name of the link."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.plugins.board.cli import shared

EXAMPLES = ("gitmem board link audit-7 e5 --supersedes e2", "gitmem board link audit-7 e5 --addresses s1 --supports e3")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``link``."""
    shared.add_run(parser)
    parser.add_argument("entry", metavar="ENTRY", help="the entry, such as e17")
    shared.add_links(parser)
    shared.add_worker(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Post one link and print its name."""
    with open_memory(out) as memory:
        posted = memory.boards.link(args.run, args.entry, shared.links_of(args), worker=args.worker)
    return shared.print_posted(posted, args, out)
