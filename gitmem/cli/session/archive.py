"""Archive the active topic: agents no longer see it, but it can always be read.

Prints the name of the archived topic, which gitmem session status accepts.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_session
from gitmem.cli.output import Output

EXAMPLES = ("gitmem session archive", "gitmem session archive --session 0b6e")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``archive``."""
    add_session(parser)


def run(args: Arguments, out: Output) -> int:
    """Archive the topic."""
    with open_memory(out) as memory:
        topic = memory.sessions.archive(session=args.session)
    out.result(topic.name, f"archived {topic.name}")
    return 0
