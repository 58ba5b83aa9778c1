"""Write the page of the memory branch, README.md, and its badge, facts.svg: what forges show when it is opened.

The page says what fails and how many memories there are, and changes only when something does. A README.md that someone
else wrote is left alone. The workflow's record job runs this; `gitmem sync` pushes it.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output

EXAMPLES = ("gitmem forge page", "gitmem forge page --dry-run")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``page``."""
    parser.add_argument("--dry-run", action="store_true", help="print the page without writing it")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Write the page, and print the commit."""
    from gitmem.commands.report.badge import make_badge, svg
    from gitmem.plugins.forge.page import page, write

    with open_memory(out) as memory:
        document = memory.status().document
        badge = svg(make_badge(document))
        commit = "" if args.dry_run else write(memory.repository, document, badge)
    if args.json:
        out.json({"commit": commit, "page": page(document)})
    elif args.dry_run:
        out.text(page(document))
        out.note("this page would be written to the memory branch")
    elif commit:
        out.announce(f"the page is in {commit[:12]}")
    else:
        out.note("the page is up to date")
    return 0
