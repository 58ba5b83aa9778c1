"""Find memories that say nearly the same thing, and propose which one to keep. Writes nothing without --apply.

In each group it prefers, in this order: a memory whose check holds, one that others require, one written by a person,
the one read most, the newest. --apply supersedes the others in one commit. Facts with different checks, tasks and
sessions are never grouped. Exits with 1 if there is something to decide.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.curate import shared
from gitmem.cli.output import Output, quantity
from gitmem.errors import UsageError
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.curate.dedupe import DuplicateGroup, DuplicateReport

EXAMPLES = (
    "gitmem curate dedupe",
    "gitmem curate dedupe --threshold 0.75 --limit 50",
    "gitmem curate dedupe --apply",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dedupe``."""
    shared.add_plan(parser, apply="supersede the others, in one commit", what="groups")
    about = "minimum similarity, above 0 and at most 1 (the policy's: 0.85)"
    which = parser.add_argument_group("which memories")
    which.add_argument("--threshold", type=float, default=0.0, metavar="SHARE", help=about)


def run(args: Arguments, out: Output) -> int:
    """List groups, or supersede; return 1 if something is left to decide."""
    if not 0 <= args.threshold <= 1:
        raise UsageError("--threshold must be above 0 and at most 1", hint="gitmem curate dedupe --threshold 0.75")
    with open_memory(out) as memory:
        memory.repository.tip()
        report = memory.bulk.dedupe(scope=args.scope or PROJECT, threshold=args.threshold, apply=args.apply)
    shown = report.groups[: args.limit]
    if args.json:
        out.json(_table(report, shown))
    else:
        _print(report, shown, out)
    return int(bool(report.changed) if args.apply else bool(report.groups))


def _table(report: DuplicateReport, shown: tuple[DuplicateGroup, ...]) -> dict[str, object]:
    def group_table(group: DuplicateGroup) -> dict[str, object]:
        others = [
            {"key": o.key, "kind": o.kind, "title": o.title, "status": o.status, "similarity": round(o.likeness, 3)}
            for o in group.others
        ]
        survivor = group.kept
        keep = {"key": survivor.key, "kind": survivor.kind, "title": survivor.title, "status": survivor.status}
        return {"keep": keep, "why": group.why, "supersede": others}

    return {
        "compared": report.compared,
        "commit": report.commit,
        "changed": list(report.changed),
        "groups": [group_table(group) for group in shown],
        "more": len(report.groups) - len(shown),
    }


def _print(report: DuplicateReport, shown: tuple[DuplicateGroup, ...], out: Output) -> None:
    for group in shown:
        out.line(
            ("keep", "bold"), " ", (group.kept.key, "key"), "  ", group.kept.title, "  ", (f"({group.why})", "dim")
        )
        for member in group.others:
            out.line(f"  {member.likeness:.2f} ", (member.key, "key"), "  ", member.title)
    if len(report.groups) > len(shown):
        out.note(f"{len(report.groups) - len(shown)} more groups: --limit {len(report.groups)}")
    count = sum(len(group.others) for group in report.groups)
    several = f"{quantity(count, 'memory', 'memories')} of {quantity(len(report.groups), 'group')}"
    if report.commit:
        out.result(f"superseded {several} in {report.commit[:12]}")
        out.note(f"undo: gitmem edit {report.groups[0].kept.key} --supersedes ''")
    elif report.groups:
        out.note(f"would supersede {several}, near duplicates; to apply it: gitmem curate dedupe --apply")
    else:
        out.note(f"no near duplicates among {quantity(report.compared, 'memory', 'memories')}")
    for key in report.changed:
        out.note(f"the group of {key} changed in the meantime and was left alone; run gitmem curate dedupe again")
