"""List the other repositories whose memories are read here, with the reason if one cannot be read.

In a pipe: tab-separated name, folder, memories, commit, problem.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.commands.stores import ListedStoreState

EXAMPLES = ("gitmem stores list",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``list``."""
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the listed stores; return 1 if there are none, or one cannot be read."""
    with open_memory(out) as memory:
        stores = memory.stores.list()
    if args.json:
        out.json({"stores": [as_table(store) for store in stores]})
    else:
        print_stores(stores, out)
        if not stores:
            out.note("no other repositories are listed; to add one: gitmem stores add [NAME=]PATH")
    return int(not stores or any(store.problem for store in stores))


def as_table(listed: ListedStoreState) -> dict[str, Any]:
    """Return a listed store as documented JSON."""
    return {
        "name": listed.entry.name,
        "path": listed.entry.path,
        "memories": listed.memories,
        "commit": listed.commit,
        "problem": listed.problem,
        "hint": listed.hint,
        "is_here": listed.is_here,
    }


def print_stores(states: Sequence[ListedStoreState], out: Output) -> None:
    """Print listed stores for people, or as a line of cells each in a pipe."""
    for listed in states:
        if not out.is_terminal:
            problem = "already read here" if listed.is_here else listed.problem
            out.row(listed.entry.name, listed.entry.path, str(listed.memories), listed.commit, problem)
            continue
        about: str | tuple[str, str] = (
            quantity(listed.memories, "memory", "memories") + f" at {listed.commit[:12]}",
            "dim",
        )
        if listed.is_here:
            about = ("already read here, so not read twice", "dim")
        elif listed.problem:
            about = (listed.problem, "yellow")
        out.line((listed.entry.name, "key"), f"  {listed.entry.path}  ", about)
        if listed.hint:
            out.line("  ", (listed.hint, "dim"))
