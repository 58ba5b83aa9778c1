"""Report results to a forge (GitHub or GitHub Enterprise) over its REST API, for the scripts in its workflows.

Without a verb, show which repository the verbs would use. The repository, the API address and the token come from the
environment of the forge's jobs: GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_TOKEN. The token is sent only to the API's
own origin.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.git.forges.job_environment import place_here
from gitmem.system.environment import forge_token

EXAMPLES = ("gitmem forge",)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``forge`` without a verb."""
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print which repository the verbs would use; return 1 without a token."""
    place, has_token = place_here(), bool(forge_token())
    if args.json:
        out.json({"repository": place.repository, "api": place.api, "run": place.run, "has_token": has_token})
    else:
        out.line((place.repository, "bold"), f" at {place.api}", f", from {place.run}" if place.run else "")
        out.note("the token is set" if has_token else "no token is set: GITHUB_TOKEN is empty")
    return 0 if has_token else 1
