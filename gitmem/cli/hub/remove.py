"""Remove repositories from a hub: their memories can no longer be found there. The repositories are not changed."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import add_database, database_of
from gitmem.cli.output import Output

EXAMPLES = ("gitmem hub remove payments/api", "gitmem hub remove payments/api payments/web")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``remove``."""
    parser.add_argument("names", metavar="NAME", nargs="+", help="the repository, by its name in the hub")
    add_database(parser)


def run(args: Arguments, out: Output) -> int:
    """Remove repositories and print their names."""
    url = database_of(args)
    from gitmem.hub import registry, schema
    from gitmem.hub.database import connected

    with connected(url) as connection:
        schema.require(connection)
        for name in args.names:
            registry.remove(connection, name)
            out.result(name, f"removed {name} from the hub")
    return 0
