"""Show what an agent's session was given: when, why, and which memories with which status.

The log covers the latest sessions in this clone only and contains no memory text (use gitmem show KEY for that).
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.document.times import format_time

EXAMPLES = ("gitmem session log", "gitmem session log --session 0b6e --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``log``."""
    parser.add_argument("--session", default="", metavar="NAME", help="show this session (the latest)")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the log, oldest entries first; return 1 if it is empty."""
    with open_memory(out) as memory:
        moments = memory.sessions.shown(args.session)
    if args.json:
        out.json({"session": moments[0]["session"] if moments else args.session, "shown": moments})
    for entry in () if args.json else moments:
        about = entry.get("query") or entry.get("role") or entry.get("source") or ""
        when = format_time(entry["at"]) if isinstance(entry.get("at"), int) else "(no time)"
        out.line((when, "dim"), f" {entry.get('event')} ", (str(about), "dim"))
        shown = entry.get("shown")
        for key, status in shown.items() if isinstance(shown, dict) else ():
            out.line("  ", (key, "key"), f"  {status}")
    if not moments and not args.json:
        out.note("no session was shown anything")
    return 0 if moments else 1
