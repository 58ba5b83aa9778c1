"""Keep one note on a GitLab merge request up to date, found by a hidden marker and the account that owns the token.

FILE is the JSON of `gitmem check`, or Markdown, as for `gitmem forge comment`. The merge request, the API address and
the project come from the variables of a GitLab job; the token is GITMEM_NOTE_TOKEN, a project access token with the
scope api.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.config import variable
from gitmem.git.forges.client import Forge
from gitmem.plugins.forge.comment import KINDS, body_of, read_text
from gitmem.plugins.forge.note import gitlab_place, keep

EXAMPLES = ("gitmem forge note --kind check check.json", "gitmem forge note --kind check --dry-run check.json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``note``."""
    parser.add_argument("file", metavar="FILE", help="JSON of a check, or Markdown; - reads standard input")
    parser.add_argument(
        "--kind", required=True, choices=tuple(KINDS), metavar="KIND", help=f"the kind of note: {' or '.join(KINDS)}"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the note without sending it; needs no token")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Update the note."""
    place, text = gitlab_place(), read_text(args.file)
    if args.dry_run:
        out.text(body_of(args.kind, text, place)[0])
        out.note("this note would be posted to the merge request")
        return 0
    action = keep(Forge(place, variable("GITMEM_NOTE_TOKEN")), args.kind, text)
    if args.json:
        out.json({"kind": args.kind, "action": action})
    elif action == "none":
        out.note("there is no note, and none is needed")
    else:
        out.announce(f"the note is {action}")
    return 0
