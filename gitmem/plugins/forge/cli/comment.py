"""Keep one comment on a pull request up to date, found by a hidden marker and the account that owns the token.

FILE is the JSON of `gitmem check`, which is rendered as a comment, or Markdown. Its text is untrusted: it cannot link,
load, mention or refer to anything. An empty file, or JSON without findings, changes an existing comment to say so, and
writes no first comment. With --commit, every open pull request with that head gets the comment; if the head has moved
on, none does.

Permission: pull-requests: write.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.options import add_json, positive
from gitmem.cli.output import Output
from gitmem.errors import UsageError
from gitmem.frozen import fields_of
from gitmem.git.forges.client import Forge
from gitmem.git.forges.job_environment import place_here
from gitmem.git.repository import is_oid
from gitmem.plugins.forge import suggestions
from gitmem.plugins.forge.comment import KINDS, body_of, keep, pulls_of, read_text, remove
from gitmem.system.environment import forge_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.forges.job_environment import ForgeRepository
    from gitmem.plugins.forge.comment import CommentResult

EXAMPLES = (
    "gitmem forge comment --kind check --pull 12 check.json",
    'gitmem forge comment --kind check --commit "$HEAD_SHA" --run "$RUN_ID" check.json',
    "gitmem review origin/memory...HEAD --format markdown | gitmem forge comment --kind review --pull 12 -",
    "gitmem forge comment --kind check --pull 12 --dry-run gitmem-check.md",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``comment``."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="JSON of a check, or Markdown; - reads standard input")
    parser.add_argument(
        "--kind", required=True, choices=tuple(KINDS), metavar="KIND", help=f"the kind of comment: {' or '.join(KINDS)}"
    )
    which = parser.add_argument_group("which pull request, one of").add_mutually_exclusive_group(required=True)
    which.add_argument("--pull", type=positive, metavar="N", help="the pull request's number")
    which.add_argument(
        "--commit", default="", metavar="COMMIT", help="comment on the open pull requests with this head"
    )
    how = parser.add_argument_group("how it is kept")
    how.add_argument(
        "--only-update", action="store_true", help="update an existing comment, but never write a first one"
    )
    how.add_argument("--delete", action="store_true", help="delete the comment; takes no FILE")
    parser.add_argument("--run", default="", metavar="ID", help="the workflow run that produced FILE (this one)")
    parser.add_argument("--dry-run", action="store_true", help="print the comment without sending it; needs no token")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Update the comment and print its URL."""
    if bool(args.file) == args.delete:
        raise UsageError("comment needs either a FILE or --delete", hint="gitmem forge comment --help")
    if args.commit and not is_oid(args.commit):
        raise UsageError("--commit needs a full commit name", hint='--commit "$(git rev-parse HEAD)"')
    place = place_here(args.run)
    text = "" if args.delete else read_text(args.file)
    if args.dry_run:
        return _show(args, text, place, out)
    forge = Forge(place, forge_token())
    pulls = pulls_of(forge, args.commit) if args.commit else [args.pull]
    if args.delete:
        results = remove(forge, args.kind, pulls)
    else:
        results = keep(forge, args.kind, pulls, text, only_update=args.only_update)
        for pull in pulls if args.kind == "check" and place.form == "github" else ():
            suggestions.keep(forge, pull, text)
    if args.json:
        out.json({"kind": args.kind, "pulls": [fields_of(comment) for comment in results]})
    else:
        _print(args, results, out)
    return 0


def _print(args: Arguments, results: list[CommentResult], out: Output) -> None:
    for comment in results:
        if comment.url:
            out.line(comment.url)
        if comment.action == "none":
            out.note(f"pull request {comment.pull}: there is no comment, and none is needed")
        else:
            out.announce(f"pull request {comment.pull}: the comment is {comment.action}")
    if not results:
        out.note(f"no open pull request for {args.commit[:12]}; no comment posted")


def _show(args: Arguments, text: str, place: ForgeRepository, out: Output) -> int:
    body = "" if args.delete else body_of(args.kind, text, place)[0]
    if args.json:
        fields = {"kind": args.kind, "repository": place.repository, "pull": args.pull, "commit": args.commit}
        out.json({**fields, "delete": args.delete, "body": body})
        return 0
    if body:
        out.text(body)
    what = "would be deleted from" if args.delete else "would be posted to"
    which = f"pull request {args.pull}" if args.pull else f"the open pull requests for {args.commit[:12]}"
    out.note(f"the comment {what} {which} of {place.repository}")
    return 0
