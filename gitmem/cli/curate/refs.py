"""Find memories that refer to lines of the code which moved or changed.

--apply writes the new place of lines that moved, in one commit. If lines changed, the memory may be wrong: read it,
then edit or retire it. Only references with an anchor are checked; gitmem writes one for each reference to lines. Exits
with 1 if there is something to decide.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.curate import shared
from gitmem.cli.output import Output

EXAMPLES = ("gitmem curate refs", "gitmem curate refs --apply")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``refs``."""
    shared.add_plan(parser, apply="write the new places of lines that moved, in one commit")


def run(args: Arguments, out: Output) -> int:
    """List the memories, or update their references."""
    return shared.run_plan("refs", args, out)
