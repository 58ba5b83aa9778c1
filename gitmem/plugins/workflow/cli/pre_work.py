"""Show what matters before you start work: failed attempts, decisions, how similar things were built, and more.

For a task, its text is the query, and its failed attempts come first. Decisions follow, then patterns (or the kinds
that the role reads), then the rest; memories of the same story come before other matches. The output stays within the
role's token budget, and is fenced as data.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_json, positive
from gitmem.cli.output import Output
from gitmem.cli.paths import code_path
from gitmem.plugins.workflow.cli import steps

EXAMPLES = (
    'gitmem pre-work "JWT authentication" --role dev --story AUTH-12',
    "gitmem pre-work refresh-tokens",
    'gitmem pre-work "retries of the gateway" --path src/gateway --json',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``pre-work``."""
    parser.add_argument("text", nargs="*", help="the work you are about to start, in your own words, or a task's key")
    steps.add_step(parser)
    about = "a code file or folder that it is about"
    parser.add_argument("--path", action="append", default=[], type=code_path, help=about)
    parser.add_argument(
        "--limit", type=positive, default=0, metavar="N", help="maximum number of memories in each part (3)"
    )
    about = "token budget (the role's, or 1000)"
    parser.add_argument("--budget", type=positive, default=0, metavar="TOKENS", help=about)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print relevant memories; finding none is not a failure."""
    from gitmem.plugins.workflow.pre_work import Work

    work = Work(" ".join(args.text), steps.step_of(args), tuple(args.path), args.limit, args.budget)
    with open_memory(out) as memory:
        shown = memory.workflow.pre_work(work)
        table = with_short_ids(memory, shown.table()) if args.json else {}
    if args.json:
        out.json(table)
    elif shown.text:
        out.text(shown.text)
    else:
        out.note("no memories about this work")
    return 0
