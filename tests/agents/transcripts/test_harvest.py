"""The harvest runs if learnings were not captured, is bounded, and handles each unended session once."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from conftest import NOW
from support.clients import Client
from support.facts import Clock
from support.transcripts import message_line, placed, prompt_line

from gitmem.agents import on_event
from gitmem.agents.clients import opencode
from gitmem.agents.event import START, STOP, Event
from gitmem.agents.transcripts import harvest, ledger
from gitmem.agents.transcripts.turns import Turn
from gitmem.memory import Memory
from gitmem.store.state import background

LINE = "LEARNED: the ledger rounds half to even"


@pytest.fixture
def memory(repo: Path):
    with Memory(repo, clock=Clock()) as opened:
        opened.init(offline=True)
        yield opened


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the works that are started in the background."""
    works: list[str] = []
    monkeypatch.setattr(background, "start", lambda _state, _where, what: works.append(what))
    return works


def event(path: Path, name: str, session: str = "s1") -> Event:
    return Event("claude-code", name, session=session, transcript=str(path))


@pytest.mark.parametrize(("words", "works"), [(LINE, [harvest.WORK]), ("It retries now.", [])])
def test_stop_asks_for_a_harvest_where_words_were_not_captured(
    memory: Memory, started: list[str], words: str, works: list[str]
) -> None:
    on_event.end_turn(memory, event(placed(prompt_line("fix it") + "\n" + message_line(words) + "\n"), STOP))

    assert started == works


def test_next_start_harvests_a_session_that_was_killed(memory: Memory, started: list[str]) -> None:
    on_event.session_started(memory, event(placed(prompt_line("fix it") + "\n" + message_line(LINE) + "\n"), START))
    assert started == []

    on_event.session_started(memory, event(placed("", "s2.jsonl"), START, "s2"))

    assert started == [harvest.WORK]


@pytest.mark.parametrize(
    ("client", "session", "folder", "found"),
    [
        ("claude-code", "s1", "{name}/subagents", ["a"]),
        ("gemini", "c1-35868", "c1-35868", ["a"]),
        ("gemini", "../other", "../other", []),
    ],
)
def test_sub_agents_are_read_where_their_client_puts_them(
    memory: Memory, client: str, session: str, folder: str, found: list[str]
) -> None:
    path = placed(prompt_line("fix it") + "\n", f"{client}-{len(session)}.jsonl")
    agents = path.parent / folder.format(name=path.stem)
    agents.mkdir(parents=True)
    (agents / "a.jsonl").write_text(message_line(LINE) + "\n")
    ledger.enter(memory.repository, Event(client, START, session=session, transcript=str(path)))

    taken: list[tuple[str, str]] = []
    harvest.harvest(memory.repository, lambda _, of, turns: taken.extend((of.agent, one.text) for one in turns))

    assert [agent for agent, text in taken if LINE in text] == found


def test_locked_database_is_read_by_the_next_harvest(
    memory: Memory, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(opencode, "PATIENCE_S", 0.01)
    client = Client("opencode", repo, "s1")
    client.write("assistant", LINE)
    event = Event("opencode", START, session="s1", transcript=str(client.transcript))
    ledger.enter(memory.repository, event)
    taken: list[str] = []

    def take(_memory: object, _event: Event, turns: Sequence[Turn]) -> None:
        taken.extend(turn.text for turn in turns)

    with closing(sqlite3.connect(client.transcript, isolation_level=None)) as opened:
        opened.execute("BEGIN EXCLUSIVE")
        harvest.harvest(memory.repository, take)
    assert taken == []

    harvest.harvest(memory.repository, take)
    assert taken == [LINE]


def test_only_a_silent_session_counts_as_over_and_once(memory: Memory) -> None:
    import os

    path = placed(prompt_line("fix it") + "\n" + message_line(LINE) + "\n")
    ledger.enter(memory.repository, event(path, START))
    os.utime(path, (NOW, NOW - harvest.SILENT_S + 10))
    assert harvest.harvest(memory.repository, lambda *_: None) == []

    os.utime(path, (NOW, NOW - harvest.SILENT_S - 10))
    (left,) = harvest.harvest(memory.repository, lambda *_: None)

    assert (left.fields["session"], left.fields["branch"]) == ("s1", "main")
    assert harvest.harvest(memory.repository, lambda *_: None) == []


def test_one_run_reads_a_bounded_number_and_the_next_one_the_others(memory: Memory) -> None:
    taken: list[str] = []
    for number in range(harvest.AT_MOST + 3):
        path = placed(prompt_line("fix it") + "\n", f"s{number}.jsonl")
        ledger.enter(memory.repository, event(path, START, f"s{number}"))

    harvest.harvest(memory.repository, lambda _memory, one, _turns: taken.append(one.session))
    assert len(taken) == harvest.AT_MOST
    harvest.harvest(memory.repository, lambda _memory, one, _turns: taken.append(one.session))

    assert len(taken) == len(set(taken)) == harvest.AT_MOST + 3


def test_transcript_elsewhere_is_not_read(memory: Memory, repo: Path) -> None:
    path = repo / "s1.jsonl"
    path.write_text(message_line(LINE))
    ledger.enter(memory.repository, event(path, START))

    harvest.harvest(memory.repository, lambda *_: pytest.fail("it was read"))
