"""Show the history of a memory and its verdicts, newest first: who changed it, and when its check held or failed.

Without a key, show the newest commits of the project's memory, with their authors.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, add_scope, positive
from gitmem.cli.output import Output
from gitmem.text.own import OwnWords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.results import LogEntry

EXAMPLES = ("gitmem log", "gitmem log auth-uses-rs256")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``log``."""
    parser.add_argument("key", nargs="?", default="", help="the memory (all of them)")
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="maximum number of entries (50)")
    add_scope(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the history; return 1 if there is none."""
    with open_memory(out) as memory:
        rows = memory.log(args.key, limit=args.limit, scope=args.scope)
    if args.json:
        out.json({"log": [row.document for row in rows]})
        return 0 if rows else 1
    print_log(rows, out)
    return 0 if rows else 1


def print_log(rows: Sequence[LogEntry], out: Output) -> None:
    """Print a history for people."""
    for row in rows:
        words = {"holds": ("holds", "verified"), "fails": ("fails", "failed")}
        what, style = words.get(row.outcome, (row.what, "dim"))
        # Looking for secrets in these, too, takes a fifth of the time of a long log (measured).
        own = (OwnWords(row.commit[:12]), "key"), OwnWords(f"  {row.at}  "), (OwnWords(what), style)
        out.line(*own, f"  {row.subject}", (f"  ({row.who})", "dim"))
        if row.outcome:
            judged = f"judged at {row.code_commit[:12]}" + (f": {row.because}" if row.because else "")
            out.line(OwnWords("              "), (judged, "dim"))
