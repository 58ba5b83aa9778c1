"""A memory that cannot be read is said once and loses no words; a hook that took too long stays silent from then on."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import git, tip
from support.payloads import let

from gitmem.agents.hook import serve
from gitmem.agents.transcripts import ledger
from gitmem.memory import Memory
from gitmem.store.state.spool import counts

TEXT = "LEARNED: the pool of the importer needs a lock"


@pytest.fixture
def call(repo: Path, tmp_path: Path) -> Callable[..., str]:
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text("{}\n")

    def call(event: str, **values: Any) -> str:
        given = {"hook_event_name": event, "session_id": "s1", "cwd": str(repo), "transcript_path": str(transcript)}
        path = tmp_path / "payload"
        path.write_text(json.dumps(given | values | {"at": time.monotonic()}))
        fd = os.open(path, os.O_RDONLY)
        try:
            return serve("claude-code", fd=fd)
        finally:
            os.close(fd)

    return call


def break_ref(repo: Path) -> None:
    (repo / ".git/refs/heads/memory").write_text("garbage\n")


def take_commit(repo: Path) -> None:
    (repo / ".git/refs/heads/memory").write_text("a" * 40 + "\n")


def make_foreign(repo: Path) -> None:
    git(repo, "update-ref", "refs/heads/memory", git(repo, "rev-parse", "HEAD"))


@pytest.mark.parametrize("damage", [break_ref, take_commit, make_foreign])
def test_unreadable_memory_is_said_once_and_the_words_are_kept_until_it_is_repaired(
    memory: Memory, repo: Path, call: Callable[..., str], damage: Callable[[Path], None]
) -> None:
    memory.remember("Deploys need the VPN")
    good, state = tip(repo), memory.repository.git.repository.state
    damage(repo)

    started = call("SessionStart", source="startup")
    prompted = call("UserPromptSubmit", prompt="which lock does the importer need?")
    stopped = call("Stop", last_assistant_message=TEXT)

    assert "cannot be read: gitmem doctor --fix" in started
    assert (prompted, stopped) == ("", "")
    assert [one.fields["session"] for one in ledger.entries(state)] == ["s1"]
    assert counts(state)["waiting"] == 1

    (repo / ".git/refs/heads/memory").write_text(f"{good}\n")
    with Memory(repo) as repaired:
        repaired.captures.drain()
        assert any("lock" in hit.title for hit in repaired.recall("importer pool lock").hits)


def test_state_folder_that_is_a_file_is_said_and_the_words_are_kept(
    memory: Memory,
    repo: Path,
    call: Callable[..., str],
    run_cli: Any,
) -> None:
    memory.remember("Deploys need the VPN")
    assert run_cli("install", "claude-code").status == 0
    state = Path(memory.repository.git.repository.state)
    memory.close()
    state.rename(f"{state}.before")
    state.write_text("")

    answers = [call("SessionStart", source="startup"), call("Stop", last_assistant_message=TEXT)]
    assert "is not a folder" in answers[0]
    assert answers[1] == ""
    assert [one.fields["session"] for one in ledger.entries(str(state))] == ["s1"]

    assert counts(str(state))["waiting"] == 1


def test_hook_that_took_too_long_says_so_once_and_the_session_is_left_alone(
    memory: Memory, repo: Path, call: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember("Deploys need the VPN")
    reached = []

    def reach_the_limit(*_: object) -> str:
        reached.append(1)
        signal.raise_signal(signal.SIGALRM)  # what the alarm of the limit sends
        return ""

    let(monkeypatch, reach_the_limit)

    answers = [call("UserPromptSubmit", prompt=f"question number {n}") for n in range(12)]

    assert len(reached) == 1
    assert "stays silent for the rest of this session: gitmem doctor" in answers[0]
    assert answers[1:] == [""] * 11


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, memory: Memory) -> None:
    """Let each event take three seconds, of which two silence who waits."""
    clock = iter(range(0, 1000, 3))
    monkeypatch.setattr("gitmem.agents.hook.monotonic", lambda: next(clock))

    def wait(*_: object) -> str:
        return "seen"

    let(monkeypatch, wait)


@pytest.mark.usefixtures("slow")
def test_slow_events_of_one_sub_agent_silence_only_that_one(call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.agents.trouble.cpu_wait_s", lambda: 0.0)
    ask = {"event": "UserPromptSubmit", "prompt": "x"}

    first = [call(**ask, agent_id="a1") for _ in range(3)]

    assert ["seen" in one for one in first] == [True, True, False]
    assert "seen" in call(**ask, agent_id="a2")
    assert "seen" in call(**ask)


@pytest.mark.usefixtures("slow")
def test_waiting_for_a_cpu_silences_nobody(call, monkeypatch: pytest.MonkeyPatch) -> None:
    waited = iter(range(0, 1000, 3))
    monkeypatch.setattr("gitmem.agents.trouble.cpu_wait_s", lambda: next(waited))  # it never has a CPU

    assert ["seen" in call("UserPromptSubmit", prompt=f"question {n}") for n in range(4)] == [True] * 4
