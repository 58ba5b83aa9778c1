"""Which role an agent has."""

from __future__ import annotations

import pytest
from support.sessions import started

from gitmem import config, policy
from gitmem.agents.session.roles import role_of


@pytest.mark.parametrize(
    ("name", "budget"),
    [
        ("architect", 1500), ("analyst", 1200), ("pm", 1200), ("developer", 1000), ("tea", 1000),
        ("tech_writer", 1000), ("ux_designer", 1000), ("quick_flow", 1000), ("sm", 800),
    ],
)  # fmt: skip
def test_budgets_are_those_of_the_table(name: str, budget: int) -> None:
    assert role_of(policy.builtin(), config.Config(role=name), started())[1].budget_tokens == budget


def test_a_sub_agents_kind_comes_before_the_setting_and_its_spelling_does_not_matter() -> None:
    settings = config.Config(role="sm")

    assert role_of(policy.builtin(), settings, started(agent_type="Tech-Writer"))[0] == "tech_writer"
    assert role_of(policy.builtin(), settings, started(agent_type="general-purpose"))[0] == "sm"
    assert role_of(policy.builtin(), config.Config(), started()) == ("", policy.Role())


def test_the_policy_changes_and_adds_roles() -> None:
    found = policy.load('[roles.sm]\nbudget_tokens = 300\n[roles.tester]\nkinds = ["gotcha"]', file="gitmem.toml")

    assert found.roles["sm"].budget_tokens == 300
    assert found.roles["sm"].kinds == ("decision", "discussion")
    assert found.roles["tester"].kinds == ("gotcha",)
