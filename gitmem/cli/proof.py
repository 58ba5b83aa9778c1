"""The options that name a fact's check, shared by fact, edit and settle."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.paths import path_reader
from gitmem.document.builtin_checks import CHECKS, iter_fields
from gitmem.document.check_values import FLAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.document.memory_fields import TreeOptions

OUTSIDE = "mark the check as one about the world (a date, a service): no commit is blamed for a failure"

INDEPENDENT = "require a verdict by someone other than the author"


def add_check(parser: ArgumentParser, heading: str) -> None:
    """Add the checks as a group of options, and a program after ``--``."""
    checks = parser.add_argument_group(heading)
    checks.add_argument("--verify", metavar="CMD", help="a shell command that exits with 0 while the fact is true")
    for row in CHECKS.values():
        metavar = row.value.shown if row.count == 1 else (row.value.shown,) * row.count
        checks.add_argument(
            f"--{row.name}",
            metavar=metavar,
            nargs=None if row.count == 1 else row.count,
            type=path_reader(row.value.placed),
            help=row.about,
        )
    for field in iter_fields():
        if field.value is FLAG:
            checks.add_argument(f"--{field.name}", dest=field.name, action="store_true", default=None, help=field.about)
            continue
        checks.add_argument(
            f"--{field.name}",
            dest=field.name,
            type=path_reader(field.value.placed),
            metavar=field.value.shown,
            help=field.about,
        )
    checks.add_argument("program", nargs="*", metavar="-- PROGRAM ARG", help="a program, run without a shell")


def add_limits(parser: ArgumentParser, what: str) -> None:
    """Add the limits of a check and its counterexample; *what* names the check in the help."""
    limits = parser.add_argument_group(f"how the {what} runs")
    limits.add_argument("--timeout", default="", metavar="TIME", help=f"time limit of the {what}: 30s, 5m (1m)")
    limits.add_argument("--network", action="store_true", help=f"let the {what} use the network")
    limits.add_argument("--env", action="append", metavar="NAME", help=f"an environment variable that the {what} sees")
    refute = f"a command that changes the code so that the {what} must fail"
    limits.add_argument("--refute", default="", metavar="CMD", help=refute)


def add_judging(parser: ArgumentParser) -> None:
    """Add the options for what a new check runs on: HEAD, uncommitted changes, or nothing."""
    which = parser.add_argument_group("what a new check is judged on, one of").add_mutually_exclusive_group()
    which.add_argument("--staged", action="store_true", help="judge the check with the staged changes")
    which.add_argument("--dirty", action="store_true", help="judge the check with all uncommitted changes")
    which.add_argument("--unproven", action="store_true", help="record it without running the check")


def judging_of(args: Arguments) -> TreeOptions:
    """Return what a new check runs on, as arguments of ``Memory.fact`` and ``Memory.edit``."""
    return {"unproven": args.unproven, "tree": "staged" if args.staged else "dirty" if args.dirty else ""}


def verify_of(args: Arguments) -> Any:
    """Return the check as in the frontmatter; None if none was given.

    Raises:
        UsageError: More than one was given, or one of its options is missing or does not apply.
    """
    from gitmem.commands.fact import check_from_fields

    commands = [*([args.verify] if args.verify is not None else []), *([list(args.program)] if args.program else [])]
    names = (*CHECKS, *(field.name for field in iter_fields()))
    return check_from_fields(commands, {name: getattr(args, name) for name in names})
