"""Options shared by the commands for workflow steps: role, story and component, and the fields of a memory to write."""

from __future__ import annotations

from gitmem.cli.arguments import code_path
from gitmem.cli.changes import add_force
from gitmem.cli.terminal import read_standard_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.commands.workflow.step import WorkflowStep


def add_step(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a step of a workflow."""
    step = parser.add_argument_group("the workflow")
    step.add_argument("--role", default="", help="the role: architect, developer, pm, … (from the policy)")
    step.add_argument("--story", default="", metavar="KEY", help="the story or task")
    step.add_argument("--component", default="", metavar="NAME", help="the part of the system; becomes a tag")


def add_written(parser: argparse.ArgumentParser) -> None:
    """Add the options of a memory written in a step."""
    memory = parser.add_argument_group("the memory")
    memory.add_argument("--title", default="", help="the title, in one line (the first sentence of the text)")
    memory.add_argument("--key", default="", help="its key (made from the text)")
    memory.add_argument("--tag", action="append", default=[], help="a tag; others are found in the text")
    memory.add_argument(
        "--path", action="append", default=[], type=code_path, metavar="GLOB", help="code files it is about"
    )
    memory.add_argument("--importance", choices=("critical", "high", "medium", "low"), help="how much it matters")
    add_force(parser)


def step_of(args: argparse.Namespace) -> WorkflowStep:
    """Return the step that the options describe."""
    from gitmem.commands.workflow.step import WorkflowStep

    return WorkflowStep(args.role, args.story, args.component)


def text_of(args: argparse.Namespace) -> str:
    """Return the typed text, or standard input for ``-``."""
    from gitmem.store.layout import MEMORY_LIMIT

    return read_standard_input(MEMORY_LIMIT) if args.text == "-" else args.text
