"""``--format`` and ``--report``: the results of ``check`` and ``verify`` for forges and other programs."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.output import Output
from gitmem.config import variable
from gitmem.errors import GitmemError, UsageError
from gitmem.system import atomic_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gitmem.verify.overview.finding import Findings

FORMS = ("text", "json", "github", "markdown", "sarif", "junit", "codequality")
JSON_FORMS = ("json", "sarif", "codequality")
WRITTEN = FORMS[2:]
# GitHub rejects a step's summary of more than 1 MiB; each step has its own limit.
SUMMARY_LIMIT = 1024 * 1024 - 4096


def add_arguments(parser: ArgumentParser, written: tuple[str, ...] = WRITTEN) -> None:
    """Add the options; *written* are the formats that can be written to a file."""
    forms = ("text", "json", *written)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON document: the same as --format json")
    output.add_argument("--format", default="text", choices=forms, metavar="FORM", help=f"print {', '.join(forms)}")
    output.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="FORM=FILE",
        help=f"write json, {', '.join(written)} to a file as well",
    )
    parser.set_defaults(written=written)


def form_of(args: Arguments) -> str:
    """Return the format to print.

    Raises:
        UsageError: Two formats were requested, or a file in a format that cannot be written.
    """
    if args.json and args.format not in ("text", "json"):
        raise UsageError("--json and --format cannot be combined", hint=f"--format {args.format} --report …=FILE")
    for form, _ in _files(args):
        if form not in ("json", *args.written):
            raise UsageError(
                f"--report cannot write the form {form}",
                hint=f"use --report FORM=FILE, where FORM is one of json, {', '.join(args.written)}",
            )
    return "json" if args.json else str(args.format)


def _files(args: Arguments) -> list[tuple[str, str]]:
    pairs = [(form, file) for form, _, file in (given.partition("=") for given in args.report)]
    if any(not file for _, file in pairs):
        raise UsageError("--report needs a form and a file", hint="--report sarif=gitmem.sarif")
    return pairs


def is_wanted(args: Arguments) -> bool:
    """Return whether to write anything besides the command's own text and JSON."""
    return bool(args.report) or form_of(args) in args.written


def emit(args: Arguments, out: Output, findings: Findings, table: Mapping[str, Any]) -> None:
    """Write the result of ``check`` or ``verify`` in the requested formats; *table* is its JSON."""
    from gitmem.commands.report import clean, render  # imports xml and json, and only to make a report
    from gitmem.git.forges.job_environment import find_site
    from gitmem.verify.overview.notice.notice import render as notice
    from gitmem.verify.overview.notice.permalinks import Links

    site, form_of_links = find_site()
    links = Links(site, findings.head, findings.memory, form_of_links)

    def made(form: str) -> str:
        return json_text(table) if form == "json" else render(form, findings, links)

    emit_forms(args, out, made, lambda limit: notice(clean(findings), links, limit))


def json_text(table: Mapping[str, Any]) -> str:
    """Return a table as the text of a JSON file, with hidden characters escaped and secrets replaced."""
    import json

    from gitmem.text import escape_json
    from gitmem.text.secrets import redact_all

    return escape_json(json.dumps(redact_all(table), ensure_ascii=False, indent=2)) + "\n"


def emit_forms(args: Arguments, out: Output, render: Callable[[str], str], page: Callable[[int], str]) -> None:
    """Write the requested files, and print the requested format if it is one of the reports; *render* redacts.

    With ``github``, also write the step's summary, if the environment names a file for it (GITHUB_STEP_SUMMARY).

    Args:
        args: The arguments.
        out: The output.
        render: Returns the report in a format.
        page: Returns the summary, with at most this many bytes.
    """
    form = form_of(args)
    for wanted, file in _files(args):
        write_whole(file, render(wanted))
    if form in args.written:
        out.exact(render(form), is_json=form in JSON_FORMS, is_copy=True)
    summary = variable("GITHUB_STEP_SUMMARY") if form == "github" else ""
    if summary:
        from pathlib import Path

        # Text that this step has already written there counts as well.
        written = Path(summary).stat().st_size if Path(summary).is_file() else 0
        _append(summary, page(SUMMARY_LIMIT - written))


def write_whole(file: str, text: str, *, what: str = "report", mode: int | None = None) -> None:
    """Write a file atomically; a link with that name is replaced and not followed.

    Args:
        file: The path.
        text: The content.
        what: A description, for the error.
        mode: Its permissions, regardless of the umask.

    Raises:
        GitmemError: It cannot be written; an existing file is unchanged.
    """
    from pathlib import Path  # 3 ms (measured), and only to write a report to a file

    path = Path(file)
    if path.exists() and not path.is_symlink() and not path.is_file():
        _append(file, text)  # a device or a pipe; opening a folder raises its own error
        return
    try:
        atomic_write.write(path, text.encode("utf-8", "backslashreplace"), mode=mode)
    except OSError as err:
        raise GitmemError(f"cannot write the {what} {file}: {err.strerror}") from err


def _append(file: str, text: str) -> None:
    from pathlib import Path

    try:
        with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError as err:
        raise GitmemError(f"cannot write {file}: {err.strerror}") from err
