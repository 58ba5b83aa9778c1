"""Remove a repository from the list; its memories are no longer read here. The repository itself is not changed."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.output import Output

EXAMPLES = ("gitmem stores remove api", "gitmem stores remove --global notes")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``remove``."""
    parser.add_argument("store", metavar="NAME", help="the store, by its name or folder")
    parser.add_argument(
        "--global", dest="everywhere", action="store_true", help="remove it from the list for all your repositories"
    )


def run(args: Arguments, out: Output) -> int:
    """Remove a store from the list and print its name."""
    with open_memory(out) as memory:
        entry = memory.stores.remove(args.store, everywhere=args.everywhere)
    out.result(entry.name, f"removed {entry.name} from the list")
    return 0
