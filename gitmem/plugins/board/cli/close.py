"""Close a run: record what it found as memories, in one commit, and archive its board.

The entries that the final report has to contain, and the answers to signals, become memories that name their run;
--from-run reads memories from a file instead, as gitmem remember --from-run does. A closed board accepts no more
entries, but can be read and exported. A run with blocking signals is not closed (exit status 1) without --force and
--why. If a memory is refused, the others are written (exit status 1).
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import print_written
from gitmem.cli.command_memory import open_memory
from gitmem.cli.input import read_file
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.commands.from_run.run_file import BYTES
from gitmem.errors import UsageError
from gitmem.plugins.board.cli import shared

EXAMPLES = (
    "gitmem board close audit-7",
    "gitmem board close audit-7 --from-run learned.json",
    'gitmem board close audit-7 --force --why "the customer withdrew the request" --no-memories',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``close``."""
    shared.add_run(parser)
    about = "a JSON list of memories to write instead (docs/workflow.md)"
    parser.add_argument("--from-run", default="", metavar="FILE", help=about)
    parser.add_argument("--no-memories", action="store_true", help="write no memories")
    parser.add_argument("--why", default="", metavar="TEXT", help="the reason")
    parser.add_argument("--force", action="store_true", help="close it even if signals are open")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Close one run and print the keys of its memories."""
    if args.from_run and args.no_memories:
        raise UsageError("--from-run and --no-memories cannot be combined", hint="remove one of them")
    if args.force and not args.why.strip():
        raise UsageError("--force requires --why", hint=f'gitmem board close {args.run} --force --why "…"')
    hint = "gitmem board close RUN --from-run FILE"
    raw = read_file(args.from_run, BYTES, hint=hint) if args.from_run else None
    with open_memory(out) as memory:
        board, result = memory.boards.close(
            args.run, raw=raw, why=args.why, force=args.force, distil=not args.no_memories
        )
        changes = result.changes if result else ()
        if args.json:
            written = [{"key": change.key, "path": change.path, "written": change.is_written} for _, change in changes]
            memories = with_short_ids(memory, written)
        for _, change in () if args.json else changes:
            print_written(change, memory, out, did="recorded")
    refused = result.refused if result else ()
    if args.json:
        reasons = [{"item": where, "reason": reason} for where, reason in refused]
        out.json({"run": board.run, "memories": memories, "refused": reasons})
    else:
        for where, reason in refused:
            out.note(f"refused: {where}: {reason}")
        out.announce(f"the run {board.run} is closed; its board stays readable: gitmem board show {board.run}")
    return int(bool(refused))
