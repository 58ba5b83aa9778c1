"""Add a repository, so that recall searches its memories as well. It is read once to make sure that it can be.

It is stored as a setting of this clone (git config gitmem.stores), or with --global of all your repositories. Without a
name, the store is named after its repository's folder.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.cli.stores.list import as_table

EXAMPLES = ("gitmem stores add ../api", "gitmem stores add api=/srv/git/api.git", "gitmem stores add --global ~/notes")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``add``."""
    parser.add_argument("store", metavar="[NAME=]PATH", help="a repository, with a work tree or bare")
    parser.add_argument("--global", dest="everywhere", action="store_true", help="add it for all your repositories")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Add a store to the list and print its name."""
    with open_memory(out) as memory:
        listed, is_new = memory.stores.add(args.store, everywhere=args.everywhere)
    if args.json:
        out.json(as_table(listed))
        return 0
    out.result(listed.entry.name, f"{'added' if is_new else 'kept'} {listed.entry.name}")
    out.note(
        f"list and recall now include {listed.entry.path}: {quantity(listed.memories, 'memory', 'memories')}"
        if is_new
        else f"{listed.entry.path} is already listed"
    )
    return 0
