"""Export memories as JSONL, one per line, or with --to as a folder of Markdown in the store's own layout.

--okf writes a bundle of the Open Knowledge Format (0.2) instead, with the verdicts of facts as "verified" entries.
--notes writes imported notes as they were: with their names, folders, links and fields, and with changes made here.
Importing the export restores every memory byte for byte. Existing files are never overwritten.

Exits with 1 if no memory passes the filters.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.filters import add_filters, parse_query
from gitmem.cli.output import Output, quantity
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EXAMPLES = (
    "gitmem export --all > memories.jsonl",
    "gitmem export --kind decision,convention --to docs/decisions",
    "gitmem export --all --okf bundle",
    "gitmem export --notes vault",
    "gitmem export --tag auth --format jsonl --to auth.jsonl",
)
EVERY = 10_000_000


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``export``."""
    parser.add_argument(
        "--format",
        choices=("jsonl", "markdown"),
        help="jsonl or markdown (markdown if --to names a folder, else jsonl)",
    )
    parser.add_argument("--to", default="-", metavar="PATH", help="a new folder or file; - is standard output (-)")
    parser.add_argument("--okf", default="", metavar="FOLDER", help="write a bundle of the Open Knowledge Format there")
    parser.add_argument(
        "--notes", default="", metavar="FOLDER", help="write the notes that memories were imported from"
    )
    add_filters(parser)


def run(args: Arguments, out: Output) -> int:
    """Export memories; return 1 if a filter matches none."""
    if args.okf and (args.format or args.to != "-" or args.notes):
        raise UsageError("--okf cannot be combined with --format, --to and --notes", hint="gitmem export --okf FOLDER")
    if args.notes and (args.format or args.to != "-"):
        raise UsageError("--notes cannot be combined with --format and --to", hint="gitmem export --notes FOLDER")
    from gitmem.recall.query import Query

    other = args.okf or args.notes
    to = other or args.to
    is_lines = to == "-" or (to.endswith((".jsonl", ".ndjson")) and not other)
    form = args.format or ("jsonl" if is_lines else "markdown")
    if form == "markdown" and to == "-":
        raise UsageError(
            "Markdown is exported to a folder, which needs a name", hint="gitmem export --format markdown --to DIR"
        )
    with open_memory(out) as memory:
        query = parse_query(args, memory, limit=EVERY)
        is_filtered = query != Query(limit=query.limit, everything=query.everything)
        if form == "markdown":
            how = {"is_okf": bool(args.okf), "is_notes": bool(args.notes)}
            count = sum(1 for _ in memory.bulk.export(query, folder=to, **how))
        else:
            count = _write_lines(memory.bulk.export(query), args.to, out)
    summary = f"{quantity(count, 'memory', 'memories')} exported"
    if to != "-":
        out.result(to, f"{summary} to {to}")
    if not (to != "-" and out.is_terminal):
        out.note(summary if count else "no memories found")
    return int(is_filtered and not count)


def _write_lines(lines: Iterable[str], to: str, out: Output) -> int:
    """Write the lines and return how many there were."""
    from pathlib import Path

    from gitmem.commands.export import write_file

    count = 0

    def count_lines() -> Iterator[str]:
        nonlocal count
        for line in lines:
            count += 1
            yield line

    if to != "-":
        write_file(count_lines(), Path(to))
    else:
        for line in count_lines():
            out.exact(line, is_json=True, is_copy=True)
    return count
