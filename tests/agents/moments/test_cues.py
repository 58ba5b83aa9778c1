"""The file with the phrases of commands about which memories have a caution."""

from __future__ import annotations

from pathlib import Path

from support.facts import make_memory, put
from support.sessions import ran

from gitmem.agents import on_event
from gitmem.agents.event import COMMAND, STOP, Event
from gitmem.agents.moments.cues import NAME, PHRASES_AT_MOST, cued_phrases, write_cues
from gitmem.cli.background import WORKS
from gitmem.git.repository import discover
from gitmem.memory import Memory


def test_phrases_are_those_of_the_present_memories(memory: Memory, repo: Path) -> None:
    assert cued_phrases(str(repo), "pytest -n auto") == []
    put(repo, make_memory("a", "pytest -n auto deadlocks"), make_memory("b", "The lights blink"))
    put(repo, make_memory("c", "Build before `npm run e2e`"), make_memory("d", "tox hangs"))
    memory.forget("d")

    write_cues(memory.repository)

    assert cued_phrases(str(repo), "pytest -n auto tests") == ["pytest -n"]
    assert cued_phrases(str(repo), "yarn e2e --headed") == ["npm e2e"]
    assert cued_phrases(str(repo), "pytest tests") == cued_phrases(str(repo), "tox") == []
    put(repo, make_memory("e", " ".join(f"Never run `a{number} b`." for number in range(PHRASES_AT_MOST))))
    write_cues(memory.repository)
    assert cued_phrases(str(repo), "pytest -n auto tests") == ["pytest -n"]
    Path(discover(str(repo)).state, NAME).write_text("x\n \npytest -n\n" + "y\n" * PHRASES_AT_MOST + "pytest -x")
    assert cued_phrases(str(repo), "pytest -n 2 -x") == ["pytest -n"]
    assert cued_phrases(str(repo.parent / "missing"), "pytest -n auto") == []


def test_what_a_session_writes_or_captures_warns_before_the_next_one_starts(memory: Memory, repo: Path) -> None:
    memory.remember("pytest -n auto deadlocks", key="workers")
    on_event.tool_used(memory, ran("gitmem remember 'pytest -n auto deadlocks'", output="workers\n"))

    assert cued_phrases(str(repo), "pytest -n 4") == ["pytest -n"]

    on_event.save_learnings(memory, Event("claude-code", STOP, session="s1", response="LEARNED: tox hangs on macOS\n"))
    WORKS["spool"](memory)

    assert cued_phrases(str(repo), "tox -e py311") == ["tox"]


def test_names_of_unknown_programs_and_tasks_are_those_of_the_memories(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "Imgtool writes an old header"), make_memory("b", "For letters:print use tray two"))

    write_cues(memory.repository)

    assert cued_phrases(str(repo), "imgtool sign x") == ["imgtool"]
    assert cued_phrases(str(repo), "rake letters:print letters:fold") == ["letters:print"]
    assert cued_phrases(str(repo), "tray; ls writes; cat two") == ["tray"]
    assert cued_phrases(str(repo), "old_header; git header") == []


def test_memory_about_what_a_target_runs_is_shown_before_the_target(memory: Memory, repo: Path) -> None:
    (repo / "Makefile").write_text("image:\n\timgtool sign app.bin\ntest:\n\ttrue\n")
    put(repo, make_memory("a", "Imgtool writes an old header: compare the first 32 bytes."))
    write_cues(memory.repository)

    def announced(command: str) -> str:
        event = Event("claude-code", COMMAND, session="s1", folder=str(repo), command=command)
        return on_event.command_announced(memory, event)

    assert announced("make test") == ""
    assert "compare the first 32 bytes" in announced("make image")
