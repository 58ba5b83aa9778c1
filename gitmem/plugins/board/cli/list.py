"""List the boards of this clone: their entries, workers and open signals. Closed ones only with --all."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, list_of, quantity
from gitmem.document.times import format_time
from gitmem.plugins.board.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.plugins.board.board import Board

EXAMPLES = ("gitmem board list", "gitmem board list --all --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``list``."""
    parser.add_argument("--all", action="store_true", help="include closed boards")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the boards; return 1 if there are none."""
    with open_memory(out) as memory:
        boards = [board for board in memory.boards.list() if args.all or not board.is_closed]
    tables = [_table(board) for board in boards]
    if args.json:
        out.json({"boards": tables})
        return 0 if boards else 1
    for board, table in zip(boards, tables, strict=True):
        blocking = quantity(table["blocking"], "blocking signal")
        entries = quantity(table["entries"], "entry", "entries")
        closed = ["closed"] if board.is_closed else []
        if out.is_terminal:
            parts = [entries, quantity(len(table["workers"]), "worker"), blocking, *closed]
            out.line((board.run, "key"), "  ", (list_of(parts), "red" if table["blocking"] else "dim"))
        else:
            state = "closed" if board.is_closed else "open"
            out.row(board.run, state, str(table["entries"]), str(table["blocking"]), table["newest"])
        shared.print_problems(board, out)
    if not boards:
        out.note("no boards found; start one: gitmem board open RUN")
    return 0 if boards else 1


def _table(board: Board) -> dict[str, Any]:
    return {
        "run": board.run,
        "closed": board.is_closed,
        "entries": len(board.entries),
        "workers": sorted({entry.worker for entry in board.entries}),
        "signals": len(board.signals),
        "blocking": len(board.closing_signals),
        "newest": format_time(max((entry.at for entry in board.entries), default=0)),
    }
