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
    for listed in () if args.json else repositories:
        print_repository(listed, out)
    if not repositories and not args.json:
        out.note("the hub has no repositories; to add one: gitmem hub add URL")
    return int(not repositories or any(repository.problem for repository in repositories))


def as_table(listed: Listed) -> dict[str, Any]:
    """Return a repository as documented JSON."""
    return {
        "name": listed.name,
        "url": listed.url,
        "branch": listed.branch,
        "team": listed.team,
        "readers": list(listed.readers),
        "memories": listed.memories,
        "commit": listed.commit,
        "synced_at": utc(listed.synced_at),
        "problem": listed.problem,
    }


def print_repository(listed: Listed, out: Output) -> None:
    """Print a repository for people, or as a line of cells in a pipe."""
    readers = ", ".join(listed.readers)
    if not out.is_terminal:
        out.row(listed.name, listed.url, str(listed.memories), readers, listed.problem)
        return
    memories = quantity(listed.memories, "memory", "memories") + (f" at {listed.commit[:12]}" if listed.commit else "")
    about = (listed.problem, "yellow") if listed.problem else (memories, "dim")
    out.line((listed.name, "key"), f"  {listed.url}  ", about, (f"  readers: {readers or 'none'}", "dim"))
