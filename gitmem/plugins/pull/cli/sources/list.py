"""List the sources of this clone, with how many documents each has and when it was pulled.

In a pipe: tab-separated name, kind, address, documents, time of the last pull, error.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.document.times import format_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.plugins.pull.run import SourceState

EXAMPLES = ("gitmem sources list",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``list``."""
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the sources; return 1 if there are none."""
    with open_memory(out) as memory:
        sources, now = memory.sources.list(), memory.repository.now
    if args.json:
        out.json({"sources": [as_table(source) for source in sources]})
    else:
        print_states(sources, out, now=now)
    return int(not sources)


def as_table(one: SourceState) -> dict[str, Any]:
    """Return the state of a source as documented JSON."""
    return {
        "name": one.source.name,
        "kind": one.source.kind,
        "address": one.source.address,
        "collection": one.source.collection,
        "every": one.source.every,
        "ref": one.source.ref,
        "documents": one.documents,
        "commit": one.commit,
        "pulled": format_time(one.pulled) if one.pulled else "",
        "waiting": one.waiting,
        "error": one.error,
        "is_silent": one.is_silent,
    }


def print_states(found: Sequence[SourceState], out: Output, *, now: int) -> None:
    """Print sources for people, or as a line of cells each in a pipe."""
    from gitmem.plugins.pull.run import age_of

    if not found:
        out.note("no sources; to add one: gitmem sources add github")
    for one in found:
        if not out.is_terminal:
            pulled = format_time(one.pulled) if one.pulled else ""
            out.row(one.source.name, one.source.kind, one.source.address, str(one.documents), pulled, one.error)
            continue
        where = one.source.address or ", ".join(one.source.paths) or "this repository"
        about = f"{quantity(one.documents, 'document')}, {age_of(one, now)}"
        out.line(
            (one.source.name, "key"), f"  {one.source.kind} {where}  ", (about, "yellow" if one.is_silent else "dim")
        )
        if one.waiting:
            out.line("  ", (f"{one.waiting} pull requests still wait for their reviews and diffs", "dim"))
        if one.error:
            out.line("  ", (f"the last pull ended early: {one.error}", "yellow"))
