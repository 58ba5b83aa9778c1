"""List another repository, so that recall looks into its memories as well. It is read once, to see that it can be.

What is listed is a setting of this clone (git config gitmem.stores), or of all your repositories with --global. Without
a name, a store is called as the folder of its repository.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.cli.stores.list import as_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem stores add ../api", "gitmem stores add api=/srv/git/api.git", "gitmem stores add --global ~/notes")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what add takes."""
    parser.add_argument("store", metavar="[NAME=]PATH", help="a repository: its work tree, or bare")
    parser.add_argument("--global", dest="everywhere", action="store_true", help="in all your repositories")
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """List a store and print its name."""
    with shared.open_memory(args, out) as memory:
        one, is_new = memory.stores.add(args.store, everywhere=args.everywhere)
        shared.tell_notices(memory, out)
    if args.json:
        out.json(as_table(one))
        return 0
    out.line(one.entry.name)
    out.note(
        f"{one.entry.path} is read here from now on: {shared.counted(one.memories, 'memory', 'memories')}"
        if is_new
        else f"{one.entry.path} is listed already"
    )
    return 0
