"""Commit your changes in the view, merging each file with newer changes on the branch.

A file that is not a valid memory, contains a secret, or conflicts with a change on the branch is left as it is, with
the reason. A file you deleted is restored: a missing file never means deleted. With --forget, its memory is retired
instead. New checks start as unproven: `gitmem verify` judges them once they are approved.

Exits with 1 if some files were refused.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.names import shown_names, with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.frozen import fields_of

EXAMPLES = ("gitmem save", 'gitmem save -m "what we learned about the gateway"', "gitmem save --mine auth-uses-rs256")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``save``."""
    parser.add_argument("-m", "--message", default="", metavar="MSG", help="the commit message")
    parser.add_argument("--forget", action="store_true", help="retire the memories whose files you deleted")
    parser.add_argument(
        "--mine",
        action="append",
        default=[],
        metavar="KEY",
        help="use your text even if the branch has another (repeatable)",
    )
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Commit the changes in the view, and print the keys."""
    with open_memory(out) as memory:
        result = memory.view.save(message=args.message, forget=args.forget, mine=args.mine)
        names = shown_names(memory, [*(change.key for change in result.changes), *result.forgotten], out)
        rows = [{"key": c.key, "path": c.path, "commit": c.commit, "is_new": c.is_new} for c in result.changes]
        changes = with_short_ids(memory, rows) if args.json else []
    if args.json:
        refused = [fields_of(refusal) for refusal in result.refused]
        more = {"restored": list(result.restored), "forgotten": list(result.forgotten), "others": result.others}
        out.json({"memories": changes, "refused": refused, **more})
        return int(bool(result.refused))
    for change in result.changes:
        out.result(change.key or change.path, f"saved {names[change.key] or change.path}")
    for key in result.forgotten:
        out.result(key, f"retired {names[key]}")
        out.note(f"{names[key]} is retired: its file was deleted")
    for path in result.restored:
        out.note(f"{path} was deleted and has been restored; to retire it: gitmem forget, or gitmem save --forget")
    for refusal in result.refused:
        out.alarm(f"{refusal.path} is not saved: {refusal.reason}")
        for line in refusal.hint.split("\n") if refusal.hint else ():
            out.note(f"  {line}")
    if result.others:
        out.note(f"ignored {quantity(result.others, 'file')} in the view that cannot be a memory")
    if not (result.changes or result.forgotten or result.restored or result.refused):
        out.note("nothing to save")
    return int(bool(result.refused))
