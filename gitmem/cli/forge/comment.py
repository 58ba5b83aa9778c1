"""Keep one comment on a pull request up to date: found by a hidden mark and written by the token's own account.

FILE is Markdown from anywhere, a stranger's pull request too: nothing in it links, loads, mentions anybody or refers to
anything, and it is cut where it is longer than a comment may be. An empty one says that there is nothing to say: a
comment that is there says so from then on, and no first one is written. With --commit, every open pull request with
that head gets it; where the head moved on, none does. The same text again changes nothing.

Permission: pull-requests: write.
"""

from __future__ import annotations

from gitmem.cli import shared
from gitmem.commands.forge.client import Forge
from gitmem.commands.forge.comment import KINDS, body_of, is_commit, keep, pulls_of, read_text, remove
from gitmem.commands.forge.place import place_here
from gitmem.config import forge_token
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output
    from gitmem.commands.forge.comment import Kept
    from gitmem.commands.forge.place import Place

EXAMPLES = (
    "gitmem forge comment --kind check --pull 12 gitmem-check.md",
    'gitmem forge comment --kind check --commit "$HEAD_SHA" --run "$RUN_ID" gitmem-check.md',
    "gitmem forge comment --kind check --pull 12 --only-update gitmem-check.md",
    "gitmem review origin/memory...HEAD --format markdown | gitmem forge comment --kind review --pull 12 -",
    "gitmem forge comment --kind check --pull 12 --dry-run gitmem-check.md",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what comment takes."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="the text in Markdown; - reads standard input")
    parser.add_argument(
        "--kind", required=True, choices=tuple(KINDS), metavar="KIND", help=f"what it is about: {' or '.join(KINDS)}"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--pull", type=shared.positive, metavar="N", help="the pull request's number")
    which.add_argument("--commit", default="", metavar="COMMIT", help="the open pull requests with this head")
    parser.add_argument("--only-update", action="store_true", help="write no first comment")
    parser.add_argument("--delete", action="store_true", help="take the comment away; no FILE")
    parser.add_argument("--run", default="", metavar="ID", help="the run that FILE is from (this one)")
    parser.add_argument("--dry-run", action="store_true", help="print the comment; nothing is sent, no token needed")
    shared.add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Bring the comment up to date and print its address."""
    if bool(args.file) == args.delete:
        raise UsageError("comment needs a FILE, or --delete without one", hint="gitmem forge comment --help")
    if args.commit and not is_commit(args.commit):
        raise UsageError("--commit is the whole name of a commit", hint='--commit "$(git rev-parse HEAD)"')
    place = place_here(args.run)
    text = "" if args.delete else read_text(args.file)
    if args.dry_run:
        return _show(args, text, place, out)
    forge = Forge(place, forge_token())
    pulls = pulls_of(forge, args.commit) if args.commit else [args.pull]
    if args.delete:
        done = remove(forge, args.kind, pulls)
    else:
        done = keep(forge, args.kind, pulls, text, only_update=args.only_update)
    if args.json:
        out.json({"kind": args.kind, "pulls": [{"pull": d.pull, "action": d.action, "url": d.url} for d in done]})
    else:
        _print(args, done, out)
    return 0


def _print(args: argparse.Namespace, done: list[Kept], out: Output) -> None:
    for one in done:
        if one.url:
            out.line(one.url)
        told = "there is no comment, and none is needed" if one.action == "none" else f"the comment is {one.action}"
        out.note(f"pull request {one.pull}: {told}")
    if not done:
        out.note(f"no open pull request has {args.commit[:12]} as its head: nobody is told")


def _show(args: argparse.Namespace, text: str, place: Place, out: Output) -> int:
    body = "" if args.delete else body_of(args.kind, text, place)
    if args.json:
        asked = {"kind": args.kind, "repository": place.repository, "pull": args.pull, "commit": args.commit}
        out.json({**asked, "delete": args.delete, "body": body})
        return 0
    if body:
        out.text(body)
    what = "would be taken away from" if args.delete else "would stand on"
    which = f"pull request {args.pull}" if args.pull else f"the open pull requests with the head {args.commit[:12]}"
    out.note(f"the comment {what} {which} of {place.repository}; nothing was sent")
    return 0
