"""Show one task in full, with its attempts: the current one, then failed ones, then the others."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output
from gitmem.cli.show import print_memory
from gitmem.cli.task import printing
from gitmem.frozen import fields_of

EXAMPLES = ("gitmem task show refresh-tokens", "gitmem task show refresh --json")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``show``."""
    parser.add_argument("key", help="the task")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print one task."""
    with open_memory(out) as memory:
        details, task, waits_for = memory.tasks.show(args.key)
        document = dict(details.document)
    attempts = [*([task.held] if task.held else []), *task.past_attempts]
    if args.json:
        lines = [fields_of(attempt) for attempt in attempts]
        out.json(document | {"state": task.state, "waits_for": list(waits_for), "attempts": lines})
        return 0
    fields = {name: value for name, value in document["frontmatter"].items() if name not in ("attempts", "claimed")}
    print_memory(document | {"frontmatter": fields}, out)
    if waits_for:
        out.line("  ", ("waits for:", "yellow"), f" {', '.join(waits_for)}")
    for attempt in attempts:
        style = {"failed": "red", "working": "yellow"}.get(attempt.outcome, "dim")
        out.line("  ", (printing.attempt_line(attempt), style))
    return 0
