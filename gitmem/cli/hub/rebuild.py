"""Delete all memories of a hub, and read every repository again. Its list of repositories and its audit log stay.

Until it is done, searches find only what has been read. It also removes what deleted memories leave behind.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub import sync
from gitmem.cli.hub.options import Log, add_database, add_folder, database_of
from gitmem.cli.options import positive
from gitmem.cli.output import Output

EXAMPLES = ("gitmem hub rebuild", "gitmem hub rebuild --jobs 8")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``rebuild``."""
    parser.add_argument("--jobs", type=positive, default=3, metavar="N", help="repositories to read in parallel (3)")
    add_folder(parser)
    add_database(parser)


def run(args: Arguments, out: Output) -> int:
    """Delete the memories and sync; return 1 if a repository could not be read."""
    url = database_of(args)
    from gitmem.hub import schema
    from gitmem.hub.database import connected
    from gitmem.hub.overview import forget_memories

    with connected(url) as connection:
        schema.require(connection)
        forget_memories(connection)
    return sync.sync_all(args, out, Log(out, is_json=False), ())
