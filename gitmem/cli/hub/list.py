"""List the repositories of a hub, with their memories, who may read them, and why one could not be read.

In a pipe: tab-separated name, address, memories, readers, problem.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import add_database, database_of, utc
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.hub.registry import Listed

EXAMPLES = ("gitmem hub list",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``list``."""
    add_database(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the repositories; return 1 if there are none, or one could not be read."""
    url = database_of(args)
    from gitmem.hub import registry, schema
    from gitmem.hub.database import connected

    with connected(url) as connection:
        schema.require(connection)
        repositories = registry.list_repositories(connection)
    if args.json:
        out.json({"repositories": [as_table(repository) for repository in repositories]})
    for one in () if args.json else repositories:
        print_repository(one, out)
    if not repositories and not args.json:
        out.note("the hub has no repositories; to add one: gitmem hub add URL")
    return int(not repositories or any(repository.problem for repository in repositories))


def as_table(one: Listed) -> dict[str, Any]:
    """Return a repository as documented JSON."""
    return {
        "name": one.name,
        "url": one.url,
        "branch": one.branch,
        "team": one.team,
        "readers": list(one.readers),
        "memories": one.memories,
        "commit": one.commit,
        "synced_at": utc(one.synced_at),
        "problem": one.problem,
    }


def print_repository(one: Listed, out: Output) -> None:
    """Print a repository for people, or as a line of cells in a pipe."""
    readers = ", ".join(one.readers)
    if not out.is_terminal:
        out.row(one.name, one.url, str(one.memories), readers, one.problem)
        return
    memories = quantity(one.memories, "memory", "memories") + (f" at {one.commit[:12]}" if one.commit else "")
    about = (one.problem, "yellow") if one.problem else (memories, "dim")
    out.line((one.name, "key"), f"  {one.url}  ", about, (f"  readers: {readers or 'none'}", "dim"))
