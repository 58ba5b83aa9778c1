"""Draw a badge of how the facts stand: an SVG that stands by itself, for a README or a page.

It tells the worst that is true: what failed, else what is suspect, else a verify job that fell silent, else what is
stale, else how many facts are verified. With --json, what shields.io draws an endpoint badge of. Exits with 0 whatever
it says; gitmem status tells by its exit status.
"""

from __future__ import annotations

import json

from gitmem.cli import shared
from gitmem.cli.reports import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = (
    "gitmem badge facts.svg",
    'gitmem badge --label "what we know" > facts.svg',
    "gitmem badge --json facts.json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what badge takes."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="where to; - is standard output (-)")
    parser.add_argument("--label", default="facts", help="what stands on its left side; may be empty (facts)")
    parser.add_argument("--json", action="store_true", help="the JSON of a shields.io endpoint instead of a picture")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the badge, or write it to a file."""
    from gitmem.commands.report.badge import as_table, make_badge, svg

    with shared.open_memory(args, out) as memory:
        found = memory.status()
        shared.tell_notices(memory, out)
    jobs = found["jobs"] or {"silent": "", "silent_s": 0}
    badge = make_badge(found["statuses"], jobs["silent"], jobs["silent_s"], label=args.label)
    text = json.dumps(as_table(badge)) + "\n" if args.json else svg(badge)
    if args.file == "-":
        out.bytes(text.encode())
    else:
        write_whole(args.file, text, what="badge")
        out.note(f"{args.file}: {badge.title}")
    return 0
