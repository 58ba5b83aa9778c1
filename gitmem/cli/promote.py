"""Share a memory with more readers: from your private memories to the project, a domain, or all your projects.

It keeps its author and date; the old copy is retired, with a link to the new one.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, add_scope
from gitmem.cli.output import Output
from gitmem.store.scopes import DOMAIN, PROJECT, UNIVERSAL

EXAMPLES = (
    "gitmem promote gateway-needs-a-trace-id",
    "gitmem promote tokens-live-an-hour --to domain --domain auth",
    "gitmem promote review-in-pairs --to universal --json",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``promote``."""
    parser.add_argument("key", help="the memory")
    parser.add_argument(
        "--to", default=PROJECT, choices=(PROJECT, DOMAIN, UNIVERSAL), help="project, domain or universal (project)"
    )
    parser.add_argument("--domain", action="append", default=[], help="with --to domain: a domain it belongs to")
    parser.add_argument(
        "--key", dest="name", default="", metavar="KEY", help="its new key, if the old one is taken there"
    )
    add_scope(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Promote one memory and print its key."""
    with open_memory(out) as memory:
        change = memory.promote(args.key, to=args.to, domains=args.domain, name=args.name, scope=args.scope)
        return print_change(change, memory, args, out, did="shared")
