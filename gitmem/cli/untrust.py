"""Take approvals back: these commands do not run in this clone any more, not even by a reviewed list."""

from __future__ import annotations

from gitmem.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem untrust auth-tests-pass",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what untrust takes."""
    parser.add_argument("keys", nargs="+", metavar="KEY", help="the facts whose commands to deny")


def run(args: argparse.Namespace, out: Output) -> int:
    """Deny the commands of facts."""
    with shared.open_memory(args, out) as memory:
        dues = memory.commands(memory.need(args.keys))
        for due in dues:
            memory.deny(due)
            out.line(due.row.key)
        if not dues:
            out.note("none of these has a command that needs approval")
    return 0 if dues else 1
