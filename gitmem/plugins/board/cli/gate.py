"""Check whether a run may proceed: it may not while a signal of severity critical or high is open.

Exits with 1 if signals block it: answer them (gitmem board answer) or waive them (gitmem board waive).
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.plugins.board.cli import shared

EXAMPLES = ("gitmem board gate audit-7",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``gate``."""
    shared.add_run(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the blocking signals; return 1 if there are any."""
    with open_memory(out) as memory:
        board = memory.boards.show(args.run)
    blocking = board.closing_signals
    if args.json:
        counts = {
            state: sum(signal.state == state for signal in board.signals) for state in ("open", "answered", "waived")
        }
        signals = [shared.signal_table(board, signal) for signal in blocking]
        out.json({"run": board.run, "is_open": not blocking, "signals": counts, "blocking": signals})
    else:
        for signal in blocking:
            shared.print_signal(board, signal, out)
        if not blocking:
            out.note(f"the gate of {board.run} is open")
    shared.print_problems(board, out)
    return int(bool(blocking))
