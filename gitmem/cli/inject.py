"""Send a learning to one worker, into its private memory, or to everyone who shares the project's memory.

It takes effect at once: the worker (the process with GITMEM_AGENT=AGENT in this clone) sees it at its next start or
prompt that it is relevant to. A person may always inject; an agent may if `gitmem.leads` is not set or lists it.
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
    parser.add_argument("text", help="the learning; - reads it from standard input")
    to = parser.add_mutually_exclusive_group(required=True)
    to.add_argument("--to", default="", metavar="AGENT", help="send it to one worker, named as in its GITMEM_AGENT")
    to.add_argument("--all", action="store_true", help="send it to everyone who shares the project's memory")
    parser.add_argument("--category", required=True, choices=CATEGORIES, help="the kind of learning")
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
        shared.print_notices(memory, out)
        return shared.print_change(change, args, out)
