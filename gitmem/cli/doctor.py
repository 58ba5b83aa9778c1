"""Check that the store is well formed and what this machine can do; --fix repairs what it can without losing anything.

--fix never deletes anything from the branch that gitmem did not write. To delete a file that belongs to no store, name
it with --delete: it stays in the history. A branch that is not a memory store is left alone.

--captured lists texts that agents recorded and gitmem refused, with their secrets replaced. --accept makes a memory of
one, and --drop deletes it. The exit status is 1 if there are problems.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.frozen import fields_of

EXAMPLES = (
    "gitmem doctor",
    "gitmem doctor --fix",
    "gitmem doctor --delete notes.txt",
    "gitmem doctor --captured",
    "gitmem doctor --captured --accept 3fa9c1",
    "gitmem doctor --captured --drop all",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``doctor``."""
    parser.add_argument("--fix", action="store_true", help="repair whatever can be repaired without losing anything")
    parser.add_argument(
        "--delete",
        action="append",
        default=[],
        metavar="PATH",
        help="delete this from the tip of the branch: a file or folder that belongs to no store (repeatable)",
    )
    captured = parser.add_argument_group("captured texts that were refused")
    captured.add_argument("--captured", action="store_true", help="list captured texts that were refused")
    captured.add_argument(
        "--accept", action="append", default=[], metavar="NAME", help="make a memory of this refused text, or of all"
    )
    captured.add_argument(
        "--drop", action="append", default=[], metavar="NAME", help="delete this refused text, or all"
    )
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Examine the store."""
    if args.captured or args.accept or args.drop:
        return _captured(args, out)
    with open_memory(out) as memory:
        examination = memory.doctor(fix=args.fix, delete=args.delete)
    if args.json:
        problems = [fields_of(problem) for problem in examination.problems]
        out.json({"problems": problems, "fixed": list(examination.fixed), "machine": dict(examination.machine)})
        return int(bool(examination.problems))
    for done in examination.fixed:
        out.line(("fixed ", "green"), done)
    for p in examination.problems:
        where = p.path or p.key
        style = "red" if p.severity == "error" else "yellow"
        out.line((p.code, style), f"  {where}: " if where else "  ", p.message)
        for line in p.hint.splitlines():
            out.line("    ", (line, "dim"))
    for name, value in examination.machine:
        out.line((f"{name}: ", "dim"), value)
    if not examination.problems:
        out.line(("the store is well formed", "green"))
    else:
        errors = sum(p.severity == "error" for p in examination.problems)
        out.line((f"{quantity(errors, 'problem')}, {quantity(len(examination.problems) - errors, 'warning')}", "bold"))
    return int(bool(examination.problems))


def _captured(args: Arguments, out: Output) -> int:
    """List the refused texts, after accepting and dropping some."""
    with open_memory(out) as memory:
        accepted = sum(memory.captures.accept(name) for name in args.accept)
        dropped = sum(memory.captures.drop(name) for name in args.drop)
        left = memory.captures.list_refused()
    if args.json:
        rows = [
            {"name": refused.name, "kind": refused.kind, "text": refused.text, "reason": refused.why}
            for refused in left
        ]
        out.json({"captured": rows, "accepted": accepted, "dropped": dropped})
        return 0
    if accepted or dropped:
        out.result(f"accepted {accepted}, dropped {dropped}")
    for refused in left:
        out.line((refused.name, "key"), f"  {refused.kind or 'text not kept'}  ", (refused.why, "yellow"))
        for line in refused.text.splitlines():
            out.line("    ", line)
    if not (left or accepted or dropped):
        out.line("no captured text is waiting for a decision")
    return 0
