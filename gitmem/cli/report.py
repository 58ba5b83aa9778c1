"""Write a web page about the memory: what holds, what failed and which commit broke it, and all other memories.

It is one self-contained file: it works from disk and can be passed on. No check is run for it; it shows the results of
the last verify job. Private memories are left out, unless --scope private selects only those.
"""

from __future__ import annotations

from gitmem.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = (
    "gitmem report",
    "gitmem report public/memory.html",
    "gitmem report - > page.html",
    "gitmem report --at v1.2 v1.2.html",
    "gitmem report --json",
)
FILE = "gitmem-report.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what report takes."""
    parser.add_argument(
        "file", nargs="?", default=FILE, metavar="FILE", help=f"the file to write; - is standard output ({FILE})"
    )
    parser.add_argument("--force", action="store_true", help="overwrite a file that is not a gitmem report")
    shared.add_scope(parser, about="which memories to include (project)")
    shared.add_at(parser)
    parser.add_argument("--json", action="store_true", help="print the page's data as one JSON document instead")


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the page; a failure that it shows is none of the command's."""
    from gitmem.commands.report.page import model, place, render

    with shared.open_memory(args, out) as memory:
        if args.at is not None:
            shared.refuse_other_scopes(args)
            page = memory.at(args.at).report()
        else:
            page = memory.report(scope=args.scope)
        shared.print_notices(memory, out)
    if args.json:
        out.json(model.as_table(page))
        return 0
    text = render.render(page)
    if args.file == "-":
        out.bytes(text.encode("utf-8", "backslashreplace"))
        return 0
    place.write(args.file, text, force=args.force)
    out.line(args.file)
    return 0
