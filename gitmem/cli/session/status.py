"""Show the active topic: specification, recent commands and edits, evidence, and whether agents are shown anything.

Other topics can be read by name, including archived ones (gitmem session archive).
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, add_session
from gitmem.cli.output import Output

EXAMPLES = ("gitmem session status", "gitmem session status billing-ledger --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``status``."""
    parser.add_argument(
        "topic", nargs="?", default="", metavar="TOPIC", help="the name of another topic of this branch"
    )
    add_session(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print a topic."""
    with open_memory(out) as memory:
        status = memory.sessions.status(session=args.session, name=args.topic)
    if args.json:
        out.json(status)
        return 0
    kind = "archived" if status["archived"] else "named" if status["named"] else "it has no name yet"
    where = f"{status['branch'] or 'a detached HEAD'} in {status['workspace']}"
    out.line((status["topic"], "key"), f"  {kind}, on {where}", (", a review" if status["review"] else "", "dim"))
    if status["off"]:
        out.line(("agents are shown nothing: ", "yellow"), status["off"])
    for line in status["spec"].splitlines():
        out.line("│ ", line)
    for entry in status["evidence"]:
        refs = ", ".join(map(str, entry.get("refs") or ()))
        out.line("• ", str(entry.get("text")), (f"  [{refs}]" if refs else "", "dim"))
    for line in status["worklog"]["last"]:
        out.line("- ", line)
    if not (status["spec"] or status["evidence"] or status["worklog"]["entries"]):
        out.note('nothing yet; name your work: gitmem session use TOPIC "what it is about"')
    others = [name for name in (*status["topics"], *status["archive"]) if name != status["topic"]]
    if others:
        out.line((f"others: {', '.join(others)}", "dim"))
    return 0
