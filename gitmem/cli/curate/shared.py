"""Options and printing shared by the verbs of curate."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, add_scope, positive
from gitmem.cli.output import Output, quantity
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.curate.age import CurationPlan

SHOWN = 20


def add_plan(parser: ArgumentParser, *, apply: str, days: int = 0, what: str = "memories") -> None:
    """Add the options of such a verb; *days* is the default age, if any, and *what* describes what it lists."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--apply", action="store_true", help=apply)
    how.add_argument("--dry-run", action="store_true", help="propose without applying, the default")
    if days:
        about = f"days without a read or a change ({days})"
        which = parser.add_argument_group("which memories")
        which.add_argument("--days", type=positive, default=0, metavar="N", help=about)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--limit", type=positive, default=SHOWN, metavar="N", help=f"number of {what} to show ({SHOWN})"
    )
    add_scope(parser, about="which memories (project)")
    add_json(parser)


def run_plan(verb: str, args: Arguments, out: Output) -> int:
    """List changes, or apply them; return 1 if something is left to decide."""
    with open_memory(out) as memory:
        memory.repository.tip()
        days = getattr(args, "days", 0)
        done = memory.bulk.curate(verb, scope=args.scope or PROJECT, days=days, apply=args.apply)
    shown = done.steps[: args.limit]
    if args.json:
        steps = [{"key": one.key, "kind": one.kind, "title": one.title, "why": one.why} for one in shown]
        table = {"looked_at": done.looked_at, "commit": done.commit, "changed": list(done.changed)}
        out.json(table | {"memories": steps, "more": len(done.steps) - len(shown)})
    else:
        for one in shown:
            out.line((one.key, "key"), "  ", one.title, "  ", (f"({one.why})", "dim"))
        _print_end(verb, done, len(shown), out)
    return int(bool(done.changed) if args.apply else bool(done.steps))


def _print_end(verb: str, done: CurationPlan, shown: int, out: Output) -> None:
    if len(done.steps) > shown:
        out.note(f"{len(done.steps) - shown} more: --limit {len(done.steps)}")
    count = quantity(len(done.steps), "memory", "memories")
    if done.commit:
        out.result(f"changed {count} in {done.commit[:12]}")
        out.note("to undo it: gitmem undo")
    elif done.steps:
        out.note(f"would change {count} of {done.looked_at}; to apply it: gitmem curate {verb} --apply")
    else:
        out.note(f"would change nothing among {quantity(done.looked_at, 'memory', 'memories')}")
    for key in done.changed[:SHOWN]:
        out.note(f"{key} was left alone: it changed in the meantime, or lacks what its kind requires (gitmem doctor)")
    if len(done.changed) > SHOWN:
        out.note(f"{len(done.changed) - SHOWN} more were left alone")
