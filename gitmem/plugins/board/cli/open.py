"""Open the board of a run, or continue with the one that exists, and print the run's name.

The board is created with its goal as the first entry. Opening it again changes nothing, so a run can be resumed.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.plugins.board.cli import shared

EXAMPLES = ('gitmem board open audit-7 --goal "Find out why requests time out"', "gitmem board open audit-7 --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``open``."""
    shared.add_run(parser)
    parser.add_argument("--goal", default="", metavar="TEXT", help="what the run is for")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Open one board and print its name."""
    with open_memory(out) as memory:
        board, is_new = memory.boards.open(args.run, goal=args.goal)
    if args.json:
        out.json({"run": board.run, "commit": board.commit, "new": is_new, "entries": len(board.entries)})
    elif is_new:
        out.result(board.run, f"opened the board of {board.run}")
    else:
        out.line(board.run)
        open_signals = quantity(len(board.closing_signals), "blocking signal")
        out.note(f"{board.run} continues with {quantity(len(board.entries), 'entry', 'entries')}, {open_signals}")
    return 0
