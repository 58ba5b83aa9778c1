"""List tasks you can start now: open, with all requirements met. The most urgent and oldest come first.

A required task must be closed, a required fact must not have failed, and a required label must have something that
produces it. In a pipe: tab-separated key, priority, state, holder, title.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory, print_notices
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_json, positive
from gitmem.cli.output import Output
from gitmem.cli.task import printing

EXAMPLES = ("gitmem task ready", "gitmem task ready --limit 1 --json", "gitmem task ready | head -n 1 | cut -f 1")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``ready``."""
    parser.add_argument("--limit", type=positive, metavar="N", help="maximum number of tasks")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the tasks that can be started."""
    with open_memory(out) as memory:
        ready = memory.tasks.list_ready()
        has_others = bool(ready or memory.tasks.list())
        print_notices(memory, out)
        shown = ready[: args.limit] if args.limit else ready
        if args.json:
            table = {"tasks": [printing.as_table(row) for row in shown], "more": len(ready) - len(shown)}
            out.json(with_short_ids(memory, table))
        else:
            printing.print_rows(memory, shown, out)
            if len(shown) < len(ready):
                out.note(f"{len(ready) - len(shown)} more: gitmem task ready")
            if not ready:
                others = "gitmem task list shows claimed and waiting tasks"
                out.note(f"no task is ready; {others}" if has_others else "no open tasks; to add one: gitmem task add")
    return 0
