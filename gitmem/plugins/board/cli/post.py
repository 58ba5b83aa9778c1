"""Post an entry to a board and print its name, such as e17.

An entry is never changed: a later one can supersede it. Posting the same entry again prints the name of the existing
one, so an interrupted worker can start over.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.paths import code_reference
from gitmem.plugins.board.cli import shared
from gitmem.plugins.board.entry import POSTED

EXAMPLES = (
    'gitmem board post audit-7 "The pool never returns a connection after a timeout" --source-ref src/pool.py:88',
    'gitmem board post audit-7 "p95 is 840 ms" --type calculation --confidence 0.9 --supports e1 --must-surface',
    'gitmem board post audit-7 "Retries are off in production" --contradicts e2 --evidence "RETRIES=0 in deploy.env"',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``post``."""
    shared.add_run(parser)
    parser.add_argument("text", help="the text, in quotes; - reads it from standard input")
    types = ", ".join(POSTED)
    parser.add_argument("--type", choices=POSTED, default="observation", metavar="TYPE", help=f"{types} (observation)")
    source = parser.add_argument_group("where it is from")
    source.add_argument("--source-doc", default="", metavar="TEXT", help="the document it is from")
    source.add_argument(
        "--source-ref", default="", type=code_reference, metavar="PLACE", help="the place: path:line, a URL, a commit"
    )
    source.add_argument("--evidence", default="", metavar="TEXT", help="output or a quotation that shows it")
    source.add_argument("--confidence", type=float, metavar="0..1", help="how sure the worker is")
    parser.add_argument("--must-surface", action="store_true", help="require the final report to say it")
    shared.add_links(parser)
    shared.add_worker(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Post one entry and print its name."""
    with open_memory(out) as memory:
        posted = memory.boards.post(
            args.run,
            read_text(args.text),
            type=args.type,
            links=shared.links_of(args),
            doc=args.source_doc,
            ref=args.source_ref,
            evidence=args.evidence,
            confidence=args.confidence,
            worker=args.worker,
            must_surface=args.must_surface,
        )
    return shared.print_posted(posted, args, out)
