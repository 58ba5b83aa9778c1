"""Close a task. Its check is run first, as a fact's is, and must hold; the verdict is written down with it.

With --failed it ends your attempt instead and the task is open again; what went wrong is kept as a warning.

Exit status: 0 closed; 1 the gate says no, or somebody else holds it; 3 the gate could not be run or is not approved.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = (
    'gitmem task close refresh-tokens --reason "rotating tokens, RS256, keys from the environment"',
    'gitmem task close refresh-tokens --failed --note "the gateway strips httponly cookies"',
    'gitmem task close refresh-tokens --force --reason "not needed any more"',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what close takes."""
    parser.add_argument("key", help="the task")
    parser.add_argument("--reason", default="", metavar="TEXT", help="what was done, or why nothing need be done")
    parser.add_argument("--failed", action="store_true", help="the attempt failed; needs --note")
    parser.add_argument("--note", default="", metavar="TEXT", help="with --failed: what went wrong")
    parser.add_argument(
        "--force", action="store_true", help="close it although the gate says no or somebody holds it; needs --reason"
    )
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Close one task, or end an attempt, and print its key."""
    if args.failed and (args.force or args.reason):
        raise UsageError("--failed goes with --note alone", hint=f"gitmem task close {args.key} --failed --note WHY")
    if args.note and not args.failed:
        raise UsageError("--note goes with --failed", hint="a closed task has a --reason")
    with shared.open_memory(args, out) as memory:
        if args.failed:
            change = memory.tasks.fail(args.key, note=args.note)
        else:
            change = memory.tasks.close(args.key, reason=args.reason, force=args.force)
        shared.tell_notices(memory, out)
        return shared.print_change(change, args, out)
