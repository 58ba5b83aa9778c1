"""Options shared by the commands for workflow steps: role, story and component."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.plugins.workflow.step import WorkflowStep


def add_step(parser: ArgumentParser) -> None:
    """Add the options that describe a step of a workflow."""
    step = parser.add_argument_group("the workflow")
    step.add_argument("--role", default="", help="the role: architect, developer, pm, … (from the policy)")
    step.add_argument("--story", default="", metavar="KEY", help="the story or task")
    step.add_argument("--component", default="", metavar="NAME", help="the part of the system; becomes a tag")


def step_of(args: Arguments) -> WorkflowStep:
    """Return the step that the options describe."""
    from gitmem.plugins.workflow.step import WorkflowStep

    return WorkflowStep(args.role, args.story, args.component)
