"""Record evidence for the active topic, with references. The topic's name is printed.

Evidence stays with the topic and is not shown to sessions; use gitmem remember or gitmem fact to share it.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_session
from gitmem.cli.output import Output
from gitmem.cli.paths import code_reference

EXAMPLES = ('gitmem session evidence "Half-even rounding loses no cent" --ref tests/test_ledger.py:40',)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``evidence``."""
    parser.add_argument("text", nargs="+", metavar="TEXT", help="the evidence")
    parser.add_argument(
        "--ref",
        action="append",
        default=[],
        required=True,
        type=code_reference,
        help="path:line, a commit, a command, a URL",
    )
    add_session(parser)


def run(args: Arguments, out: Output) -> int:
    """Record the evidence."""
    with open_memory(out) as memory:
        topic = memory.sessions.add_evidence(" ".join(args.text), args.ref, session=args.session)
    out.result(topic.name, f"recorded as evidence of {topic.name}")
    return 0
