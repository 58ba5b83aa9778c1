"""Decisions: stored in a step, and loaded again by what they are about and who took them."""

from __future__ import annotations

import pytest
from support.facts import make_memory, put

from gitmem.errors import DuplicateError
from gitmem.plugins.workflow.step import WorkflowStep

NONE = WorkflowStep()


@pytest.fixture
def decided(memory):
    memory.workflow.decide(
        "PostgreSQL, since the ledger needs transactions", WorkflowStep("architect", "LED-1", "storage"), key="pg"
    )
    memory.workflow.decide("The ledger is a page of its own", WorkflowStep("ux-designer", "LED-1"), key="page")
    memory.workflow.decide("Tokens live an hour", WorkflowStep("architect", "AUTH-2"), key="hour")
    memory.remember("The ledger rounds half even", kind="gotcha", key="rounds")
    return memory


def keys(loaded) -> list[str]:
    return [hit.key for hit in loaded.found.hits]


STEPS = {
    NONE: ["hour", "page", "pg"],
    WorkflowStep(role="Architect"): ["hour", "pg"],
    WorkflowStep(story="LED-1"): ["page", "pg"],
    WorkflowStep(component="Storage"): ["pg"],
    WorkflowStep(role="architect", story="LED-1"): ["pg"],
    WorkflowStep(role="pm"): [],
}


def test_decisions_of_a_step_are_loaded_and_nothing_else(decided) -> None:
    assert {step: sorted(keys(decided.workflow.decisions("", step, limit=10))) for step in STEPS} == STEPS


def test_question_brings_the_decisions_about_it_the_best_first(decided) -> None:
    assert keys(decided.workflow.decisions("ledger transactions", NONE, limit=10)) == ["pg", "page"]
    assert keys(decided.workflow.decisions("ledger transactions", WorkflowStep(role="ux-designer"), limit=10)) == [
        "page"
    ]
    loaded = decided.workflow.decisions("ledger transactions", WorkflowStep(story="LED-1"), limit=1)
    assert (keys(loaded), loaded.found.more) == (["pg"], 1)


def test_limit_counts_what_it_leaves_out(decided) -> None:
    loaded = decided.workflow.decisions("", NONE, limit=2)

    assert (len(keys(loaded)), loaded.found.more) == (2, 1)
    assert "… 1 more" in loaded.text


def test_superseding_decision_is_loaded_alone(decided) -> None:
    decided.workflow.decide(
        "Tokens live fifteen minutes", WorkflowStep("architect"), key="quarter", supersedes=["hour"]
    )

    assert sorted(keys(decided.workflow.decisions("", WorkflowStep(role="architect"), limit=10))) == ["pg", "quarter"]


def test_decision_that_is_known_already_is_refused(decided) -> None:
    with pytest.raises(DuplicateError, match="hour already says this"):
        decided.workflow.decide("Tokens live an hour.", WorkflowStep("pm"))


def test_memories_of_others_with_odd_fields_are_read(memory, repo) -> None:
    put(
        repo,
        make_memory("x", "X", kind="decision", by='"Eve"'),
        make_memory("y", "Y", kind="decision", by={"role": "pm"}),
    )

    assert keys(memory.workflow.decisions("", WorkflowStep(role="pm"), limit=5)) == ["y"]
