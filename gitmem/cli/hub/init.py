"""Create the tables of a hub in a database, or bring those of an older gitmem up to date.

The role that runs it owns the tables. It also creates two roles without a login, gitmem_reader and gitmem_follower,
in which the hub's server reads; if they do not exist yet, that requires CREATEROLE.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import add_database, database_of
from gitmem.cli.output import Output

EXAMPLES = (
    "gitmem hub init --database postgresql://hub@db.example.org/hub",
    "GITMEM_HUB_DATABASE=postgresql:///hub gitmem hub init",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``init``."""
    add_database(parser)
    about = "change the schema to this version instead of the newest; 0 drops all tables of the hub"
    parser.add_argument("--schema", type=int, default=None, metavar="VERSION", help=about)


def run(args: Arguments, out: Output) -> int:
    """Migrate the schema and print its version."""
    url = database_of(args)
    from gitmem.hub import schema
    from gitmem.hub.database import connected

    with connected(url) as connection:
        before, after = schema.migrate(connection, args.schema)
    out.result(str(after), f"the schema has version {after}" + (f", from {before}" if before != after else ""))
    return 0
