"""Find or open the pull request of a branch, for a memory branch that is protected against pushes.

Prints its address. There is one pull request for each pair of branches, no matter how often this runs.

Permission: pull-requests: write; on GitHub, the repository's settings must also allow Actions to create pull requests.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.config import is_branch
from gitmem.errors import UsageError
from gitmem.git.forges.client import Forge
from gitmem.git.forges.job_environment import place_here
from gitmem.plugins.forge.pull import find_or_open, request_body
from gitmem.system.environment import forge_token

EXAMPLES = (
    "gitmem forge pull --head gitmem/verify",
    'gitmem forge pull --head gitmem/auth-notes --base memory --title "What we learned about tokens"',
    "gitmem forge pull --head gitmem/verify --dry-run",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``pull``."""
    parser.add_argument(
        "--head", required=True, metavar="BRANCH", help="the branch with the change; it must be pushed already"
    )
    parser.add_argument("--base", default="memory", metavar="BRANCH", help="the branch to merge into (memory)")
    parser.add_argument("--title", default="", help="the title of a new pull request")
    parser.add_argument(
        "--dry-run", action="store_true", help="print the pull request without opening it; needs no token"
    )
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Find or open the pull request and print its URL."""
    for name in (args.head, args.base):
        if not is_branch(name):
            raise UsageError(f"invalid branch name: {name!r}", hint="use --head BRANCH, without refs/heads/")
    if args.head == args.base:
        raise UsageError("a branch cannot be merged into itself", hint="--head BRANCH --base memory")
    place = place_here()
    if args.dry_run:
        request = request_body(place, args.head, args.base, args.title)
        if args.json:
            out.json({"repository": place.repository, **request})
        else:
            out.text(f"{request['title']}\n{args.head} -> {args.base}\n\n{request['body']}")
            out.note(f"this pull request would be opened in {place.repository}")
        return 0
    pull_request = find_or_open(Forge(place, forge_token()), args.head, args.base, args.title)
    if args.json:
        out.json(
            {
                "action": "opened" if pull_request.is_new else "found",
                "number": pull_request.number,
                "url": pull_request.url,
            }
        )
        return 0
    out.line(pull_request.url)
    if pull_request.is_new:
        out.announce(f"pull request {pull_request.number} is opened")
    else:
        out.note(f"pull request {pull_request.number} is open already")
    return 0
