"""A sub-agent's start gets a context within its role's budget, with learnings injected for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.facts import make_fact, make_memory, put, verify
from support.ids import named
from support.payloads import parsed

from gitmem.agents import on_event
from gitmem.agents.hook import load
from gitmem.agents.session.activity import path_of
from gitmem.memory import Memory
from gitmem.text.budget import count_tokens

PLACED = {"claude-code": "cwd", "codex": "cwd"}


@pytest.mark.parametrize("client", PLACED)
def test_sub_agent_is_shown_what_was_injected_for_its_type_and_nothing_about_other_work(
    memory: Memory, repo: Path, client: str
) -> None:
    memory.remember("The gateway drops idle connections after a minute", kind="gotcha")
    memory.learnings.inject("Use the Clock fixture, never a mock", category="mistake-pattern", worker="worker-2")
    event = parsed(f"{client}/SubagentStart", cwd=str(repo), agent_type="worker-2")
    assert event is not None

    text = on_event.subagent_started(memory, event)
    other = on_event.subagent_started(memory, parsed(f"{client}/SubagentStart", cwd=str(repo), agent_type="worker-3"))

    assert "(mistake_pattern) Use the Clock fixture, never a mock" in text
    assert "Source: the private memory of the agent worker-2" in text
    assert "The gateway drops idle connections" not in text
    assert "Clock fixture" not in other
    printed = json.loads(load(client).answer(event, text))["hookSpecificOutput"]
    assert (printed["hookEventName"], printed["additionalContext"]) == ("SubagentStart", text)


def test_sub_agent_is_shown_what_its_task_is_about_and_what_failed(memory: Memory, repo: Path) -> None:
    memory.remember("The gateway drops idle connections after a minute", kind="gotcha")
    memory.remember("The door of the cellar is red", kind="learned")
    put(repo, make_fact("wrong", {"exists": "nothing"}, title="There is nothing"))
    verify(memory)
    call = {"tool_name": "Agent", "tool_input": {"prompt": "Why are idle connections dropped by the gateway?"}}
    dispatch = parsed("claude-code/PreToolUse.Agent", cwd=str(repo), session_id="s1", **call)
    about = {"session_id": "s1", "agent_type": "general-purpose", "agent_id": "a1"}
    start = parsed("claude-code/SubagentStart", cwd=str(repo), **about)

    on_event.subagent_dispatched(memory, dispatch)
    text, other = on_event.subagent_started(memory, start), on_event.subagent_started(memory, start)

    assert "ABOUT YOUR TASK" in text
    assert "(gotcha, by a person) The gateway drops idle connections after a minute" in text
    assert "The door of the cellar" not in text + other
    assert f"{named('wrong')} (fact, failed, by a person) FAILED:" in other
    assert count_tokens(other) <= 250


def test_budget_is_that_of_the_role_which_its_type_names(memory: Memory, repo: Path) -> None:
    many = [make_memory(f"m{n}", f"Lesson {n} of the gateway", "It holds. " * 40, kind="gotcha") for n in range(30)]
    put(repo, {"gitmem.toml": "[roles.scout]\nbudget_tokens = 300\n"}, *many)

    text = on_event.subagent_started(
        memory, parsed("claude-code/SubagentStart", cwd=str(repo), agent_type="scout", agent_id="a9")
    )

    assert 0 < count_tokens(text) <= 300


def test_dispatched_prompt_is_logged_where_that_is_wanted(memory: Memory, repo: Path) -> None:
    given = {"tool_name": "Task", "tool_input": {"prompt": "Find all callers", "subagent_type": "Explore"}}
    event = parsed("claude-code/PostToolUse.Bash", cwd=str(repo), **given)
    log = Path(path_of(memory.repository.git.repository.state))

    on_event.tool_used(memory, event)
    assert not log.exists()
    put(repo, {"gitmem.toml": '[stops]\nlog = "responses"\n'})
    on_event.tool_used(memory, event)

    (entry,) = map(json.loads, log.read_text().splitlines())
    assert (entry["tool"], entry["text"]) == ("Task", "Find all callers")
