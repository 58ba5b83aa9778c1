"""Show a board: its signals, then its live entries in order. With an entry, show it in full."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, positive
from gitmem.cli.output import Output
from gitmem.plugins.board.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.plugins.board.board import Board
    from gitmem.plugins.board.entry import Entry

EXAMPLES = (
    "gitmem board show audit-7",
    "gitmem board show audit-7 e17",
    "gitmem board show audit-7 --type contradiction --worker reviewer --json",
)
_NEVER_LISTED = ("signal", "closing")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``show``."""
    shared.add_run(parser)
    parser.add_argument("entry", nargs="?", default="", metavar="ENTRY", help="only this entry, in full")
    parser.add_argument("--type", action="append", default=[], metavar="TYPE", help="only entries of this type")
    parser.add_argument("--worker", action="append", default=[], metavar="NAME", help="only entries by this worker")
    parser.add_argument("--all", action="store_true", help="include superseded entries")
    parser.add_argument("--limit", type=positive, metavar="N", help="maximum number of entries, the newest")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print one board, or one entry; return 1 if nothing is found."""
    from gitmem.plugins.board.actions import entry_of

    with open_memory(out) as memory:
        board = memory.boards.show(args.run)
    if args.entry:
        entry = entry_of(board, args.entry)
        _print_whole(board, entry, args, out)
        return 0
    entries = [
        entry
        for entry in (board.entries if args.all else board.live)
        if (not args.type or entry.type in args.type) and (not args.worker or entry.worker in args.worker)
    ]
    shown = entries[-args.limit :] if args.limit else entries
    if args.json:
        table = {"run": board.run, "commit": board.commit, "closed": board.is_closed}
        signals = [shared.signal_table(board, signal) for signal in board.signals]
        listed = [shared.entry_table(board, entry) for entry in shown]
        out.json(table | {"signals": signals, "entries": listed, "more": len(entries) - len(shown)})
        return 0 if shown else 1
    if out.is_terminal:
        for signal in board.signals:
            shared.print_signal(board, signal, out)
    listed_below = [entry for entry in shown if entry.type not in _NEVER_LISTED] if out.is_terminal else shown
    shared.print_entries(board, listed_below, out)
    if len(shown) < len(entries):
        out.note(f"{len(entries) - len(shown)} older entries: gitmem board show {board.run}")
    if board.is_closed:
        out.note(f"the run {board.run} is closed")
    shared.print_problems(board, out)
    return 0 if shown else 1


def _print_whole(board: Board, entry: Entry, args: Arguments, out: Output) -> None:
    table = shared.entry_table(board, entry)
    if args.json:
        out.json(table)
        return
    shared.print_entries(board, [entry], out)
    out.line()
    out.text(entry.text)
    if entry.source.evidence:
        out.line(("evidence:", "bold"))
        out.text(entry.source.evidence)
