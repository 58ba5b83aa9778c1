"""Answer a signal, and print the name of the answer. An entry posted with --addresses answers it as well."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.paths import code_reference
from gitmem.plugins.board.cli import shared

EXAMPLES = ('gitmem board answer audit-7 s1 "Yes, with TLS 1.2 and 1.3" --evidence "make test-tls: 2 failed"',)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``answer``."""
    shared.add_run(parser)
    parser.add_argument("signal", metavar="SIGNAL", help="the signal, such as s3")
    parser.add_argument("text", help="the answer, in quotes; - reads it from standard input")
    parser.add_argument(
        "--source-ref", default="", type=code_reference, metavar="PLACE", help="the place: path:line, a URL, a commit"
    )
    parser.add_argument("--evidence", default="", metavar="TEXT", help="output or a quotation that shows it")
    shared.add_worker(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Post one answer and print its name."""
    with open_memory(out) as memory:
        posted = memory.boards.answer(
            args.run,
            args.signal,
            text=read_text(args.text),
            ref=args.source_ref,
            evidence=args.evidence,
            worker=args.worker,
        )
    return shared.print_posted(posted, args, out)
