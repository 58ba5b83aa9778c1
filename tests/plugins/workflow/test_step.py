"""Role, story and component: how a step of a workflow is written down."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem import policy
from gitmem.errors import UsageError
from gitmem.plugins.workflow.step import WorkflowStep, component_tag, worker_role
from gitmem.policy.kinds import role_name


@each(
    ("typed", "name"),
    [("Tech Writer", "tech_writer"), ("ux-designer", "ux_designer"), ("dev", "developer"), ("", ""),
     ("quick-flow-solo-dev", "quick_flow")],
)  # fmt: skip
def test_role_is_named_as_the_policy_has_it(typed: str, name: str) -> None:
    assert role_name(typed) == name


def test_named_role_comes_before_the_configured_one_and_an_unknown_one_has_no_row() -> None:
    builtin = policy.builtin()

    assert worker_role(builtin, "pm", "")[1] == builtin.roles["pm"]
    assert worker_role(builtin, "pm", "sm") == ("sm", builtin.roles["sm"])
    assert worker_role(builtin, "pm", "astronaut") == ("astronaut", None)


@each("typed", ["!!", "x" * 101], ids=["no letter", "too long"])
def test_component_that_can_be_no_tag_is_refused(typed: str) -> None:
    with pytest.raises(UsageError, match="component"):
        component_tag(typed)


def test_step_is_a_task_a_tag_and_a_role_in_who_wrote_it(memory, monkeypatch) -> None:
    fields = WorkflowStep("PM", " LED-1 ", "Storage layer").fields(memory.repository, ("storage-layer", "db"))

    assert fields == {"task": "LED-1", "tags": ["storage-layer", "db"], "by": {"who": "Ana", "role": "pm"}}
