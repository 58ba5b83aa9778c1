"""Restore memories from the archive unchanged, whether they were forgotten or rotated out."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import ChangeWords, print_changes
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output

EXAMPLES = ("gitmem restore deploy-needs-vpn", "gitmem restore old-a old-b --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``restore``."""
    parser.add_argument("keys", nargs="+", metavar="KEY", help="the memories, by their full keys")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Restore memories and print their keys."""
    with open_memory(out) as memory:
        changes = memory.restore(*args.keys)
        return print_changes(changes, memory, args, out, ChangeWords("restored", "is not retired"))
