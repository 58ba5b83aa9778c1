"""The options that name the check of a fact, for the commands that take one: fact, edit, settle."""

from __future__ import annotations

from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


def add_check(parser: argparse.ArgumentParser, heading: str) -> None:
    """Add the checks as a group of options, and a program behind ``--``."""
    checks = parser.add_argument_group(heading)
    checks.add_argument("--verify", metavar="CMD", help="a shell command that exits 0 while the fact is true")
    checks.add_argument("--exists", metavar="PATH", help="this file or folder exists")
    checks.add_argument("--absent", metavar="PATH", help="this file or folder does not exist")
    checks.add_argument("--contains", metavar="TEXT", help="some file of --in contains this text")
    checks.add_argument("--matches", metavar="RE", help="some file of --in matches this regular expression")
    checks.add_argument("--lacks", metavar="TEXT", help="no file of --in contains this text")
    checks.add_argument("--same", metavar="SHA256", help="the file --in has this SHA-256")
    checks.add_argument(
        "--in", dest="where", metavar="GLOB", help="files of the code; * stays in one folder, ** does not"
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
    for name in ("exists", "absent"):
        if getattr(args, name) is not None:
            given.append({name: getattr(args, name)})
    for name in ("contains", "matches", "lacks", "same"):
        if getattr(args, name) is not None:
            if args.where is None:
                raise UsageError(f"--{name} needs --in", hint=f"--{name} … --in 'src/**/*.py'")
            given.append({name: getattr(args, name), "in": args.where})
    if len(given) > 1:
        raise UsageError("a fact has one check", hint="give one of --verify, --exists, --contains, … or -- PROGRAM")
    if args.where is not None and not (given and isinstance(given[0], dict) and "in" in given[0]):
        raise UsageError("--in goes with --contains, --matches, --lacks or --same")
    return given[0] if given else None
