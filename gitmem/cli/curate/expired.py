"""Find memories whose time to live has passed, and archive them.

They have already left search. Facts become stale instead and are never listed here. Writes nothing without --apply.
Exits with 1 if there is something to decide.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.curate import shared
from gitmem.cli.output import Output

EXAMPLES = ("gitmem curate expired", "gitmem curate expired --apply")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``expired``."""
    shared.add_plan(parser, apply="archive them, in one commit")


def run(args: Arguments, out: Output) -> int:
    """List the memories, or archive them."""
    return shared.run_plan("expired", args, out)
