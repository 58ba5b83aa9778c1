"""Close a task. Its check runs first, as for a fact, and must hold; the verdict is recorded with it.

With --failed, your attempt ends instead and the task is open again; the reason is kept as a warning.

Exit status: 0 closed; 1 the gate failed, or someone else holds the task; 3 the gate could not run or is not approved.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import print_change
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.errors import UsageError

EXAMPLES = (
    'gitmem task close refresh-tokens --reason "rotating tokens, RS256, keys from the environment"',
    'gitmem task close refresh-tokens --failed --note "the gateway strips httponly cookies"',
    'gitmem task close refresh-tokens --force --reason "not needed any more"',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``close``."""
    parser.add_argument("key", help="the task")
    parser.add_argument("--reason", default="", metavar="TEXT", help="the result, or why nothing needs to be done")
    parser.add_argument("--failed", action="store_true", help="end the attempt as failed; needs --note")
    parser.add_argument("--note", default="", metavar="TEXT", help="with --failed: what went wrong")
    parser.add_argument(
        "--force", action="store_true", help="close it even if the gate fails or someone else holds it; needs --reason"
    )
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Close one task, or end an attempt, and print its key."""
    if args.failed and (args.force or args.reason):
        raise UsageError(
            "--failed requires --note, and allows no other option",
            hint=f"gitmem task close {args.key} --failed --note WHY",
        )
    if args.note and not args.failed:
        raise UsageError("--note requires --failed", hint="to close a task, use --reason")
    with open_memory(out) as memory:
        if args.failed:
            change = memory.tasks.fail(args.key, note=args.note)
        else:
            change = memory.tasks.close(args.key, reason=args.reason, force=args.force)
        return print_change(change, memory, args, out, did="closed")
