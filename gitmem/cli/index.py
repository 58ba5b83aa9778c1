"""Bring the search index up to date, or rebuild it from scratch.

Reading does this by itself where it finds the index behind; hooks call it ahead of time. The Whoosh index, once it is
there, is brought along.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.config.setting import ENGINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem index", "gitmem index --rebuild", "gitmem index --engine whoosh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what index takes."""
    parser.add_argument("--rebuild", action="store_true", help="throw the index away and build it from scratch")
    parser.add_argument(
        "--engine", choices=ENGINES, default="", help="whoosh: make the index of recall --syntax and similar too"
    )
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Refresh the index and say what it holds."""
    with shared.open_memory(args, out) as memory:
        found = memory.index.refresh(rebuild=args.rebuild, engine=args.engine)
        shared.tell_notices(memory, out)
    if args.json:
        out.json(found)
    else:
        memories = shared.counted(found["memories"], "memory", "memories")
        out.line(f"{memories} at {found['commit'][:12]}, {found['seconds']:.2f} s")
    return 0
