"""The actions of ``Memory`` on events in an agent's session: each part runs, and none hides another."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from conftest import memory_text, put_files, tip
from support.clients import Client
from support.facts import count_commits
from support.payloads import parsed

from gitmem.agents import on_event
from gitmem.agents.clients import tables
from gitmem.agents.event import COMPACT, END, PROMPT, START, STOP, Event
from gitmem.agents.hook import ACTIONS, load
from gitmem.agents.session.summary import waits
from gitmem.frozen import replace
from gitmem.index.catalog import FILE_NAME
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.store.state import background
from gitmem.store.state.plain_files import HELD_S, spool_folders, waiting_captures
from gitmem.store.state.spool import Spool


def test_every_event_has_its_method() -> None:
    assert [name for name in ACTIONS.values() if not callable(getattr(on_event, name, None))] == []


def test_use_of_a_tool_is_learnt_from_and_kept_in_the_worklog(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, parsed("claude-code/PostToolUse.Bash", cwd=str(repo)))

    assert len(Spool(memory.repository.git.repository.state).list_waiting()) == 1
    assert "bd comments add shop-12" in _worklog(memory)


def test_worklog_goes_on_where_nothing_can_be_captured(memory: Memory, repo: Path) -> None:
    for folder in spool_folders(memory.repository.git.repository.state):
        Path(folder).parent.mkdir(parents=True, exist_ok=True)
        Path(folder).write_text("a file is in the way")

    with pytest.raises(OSError, match="spool"):
        on_event.tool_used(memory, parsed("claude-code/PostToolUse.Bash", cwd=str(repo)))

    assert "bd comments add shop-12" in _worklog(memory)


def test_words_of_an_agent_are_learnt_from(memory: Memory, repo: Path) -> None:
    on_event.save_learnings(memory, parsed("cursor/afterAgentResponse", workspace_roots=[str(repo)]))

    assert len(Spool(memory.repository.git.repository.state).list_waiting()) == 1


@pytest.mark.parametrize("name", ["Stop", "SubagentStop"])
def test_words_at_a_stop_are_kept_at_once_and_no_summary_is_made(memory: Memory, repo: Path, name: str) -> None:
    before = tip(repo)
    event = parsed(f"claude-code/{name}", cwd=str(repo), last_assistant_message="LEARNED: the ledger rounds to even")

    message = on_event.end_turn(memory, event) if name == "Stop" else on_event.subagent_stopped(memory, event)

    assert not message
    assert len(Spool(memory.repository.git.repository.state).list_waiting()) == 1
    assert not waits(memory.repository.git.repository.state)
    assert tip(repo) == before


@pytest.mark.parametrize("client", [name for name, one in tables().items() if one.forgets_start])
def test_prompt_after_a_compaction_brings_the_context_of_the_start_again_and_once(memory: Memory, client: str) -> None:
    memory.remember("The ledger rounds half to even. Otherwise the bank's totals differ.", kind="gotcha")
    start, prompt, compact = (Event(client, name, session="s1", prompt="Go on") for name in (START, PROMPT, COMPACT))
    on_event.session_started(memory, start)
    on_event.answer_prompt(memory, prompt)
    assert "half to even" not in on_event.answer_prompt(memory, prompt)

    assert not on_event.save_before_compaction(memory, compact)

    assert "half to even" in on_event.answer_prompt(memory, prompt)
    assert not on_event.answer_prompt(memory, prompt)


def test_prompt_never_brings_near_misses(memory: Memory) -> None:
    memory.remember("The ledger rounds half to even", kind="gotcha")
    assert memory.recall(Query(text="ledgar", near_misses=True)).near

    assert not on_event.answer_prompt(memory, Event("claude-code", PROMPT, session="s1", prompt="ledgar"))


@pytest.mark.parametrize("client", ["claude-code", "opencode"])
def test_memory_that_a_prompt_brought_is_brought_again_after_a_compaction(memory: Memory, client: str) -> None:
    memory.remember("The ledger rounds half to even. Otherwise the bank's totals differ.", kind="gotcha")
    prompt = Event(client, PROMPT, session="s1", prompt="How does the ledger round half a cent?")
    first, second = (on_event.answer_prompt(memory, prompt) for _ in range(2))

    on_event.save_before_compaction(memory, Event(client, COMPACT, session="s1"))

    assert "half to even" in first
    assert not second
    assert "half to even" in on_event.answer_prompt(memory, prompt)


@pytest.fixture
def behind(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is started in the background be done at once."""
    works = {"spool": memory.captures.drain, "summary": lambda: on_event.summarize(memory)}
    monkeypatch.setattr(background, "start", lambda _state, _where, what: works[what]())


CALLS = 6
TOOLS = {
    "claude-code": "PostToolUse.Bash",
    "codex": "PostToolUse.Bash",
    "copilot": "postToolUse",
    "gemini": "AfterTool.run_shell_command",
    "opencode": "tool.execute.after",
    "pi": "tool_result",
}


