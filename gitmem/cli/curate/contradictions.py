"""Find memories that contradict each other, by their titles and built-in checks.

A title that denies another, or has another value or an opposite word in the same place, deserves a look; it proves
nothing. --apply supersedes, in one commit, memories without a check that contradict a fact whose check holds; you
decide about the others. Exits with 1 if there is something to decide.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.curate import shared
from gitmem.cli.output import Output, quantity
from gitmem.store.scopes import PROJECT

EXAMPLES = ("gitmem curate contradictions", "gitmem curate contradictions --apply")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``contradictions``."""
    shared.add_plan(parser, apply="supersede what a check that holds contradicts, in one commit", what="pairs")


def run(args: Arguments, out: Output) -> int:
    """List contradictions, or supersede; return 1 if something is left to decide."""
    with open_memory(out) as memory:
        memory.repository.tip()
        report, commit = memory.bulk.contradictions(scope=args.scope or PROJECT, apply=args.apply)
    left = [pair for pair in report.pairs if not (commit and pair.kept)]
    shown = left[: args.limit]
    settled = len(report.pairs) - len(left)
    if args.json:
        pairs = [
            {"keys": [pair.one.key, pair.other.key], "titles": [pair.one.title, pair.other.title], "why": pair.why}
            | {"keep": pair.kept}
            for pair in shown
        ]
        out.json({"compared": report.compared, "commit": commit, "pairs": pairs, "more": len(left) - len(shown)})
        return int(bool(left))
    for pair in shown:
        for member in (pair.one, pair.other):
            keep = "keep: its check holds" if member.key == pair.kept else member.status
            out.line((member.key, "key"), "  ", member.title, *(("  ", (f"({keep})", "dim")) if keep else ()))
        out.line("  ", (pair.why, "yellow"))
    if len(left) > len(shown):
        out.note(f"{len(left) - len(shown)} more pairs: --limit {len(left)}")
    if commit:
        out.line(f"settled {quantity(settled, 'pair')} in {commit[:12]}")
        out.note("to undo it: gitmem undo")
    if left:
        first = left[0]
        out.note(f"if the first is right: gitmem supersede {first.other.key} {first.one.key}")
    else:
        out.note(f"no contradictions among {quantity(report.compared, 'memory', 'memories')}")
    return int(bool(left))
