"""Show the state of a hub: how much it has, when it was synced, and why repositories cannot be read."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import add_database, database_of, utc
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, list_of, quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.hub.overview import Overview

EXAMPLES = ("gitmem hub status", "gitmem hub status --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``status``."""
    add_database(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the state; return 1 if a repository cannot be read."""
    url = database_of(args)
    from gitmem.hub import schema
    from gitmem.hub.database import connected
    from gitmem.hub.overview import read_overview

    with connected(url) as connection:
        schema.require(connection)
        found = read_overview(connection)
    if args.json:
        causes = [
            {"problem": one.problem, "repositories": one.repositories, "since": utc(one.since), "names": [*one.names]}
            for one in found.causes
        ]
        names = ("repositories", "unread", "memories", "tombstones", "change", "bytes")
        document = {name: getattr(found, name) for name in names} | {"statuses": dict(found.statuses)}
        out.json(document | {"oldest": utc(found.oldest), "newest": utc(found.newest), "causes": causes})
    else:
        _print(found, out)
    return int(bool(found.causes))


def _print(found: Overview, out: Output) -> None:
    out.line(
        (quantity(found.memories, "memory", "memories"), "bold"),
        f" of {quantity(found.repositories, 'repository', 'repositories')}, {found.bytes / 1e6:.1f} MB",
    )
    for status, count in found.statuses:
        out.line(f"  {count:>7}  {status}")
    if found.oldest and found.newest:
        out.line(f"synced between {utc(found.oldest)} and {utc(found.newest)}")
    if found.unread:
        out.line(f"{quantity(found.unread, 'repository', 'repositories')} never read; to read them: gitmem hub sync")
    for one in found.causes:
        more = ", …" if one.repositories > len(one.names) else ""
        which = f"{list_of(one.names)}{more}"
        out.line((f"{quantity(one.repositories, 'repository', 'repositories')} cannot be read ({which})", "yellow"))
        out.line("  ", (one.problem, "dim"))
