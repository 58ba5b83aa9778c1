"""Add a paragraph to the active topic's specification. The topic's name is printed."""

from __future__ import annotations

from gitmem.agents.session.topics import SPEC_BYTES
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_session
from gitmem.cli.output import Output
from gitmem.errors import UsageError

EXAMPLES = ('gitmem session note "Rounding is decided: half even"', "gitmem session note - < plan.md")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``note``."""
    parser.add_argument("text", nargs="+", metavar="TEXT", help="the paragraph; - reads standard input")
    add_session(parser)


def run(args: Arguments, out: Output) -> int:
    """Add the paragraph."""
    text = read_text(" ".join(args.text), SPEC_BYTES)
    if not text.strip():
        raise UsageError("the text is empty", hint="gitmem session note TEXT")
    with open_memory(out) as memory:
        topic = memory.sessions.note(text, session=args.session)
    out.result(topic.name, f"added to the specification of {topic.name}")
    return 0
