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
        found = memory.sessions.status(session=args.session, name=args.topic)
    if args.json:
        out.json(found)
        return 0
    kind = "archived" if found["archived"] else "named" if found["named"] else "it has no name yet"
    where = f"{found['branch'] or 'a detached HEAD'} in {found['workspace']}"
    out.line((found["topic"], "key"), f"  {kind}, on {where}", (", a review" if found["review"] else "", "dim"))
    if found["off"]:
        out.line(("agents are shown nothing: ", "yellow"), found["off"])
    for line in found["spec"].splitlines():
        out.line("│ ", line)
    for entry in found["evidence"]:
        refs = ", ".join(map(str, entry.get("refs") or ()))
        out.line("• ", str(entry.get("text")), (f"  [{refs}]" if refs else "", "dim"))
    for line in found["worklog"]["last"]:
        out.line("- ", line)
    if not (found["spec"] or found["evidence"] or found["worklog"]["entries"]):
        out.note('nothing yet; name your work: gitmem session use TOPIC "what it is about"')
    others = [name for name in (*found["topics"], *found["archive"]) if name != found["topic"]]
    if others:
        out.line((f"others: {', '.join(others)}", "dim"))
    return 0
