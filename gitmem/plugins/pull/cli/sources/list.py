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


def as_table(source: SourceState) -> dict[str, Any]:
    """Return the state of a source as documented JSON."""
    return {
        "name": source.source.name,
        "kind": source.source.kind,
        "address": source.source.address,
        "collection": source.source.collection,
        "every": source.source.every,
        "ref": source.source.ref,
        "documents": source.documents,
        "commit": source.commit,
        "pulled": format_time(source.pulled) if source.pulled else "",
        "waiting": source.waiting,
        "error": source.error,
        "is_silent": source.is_silent,
    }


def print_states(source_states: Sequence[SourceState], out: Output, *, now: int) -> None:
    """Print sources for people, or as a line of cells each in a pipe."""
    from gitmem.plugins.pull.run import age_of

    if not source_states:
        out.note("no sources; to add one: gitmem sources add github")
    for source in source_states:
        if not out.is_terminal:
            pulled = format_time(source.pulled) if source.pulled else ""
            out.row(
                source.source.name,
                source.source.kind,
                source.source.address,
                str(source.documents),
                pulled,
                source.error,
            )
            continue
        where = source.source.address or ", ".join(source.source.paths) or "this repository"
        about = f"{quantity(source.documents, 'document')}, {age_of(source, now)}"
        out.line(
            (source.source.name, "key"),
            f"  {source.source.kind} {where}  ",
            (about, "yellow" if source.is_silent else "dim"),
        )
        if source.waiting:
            out.line("  ", (f"{source.waiting} pull requests still wait for their reviews and diffs", "dim"))
        if source.error:
            out.line("  ", (f"the last pull ended early: {source.error}", "yellow"))
