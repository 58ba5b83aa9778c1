"""Delete the active topic's specification, worklog and evidence; other topics and all memories are kept.

To put them aside instead, use gitmem session archive. The topic's name is printed.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_session
from gitmem.cli.output import Output

EXAMPLES = ("gitmem session wipe",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``wipe``."""
    add_session(parser)


def run(args: Arguments, out: Output) -> int:
    """Delete the topic's files; return 1 if there are none."""
    with open_memory(out) as memory:
        topic, had = memory.sessions.wipe(session=args.session)
    out.result(topic.name, f"deleted {topic.name}" if had else f"{topic.name} has no files")
    if not had:
        out.note("it was empty")
    return 0 if had else 1
