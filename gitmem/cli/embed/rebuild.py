"""Embed memories that have no vectors, and remove vectors of deleted memories and unused models.

Recall embeds new memories automatically. If a rebuild fails or is interrupted, finished work is kept; run it again.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.frozen import fields_of

EXAMPLES = ("gitmem embed rebuild", "gitmem embed rebuild --download", "gitmem embed rebuild --all")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``rebuild``."""
    parser.add_argument("--all", action="store_true", help="embed everything again")
    parser.add_argument("--download", action="store_true", help="download the model if it is not on this machine")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Embed memories, and print a summary."""
    with open_memory(out) as memory:
        rebuilt = memory.vectors.rebuild(everything=args.all, download=args.download)
    if args.json:
        out.json(fields_of(rebuilt))
        return 0
    out.result(f"embedded {quantity(rebuilt.embedded, 'memory', 'memories')} in {rebuilt.seconds:.2f} s")
    if rebuilt.forgotten:
        out.line(f"forgot {quantity(rebuilt.forgotten, 'memory', 'memories')} that are gone")
    if rebuilt.models_removed:
        out.line(f"removed the vectors of {quantity(rebuilt.models_removed, 'other model')}")
    return 0
