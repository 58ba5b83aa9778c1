"""Print every entry of a board, including superseded ones, as JSON, one per line."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.output import Output
from gitmem.plugins.board.cli import shared
from gitmem.text import format_json

EXAMPLES = ("gitmem board export audit-7 > audit-7.jsonl",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``export``."""
    shared.add_run(parser)


def run(args: Arguments, out: Output) -> int:
    """Print all entries."""
    with open_memory(out) as memory:
        board = memory.boards.show(args.run)
    for entry in board.entries:
        out.exact(format_json(shared.entry_table(board, entry), is_ascii=True), is_json=True)
    shared.print_problems(board, out)
    return 0
