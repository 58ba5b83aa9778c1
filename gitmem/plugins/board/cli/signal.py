"""Post a signal, an open question of the run, and print its name, such as s3.

A signal of severity critical or high closes the gate until someone answers or waives it.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.plugins.board.cli import shared
from gitmem.plugins.board.entry import SEVERITIES

EXAMPLES = (
    'gitmem board signal audit-7 "Does it also happen with TLS?"',
    'gitmem board signal audit-7 "Is the backup readable?" --severity critical',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``signal``."""
    shared.add_run(parser)
    parser.add_argument("text", help="the question, in quotes; - reads it from standard input")
    parser.add_argument(
        "--severity", choices=SEVERITIES, default="high", metavar="LEVEL", help=f"{', '.join(SEVERITIES)} (high)"
    )
    shared.add_worker(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Post one signal and print its name."""
    with open_memory(out) as memory:
        posted = memory.boards.signal(args.run, read_text(args.text), severity=args.severity, worker=args.worker)
    return shared.print_posted(posted, args, out)
