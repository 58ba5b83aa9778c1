"""Update the search index, or rebuild it from scratch.

Reading does this automatically when the index is behind; hooks do it ahead of time. The Whoosh index is updated as well
if it exists.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.config import ENGINES
from gitmem.frozen import fields_of

EXAMPLES = ("gitmem index", "gitmem index --rebuild", "gitmem index --engine whoosh")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``index``."""
    parser.add_argument("--rebuild", action="store_true", help="delete the index and build it from scratch")
    parser.add_argument(
        "--engine", choices=ENGINES, default="", help="whoosh: also build the index used by recall --syntax and similar"
    )
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Update the index and print a summary."""
    with open_memory(out) as memory:
        refreshed = memory.index.refresh(rebuild=args.rebuild, engine=args.engine)
    if args.json:
        out.json(fields_of(refreshed))
    else:
        memories = quantity(refreshed.memories, "memory", "memories")
        did = f"{memories} at {refreshed.commit[:12]}, {refreshed.seconds:.2f} s"
        out.result(did, f"indexed {did}")
    return 0
