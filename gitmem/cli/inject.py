"""Pass a learning on: to one worker, whose private memory it goes into, or to all who share the project's memory.

It counts at once: the worker (whoever has GITMEM_AGENT=AGENT in this clone) is told with its next start or prompt where
it fits. A person may always do it; an agent may where no `gitmem.leads` is set, or that names it.
"""

from __future__ import annotations

from gitmem.cli import shared, steps
from gitmem.commands.workflow.inject import CATEGORIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = (
    'gitmem inject "Run the migrations before the tests" --all --category best-practice',
    'gitmem inject "You mocked the clock again: use the Clock fixture" --to worker-2 --category mistake-pattern',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what inject takes."""
    parser.add_argument("text", help="what is to be learnt; - reads it from standard input")
    to = parser.add_mutually_exclusive_group(required=True)
    to.add_argument("--to", default="", metavar="AGENT", help="one worker, as its GITMEM_AGENT says")
    to.add_argument("--all", action="store_true", help="all who share the project's memory")
    parser.add_argument("--category", required=True, choices=CATEGORIES, help="what kind of learning it is")
    parser.add_argument("--ref", action="append", default=[], help="path:line, path:line-line, a URL, a run id")
    steps.add_written(parser)
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the learning and print its key."""
    text = steps.text_of(args)
    with shared.open_memory(args, out) as memory:
        change = memory.workflow.inject(
            text,
            category=args.category,
            worker=args.to,
            title=args.title,
            key=args.key,
            tags=args.tag,
            paths=args.path,
            refs=args.ref,
            importance=args.importance,
            force=args.force,
        )
        shared.tell_notices(memory, out)
        return shared.print_change(change, args, out)
