"""No belief without its status: wherever an agent is shown a memory in doubt, its entry says so, and who wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files
from support.agent_work import edited, ran
from support.facts import make_fact, make_memory, put, verify
from support.ids import named
from support.mcp_client import call_one

from gitmem.agents import on_event
from gitmem.agents.event import CLEARED, COMPACT, COMPACTED, PROMPT, RESUME, START, STARTUP, SUBAGENT_START, Event
from gitmem.memory import Memory

PLACE = "src/gate.py"
FORMER, LATER = "RETRIES = 3\n\ndef wait(): pass\n", "RETRIES = 4\n\ndef pause(): return 1\n"
ABOUT = {"client": "claude-code", "session": "s1"}
QUESTION = "How often does the gateway retry, when does the caller give up, and how long does it wait?"


def start(memory: Memory, repo: Path, source: str) -> str:
    return on_event.session_started(memory, Event(name=START, folder=str(repo), source=source, **ABOUT))


def prompt(memory: Memory, repo: Path) -> str:
    return on_event.answer_prompt(
        memory, Event(name=PROMPT, folder=str(repo), prompt="How often does the gateway retry?", **ABOUT)
    )


def subagent(memory: Memory, repo: Path, task: str = "") -> str:
    about = {"folder": str(repo), "agent": "a1", "agent_type": "Explore", "prompt": task}
    return on_event.subagent_started(memory, Event(name=SUBAGENT_START, **about, **ABOUT))


def compacted(memory: Memory, repo: Path) -> str:
    """Return what Copilot, which reports no start after a compaction, gets with the next prompt."""
    about = {"client": "copilot", "session": "s2", "folder": str(repo)}
    on_event.save_before_compaction(memory, Event(name=COMPACT, **about))
    return on_event.answer_prompt(memory, Event(name=PROMPT, prompt="Go on.", **about))


HOOKS = {
    "start": lambda m, r: start(m, r, STARTUP),
    "clear": lambda m, r: start(m, r, CLEARED),
    "compact": lambda m, r: start(m, r, COMPACTED),
    "compact, with the next prompt": compacted,
    "prompt": prompt,
    "edit": lambda m, r: on_event.tool_used(m, edited(r, PLACE)),
    "shell": lambda m, r: on_event.tool_used(m, ran(r, f"cat {PLACE}")),
    "failure": lambda m, r: on_event.tool_used(m, ran(r, "make", failed=True, output="error: E_GATE_BUSY")),
    "sub-agent": subagent,
    "sub-agent with a task": lambda m, r: subagent(m, r, QUESTION),
}
COMMANDS = {
    "pre-work": ["pre-work", QUESTION],
    "task claim": ["task", "claim", "task-gate"],
    "decisions": ["decisions", "gateway"],
}
TOOLS = {
    "memory_search": {"query": QUESTION},
    "context": {"paths": [PLACE]},
    "facts_status": {},
    "facts_status, listed": {"status": ["failed", "suspect", "stale"]},
}
MARKS = {"g3": "FAILED: ", "gives-up": "SUSPECT: ", "once": "SUSPECT: ", "waits": "STALE: "}


@pytest.fixture
def doubtful(memory: Memory, repo: Path) -> Memory:
    """A fact that failed, memories that rest on it, and one whose lines of code have changed."""
    commit_files(repo, {PLACE: FORMER})
    put(
        repo,
        make_fact("g3", {"contains": "RETRIES = 3", "in": PLACE}, title="The gateway retries three times: E_GATE_BUSY"),
        make_memory("gives-up", "The caller gives up after E_GATE_BUSY", paths=[PLACE], requires=["g3"]),
        make_memory("once", "The gateway is asked once", kind="decision", paths=[PLACE], requires=["g3"]),
    )
    memory.remember("The gateway waits long: E_GATE_BUSY", key="waits", refs=[f"{PLACE}:3"], paths=[PLACE])
    verify(memory)
    commit_files(repo, {PLACE: LATER})
    verify(memory)
    return memory


def doubted(text: str) -> set[str]:
    """Check the entries of a text, and return the keys of those in doubt."""
    keys = set()
    for line in text.splitlines():
        key = next((key for key in MARKS if line.startswith(f"- {named(key)}")), "")
        if key:
            assert MARKS[key] in line, line
            assert "by a person)" in line, line
            keys.add(key)
    return keys


@pytest.mark.parametrize("show", HOOKS.values(), ids=HOOKS)
def test_hook_marks_memories_in_doubt(doubtful: Memory, repo: Path, show) -> None:
    assert doubted(show(doubtful, repo))


def test_all_kinds_of_doubt_are_at_the_start_and_at_the_file(doubtful: Memory, repo: Path) -> None:
    assert doubted(HOOKS["start"](doubtful, repo)) == set(MARKS)
    assert "waits" in doubted(HOOKS["shell"](doubtful, repo)) | doubted(HOOKS["failure"](doubtful, repo))


def test_resumed_session_is_told_what_has_become_doubtful(doubtful: Memory, repo: Path) -> None:
    commit_files(repo, {PLACE: FORMER})
    verify(doubtful)
    start(doubtful, repo, STARTUP)
    commit_files(repo, {PLACE: LATER})
    verify(doubtful)

    assert doubted(start(doubtful, repo, RESUME)) == set(MARKS)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_command_marks_memories_in_doubt(doubtful: Memory, repo: Path, words: list[str], run_cli) -> None:
    put(repo, make_fact("task-gate", {"exists": "gate.md"}, kind="task", title=QUESTION))
    doubtful.close()

    done = run_cli(*words)

    assert doubted(done.out + done.err.replace("gitmem: ", ""))


@pytest.mark.parametrize("name", TOOLS)
def test_mcp_marks_memories_in_doubt(doubtful: Memory, repo: Path, name: str) -> None:
    doubtful.close()

    assert doubted(call_one(repo, name.partition(",")[0], **TOOLS[name]).text)
