"""Add a task: something that should become true. Its check, in any form a fact accepts, is the gate for closing it.

The check does not run now and need not hold yet; one that cannot fail is refused. Typing a command at a terminal
approves it. A task without a check can be closed freely.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import add_fields, add_links, memory_fields, print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_text
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.proof import add_check, add_limits, verify_of
from gitmem.cli.terminal import is_interactive

EXAMPLES = (
    'gitmem task add "Implement refresh tokens" --key refresh-tokens --verify "make test-auth" --priority 1',
    'gitmem task add "Split the config module" --exists src/config/env.py --produces config-split',
    'gitmem task add "Document the settings" --parent release-2 --requires config-split',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``add``."""
    parser.add_argument("title", help="the goal, in one sentence")
    add_check(parser, "the gate, one of")
    task = parser.add_argument_group("the task")
    task.add_argument("--body", default="", help="more details; - reads them from standard input")
    task.add_argument("--priority", type=priority, metavar="0..4", help="0 is the most urgent (2)")
    task.add_argument("--parent", default="", metavar="KEY", help="its parent task")
    add_fields(parser)
    add_links(parser, produces="a label that it provides once closed")
    add_limits(parser, "gate")
    add_json(parser)


def priority(text: str) -> int:
    """Parse a priority for argparse."""
    from argparse import ArgumentTypeError

    if text not in ("0", "1", "2", "3", "4"):
        raise ArgumentTypeError(f"must be a whole number from 0 to 4, not {text!r}")
    return int(text)


def run(args: Arguments, out: Output) -> int:
    """Write one task and print its key."""
    body = read_text(args.body)
    with open_memory(out) as memory:
        change = memory.tasks.add(
            args.title,
            verify=verify_of(args),
            body=body,
            approve=is_interactive(),
            priority=args.priority,
            parent=memory.repository.full_key(args.parent) if args.parent else "",
            **memory_fields(args),
            timeout=args.timeout,
            network=args.network or None,
            env=args.env,
            refute=args.refute,
        )
        return print_change(change, memory, args, out)
