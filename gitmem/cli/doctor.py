"""Check that the store is well formed and what this machine can do; --fix repairs what it can without losing anything.

--fix never deletes anything from the branch that gitmem did not write. To delete a file that belongs to no store, name
it with --delete: it is removed from the tip of the branch and stays in the history. A branch that is not a memory store
is left alone.

Exit status: 0 no problems; 1 there are problems.
"""

from __future__ import annotations

from gitmem.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem doctor", "gitmem doctor --fix", "gitmem doctor --delete notes.txt", "gitmem doctor --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what doctor takes."""
    parser.add_argument("--fix", action="store_true", help="repair whatever can be repaired without losing anything")
    parser.add_argument(
        "--delete",
        action="append",
        default=[],
        metavar="PATH",
        help="delete this from the tip of the branch: a file or folder that belongs to no store (repeatable)",
    )
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Examine the store."""
    with shared.open_memory(args, out) as memory:
        found = memory.doctor(fix=args.fix, delete=args.delete)
        shared.print_notices(memory, out)
    errors = [p for p in found.problems if p.severity == "error"]
    if args.json:
        table = [
            {"key": p.key, "path": p.path, "code": p.code, "message": p.message, "hint": p.hint, "severity": p.severity}
            for p in found.problems
        ]
        out.json({"problems": table, "fixed": list(found.fixed), "machine": dict(found.machine)})
        return int(bool(found.problems))
    for done in found.fixed:
        out.line(("fixed ", "green"), done)
    for p in found.problems:
        where = p.path or p.key
        style = "red" if p.severity == "error" else "yellow"
        out.line((p.code, style), f"  {where}: " if where else "  ", p.message)
        for line in p.hint.splitlines():
            out.line("    ", (line, "dim"))
    for name, value in found.machine:
        out.line((f"{name}: ", "dim"), value)
    if not found.problems:
        out.line(("the store is well formed", "green"))
    else:
        warnings = len(found.problems) - len(errors)
        out.line(
            (f"{len(errors)} problem{'s' * (len(errors) != 1)}, {warnings} warning{'s' * (warnings != 1)}", "bold")
        )
    return int(bool(found.problems))
