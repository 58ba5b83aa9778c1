"""Find memories not read or changed for a long time, or shown but never used, and halve their confidence.

Recall ranks a memory with less confidence lower; `gitmem curate archive` archives it once its confidence is 0.25 or
less. Facts, tasks, critical memories, those that others require, and kinds that hold until someone changes them are
left alone. Reads and uses are counted in this clone only. Writes nothing without --apply. Exits with 1 if there is
something to decide.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.curate import shared
from gitmem.cli.output import Output

EXAMPLES = ("gitmem curate decay", "gitmem curate decay --apply")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``decay``."""
    shared.add_plan(parser, apply="write their new confidence, in one commit", days=180)


def run(args: Arguments, out: Output) -> int:
    """List the memories, or lower their confidence."""
    return shared.run_plan("decay", args, out)