@pytest.mark.usefixtures("behind")
@pytest.mark.parametrize("name", TOOLS)
def test_session_of_many_captures_makes_three_commits(
    memory: Memory, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    client = Client(name, repo, "s1")
    client.write("user", "Look at the gateway, please.")
    ran = parsed(f"{name}/{TOOLS[name]}", TOOLS[name])
    where = {"folder": str(repo), "session": "s1", "transcript": str(client.transcript)}
    before = count_commits(repo)

    def happened(event: str) -> Event:
        words, content = client.told(event, trigger="manual") or ([], b"")
        return replace(load(name).parse(json.loads(content), words[2] if words[2:] else ""), **where)

    on_event.session_started(memory, happened("start"))
    for number in range(CALLS):
        words = f'bd comment shop-{number} "LEARNED: part {number} of the gateway holds {number * 7} sockets"'
        on_event.tool_used(memory, replace(ran, command=words, **where))
        client.write("ran", f"make part-{number}")
        if number % (CALLS // 3) == CALLS // 3 - 1:
            on_event.save_before_compaction(memory, happened("compact"))
    on_event.session_ended(memory, happened("end"))

    assert count_commits(repo) - before <= 3
    assert waiting_captures(memory.repository.git.repository.state) == ()


@pytest.mark.usefixtures("behind")
def test_end_of_a_session_commits_what_waits(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, parsed("claude-code/PostToolUse.Bash", cwd=str(repo)))
    assert len(waiting_captures(memory.repository.git.repository.state)) == 1

    on_event.session_ended(memory, _of_another(repo, "SessionEnd"))

    assert waiting_captures(memory.repository.git.repository.state) == ()


@pytest.mark.usefixtures("behind")
@pytest.mark.parametrize(("source", "late_s", "waits"), [("startup", 0, 1), ("startup", 2, 0), ("resume", 2, 0)])
def test_start_of_a_session_commits_only_what_has_waited_too_long(
    memory: Memory, repo: Path, source: str, late_s: int, waits: int
) -> None:
    on_event.tool_used(memory, parsed("claude-code/PostToolUse.Bash", cwd=str(repo)))
    _wait_longer(memory, late_s and HELD_S + late_s)

    on_event.session_started(memory, _of_another(repo, f"SessionStart.{source}"))

    assert len(waiting_captures(memory.repository.git.repository.state)) == waits


@pytest.mark.usefixtures("behind")
@pytest.mark.parametrize("name", ["claude-code", "copilot"])
def test_processes_that_resume_a_session_make_one_commit_and_lose_nothing(
    memory: Memory, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    client, before, state = Client(name, repo, "s1"), count_commits(repo), memory.repository.git.repository.state
    where = {"folder": str(repo), "session": "s1", "transcript": str(client.transcript)}
    client.write("user", "Look at the gateway, please.")
    said = [f"the gateway needs flag number {number}" for number in range(4)]

    for text in said:  # each process says something, and ends
        client.write("assistant", f"Done.\n\nLEARNED: {text}\n")
        on_event.session_started(memory, Event(name, START, source="resume", **where))
        on_event.end_turn(memory, Event(name, STOP, response=f"Done.\n\nLEARNED: {text}\n", **where))
        on_event.session_ended(memory, Event(name, END, **where))

    assert count_commits(repo) - before == 1
    assert {row.title for row in memory.list(kinds=["learned"]).hits} == set(said)
    _wait_longer(memory, HELD_S + 2)
    on_event.session_ended(memory, Event(name, END, **where))
    assert count_commits(repo) - before == 2
    assert waiting_captures(state) == ()
    assert {row.title for row in memory.list(kinds=["learned"]).hits} == set(said)


@pytest.mark.usefixtures("behind")
def test_end_of_another_session_commits_what_a_resumed_one_left(memory: Memory, repo: Path) -> None:
    for number in range(2):
        text = f"LEARNED: the gateway needs flag number {number}"
        on_event.end_turn(memory, Event("cursor", STOP, session="s1", folder=str(repo), response=text))
        on_event.session_ended(memory, Event("cursor", END, session="s1", folder=str(repo)))
    assert len(waiting_captures(memory.repository.git.repository.state)) == 1

    on_event.session_ended(memory, Event("cursor", END, session="s2", folder=str(repo)))

    assert waiting_captures(memory.repository.git.repository.state) == ()


def _of_another(repo: Path, name: str) -> Event:
    return parsed(f"claude-code/{name}", cwd=str(repo), session_id="another", transcript_path="")


def _wait_longer(memory: Memory, seconds: int) -> None:
    """Let what waits have been captured so much earlier."""
    folder = Path(spool_folders(memory.repository.git.repository.state)[0], "waiting")
    for path in folder.iterdir():
        stamp, _, rest = path.name.partition("-")
        path.rename(folder / f"{int(stamp) - seconds * 10**9:020d}-{rest}")


def _worklog(memory: Memory) -> str:
    files = Path(memory.repository.git.repository.state, "sessions").rglob("worklog.jsonl")
    return "".join(file.read_text() for file in files)


def test_start_of_a_session_of_gemini_is_shown_with_its_first_prompt_and_once(memory: Memory, repo: Path) -> None:
    memory.remember("The gateway drops requests", key="gateway")
    memory.remember("Half a cent is rounded to even", key="cents")
    prompt = parsed("gemini/BeforeAgent", cwd=str(repo), prompt="And what is left to do?")

    assert on_event.session_started(memory, parsed("gemini/SessionStart", cwd=str(repo))) == ""
    assert "This repository has 2 memories" in on_event.answer_prompt(memory, prompt)
    assert on_event.answer_prompt(memory, prompt) == ""


def test_prompt_whose_search_cannot_see_the_newest_memories_says_so_once(memory: Memory, repo: Path) -> None:
    memory.remember("Lamps need oil")
    memory.repository.catalog()
    put_files(repo, {"learned/wick.md": memory_text("Wicks burn down in the lamps of the tower")})
    other = sqlite3.connect(repo / ".git/gitmem" / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    event = Event(
        "claude-code", PROMPT, session="s1", folder=str(repo), prompt="why do the wicks of our lamps burn down so fast?"
    )

    first, second = on_event.answer_prompt(memory, event), on_event.answer_prompt(memory, event)

    other.close()
    assert "could not be searched for this prompt: another process is updating the index" in first
    assert second == ""
