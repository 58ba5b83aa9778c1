"""Keep one issue that lists the facts that fail or are suspect now, according to this clone's memory branch.

With FILE, the JSON of `gitmem status` is read instead, so that no clone is needed; the JSON of `gitmem adopt` makes
another issue, of false statements in documents. Their text has no effect on the forge.

It opens the issue when something fails, edits it when the list changes, and closes it when nothing fails. Only new
failures notify people with a comment. An issue that a person closed stays closed until something else fails. Exits with
0 however many facts fail, and with 3 if issues are disabled and there is something to report.

Permission: issues: write.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.errors import ForgeError, GitmemError
from gitmem.git.forges.client import Forge
from gitmem.git.forges.job_environment import place_here
from gitmem.plugins.forge.comment import read_text
from gitmem.plugins.forge.issue import IssueContent, IssueResult, failing_facts, failing_statements, keep, request_body
from gitmem.system.environment import forge_token
from gitmem.verify.overview.finding import SUSPECT
from gitmem.verify.overview.notice.document import parse_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.forges.job_environment import ForgeRepository

EXAMPLES = ("gitmem forge issue", "gitmem forge issue status.json", "gitmem forge issue --dry-run")
DISABLED = 410
WORDS = {
    "none": "there is no open issue, and none is needed",
    "unchanged": "the issue is up to date",
    "left": "a person closed the issue, and nothing else has failed since",
    "disabled": "issues are disabled, and none is needed",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``issue``."""
    parser.add_argument(
        "file",
        nargs="?",
        default="",
        metavar="FILE",
        help="JSON of gitmem status or gitmem adopt (this clone's status)",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the issue without sending it; needs no token")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Update the issue and print its URL."""
    place = place_here()
    if args.file:
        failing = _read(args.file)
    else:
        with open_memory(out) as memory:
            failing = failing_facts(memory.status().document)
    counts = {"failed": len(failing.rows), "suspect": len(failing.found.of(SUSPECT))}
    message = ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "nothing fails"
    if args.dry_run:
        request = request_body(failing, place)
        if args.json:
            out.json({**counts, **request})
        else:
            out.text(f"{request['title']}\n\n{request['body']}")
            out.note(f"{message}; this would be the issue of {place.repository}")
        return 0
    result = _keep(failing, place, message)
    if args.json:
        out.json({"action": result.action, "number": result.number, "url": result.url, **counts})
        return 0
    if result.url:
        out.line(result.url)
    text = f"{message}: {WORDS.get(result.action, f'the issue is {result.action}')}"
    (out.note if result.action in WORDS else out.announce)(text)
    return 0


def _read(file: str) -> IssueContent:
    """Return the items in a file that another job wrote."""
    text = read_text(file)
    if (table := parse_table(text, "failed", "suspect")) is not None:
        return failing_facts(table)
    if (table := parse_table(text, "false", "never_held")) is not None:
        return failing_statements(table)
    raise GitmemError(f"{file} is not the JSON of gitmem status or gitmem adopt", hint="gitmem status --json > FILE")


def _keep(failing: IssueContent, place: ForgeRepository, text: str) -> IssueResult:
    """Update the issue; disabled issues are an error only if there is something to report."""
    try:
        return keep(Forge(place, forge_token()), failing)
    except ForgeError as err:
        if err.status != DISABLED:
            raise
        if failing:
            message = f"issues are disabled in {place.repository}, but there are failures to report: {text}"
            hint = "enable issues in the repository's settings, or remove gitmem forge issue from the workflow"
            raise ForgeError(message, status=DISABLED, hint=hint) from err
        return IssueResult("disabled")
