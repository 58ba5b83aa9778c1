"""Replace one memory by another: the old one leaves search, and each names the other."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, add_scope
from gitmem.cli.output import Output

EXAMPLES = ("gitmem supersede deploy-by-hand deploy-by-pipeline",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``supersede``."""
    parser.add_argument("old", help="the outdated memory")
    parser.add_argument("new", help="the memory that replaces it")
    add_scope(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Link two memories and print the new one's key."""
    with open_memory(out) as memory:
        change = memory.supersede(args.old, args.new, scope=args.scope)
        return print_change(change, memory, args, out, did="recorded")
