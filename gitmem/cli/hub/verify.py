"""Queue repositories for verification, ahead of those that are only due by time; `gitmem hub work` verifies them."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import add_database, database_of
from gitmem.cli.output import Output

EXAMPLES = ("gitmem hub verify payments/api", "gitmem hub verify payments/api payments/web")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``verify``."""
    parser.add_argument("names", metavar="NAME", nargs="+", help="the repository, by its name in the hub")
    add_database(parser)


def run(args: Arguments, out: Output) -> int:
    """Queue repositories and print their names."""
    url = database_of(args)
    from gitmem.hub import schema
    from gitmem.hub.database import connected
    from gitmem.hub.work.jobs import add_named

    with connected(url) as connection:
        schema.require(connection)
        add_named(connection, args.names)
    for name in args.names:
        out.result(name, f"queued {name} for verification")
    return 0
