"""Show how tasks depend on each other: parts under their parent, with what each one requires.

Uses box characters on a terminal and plain ASCII in a pipe. Closed tasks are hidden if nothing below them is open;
--all shows them.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import short_names, with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import NARROWEST, Output, shorten
from gitmem.cli.task import printing
from gitmem.frozen import fields_of
from gitmem.statuses import TASK_MARKS
from gitmem.tasks.tree import TaskNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.tasks.tree import Need

EXAMPLES = ("gitmem task tree", "gitmem task tree release-2", "gitmem task tree --all --json")
# The prefixes of a branch and of the last one, and their continuations on the lines below.
BOXES = ("├─ ", "└─ ", "│  ", "   ")
ASCII = ("|- ", "`- ", "|  ", "   ")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``tree``."""
    parser.add_argument("key", nargs="?", default="", help="only this task and its parts")
    parser.add_argument("--all", action="store_true", help="include closed tasks")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the trees; return 1 if there are no tasks."""
    with open_memory(out) as memory:
        trees = memory.tasks.tree(args.key, everything=args.all)
        tables = with_short_ids(memory, [as_table(tree) for tree in trees]) if args.json else []
        ids = short_names(memory, {key for tree in trees for key in _keys(tree)}) if out.is_terminal else {}
    if args.json:
        out.json({"tasks": tables})
    else:
        for tree in trees:
            _print(tree, "", "", ids, out)
        if not trees:
            out.note("no tasks found")
    return 0 if trees else 1


def as_table(node: TaskNode) -> dict[str, Any]:
    """Return a tree as documented JSON."""
    needs = [fields_of(need) for need in node.needs]
    table = printing.as_table(node.row) | {"requires": needs, "is_again": node.is_again, "hidden": node.hidden}
    return table | {"parts": [as_table(part) for part in node.parts]}


def _keys(node: TaskNode) -> Iterator[str]:
    yield node.row.key
    for part in node.parts:
        yield from _keys(part)


def _print(node: TaskNode, before: str, below: str, ids: Mapping[str, str], out: Output) -> None:
    """Print a task and its descendants: on a terminal its title and short id, as in lists; in a pipe its key first."""
    branch, last, on, blank = BOXES if out.is_terminal else ASCII
    row = node.row
    mark = TASK_MARKS[row.state] if out.is_terminal else f"[{row.state}]"
    again = ("  (drawn above: a cycle)" if node.is_again else "", "yellow")
    start: list[str | tuple[str, str]] = [before, (mark, printing.STYLES[row.state]), f" P{row.priority} "]
    if out.is_terminal:
        name = ids[row.key]
        room = out.width - len(f"{before}{mark} P{row.priority}   {name}{again[0]}")
        out.line(*start, shorten(row.title, max(room, NARROWEST // 2)), "  ", (name, "key"), again)
    else:
        out.line(*start, (row.key, "key"), "  ", shorten(row.title, out.width), again)
    lines: Sequence[Need | TaskNode | int] = [*node.needs, *([node.hidden] if node.hidden else []), *node.parts]
    for nth, line in enumerate(lines):
        is_last = nth == len(lines) - 1
        head, tail = below + (last if is_last else branch), below + (blank if is_last else on)
        if isinstance(line, int):
            out.line(head, (f"… {line} more below: gitmem task tree {row.key}", "dim"))
        elif isinstance(line, TaskNode):
            _print(line, head, tail, ids, out)
        else:
            message = "there" if line.is_there else f"waiting: {line.state or 'nothing provides it'}"
            out.line(
                head,
                ("requires ", "dim"),
                (line.name, "key"),
                (f" ({message})", "green" if line.is_there else "yellow"),
            )
