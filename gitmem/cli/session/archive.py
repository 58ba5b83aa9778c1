"""Put the active topic away whole: it is not told any more and can be read for ever.

Its name there is printed, which gitmem session status takes.
"""

from __future__ import annotations

from gitmem.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem session archive", "gitmem session archive --session 0b6e")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what archive takes."""
    parser.add_argument("--session", default="", metavar="NAME", help="on a shared branch, this one's (the latest)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Put the topic away."""
    with shared.open_memory(args, out) as memory:
        topic = memory.sessions.archive(session=args.session)
        shared.tell_notices(memory, out)
    out.line(topic.name)
    return 0
