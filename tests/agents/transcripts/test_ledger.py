"""The ledger of sessions: unread text, and the ends that clients reported."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.clients import Client
from support.transcripts import placed, prompt_line

from gitmem.agents.event import END, START, Event
from gitmem.agents.transcripts import ledger
from gitmem.memory import Memory


def event(path: Path | str, name: str = START, **fields: str) -> Event:
    return Event("claude-code", name, session="s1", transcript=str(path), **fields)


def state_of(memory: Memory) -> str:
    return memory.repository.git.repository.state


def test_transcript_is_unread_until_it_was_read_and_again_when_it_grows(memory: Memory) -> None:
    path = placed(prompt_line("fix it"))
    ledger.enter(memory.repository, event(path))
    (entry,) = ledger.entries(state_of(memory))
    assert (entry.is_unread, entry.has_ended, entry.fields["branch"]) == (True, False, "main")

    ledger.mark(entry, read=ledger.extent_of(entry.transcript), summarized=-1)
    assert not ledger.entries(state_of(memory))[0].is_unread

    path.write_text(path.read_text() + prompt_line("and this"))
    assert ledger.entries(state_of(memory))[0].is_unread


def test_database_is_unread_when_its_journal_is_written_from_its_start_again(
    memory: Memory, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = Client("opencode", repo, "s1").transcript
    path.parent.mkdir(parents=True)
    journal = path.with_name(f"{path.name}-wal")
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        opened.execute("PRAGMA journal_mode = wal")
        opened.execute("CREATE TABLE part (data)")
        opened.executemany("INSERT INTO part VALUES (?)", [("x" * 8_000,)] * 9)
        opened.execute("PRAGMA wal_checkpoint(RESTART)")
        ledger.enter(memory.repository, event(path))
        ledger.mark(*ledger.entries(state_of(memory)), read=ledger.extent_of(str(path)), summarized=-1)
        sizes = [one.stat().st_size for one in (path, journal)]
        assert not ledger.entries(state_of(memory))[0].is_unread

        opened.execute("INSERT INTO part VALUES ('one more')")

        assert [one.stat().st_size for one in (path, journal)] == sizes
        assert ledger.entries(state_of(memory))[0].is_unread


def test_end_is_noted_and_what_was_read_stays(memory: Memory) -> None:
    path = placed(prompt_line("fix it"))
    ledger.enter(memory.repository, event(path))
    (entry,) = ledger.entries(state_of(memory))
    ledger.mark(entry, read=7, summarized=3)

    ledger.enter(memory.repository, event(path, END))

    (entry,) = ledger.entries(state_of(memory))
    assert (entry.has_ended, entry.read, entry.summarized) == (True, 7, 3)
    ledger.remove(entry)
    assert ledger.entries(state_of(memory)) == []


@pytest.mark.parametrize("fields", [{"transcript": ""}, {"session": ""}])
def test_session_without_a_name_or_transcript_is_not_entered(memory: Memory, fields: dict[str, str]) -> None:
    values = {"session": "s1", "transcript": "/x.jsonl"} | fields

    ledger.enter(memory.repository, Event("claude-code", START, **values))

    assert ledger.entries(state_of(memory)) == []


def test_entry_of_an_earlier_version_is_read(memory: Memory) -> None:
    ledger.enter(memory.repository, event(placed(prompt_line("fix it"))))
    (file,) = Path(state_of(memory), ledger.FOLDER).glob("*.json")
    file.write_text(file.read_text().replace('"client"', '"harness"'))

    (entry,) = ledger.entries(state_of(memory))
    assert entry.fields["client"] == "claude-code"


@pytest.mark.parametrize("content", ["", "[]", "{", '{"client": 7}'])
def test_damaged_entry_is_none(memory: Memory, content: str) -> None:
    folder = Path(state_of(memory), ledger.FOLDER)
    folder.mkdir()
    (folder / "a.json").write_text(content)

    assert ledger.entries(state_of(memory)) == []
