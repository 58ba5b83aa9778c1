"""Revoke approvals: these commands no longer run in this clone, even if a reviewed list approves them."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import shown_names
from gitmem.cli.output import Output
from gitmem.errors import UsageError
from gitmem.repository.approvals import deny_command, deny_settings

EXAMPLES = ("gitmem untrust auth-tests-pass", "gitmem untrust --settings")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``untrust``."""
    parser.add_argument("keys", nargs="*", metavar="KEY", help="the facts whose commands to deny")
    parser.add_argument(
        "--settings", action="store_true", help="ignore the repository's own settings that run a program or send text"
    )


def run(args: Arguments, out: Output) -> int:
    """Deny the commands of facts."""
    with open_memory(out) as memory:
        if args.settings:
            denied = deny_settings(memory.repository)
            if denied:
                out.announce("this repository's settings are ignored")
            else:
                out.note("this repository's own configuration has no settings to ignore")
        if not args.keys:
            if not args.settings:
                raise UsageError("untrust needs the keys of facts, or --settings")
            return 0
        dues = memory.repository.commands(memory.repository.need(args.keys))
        names = shown_names(memory, [due.row.key for due in dues], out)
        for due in dues:
            deny_command(memory.repository, due)
            out.result(due.row.key, f"denied the command of {names[due.row.key]}", due.document.title)
        if not dues:
            out.note("none of these facts has a command that needs approval")
    return 0 if dues else 1
