"""Export memories as JSONL, one per line, or with --to as a folder of Markdown in the store's own layout.

Importing the export restores every memory byte for byte. Existing files are never overwritten.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from gitmem.cli.output import Output

EXAMPLES = (
    "gitmem export --all > memories.jsonl",
    "gitmem export --kind decision,convention --to docs/decisions",
    "gitmem export --tag auth --format jsonl --to auth.jsonl",
)
EVERY = 10_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what export takes."""
    parser.add_argument(
        "--format",
        choices=("jsonl", "markdown"),
        help="jsonl or markdown (markdown if --to names a folder, else jsonl)",
    )
    parser.add_argument("--to", default="-", metavar="PATH", help="a new folder or file; - is standard output (-)")
    shared.add_filters(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Export memories; 1 when there are none."""
    form = args.format or ("jsonl" if args.to == "-" or args.to.endswith((".jsonl", ".ndjson")) else "markdown")
    if form == "markdown" and args.to == "-":
        raise UsageError(
            "Markdown is exported to a folder, which needs a name", hint="gitmem export --format markdown --to DIR"
        )
    with shared.open_memory(args, out) as memory:
        query = shared.query_of(args, memory, limit=EVERY)
        if form == "markdown":
            count = sum(1 for _ in memory.bulk.export(query, folder=args.to))
        else:
            count = _write_lines(memory.bulk.export(query), args.to, out)
        shared.print_notices(memory, out)
    if args.to != "-":
        out.line(args.to)
    out.note(f"{shared.counted(count, 'memory', 'memories')} exported" if count else "no memories found")
    return 0 if count else 1


def _write_lines(lines: Iterable[str], to: str, out: Output) -> int:
    """Write the lines and return how many there were."""
    from pathlib import Path

    from gitmem.commands.export import write_file

    count = 0

    def counted() -> Iterator[str]:
        nonlocal count
        for line in lines:
            count += 1
            yield line

    if to != "-":
        write_file(counted(), Path(to))
    else:
        for line in counted():
            out.exact(line)
    return count
