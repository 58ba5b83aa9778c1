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
        plan = memory.bulk.curate(verb, scope=args.scope or PROJECT, days=days, apply=args.apply)
    shown = plan.steps[: args.limit]
    if args.json:
        steps = [{"key": step.key, "kind": step.kind, "title": step.title, "why": step.why} for step in shown]
        table = {"looked_at": plan.looked_at, "commit": plan.commit, "changed": list(plan.changed)}
        out.json(table | {"memories": steps, "more": len(plan.steps) - len(shown)})
    else:
        for step in shown:
            out.line((step.key, "key"), "  ", step.title, "  ", (f"({step.why})", "dim"))
        _print_end(verb, plan, len(shown), out)
    return int(bool(plan.changed) if args.apply else bool(plan.steps))


def _print_end(verb: str, plan: CurationPlan, shown: int, out: Output) -> None:
    if len(plan.steps) > shown:
        out.note(f"{len(plan.steps) - shown} more: --limit {len(plan.steps)}")
    count = quantity(len(plan.steps), "memory", "memories")
    if plan.commit:
        out.result(f"changed {count} in {plan.commit[:12]}")
        out.note("to undo it: gitmem undo")
    elif plan.steps:
        out.note(f"would change {count} of {plan.looked_at}; to apply it: gitmem curate {verb} --apply")
    else:
        out.note(f"would change nothing among {quantity(plan.looked_at, 'memory', 'memories')}")
    for key in plan.changed[:SHOWN]:
        out.note(f"{key} was left alone: it changed in the meantime, or lacks what its kind requires (gitmem doctor)")
    if len(plan.changed) > SHOWN:
        out.note(f"{len(plan.changed) - SHOWN} more were left alone")
