"""Find decisions: those that best match a question, or the newest; optionally of one role, story or component.

The text is fenced as data.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_json, positive
from gitmem.cli.output import Output
from gitmem.plugins.workflow.cli import steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.plugins.workflow.decisions import Decisions

EXAMPLES = (
    "gitmem decisions",
    "gitmem decisions why postgres --role architect",
    "gitmem decisions --component storage --limit 3 --json",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``decisions``."""
    parser.add_argument("text", nargs="*", help="a question, in your own words")
    steps.add_step(parser)
    parser.add_argument("--limit", type=positive, default=10, metavar="N", help="maximum number of decisions (10)")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print decisions; return 1 if there are none."""
    query = " ".join(args.text)
    with open_memory(out) as memory:
        loaded = memory.workflow.decisions(query, steps.step_of(args), limit=args.limit)
        tables = with_short_ids(memory, _tables(loaded)) if args.json else []
    if args.json:
        out.json({"query": query, "decisions": tables, "more": loaded.found.more})
    elif loaded.text:
        out.text(loaded.text)
    else:
        out.note("no decisions found")
    return 0 if loaded.found.hits else 1


def _tables(loaded: Decisions) -> list[dict[str, object]]:
    names = ("task", "tags", "importance", "created", "by", "refs")
    return [
        {"key": hit.key, "kind": hit.kind, "title": hit.title, "status": hit.status}
        | {name: loaded.fields[hit.key].get(name) for name in names}
        | {"body": loaded.bodies[hit.key]}
        for hit in loaded.found.hits
    ]
