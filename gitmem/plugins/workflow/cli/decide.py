"""Record a decision and the reason for it. A decision that another memory already states is refused.

`gitmem decisions` finds decisions again, by question, role, story or component.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import add_written, memory_fields, memory_options, print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.plugins.workflow.cli import steps

EXAMPLES = (
    'gitmem decide "PostgreSQL, since the ledger needs serializable transactions" --role architect --component storage',
    "cat decision.md | gitmem decide - --story AUTH-12 --importance high",
    'gitmem decide "Tokens live fifteen minutes" --supersedes tokens-live-an-hour',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``decide``."""
    parser.add_argument("text", help="the decision and the reason; - reads it from standard input")
    steps.add_step(parser)
    add_written(parser)
    about = "a decision that it replaces"
    memory_options(parser).add_argument("--supersedes", action="append", default=[], metavar="KEY", help=about)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Write a decision and print its key."""
    text = read_text(args.text)
    with open_memory(out) as memory:
        change = memory.workflow.decide(
            text,
            steps.step_of(args),
            title=args.title,
            supersedes=args.supersedes,
            force=args.force,
            **memory_fields(args),
        )
        return print_change(change, memory, args, out)
