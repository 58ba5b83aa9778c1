"""Name your work: set the active topic of this work tree and branch.

Text after the name is added to the topic's specification, which a session sees at its start together with relevant
memories. The name is printed.
"""

from __future__ import annotations

import os.path

from gitmem.agents.session.topics import SPEC_BYTES
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json
from gitmem.cli.output import Output

EXAMPLES = ("gitmem session use billing-ledger", 'gitmem session use billing-ledger "Move invoices to the new ledger"')


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``use``."""
    parser.add_argument("topic", metavar="TOPIC", help="letters, digits, '-', '_' and '.'")
    parser.add_argument("text", nargs="*", metavar="TEXT", help="a description of the work; - reads standard input")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Set the topic's name and print it."""
    text = read_text(" ".join(args.text), SPEC_BYTES)
    with open_memory(out) as memory:
        topic = memory.sessions.use(args.topic, text)
    if args.json:
        out.json({"topic": topic.name, "spec_path": topic.spec_path})
        return 0
    out.result(topic.name, f"the topic is now {topic.name}")
    if not topic.spec():
        out.note(f"it has no specification yet: gitmem session note TEXT, or write {_relative_path(topic.spec_path)}")
    return 0


def _relative_path(path: str) -> str:
    """Return a path relative to the current folder, if that is shorter."""
    return min(path, os.path.relpath(path), key=len)
