"""Find superseded memories and unread memories of low confidence, and archive them.

Low is 0.25 or less. Facts, tasks, critical memories and those that others require are left alone. `gitmem restore KEY`
restores a memory. Writes nothing without --apply. Exits with 1 if there is something to decide.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.curate import shared
from gitmem.cli.output import Output

EXAMPLES = ("gitmem curate archive", "gitmem curate archive --apply")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``archive``."""
    shared.add_plan(parser, apply="archive them, in one commit", days=90)


def run(args: Arguments, out: Output) -> int:
    """List the memories, or archive them."""
    return shared.run_plan("archive", args, out)
