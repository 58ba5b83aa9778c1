"""Fetch the memory branches of a hub's repositories that changed, and store what changed in them.

They are fetched into bare mirrors, which can be deleted at any time. If a repository cannot be read, the reason is
printed, and its memories stay as they were. Repositories whose code changed or whose facts are due get a job for
`gitmem hub work`. With --every, a repository that a webhook names is synced at once.
"""

from __future__ import annotations

from time import monotonic, sleep

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import Log, add_database, add_folder, add_log, database_of, folder_of
from gitmem.cli.options import positive
from gitmem.cli.output import Output, quantity
from gitmem.errors import GitmemError, UsageError
from gitmem.frozen import fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = ("gitmem hub sync", "gitmem hub sync payments/api", "gitmem hub sync --jobs 8 --every 60")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``sync``."""
    parser.add_argument("names", metavar="NAME", nargs="*", help="only these repositories, by their names in the hub")
    pace = parser.add_argument_group("how much, and how often")
    pace.add_argument("--jobs", type=positive, default=3, metavar="N", help="repositories to sync in parallel (3)")
    about = "sync again this many seconds after each sync ends, until a signal arrives"
    pace.add_argument("--every", type=positive, default=None, metavar="SECONDS", help=about)
    add_log(parser)
    add_folder(parser)
    add_database(parser)


def run(args: Arguments, out: Output) -> int:
    """Sync repositories and print those that changed; return 1 if one could not be read."""
    log = Log(out, is_json=args.log_json)
    if not args.every:
        return sync_all(args, out, log, args.names)
    problems: dict[str, str] = {}
    while True:
        wait_s = float(args.every)
        try:
            sync_all(args, out, log, args.names, problems)
            problems.pop("", None)
            _sync_pushed(args, out, log, problems, wait_s)
            wait_s = 0.0
        except UsageError:
            raise
        except GitmemError as err:  # of the database, which may come back
            if problems.get("") != err.message:
                log.note(f"{err.message}; trying again every {args.every} seconds")
            problems[""] = err.message
        out.flush()
        sleep(wait_s)


def _sync_pushed(args: Arguments, out: Output, log: Log, problems: dict[str, str], limit_s: float) -> None:
    """Sync repositories that webhooks name, for so many seconds."""
    from gitmem.hub.ingest import wait_for_push

    end = monotonic() + limit_s
    while (left := end - monotonic()) > 0:
        out.flush()
        if names := wait_for_push(database_of(args), args.names, left):
            sync_all(args, out, log, names, problems)


def sync_all(
    args: Arguments, out: Output, log: Log, names: Sequence[str], problems: dict[str, str] | None = None
) -> int:
    """Sync the repositories of these names, or all, as the other options say.

    Args:
        args: The options.
        out: Where the names of changed repositories are printed.
        log: Where the rest is printed.
        names: Only these repositories; all if empty.
        problems: The problems of the last time by repository, of which only changes are printed; None for the only
            time.
    """
    url = database_of(args)
    from gitmem.hub import ingest, schema
    from gitmem.hub.database import connected
    from gitmem.hub.work import jobs

    with connected(url) as connection:
        schema.require(connection)
    total, failed, known = 0, 0, {} if problems is None else problems
    for synced in ingest.sync(url, folder_of(args) / "mirrors", names, jobs=args.jobs):
        total += 1
        failed += bool(synced.problem)
        if synced.problem != known.get(synced.name, ""):
            log.note(
                f"{synced.name} cannot be read: {synced.problem}"
                if synced.problem
                else f"{synced.name} can be read again"
            )
        known[synced.name] = synced.problem
        if synced.changed or synced.removed:
            log.event("synced", fields_of(synced))
            did = f"{quantity(synced.changed, 'memory', 'memories')} changed, {synced.removed} removed"
            out.result(synced.name, f"synced {synced.name}: {did}")
    with connected(url) as connection:
        added = jobs.add_due(connection)
    if added:
        log.note(f"{quantity(added, 'repository', 'repositories')} queued for verification")
    if problems is None:
        much = quantity(total - failed, "repository", "repositories")
        log.note(f"synced {much}" + (f", {failed} failed" if failed else ""))
    return int(failed > 0)
