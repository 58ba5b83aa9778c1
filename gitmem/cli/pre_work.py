"""Tell what matters before a work begins: what failed before, what was decided, how the like was built, and more.

Of a task, its text is what is asked for, and its failed attempts come first. Then come decisions, patterns (or the
kinds that the role prefers), and the rest; those of the very story before what fits its words. It keeps within the
role's budget of tokens, and is fenced as data: notes to weigh, not instructions to follow.
"""

from __future__ import annotations

from gitmem.cli import shared, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = (
    'gitmem pre-work "JWT authentication" --role dev --story AUTH-12',
    "gitmem pre-work refresh-tokens",
    'gitmem pre-work "retries of the gateway" --path src/gateway --json',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what pre-work takes."""
    parser.add_argument("text", nargs="*", help="what is about to be done, in your own words, or a task's key")
    steps.add_step(parser)
    about = "a file or folder of the code that it is about"
    parser.add_argument("--path", action="append", default=[], help=about)
    parser.add_argument("--limit", type=shared.positive, default=0, metavar="N", help="memories of each part (3)")
    about = "at most this many; the role's, or 1000"
    parser.add_argument("--budget", type=shared.positive, default=0, metavar="TOKENS", help=about)
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Print what matters; nothing that does is no failure."""
    from gitmem.commands.workflow.pre_work import Work

    work = Work(" ".join(args.text), steps.step_of(args), tuple(args.path), args.limit, args.budget)
    with shared.open_memory(args, out) as memory:
        told = memory.workflow.pre_work(work)
        shared.tell_notices(memory, out)
    if args.json:
        out.json(told.table())
    elif told.text:
        out.text(told.text)
    else:
        out.note("nothing here is about this work")
    return 0
