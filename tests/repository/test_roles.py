"""What a role reads: its kinds, and critical memories of any kind and scope."""

from __future__ import annotations

from gitmem.agents.event import PROMPT, Event
from gitmem.agents.session.prompt import find_hits
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.repository.roles import read_by


def test_a_role_reads_its_kinds_and_critical_memories_of_any_scope(memory: Memory) -> None:
    memory.remember("The ledger rounds half even", key="rule", kind="gotcha")
    memory.remember("The ledger locks at night", key="locks", kind="recipe")
    memory.remember("Never truncate the ledger", key="alarm", importance="critical")
    memory.remember("The ledger is mine", key="mine", scope="private", importance="critical")
    hits = memory.recall(Query("ledger")).hits

    assert read_by(memory.repository, ("gotcha",), hits) == {"rule", "alarm", "mine"}
    assert read_by(memory.repository, (), hits) == {"rule", "locks", "alarm", "mine"}


def test_a_prompt_of_a_role_gets_its_kinds_alone(memory: Memory) -> None:
    memory.remember("The nightly import locks the ledger", key="locks", kind="gotcha")
    prompt = "why is the ledger locked during the nightly import?"

    def shown(role: str) -> list[str]:
        event = Event("claude-code", PROMPT, session="s", prompt=prompt, agent_type=role)
        return [hit.key for hit in find_hits(memory.repository, event, prompt, memory.recall)]

    assert (shown(""), shown("reviewer"), shown("sm")) == (["locks"], ["locks"], [])
