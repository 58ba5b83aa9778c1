"""No belief without its status: wherever an agent is shown a memory in doubt, its entry says so, and who wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agent_work import edited, ran
from support.facts import make_fact, make_memory, put, verify

from gitmem.agents import on_event
from gitmem.agents.event import CLEARED, COMPACTED, PROMPT, START, STARTUP, SUBAGENT_START, Event
from gitmem.memory import Memory

PLACE = "src/gate.py"
ABOUT = {"client": "claude-code", "session": "s1"}
SHOWN = {
    "start": lambda m, r: on_event.session_started(m, Event(name=START, folder=str(r), source=STARTUP, **ABOUT)),
    "clear": lambda m, r: on_event.session_started(m, Event(name=START, folder=str(r), source=CLEARED, **ABOUT)),
    "compact": lambda m, r: on_event.session_started(m, Event(name=START, folder=str(r), source=COMPACTED, **ABOUT)),
    "prompt": lambda m, r: on_event.answer_prompt(
        m, Event(name=PROMPT, folder=str(r), prompt="How often does the gateway retry?", **ABOUT)
    ),
    "edit": lambda m, r: on_event.tool_used(m, edited(r, PLACE)),
    "shell": lambda m, r: on_event.tool_used(m, ran(r, f"cat {PLACE}")),
    "failure": lambda m, r: on_event.tool_used(m, ran(r, "make", failed=True, output="error: E_GATE_BUSY")),
    "sub-agent": lambda m, r: on_event.subagent_started(
        m, Event(name=SUBAGENT_START, folder=str(r), agent="a1", agent_type="Explore", **ABOUT)
    ),
}


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN)
def test_memory_in_doubt_is_marked_wherever_it_is_shown(memory: Memory, repo: Path, show) -> None:
    (repo / PLACE).parent.mkdir(exist_ok=True)
    (repo / PLACE).write_text("RETRIES = 4\n", encoding="utf-8")
    put(
        repo,
        make_fact("g3", {"contains": "RETRIES = 3", "in": PLACE}, title="The gateway retries three times: E_GATE_BUSY"),
        make_memory("gives-up", "The caller gives up after E_GATE_BUSY", paths=[PLACE], requires=["g3"]),
    )
    verify(memory)

    entries = [line for line in show(memory, repo).splitlines() if line.startswith("- [")]

    assert entries
    for line in entries:
        assert ("FAILED: " if line.startswith("- [g3]") else "SUSPECT: ") in line
        assert "by a person)" in line
