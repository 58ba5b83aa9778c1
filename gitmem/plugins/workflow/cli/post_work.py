"""Record how something was built, to help build something similar later: 50 to 500 tokens with code locations.

Name lines with --ref or in the text itself (src/auth/jwt.py:89-145). Text that another memory already states is
refused. --kind outcome records how a story went instead; sessions see it for a week.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import add_written, memory_fields, print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.plugins.workflow.cli import steps

EXAMPLES = (
    "cat what-was-built.md | gitmem post-work - --story AUTH-12 --component auth --ref src/auth/jwt.py:89-145",
    'gitmem post-work "…" --role dev --importance high --ref src/auth/jwt.py:89 --ref tests/test_jwt.py:23-67',
    "cat outcome.md | gitmem post-work - --story AUTH-12 --kind outcome",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``post-work``."""
    parser.add_argument("text", help="how it was built, how it fits in, and pitfalls; - reads it from standard input")
    steps.add_step(parser)
    parser.add_argument(
        "--kind",
        default="code-pattern",
        choices=("code-pattern", "outcome"),
        help="whether this is a pattern or an outcome",
    )
    add_written(parser, ref="the code location: path:line or path:line-line")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Write it and print its key."""
    text = read_text(args.text)
    with open_memory(out) as memory:
        change = memory.workflow.post_work(
            text,
            steps.step_of(args),
            kind=args.kind.replace("-", "_"),
            title=args.title,
            force=args.force,
            **memory_fields(args),
        )
        return print_change(change, memory, args, out)
