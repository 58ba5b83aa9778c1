"""Show the memory as files in a folder, to read and edit: `.memory/` at the top of the main work tree, or PATH.

The folder is a linked worktree, detached at the commit it shows. When gitmem writes, the view is updated, except for
files that you changed: `gitmem save` commits those. A line in `.git/info/exclude` hides the folder from git status.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory, print_notices
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity

EXAMPLES = ("gitmem view", "gitmem view ../service-memory", "gitmem view --remove")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``view``."""
    parser.add_argument("path", nargs="?", default="", metavar="PATH", help="the folder, which must be new or empty")
    parser.add_argument("--remove", action="store_true", help="remove the view, unless it has unsaved changes")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Make, update or remove the view, and print its folder."""
    with open_memory(out) as memory:
        if args.remove:
            path = memory.view.remove()
            print_notices(memory, out)
            if args.json:
                out.json({"path": path, "removed": True})
            else:
                out.result(path, f"removed {path}")
            return 0
        view = memory.view.make(args.path)
        state = memory.view.state() or {}
    if args.json:
        out.json({"path": view.path, "commit": view.shown, "unsaved": state["unsaved"], "held": state["held"]})
        return 0
    out.result(view.path, f"the memory is in {view.path}")
    if state["unsaved"]:
        out.note(f"{quantity(len(state['unsaved']), 'file')} not saved: gitmem save")
    return 0
