"""The options that name the check of a fact, for the commands that take one: fact, edit, settle."""

from __future__ import annotations

from gitmem.document.builtin_checks import CHECKS, GLOB, IN
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


def add_check(parser: argparse.ArgumentParser, heading: str) -> None:
    """Add the checks as a group of options, and a program behind ``--``."""
    checks = parser.add_argument_group(heading)
    checks.add_argument("--verify", metavar="CMD", help="a shell command that exits 0 while the fact is true")
    for row in CHECKS.values():
        checks.add_argument(f"--{row.name}", metavar=row.value.shown, help=row.about)
    checks.add_argument(
        f"--{IN}", dest="where", metavar=GLOB.shown, help="files of the code; * stays in one folder, ** does not"
    )
    checks.add_argument("program", nargs="*", metavar="-- PROGRAM ARG", help="a program, run without a shell")


def add_limits(parser: argparse.ArgumentParser, what: str) -> None:
    """Add what a run of the check may take, and its counterexample; *what* names it in the help."""
    parser.add_argument("--timeout", default="", metavar="TIME", help=f"time limit of the {what}: 30s, 5m (1m)")
    parser.add_argument("--network", action="store_true", help=f"the {what} needs the network")
    refute = f"a change of the code after which the {what} must fail"
    parser.add_argument("--refute", default="", metavar="CMD", help=refute)


def verify_of(args: argparse.Namespace) -> Any:
    """Return the check as the frontmatter has it; None where none was given.

    Raises:
        UsageError: More than one was given, or ``--in`` is missing or out of place.
    """
    given: list[Any] = [args.verify] if args.verify is not None else []
    given += [list(args.program)] if args.program else []
    for row in CHECKS.values():
        value = getattr(args, row.name)
        if value is None:
            continue
        if row.probe is not None and args.where is None:
            raise UsageError(f"--{row.name} needs --in", hint=f"--{row.name} … --in 'src/**/*.py'")
        given.append({row.name: value, IN: args.where} if row.probe else {row.name: value})
    if len(given) > 1:
        raise UsageError("a fact has one check", hint="give one of --verify, --exists, --contains, … or -- PROGRAM")
    if args.where is not None and not (given and isinstance(given[0], dict) and IN in given[0]):
        *most, last = (f"--{row.name}" for row in CHECKS.values() if row.probe)
        raise UsageError(f"--in goes with {', '.join(most)} or {last}")
    return given[0] if given else None
