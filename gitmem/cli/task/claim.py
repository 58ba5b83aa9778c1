"""Start an attempt at a task and show what helps with it.

Earlier attempts are shown, failed ones first; then memories, and failed attempts at other tasks, that fit its
description, fenced as data.

If two people claim a task at the same time, one gets it, and the other sees who holds it. GITMEM_AGENT distinguishes
several agents of one person.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import print_written
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import short_names, with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.task import printing
from gitmem.frozen import fields_of
from gitmem.index.catalog.agent_text import Part, fence_parts

EXAMPLES = (
    "gitmem task claim refresh-tokens",
    'gitmem task claim refresh-tokens --note "with a server-side session this time" --json',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``claim``."""
    parser.add_argument("key", help="the task")
    parser.add_argument("--note", default="", metavar="TEXT", help="how you plan to do it")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Claim one task, print its key, and show earlier attempts."""
    with open_memory(out) as memory:
        change, before = memory.tasks.claim(args.key, note=args.note)
        helpful = memory.tasks.what_helps(change.key)
        for attempt in () if args.json else before.past_attempts:
            out.note(printing.attempt_line(attempt))
        own = tuple(f"- [{name}]" for name in (change.key, short_names(memory, [change.key])[change.key]))
        parts = [
            Part(part.heading, tuple(entry for entry in part.entries if not entry.text.startswith(own)))
            for part in (helpful.parts if helpful else ())
        ]
        for line in () if args.json else fence_parts(parts, source="the memory of this repository").splitlines():
            out.note(line)
        if not args.json:
            print_written(change, memory, out, did="claimed")
            return 0
        table = {"key": change.key, "path": change.path, "commit": change.commit, "attempt": before.next_num}
        attempts = [fields_of(attempt) for attempt in before.past_attempts]
        out.json(
            with_short_ids(memory, table | {"attempts": attempts, "relevant": list(helpful.hits if helpful else ())})
        )
    return 0
