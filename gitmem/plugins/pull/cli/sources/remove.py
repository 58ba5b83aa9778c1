"""Remove a source with everything that was pulled from it. Memories that you wrote about it stay."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.output import Output

EXAMPLES = ("gitmem sources remove github",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``remove``."""
    parser.add_argument("source", metavar="SOURCE", help="its name")


def run(args: Arguments, out: Output) -> int:
    """Remove a source and print its name."""
    with open_memory(out) as memory:
        source = memory.sources.remove(args.source)
    out.result(source.name, f"removed the source {source.name}")
    out.note("removed, with what was pulled from it; to bring it back, add and pull it again")
    return 0
