"""``--format`` and ``--report``: what ``check`` and ``verify`` found, for forges and other programs."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from gitmem.config import variable
from gitmem.errors import GitmemError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output
    from gitmem.verify.finding import Findings

FORMS = ("text", "json", "github", "markdown", "sarif", "junit")
WRITTEN = FORMS[2:]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--json", action="store_true", help="print one JSON document: the same as --format json")
    parser.add_argument("--format", default="text", choices=FORMS, metavar="FORM", help=f"print {', '.join(FORMS)}")
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="FORM=FILE",
        help=f"write {', '.join(WRITTEN)} to a file as well",
    )


def form_of(args: argparse.Namespace) -> str:
    """Return what is printed.

    Raises:
        UsageError: Two forms were asked for, or one that no file is written in.
    """
    if args.json and args.format not in ("text", "json"):
        raise UsageError("--json and --format ask for two things", hint=f"--format {args.format} --report …=FILE")
    for form, _ in _files(args):
        if form not in WRITTEN:
            raise UsageError(f"--report writes no {form}", hint=f"--report FORM=FILE, one of {', '.join(WRITTEN)}")
    return "json" if args.json else str(args.format)


def _files(args: argparse.Namespace) -> list[tuple[str, str]]:
    pairs = [(form, file) for form, _, file in (given.partition("=") for given in args.report)]
    if any(not file for _, file in pairs):
        raise UsageError("--report needs a form and a file", hint="--report sarif=gitmem.sarif")
    return pairs


def is_wanted(args: argparse.Namespace) -> bool:
    """Tell whether there is anything to make besides the command's own text and JSON."""
    return bool(args.report) or form_of(args) in WRITTEN


def emit(args: argparse.Namespace, out: Output, found: Findings) -> None:
    """Write the files that were asked for, and print the form where it is one of ``WRITTEN``.

    With ``github``, the step's summary is written as well, where there is one (GITHUB_STEP_SUMMARY).
    """
    from gitmem.report import cleaned, render  # xml and json, and only where a report is made
    from gitmem.report.markdown import SIZE_LIMIT, page

    form = form_of(args)
    for wanted, file in _files(args):
        write_whole(file, render(wanted, found))
    if form in WRITTEN:
        out.exact(render(form, found))
    summary = variable("GITHUB_STEP_SUMMARY") if form == "github" else ""
    if summary:
        # What this step has written there already counts as well.
        written = Path(summary).stat().st_size if Path(summary).is_file() else 0
        _append(summary, page(cleaned(found), limit=SIZE_LIMIT - written))


def write_whole(file: str, text: str, *, what: str = "report", mode: int | None = None) -> None:
    """Put a file in its place, whole or not at all; a link of that name is replaced and not followed.

    Args:
        file: Where.
        text: What it holds.
        what: What it is, for the error.
        mode: Its permissions, whatever the process's umask says.

    Raises:
        GitmemError: It cannot be written; a file that was there is left as it was.
    """
    path = Path(file)
    if path.exists() and not path.is_symlink() and not path.is_file():
        _append(file, text)  # a device or a pipe; a folder says so itself
        return
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.unlink(missing_ok=True)  # of a process of that number that was killed: in a container, each has the same
        with new.open("x", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        if mode is not None:
            new.chmod(mode)
        new.replace(path)
    except OSError as err:
        with suppress(OSError):  # the folder is none, or not ours
            new.unlink(missing_ok=True)
        raise GitmemError(f"the {what} {file} cannot be written: {err.strerror}") from err


def _append(file: str, text: str) -> None:
    try:
        with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError as err:
        raise GitmemError(f"{file} cannot be written: {err.strerror}") from err
