"""Undo your last command that changed memories, whatever it was, by a new commit. Run it again for the one before.

Merges, and changes that others made and you fetched, are passed over; your commits are those with your address, and
those made in this clone. Nothing is undone if one of its memories was changed again since. A memory that was added and
pushed goes to the archive. --dry-run only shows what would be undone. Exits with 1 if there is nothing to undo.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, add_scope
from gitmem.cli.output import Output, list_of
from gitmem.frozen import fields_of
from gitmem.store.scopes import PROJECT

EXAMPLES = ("gitmem undo --dry-run", "gitmem undo")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``undo``."""
    parser.add_argument("--dry-run", action="store_true", help="show what would be undone, without doing it")
    add_scope(parser, about="which memories (project)")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Undo one command and print the memories that changed."""
    with open_memory(out) as memory:
        undo = memory.bulk.undo(scope=args.scope or PROJECT, dry_run=args.dry_run)
    if args.json:
        out.json(fields_of(undo))
        return 0
    for key in undo.keys if args.dry_run or not out.is_terminal else ():
        out.line(key)
    if args.dry_run:
        out.note(f"would undo: {undo.subject} ({undo.undone[:12]})")
    else:
        out.announce(f"undid: {undo.subject} ({undo.undone[:12]})")
    if undo.archived:
        where = "would go to the archive" if args.dry_run else "in the archive"
        out.note(f"{where}, because it was pushed: {list_of(undo.archived)}")
    return 0
