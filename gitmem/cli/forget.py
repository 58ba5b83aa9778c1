"""Retire memories: they leave search and move to the archive, where `show` and `recall --all` still find them."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import ChangeWords, print_changes
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, add_scope
from gitmem.cli.output import Output

EXAMPLES = ('gitmem forget deploy-needs-vpn --why "the VPN is gone"', "gitmem forget old-a old-b")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``forget``."""
    parser.add_argument("keys", nargs="+", metavar="KEY", help="the memories")
    parser.add_argument("--why", default="", help="the reason, recorded with each memory")
    add_scope(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Retire memories and print their keys."""
    with open_memory(out) as memory:
        changes = memory.forget(*args.keys, why=args.why, scope=args.scope)
        return print_changes(changes, memory, args, out, ChangeWords("retired", "is already retired"))
