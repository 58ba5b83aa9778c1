"""Draw a badge with the state of the facts: a self-contained SVG for a README or a page.

It shows the worst state: failed facts, else suspect facts, else a verify job that has stopped running,
else stale facts, else the number of verified facts. The exit status is 0 whatever it shows; use gitmem status to test
the state.
"""

from __future__ import annotations

import json

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.output import Output
from gitmem.cli.reports import write_whole

EXAMPLES = (
    "gitmem badge facts.svg",
    'gitmem badge --label "what we know" > facts.svg',
    "gitmem badge --json facts.json",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``badge``."""
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="the file to write; - is standard output (-)"
    )
    parser.add_argument("--label", default="facts", help="the text on the left side; may be empty (facts)")
    parser.add_argument(
        "--json", action="store_true", help="write the JSON of a shields.io endpoint instead of a picture"
    )


def run(args: Arguments, out: Output) -> int:
    """Print the badge, or write it to a file."""
    from gitmem.commands.report.badge import as_table, make_badge, svg

    with open_memory(out) as memory:
        document = memory.status().document
    badge = make_badge(document, label=args.label)
    text = json.dumps(as_table(badge)) + "\n" if args.json else svg(badge)
    if args.file == "-":
        out.bytes(text.encode(), is_json=args.json)
    else:
        write_whole(args.file, text, what="badge")
        out.announce(f"wrote {args.file}: {badge.title}" if out.is_terminal else f"{args.file}: {badge.title}")
    return 0
