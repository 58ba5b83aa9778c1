"""Pull knowledge from elsewhere: issues and pull requests, Jira, code, documents (gitmem sources add).

Only what changed since the last pull is read. Run an interrupted pull again to continue it. Pulled documents stay in
this clone, apart from the memory branch; search them with recall --source NAME.

In a pipe: tab-separated name, documents, new or changed, deleted.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.errors import GitmemError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.plugins.pull.run import PullResult

EXAMPLES = ("gitmem pull", "gitmem pull github", "gitmem pull github --full")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``pull``."""
    parser.add_argument("source", nargs="*", metavar="SOURCE", help="the sources to pull; all of them without one")
    about = "read everything again, and delete documents that are gone at the source"
    parser.add_argument("--full", action="store_true", help=about)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Pull each source; return 3 if a pull could not be completed."""
    failed: list[GitmemError] = []
    tables = []
    with open_memory(out) as memory:
        names = args.source or [state.source.name for state in memory.sources.list()]
        if not names:
            raise UsageError("there are no sources to pull", hint="add one: gitmem sources add github")
        for name in names:
            try:
                result = memory.sources.pull(name, full=args.full)
            except GitmemError as err:
                if len(names) == 1:
                    raise
                failed.append(err)
                tables.append({"source": name, "error": err.message})
                out.note(f"{name}: {err.message}{f' ({err.hint})' if err.hint else ''}")
                continue
            tables.append(as_table(result))
            if not args.json:
                print_result(result, out)
            if result.error is not None:
                failed.append(result.error)
                hint = f" ({result.error.hint})" if result.error.hint else ""
                out.note(f"{name} was not pulled to its end: {result.error.message}{hint}")
    if args.json:
        out.json({"sources": tables})
    return 3 if failed else 0


def print_result(result: PullResult, out: Output) -> None:
    """Print the result of a pull: one sentence on a terminal, one line of cells in a pipe."""
    if not out.is_terminal:
        out.row(result.source.name, str(result.documents), str(result.changed), str(result.deleted))
        return
    news = [(result.changed, "new or changed"), (result.deleted, "deleted")]
    shown = ", ".join(f"{number} {what}" for number, what in news if number) or "nothing new"
    out.confirm(f"{result.source.name}: {quantity(result.documents, 'document')}, {shown}")


def as_table(result: PullResult) -> dict[str, Any]:
    """Return the result of a pull as documented JSON."""
    return {
        "source": result.source.name,
        "documents": result.documents,
        "changed": result.changed,
        "deleted": result.deleted,
        "commit": result.commit,
        "error": result.error.message if result.error else "",
    }
