"""Options shared by the commands for workflow steps: role, story and component, and the fields of a memory to write."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import REF, add_fields, add_force, memory_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.workflow.step import WorkflowStep


def add_step(parser: ArgumentParser) -> None:
    """Add the options that describe a step of a workflow."""
    step = parser.add_argument_group("the workflow")
    step.add_argument("--role", default="", help="the role: architect, developer, pm, … (from the policy)")
    step.add_argument("--story", default="", metavar="KEY", help="the story or task")
    step.add_argument("--component", default="", metavar="NAME", help="the part of the system; becomes a tag")


def add_written(parser: ArgumentParser, *, ref: str = REF) -> None:
    """Add the options of a memory written in a step; *ref* describes what a reference names."""
    about = "the title, in one line (the first sentence of the text)"
    memory_options(parser).add_argument("--title", default="", help=about)
    add_fields(parser, ref=ref)
    add_force(parser)


def step_of(args: Arguments) -> WorkflowStep:
    """Return the step that the options describe."""
    from gitmem.commands.workflow.step import WorkflowStep

    return WorkflowStep(args.role, args.story, args.component)
