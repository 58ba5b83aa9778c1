"""Check that a final report says what the board requires.

Required are entries marked --must-surface, contradictions, and signals that are open or waived. One counts as present
if the report has 60 % of its words and all of its numbers. A report that repeats the words can still say something
else: read it. Exits with 1 if something is missing.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_file
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, list_of, quantity, shorten
from gitmem.errors import RefusedError, UsageError
from gitmem.plugins.board.cli import shared

EXAMPLES = (
    "gitmem board survival audit-7 --report report.md",
    "gitmem board survival audit-7 --report report.md --threshold 0.8 --json",
)
# The limit of a report, which is read completely; no person reads a longer one.
REPORT_LIMIT = 4 * 1024 * 1024


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``survival``."""
    shared.add_run(parser)
    parser.add_argument("--report", required=True, metavar="FILE", help="the final report")
    about = "the share of an entry's words that must be present, above 0 and at most 1 (0.6)"
    parser.add_argument("--threshold", type=float, default=0.0, metavar="SHARE", help=about)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print missing entries; return 1 if there are any."""
    if not 0 <= args.threshold <= 1:
        raise UsageError("--threshold must be above 0 and at most 1", hint="remove it to use 0.6")
    report = _read(args.report)
    with open_memory(out) as memory:
        board = memory.boards.show(args.run)
        missing = memory.boards.survival(args.run, report, threshold=args.threshold)
    total = len(board.list_required())
    if args.json:
        tables = [shared.missing_table(board, one) for one in missing]
        out.json({"run": board.run, "report": args.report, "required": total, "missing": tables})
    else:
        for one in missing:
            name, entry = board.name_of(one.due.entry.id), one.due.entry
            lacks = f", lacks {list_of(one.numbers)}" if one.numbers else ""
            out.line((name, "key"), "  ", (f"{one.due.why}, {one.share:.0%} of its words{lacks}", "yellow"))
            out.line("  ", shorten(entry.text, out.width - 2))
        out.note(f"the report says {total - len(missing)} of {quantity(total, 'required entry', 'required entries')}")
    shared.print_problems(board, out)
    return int(bool(missing))


def _read(file: str) -> str:
    """Read the report.

    Raises:
        NotFoundError: The file does not exist.
        RefusedError: It is too large, or cannot be read.
    """
    raw = read_file(file, REPORT_LIMIT, hint="gitmem board survival RUN --report FILE")
    if len(raw) > REPORT_LIMIT:
        raise RefusedError(f"{file} is larger than {REPORT_LIMIT} bytes", hint="give the report alone")
    return raw.decode("utf-8", "replace")
