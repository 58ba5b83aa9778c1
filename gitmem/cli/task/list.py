"""List tasks, most urgent and oldest first: those that are not closed, or those in the states you name.

In a pipe: tab-separated key, priority, state, holder, title.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory, print_notices
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.task import printing
from gitmem.errors import UsageError
from gitmem.model import STATES

EXAMPLES = (
    "gitmem task list",
    "gitmem task list --mine",
    "gitmem task list --state closed --parent release-2",
    "gitmem task list --all --json",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``list``."""
    states = ", ".join(STATES)
    parser.add_argument("--state", action="append", default=[], metavar="STATE", help=f"only these: {states}")
    parser.add_argument("--parent", default="", metavar="KEY", help="only parts of this task")
    parser.add_argument("--mine", action="store_true", help="show only tasks that you hold")
    parser.add_argument("--all", action="store_true", help="include closed tasks")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print tasks; return 1 if there are none."""
    states = [part for given in args.state for part in given.split(",") if part]
    wrong = [state for state in states if state not in STATES]
    if wrong:
        raise UsageError(f"unknown state: {wrong[0]}", hint=f"choose one of {', '.join(STATES)}")
    with open_memory(out) as memory:
        tasks = memory.tasks.list(states=states, parent=args.parent, mine=args.mine, everything=args.all)
        print_notices(memory, out)
        if args.json:
            out.json(with_short_ids(memory, {"tasks": [printing.as_table(row) for row in tasks]}))
        else:
            printing.print_rows(memory, tasks, out)
            if not tasks:
                out.note("no tasks found")
    return 0 if tasks else 1
