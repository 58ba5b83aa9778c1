"""Verify the due facts of a hub's repositories, as jobs of its queue, and push the verdicts.

Each repository is verified as its own workflow would do it: `gitmem verify` on the default branch, in the sandbox, with
the reviewed list there. Pushes use git's own credentials, which checks do not see. Start as many workers as you need,
also on other machines: the job of one that dies goes to another.
"""

from __future__ import annotations

import platform

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import Log, add_database, add_folder, add_log, database_of, folder_of
from gitmem.cli.options import positive
from gitmem.cli.output import Output, quantity
from gitmem.errors import GitmemError
from gitmem.frozen import fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.hub.work.verification import Verified

# What a log does not tell of a job.
_UNTOLD = ("is_postponed", "stated")
EXAMPLES = (
    "gitmem hub work",
    "gitmem hub work --jobs 8 --platform gpu",
    "gitmem hub work --once",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``work``."""
    parser.add_argument("--once", action="store_true", help="end when no job is left")
    work = parser.add_argument_group("which jobs, and for how long")
    work.add_argument("--jobs", type=positive, default=2, metavar="N", help="repositories to verify in parallel (2)")
    about = "also take the jobs of repositories with this platform (this system, such as linux/amd64)"
    work.add_argument("--platform", dest="platforms", action="append", default=[], metavar="LABEL", help=about)
    about = "maximum time for one repository, in seconds (1800)"
    work.add_argument("--limit", type=positive, default=1800, metavar="SECONDS", help=about)
    about = "give a worker's jobs to others after this time without a sign of life; the same for all workers (30)"
    work.add_argument("--dead-after", type=positive, default=30, metavar="SECONDS", help=about)
    add_log(parser)
    add_folder(parser)
    add_database(parser)


def run(args: Arguments, out: Output) -> int:
    """Work until a signal arrives; with ``--once`` return 1 if a repository could not be verified."""
    url = database_of(args)
    try:
        import procrastinate  # noqa: F401 - the room below needs it
    except ModuleNotFoundError as err:
        if err.name != "procrastinate":
            raise
        from gitmem.system.origin import extra_hint

        raise GitmemError("the package procrastinate is not installed here", hint=extra_hint("hub")) from err
    from gitmem.hub import schema
    from gitmem.hub.database import connected
    from gitmem.hub.registry import refuse_wrong_platform
    from gitmem.hub.work.worker import Plan, work

    for label in args.platforms:
        refuse_wrong_platform(label)
    with connected(url) as connection:
        schema.require(connection)
    problems = []
    log = Log(out, is_json=args.log_json)

    def report(verified: Verified) -> None:
        if verified.problem:
            problems.append(verified.name)
        if log.is_json:
            log.event("verified", {name: value for name, value in fields_of(verified).items() if name not in _UNTOLD})
        elif verified.problem:
            out.note(f"{verified.name} cannot be verified: {verified.problem}")
        else:
            out.line(_describe(verified))
        out.flush()

    plan = Plan(
        url,
        folder_of(args) / "work",
        jobs=args.jobs,
        platforms=tuple(args.platforms or [_system()]),
        is_once=args.once,
        limit_s=args.limit,
        dead_s=args.dead_after,
    )
    work(plan, report=report, note=log.note)
    return int(bool(problems))


def _system() -> str:
    """Return the label of this system in the words of container images, such as ``linux/amd64``."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}/{ {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(machine, machine) }"


def _describe(verified: Verified) -> str:
    judged = (
        f"{quantity(verified.judged, 'fact')} judged, {verified.failed} failed"
        if verified.judged
        else "nothing was due"
    )
    waiting = f", {verified.unapproved} not approved" if verified.unapproved else ""
    pushed = f"; pushed {verified.pushed[:12]}" if verified.pushed else ""
    return f"verified {verified.name}: {judged}{waiting}{pushed} ({verified.seconds:.1f} s)"
