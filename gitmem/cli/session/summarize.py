"""Write the summary of an agent's session now, from its transcript, and print its key.

This also happens whenever a session is compacted and when it ends. Only sessions of this clone whose client writes
a transcript can be summarized.
"""

from __future__ import annotations

from gitmem.agents import on_event
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output

EXAMPLES = ("gitmem session summarize", "gitmem session summarize --session 0b6e --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``summarize``."""
    parser.add_argument("--session", default="", metavar="NAME", help="summarize this session (the latest)")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the key of the summary; return 1 if the session has nothing worth recording."""
    with open_memory(out) as memory:
        key = on_event.summarize_session(memory, args.session)
    if args.json:
        out.json({"key": key})
    elif key:
        out.result(key, f"summarized the session as {key}")
    else:
        out.note("the session has nothing worth keeping yet")
    return 0 if key else 1
