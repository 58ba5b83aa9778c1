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
        done = memory.bulk.dedupe(scope=args.scope or PROJECT, threshold=args.threshold, apply=args.apply)
    shown = done.groups[: args.limit]
    if args.json:
        out.json(_table(done, shown))
    else:
        _print(done, shown, out)
    return int(bool(done.changed) if args.apply else bool(done.groups))


def _table(done: DuplicateReport, shown: tuple[DuplicateGroup, ...]) -> dict[str, object]:
    def group_table(group: DuplicateGroup) -> dict[str, object]:
        others = [
            {"key": o.key, "kind": o.kind, "title": o.title, "status": o.status, "similarity": round(o.likeness, 3)}
            for o in group.others
        ]
        survivor = group.kept
        keep = {"key": survivor.key, "kind": survivor.kind, "title": survivor.title, "status": survivor.status}
        return {"keep": keep, "why": group.why, "supersede": others}

    return {
        "compared": done.compared,
        "commit": done.commit,
        "changed": list(done.changed),
        "groups": [group_table(group) for group in shown],
        "more": len(done.groups) - len(shown),
    }


def _print(done: DuplicateReport, shown: tuple[DuplicateGroup, ...], out: Output) -> None:
    for group in shown:
        out.line(
            ("keep", "bold"), " ", (group.kept.key, "key"), "  ", group.kept.title, "  ", (f"({group.why})", "dim")
        )
        for one in group.others:
            out.line(f"  {one.likeness:.2f} ", (one.key, "key"), "  ", one.title)
    if len(done.groups) > len(shown):
        out.note(f"{len(done.groups) - len(shown)} more groups: --limit {len(done.groups)}")
    count = sum(len(group.others) for group in done.groups)
    several = f"{quantity(count, 'memory', 'memories')} of {quantity(len(done.groups), 'group')}"
    if done.commit:
        out.result(f"superseded {several} in {done.commit[:12]}")
        out.note(f"undo: gitmem edit {done.groups[0].kept.key} --supersedes ''")
    elif done.groups:
        out.note(f"would supersede {several}, near duplicates; to apply it: gitmem curate dedupe --apply")
    else:
        out.note(f"no near duplicates among {quantity(done.compared, 'memory', 'memories')}")
    for key in done.changed:
        out.note(f"the group of {key} changed in the meantime and was left alone; run gitmem curate dedupe again")
