"""Waive signals: the run continues without an answer. Who waived them and why is recorded; the report has to say it."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.plugins.board.cli import shared

EXAMPLES = ('gitmem board waive audit-7 s2 s3 --why "staging is down until Monday; asked ops"',)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``waive``."""
    shared.add_run(parser)
    parser.add_argument("signals", nargs="+", metavar="SIGNAL", help="the signals, such as s3")
    parser.add_argument("--why", "--reason", required=True, metavar="TEXT", help="the reason")
    shared.add_worker(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Post one waiver and print its name."""
    with open_memory(out) as memory:
        posted = memory.boards.waive(args.run, *args.signals, why=args.why, worker=args.worker)
    return shared.print_posted(posted, args, out)
