"""Show the state of a hub: how much it has, when it was synced, its queue, and why repositories fail."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import add_database, database_of, utc
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, list_of, quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.hub.overview import Cause, Overview, Queue

EXAMPLES = ("gitmem hub status",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``status``."""
    add_database(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the state; return 1 if a repository cannot be read or verified."""
    url = database_of(args)
    from gitmem.hub import schema
    from gitmem.hub.database import connected
    from gitmem.hub.overview import read_overview

    with connected(url) as connection:
        schema.require(connection)
        overview = read_overview(connection)
    if args.json:
        names = ("repositories", "unread", "memories", "tombstones", "change", "bytes")
        document = {name: getattr(overview, name) for name in names} | {"statuses": dict(overview.statuses)}
        document |= {"oldest": utc(overview.oldest), "newest": utc(overview.newest), "causes": _tables(overview.causes)}
        out.json(document | {"queue": _queue_table(overview.queue)})
    else:
        _print(overview, out)
    return int(bool(overview.causes or overview.queue.failures))


def _tables(causes: Sequence[Cause]) -> list[dict[str, Any]]:
    return [
        {
            "problem": cause.problem,
            "repositories": cause.repositories,
            "since": utc(cause.since),
            "names": [*cause.names],
        }
        for cause in causes
    ]


def _queue_table(queue: Queue) -> dict[str, Any]:
    names = ("waiting", "tomorrow", "running", "workers", "unapproved")
    counts = {name: getattr(queue, name) for name in names}
    return counts | {"oldest": utc(queue.oldest), "failures": _tables(queue.failures)}


def _print(overview: Overview, out: Output) -> None:
    out.line(
        (quantity(overview.memories, "memory", "memories"), "bold"),
        f" of {quantity(overview.repositories, 'repository', 'repositories')}, {overview.bytes / 1e6:.1f} MB",
    )
    for status, count in overview.statuses:
        out.line(f"  {count:>7}  {status}")
    if overview.oldest and overview.newest:
        out.line(f"synced between {utc(overview.oldest)} and {utc(overview.newest)}")
    if overview.unread:
        out.line(f"{quantity(overview.unread, 'repository', 'repositories')} never read; to read them: gitmem hub sync")
    _print_causes(overview.causes, "read", out)
    queue = overview.queue
    if queue.waiting or queue.tomorrow or queue.running or queue.workers:
        since = f" since {utc(queue.oldest)}" if queue.oldest else ""
        later = f", {queue.tomorrow} for later" if queue.tomorrow else ""
        workers = quantity(queue.workers, "worker")
        out.line(f"verification: {queue.running} running, {queue.waiting} waiting{since}{later}; {workers}")
    if queue.unapproved:
        out.line(f"{quantity(queue.unapproved, 'fact')} not judged, because no list approves their commands")
    _print_causes(queue.failures, "verified", out)


def _print_causes(causes: Sequence[Cause], what: str, out: Output) -> None:
    for cause in causes:
        more = ", …" if cause.repositories > len(cause.names) else ""
        which = f"{list_of(cause.names)}{more}"
        out.line((f"{quantity(cause.repositories, 'repository', 'repositories')} cannot be {what} ({which})", "yellow"))
        out.line("  ", (cause.problem, "dim"))
