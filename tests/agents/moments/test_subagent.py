"""A sub-agent's task is known from the call that dispatches it: each type takes its tasks in order, once."""

from __future__ import annotations

from pathlib import Path

from gitmem.agents.event import DISPATCH, SUBAGENT_START, Event
from gitmem.agents.moments.subagent import WAITING_AT_MOST, remember_task, take_task
from gitmem.memory import Memory


def dispatched(repo: Path, task: str, agent_type: str = "Explore") -> Event:
    return Event("claude-code", DISPATCH, session="s1", folder=str(repo), prompt=task, agent_type=agent_type)


def starts(repo: Path, agent_type: str = "Explore", **changed: str) -> Event:
    values = {"session": "s1", "folder": str(repo), "agent": "a1", "agent_type": agent_type} | changed
    return Event("claude-code", SUBAGENT_START, **values)


def test_each_type_takes_its_tasks_in_order(memory: Memory, repo: Path) -> None:
    for task, agent_type in (("one", "Explore"), ("two", "general-purpose"), ("three", "Explore")):
        remember_task(memory.repository, dispatched(repo, task, agent_type))

    taken = [take_task(memory.repository, starts(repo, name)) for name in ("general-purpose", *["Explore"] * 3)]

    assert taken == ["two", "one", "three", ""]


def test_task_in_the_payload_counts_and_other_sessions_have_their_own(memory: Memory, repo: Path) -> None:
    remember_task(memory.repository, dispatched(repo, "one"))

    assert take_task(memory.repository, starts(repo, session="s2")) == ""
    assert take_task(memory.repository, starts(repo, prompt="as told")) == "as told"
    assert take_task(memory.repository, starts(repo)) == "one"


def test_tasks_whose_agents_never_start_do_not_pile_up(memory: Memory, repo: Path) -> None:
    for number in range(WAITING_AT_MOST + 5):
        remember_task(memory.repository, dispatched(repo, f"task {number}"))

    assert take_task(memory.repository, starts(repo)) == "task 5"


def test_secret_in_a_task_is_not_kept(memory: Memory, repo: Path) -> None:
    remember_task(memory.repository, dispatched(repo, "use ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"))

    assert "ghp_" not in take_task(memory.repository, starts(repo))
