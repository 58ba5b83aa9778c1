"""Check that sources are pulled as often as they should be. Exits with 1 if one is overdue, or its last pull failed.

A source is overdue when twice the time of its --every has passed since it was last pulled to its end.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.plugins.pull.cli.sources.list import as_table, print_states

EXAMPLES = ("gitmem sources status", "gitmem sources status github --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``status``."""
    parser.add_argument("source", nargs="*", metavar="SOURCE", help="only these sources")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the state of sources; return 1 if one is overdue or failed."""
    with open_memory(out) as memory:
        sources, now = memory.sources.list(*args.source), memory.repository.now
    if args.json:
        out.json({"sources": [as_table(source) for source in sources]})
    else:
        print_states(sources, out, now=now)
        for source in sources:
            if source.is_silent:
                out.note(f"{source.source.name} is overdue: gitmem pull {source.source.name}")
    return int(any(source.is_silent or source.error for source in sources))
