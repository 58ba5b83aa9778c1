"""Write a web page of what the memory says: what holds, what failed and by which commit, what rests on that, and all.

It is one file that loads nothing: it works from disk, and can be passed on as it is. Nothing is run for it, so that it
shows what the last verify job found. Private memories are not in it, unless --scope private asks for them alone.
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
    parser.add_argument("file", nargs="?", default=FILE, metavar="FILE", help=f"- is standard output ({FILE})")
    parser.add_argument("--force", action="store_true", help="also where a file is that is no report of gitmem")
    shared.add_scope(parser, about="whose memories (project)")
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
        shared.tell_notices(memory, out)
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
