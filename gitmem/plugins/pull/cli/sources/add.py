"""Add a source: github [OWNER/NAME], jira ADDRESS, code, or docs. Nothing is pulled yet (gitmem pull).

Tokens are never stored. For GitHub: GH_TOKEN or GITHUB_TOKEN, else what gh auth token has, else git's credential
helper. For Jira: JIRA_EMAIL and JIRA_API_TOKEN, else git's credential helper for its host.
"""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output

EXAMPLES = (
    "gitmem sources add github",
    "gitmem sources add github acme/shop --include issues,comments --since 2026-01-01",
    "gitmem sources add jira https://acme.atlassian.net --project SHOP",
    "gitmem sources add code --path src",
    "gitmem sources add docs --path ~/notes --name notes",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``add``."""
    parser.add_argument("kind", choices=("github", "jira", "code", "docs"), help="what it is")
    about = "OWNER/NAME on GitHub (default: this repository's remote), or the address of a Jira site"
    parser.add_argument("address", nargs="?", default="", metavar="ADDRESS", help=about)
    parser.add_argument("--name", default="", help="what to call it here (default: its kind)")
    about = "only these parts: issues, comments, pulls, reviews, diffs, commits, checks, releases"
    github = parser.add_argument_group("GitHub")
    github.add_argument("--include", action="append", default=[], metavar="PARTS", help=about)
    jira = parser.add_argument_group("Jira")
    jira.add_argument("--project", default="", metavar="KEY", help="only this project")
    jira.add_argument("--jql", default="", help="only issues that match this query")
    about = "only this folder; with docs also a folder outside the repository"
    code = parser.add_argument_group("code and docs")
    code.add_argument("--path", action="append", default=[], metavar="FOLDER", help=about)
    parser.add_argument("--since", default="", metavar="DAY", help="only what changed since this day: 2026-01-31")
    about = "how often to pull it where a schedule is installed: 12h, 1d (default), 1w"
    parser.add_argument("--every", default="", metavar="TIME", help=about)
    parser.add_argument("--collection", default="", metavar="NAME", help="its collection (default: its kind)")
    github.add_argument("--api", default="", metavar="URL", help="GitHub Enterprise Server: the address of its API")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Add a source and print its name."""
    options = {name: getattr(args, name) for name in ("name", "project", "jql", "since", "every", "collection", "api")}
    options["include"] = [part for given in args.include for part in given.split(",") if part]
    with open_memory(out) as memory:
        top = memory.repository.git.repository.top or ""
        options["paths"] = [_folder(path, top) for path in args.path]
        source = memory.sources.add(args.kind, args.address, **options)
    if args.json:
        out.json({"source": source.name, "kind": source.kind, "address": source.address, "ref": source.ref})
        return 0
    out.result(source.name, f"added the source {source.name}")
    out.note(f"to bring it in: gitmem pull {source.name}")
    return 0


def _folder(typed: str, top: str) -> str:
    """Return a folder relative to the top of the work tree, or the absolute path of a folder elsewhere."""
    whole, root = Path(typed).expanduser().resolve(), Path(top).resolve()
    return whole.relative_to(root).as_posix() if top and whole.is_relative_to(root) else str(whole)
