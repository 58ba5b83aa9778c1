"""Fetch the memory branches of a hub's repositories that changed, and store what changed in them.

They are fetched into bare mirrors, which can be deleted at any time. If a repository cannot be read, the reason is
printed, its memories stay as they were, and the others go on. Repositories whose code changed or whose facts are due
get a job for `gitmem hub work`.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import add_database, add_folder, database_of, folder_of
from gitmem.cli.options import positive
from gitmem.cli.output import Output, quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = ("gitmem hub sync", "gitmem hub sync payments/api", "gitmem hub sync --jobs 8")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``sync``."""
    parser.add_argument("names", metavar="NAME", nargs="*", help="only these repositories, by their names in the hub")
    parser.add_argument("--jobs", type=positive, default=3, metavar="N", help="repositories to sync in parallel (3)")
    add_folder(parser)
    add_database(parser)


def run(args: Arguments, out: Output) -> int:
    """Sync repositories and print those that changed; return 1 if one could not be read."""
    return sync_all(args, out, args.names)


def sync_all(args: Arguments, out: Output, names: Sequence[str]) -> int:
    """Sync the repositories of these names, or all, as the other options say."""
    url = database_of(args)
    from gitmem.hub import ingest, schema
    from gitmem.hub.database import connected
    from gitmem.hub.work import jobs

    with connected(url) as connection:
        schema.require(connection)
    total, failed = 0, 0
    for one in ingest.sync(url, folder_of(args) / "mirrors", names, jobs=args.jobs):
        total += 1
        failed += bool(one.problem)
        if one.problem:
            out.note(f"{one.name} cannot be read: {one.problem}")
        elif one.changed or one.removed:
            did = f"{quantity(one.changed, 'memory', 'memories')} changed, {one.removed} removed"
            out.result(one.name, f"synced {one.name}: {did}")
    with connected(url) as connection:
        added = jobs.add_due(connection)
    if added:
        out.note(f"{quantity(added, 'repository', 'repositories')} queued for verification")
    out.note(
        f"synced {quantity(total - failed, 'repository', 'repositories')}" + (f", {failed} failed" if failed else "")
    )
    return int(failed > 0)
